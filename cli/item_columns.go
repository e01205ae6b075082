package cli

import (
	"strconv"

	"signalbox/store"
	"signalbox/tui/text"
)

// itemColumns are a list's columns: for people the ones that fit and tell, in
// CSV every field that lists have.
func (a *app) itemColumns() columns[store.Item] {
	type i = store.Item
	now := a.Now()
	zone, err := a.location()
	if err != nil {
		zone = a.Zone // refused before anything is listed
	}
	status := func(i i) string {
		if ready := i.ReadyAt(); i.Status.Waiting() && ready > store.At(now) {
			return i.Status.String() + " " + text.Ago(now.Sub(ready.Time()))
		}
		return i.Status.String()
	}
	return columns[i]{
		table: []column[i]{
			{"id", func(i i) string { return i.ID().String() }, false},
			{"status", status, false},
			{"reference", func(i i) string { return i.Reference }, false},
			{"priority", func(i i) string { return i.Priority.String() }, false},
			{"due", func(i i) string { return when(i.DueAt, now, zone) }, false},
			{"tries", func(i i) string { return strconv.Itoa(i.Attempts) }, true},
			{"robot", func(i i) string { return i.ClaimedBy }, false},
			{"review", func(i i) string { return reviewNote(i.Review) }, false},
			{"reason", func(i i) string { return failureOf(i).Reason }, false},
		},
		csv: itemFields(),
	}
}

// itemFields are an item's fields by their JSON names.
func itemFields() []column[store.Item] {
	type i = store.Item
	return []column[i]{
		{"id", func(i i) string { return i.ID().String() }, false},
		{"queue", func(i i) string { return i.Queue }, false},
		{"number", func(i i) string { return strconv.FormatUint(i.Number, 10) }, false},
		{"family", func(i i) string { return i.Family.String() }, false},
		{"status", func(i i) string { return i.Status.String() }, false},
		{"reference", func(i i) string { return i.Reference }, false},
		{"key", func(i i) string { return i.Key }, false},
		{"priority", func(i i) string { return i.Priority.String() }, false},
		{"progress", func(i i) string { return i.Progress }, false},
		{"attempts", func(i i) string { return strconv.Itoa(i.Attempts) }, false},
		{"failures", func(i i) string { return strconv.Itoa(i.Failures) }, false},
		{"reclaims", func(i i) string { return strconv.Itoa(i.Reclaims) }, false},
		{"max_attempts", func(i i) string { return strconv.Itoa(i.MaxAttempts) }, false},
		{"retryable", func(i i) string { return strconv.FormatBool(i.Retryable) }, false},
		{"retry_no", func(i i) string { return strconv.Itoa(i.RetryNo) }, false},
		{"chain", func(i i) string { return i.Chain.String() }, false},
		{"previous", func(i i) string { return i.Previous.String() }, false},
		{"next", func(i i) string { return i.Next.String() }, false},
		{"claimed_by", func(i i) string { return i.ClaimedBy }, false},
		{"claimed_at", func(i i) string { return i.ClaimedAt.String() }, false},
		{"lease_until", func(i i) string { return i.LeaseUntil.String() }, false},
		{"fence", func(i i) string { return strconv.FormatUint(i.Fence, 10) }, false},
		{"started_at", func(i i) string { return i.StartedAt.String() }, false},
		{"ended_at", func(i i) string { return i.EndedAt.String() }, false},
		{"available_at", func(i i) string { return i.AvailableAt.String() }, false},
		{"defer_until", func(i i) string { return i.DeferUntil.String() }, false},
		{"due_at", func(i i) string { return i.DueAt.String() }, false},
		{"risk_at", func(i i) string { return i.RiskAt.String() }, false},
		{"created_at", func(i i) string { return i.CreatedAt.String() }, false},
		{"created_by", func(i i) string { return i.CreatedBy }, false},
		{"job", func(i i) string { return i.Job }, false},
		{"error.kind", func(i i) string { return failureOf(i).Kind }, false},
		{"error.reason", func(i i) string { return failureOf(i).Reason }, false},
		{"error.at", func(i i) string { return failureOf(i).At.String() }, false},
		{"review.status", func(i i) string { return i.Review.Status.String() }, false},
		{"review.reviewer", func(i i) string { return i.Review.Reviewer }, false},
		{"review.note", func(i i) string { return i.Review.Note }, false},
		{"review.at", func(i i) string { return i.Review.At.String() }, false},
		{"revision", func(i i) string { return strconv.FormatUint(i.Revision, 10) }, false},
	}
}

func failureOf(i store.Item) store.Failure {
	if i.Error == nil {
		return store.Failure{}
	}
	return *i.Error
}

func reviewNote(r store.Review) string {
	switch {
	case r.Status == store.NoReview:
		return ""
	case r.Reviewer != "":
		return r.Status.String() + " " + r.Reviewer
	}
	return r.Status.String()
}

func changeColumns(stamp func(store.Time) string) columns[store.Change] {
	type c = store.Change
	fields := func(at func(store.Time) string) []column[c] {
		return []column[c]{
			{"seq", func(c c) string { return strconv.FormatUint(c.Seq, 10) }, true},
			{"at", func(c c) string { return at(c.At) }, false},
			{"actor", func(c c) string { return c.Actor }, false},
			{"event", func(c c) string { return c.Event }, false},
			{"from", func(c c) string { return statusName(c.From) }, false},
			{"to", func(c c) string { return statusName(c.To) }, false},
			{"fence", func(c c) string { return strconv.FormatUint(c.Fence, 10) }, true},
			{"why", func(c c) string { return c.Why }, false},
		}
	}
	return columns[c]{table: fields(stamp), csv: fields(store.Time.String)}
}

// statusName is a status's name, or "" for none.
func statusName(s store.Status) string {
	if s == 0 {
		return ""
	}
	return s.String()
}
