package item

import (
	"fmt"
	"strconv"

	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
)

// facts are what is known of an item besides what it carries.
func (s *Item) facts(e env.Env) []row {
	f := facts{env: e}
	r := &s.record.Item
	f.heading("Item")
	f.add("reference", text.Clean(r.Reference))
	f.add("priority", text.Safe(r.Priority.String()))
	f.add("job", text.Clean(r.Job))
	f.add("created", f.by(r.CreatedAt, r.CreatedBy))
	f.time("due", r.DueAt)
	f.time("at risk", r.RiskAt)
	f.time("deferred to", r.DeferUntil)
	if r.Status.Waiting() && r.ReadyAt() > store.At(e.Now) {
		f.add("ready in", env.Span(e.Until(r.ReadyAt())))
	}
	if w := s.record.SlotWait; w != nil && r.Status.Waiting() {
		f.add("slot", text.Clean(w.String()))
	}
	f.time("started", r.StartedAt)
	f.time("ended", r.EndedAt)
	f.add("progress", text.Clean(r.Progress))
	f.claim(r)
	f.attempts(r)
	f.review(&r.Review)
	return f.rows
}

type facts struct {
	env  env.Env
	rows []row
}

func (f *facts) heading(name text.Safe) {
	if len(f.rows) > 0 {
		f.rows = append(f.rows, row{})
	}
	f.rows = append(f.rows, row{heading: true, line: line{{themes.Title, name}}})
}

func (f *facts) add(label, value text.Safe) {
	if value != "" {
		f.rows = append(f.rows, row{line: line{{themes.Muted, text.Pad(label, 13)}, {themes.Text, value}}})
	}
}

func (f *facts) time(label text.Safe, t store.Time) {
	if !t.IsZero() {
		f.add(label, f.env.Moment(t))
	}
}

func (f *facts) by(t store.Time, who string) text.Safe {
	words := f.env.Moment(t)
	if who != "" {
		words += " by " + text.Clean(who)
	}
	return words
}

// claim tells who holds the item, or held it last.
func (f *facts) claim(r *store.Item) {
	if r.ClaimedBy == "" {
		return
	}
	f.heading("Claim")
	label := text.Safe("last held by")
	if r.Status.InFlight() {
		label = "held by"
	}
	f.add(label, text.Clean(env.Robot(r.ClaimedBy)))
	f.time("since", r.ClaimedAt)
	f.add("fence", text.Safe(strconv.FormatUint(r.Fence, 10)))
	switch {
	case !r.Status.InFlight():
	case r.LeaseUntil.IsZero():
		f.add("lease", "never runs out")
	case r.LeaseUntil < store.At(f.env.Now):
		f.add("lease", "has run out")
	default:
		f.add("lease", env.Span(f.env.Until(r.LeaseUntil))+" left")
	}
}

// attempts tells how often the item was tried, and the chain of its retries.
func (f *facts) attempts(r *store.Item) {
	f.heading("Attempts")
	f.add("claims", text.Safe(strconv.Itoa(r.Attempts)))
	if r.MaxAttempts > 0 {
		f.add("failures", text.Safe(fmt.Sprintf("%d of %d allowed", r.Failures, r.MaxAttempts)))
	}
	if r.Reclaims > 0 {
		f.add("reclaims", text.Safe(strconv.Itoa(r.Reclaims)))
	}
	if !r.Retryable {
		f.add("retries", "none: it is not to be retried")
	}
	if r.RetryNo > 0 {
		f.add("retry", text.Safe(strconv.Itoa(r.RetryNo)))
		f.add("chain from", text.Clean(r.Chain.String()))
	}
	g := f.env.Glyphs
	if !r.Previous.IsZero() {
		f.add(text.Safe(g.Left)+" previous", text.Clean(r.Previous.String()))
	}
	if !r.Next.IsZero() {
		f.add(text.Safe(g.Right)+" next", text.Clean(r.Next.String()))
	}
}

func (f *facts) review(r *store.Review) {
	if r.Status == store.NoReview && r.Note == "" {
		return
	}
	f.heading("Review")
	f.add("status", text.Safe(r.Status.String()))
	f.add("reviewer", text.Clean(r.Reviewer))
	f.add("note", text.Clean(r.Note))
	f.time("at", r.At)
}
