package items

import (
	"strconv"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/table"
)

// tab is a status filter within reach of the arrows.
type tab struct {
	name     string
	statuses []store.Status
	kind     string // of the error
}

// tabs are the status filters. In a jobs queue business exceptions are failed
// items by status, and told from faults by the kind of their error.
func (s *Items) tabs(e env.Env) []tab {
	all := []tab{
		{name: "all"},
		{name: "waiting", statuses: []store.Status{store.Queued, store.Pending}},
		{name: "running", statuses: []store.Status{store.Claimed, store.Processing}},
		{name: "done", statuses: []store.Status{store.Completed, store.Successful}},
		{name: "excepted", statuses: []store.Status{store.BusinessException}},
		{name: "failed", statuses: []store.Status{store.SystemException}},
		{name: "abandoned", statuses: []store.Status{store.Abandoned}},
		{name: "other", statuses: []store.Status{store.Retried, store.Cancelled, store.Deleted}},
	}
	if q, ok := e.Queue(s.source.request.Queue); ok && q.Family == store.Jobs {
		all[excepted].statuses, all[excepted].kind = []store.Status{store.Failed}, engine.Business
		all[faults].statuses, all[faults].kind = []store.Status{store.Failed}, engine.System
	}
	return all
}

// The places of two tabs.
const (
	excepted = 4
	faults   = 5
)

// count is how many items a tab would show.
func (t *tab) count(e env.Env, q *engine.QueueState) (n int64) {
	if t.statuses == nil {
		return q.Counts.Total()
	}
	for _, s := range t.statuses {
		n += q.Counts[s]
	}
	switch t.kind {
	case engine.Business:
		return e.Excepted(q.Name)
	case engine.System:
		return n - e.Excepted(q.Name)
	}
	return n
}

func columns(deciding, everywhere bool, shared string) []table.Column[store.Item] {
	type row = store.Item
	word := func(r themes.Role, of func(*row) string) func(env.Env, *row) table.Cell {
		return func(_ env.Env, i *row) table.Cell { return table.Cell{Role: r, Text: text.Clean(of(i))} }
	}
	number := table.Column[row]{Title: "number", Ordered: true, Min: 7, Ideal: 9, Right: true, Cell: func(_ env.Env, i *row) table.Cell {
		return table.Cell{Role: themes.Text, Text: text.Safe(strconv.FormatUint(i.Number, 10))}
	}}
	if everywhere { // then the queue belongs to the name
		number = table.Column[row]{Title: "item", Min: 14, Ideal: 24, Most: 40, Measure: func(i *row) string { return i.ID().String() }, Cell: word(themes.Text, func(i *row) string { return i.ID().String() })}
	}
	reference := table.Column[row]{Title: "reference", Ordered: true, Min: 12, Ideal: 18, Cell: word(themes.Text, func(i *row) string { return i.Reference })}
	attempts := table.Column[row]{Title: "tries", Ordered: true, Min: 5, Right: true, Drop: 3, Cell: func(e env.Env, i *row) table.Cell {
		if i.Attempts == 0 {
			return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
		}
		return table.Cell{Role: themes.Text, Text: text.Safe(strconv.Itoa(i.Attempts))}
	}}
	when := table.Column[row]{Title: "changed", Ordered: true, Min: 11, Cell: func(e env.Env, i *row) table.Cell {
		return table.Cell{Role: themes.Muted, Text: e.When(engine.ChangedAt(i))}
	}, Drop: 2}
	robot := table.Column[row]{Title: "robot", Ordered: true, Min: 10, Ideal: 18, Drop: 6, Cell: word(themes.Muted, func(i *row) string { return env.Robot(i.ClaimedBy) })}
	reason := table.Column[row]{Title: "what", Min: 24, Grow: true, Cell: what}
	if deciding {
		robot.Drop, when.Drop, attempts.Drop = 6, 4, 5
		reference.Blank = func(_ env.Env, i *row) bool { return i.Reference == "" }
		robot.Blank = func(_ env.Env, i *row) bool { return i.ClaimedBy == "" }
		own := particular(shared)
		return []table.Column[row]{
			number, reference,
			{Title: "review", Min: 10, Ideal: 20, Drop: 1, Cell: review, Blank: func(_ env.Env, i *row) bool {
				return i.Review.Status != store.InReview && i.Review.Status != store.Verified
			}},
			attempts,
			{Title: "age", Min: 6, Right: true, Drop: 7, Cell: func(e env.Env, i *row) table.Cell {
				return table.Cell{Role: themes.Muted, Text: e.Age(i.CreatedAt)}
			}},
			when, robot,
			{Title: "what", Min: 14, Grow: true, Drop: 2, Cell: own, Blank: func(e env.Env, i *row) bool { return own(e, i).Text == "" }},
		}
	}
	reason.Drop = 1 // the status says it in short
	return []table.Column[row]{
		number, reference,
		{Title: "status", Ordered: true, Min: 20, Cell: status},
		attempts,
		{Title: "priority", Ordered: true, Min: 8, Drop: 5, Cell: priority},
		{Title: "due", Ordered: true, Min: 11, Drop: 4, Cell: due},
		when,
		robot,
		reason,
	}
}

func status(e env.Env, i *store.Item) table.Cell {
	if ready := i.ReadyAt(); i.Status.Waiting() && ready > store.At(e.Now) {
		words := "delayed " + string(env.Span(e.Until(ready)))
		return table.Cell{Role: themes.StateDelayed, Text: text.Safe(e.Glyphs.Delayed + " " + words)}
	}
	role, words := e.Standing(i.Status, i.ErrorKind())
	return table.Cell{Role: role, Text: words}
}

func priority(e env.Env, i *store.Item) table.Cell {
	if i.Priority == store.Normal {
		return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
	}
	return table.Cell{Role: themes.Text, Text: text.Safe(i.Priority.String())}
}

// due tells how much time is left while that matters.
func due(e env.Env, i *store.Item) table.Cell {
	switch {
	case i.DueAt.IsZero():
		return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
	case i.EndedAt.IsZero() && i.DueAt <= store.At(e.Now):
		return table.Cell{Role: themes.Danger, Text: text.Safe(env.Span(e.Since(i.DueAt))) + " late"}
	case i.EndedAt.IsZero():
		role := themes.Muted
		if !i.RiskAt.IsZero() && i.RiskAt <= store.At(e.Now) {
			role = themes.Warn
		}
		return table.Cell{Role: role, Text: text.Safe(env.Span(e.Until(i.DueAt))) + " left"}
	}
	return table.Cell{Role: themes.Muted, Text: e.When(i.DueAt)}
}

func review(e env.Env, i *store.Item) table.Cell {
	switch i.Review.Status {
	case store.InReview:
		return table.Cell{Role: themes.Info, Text: text.Clean("with " + i.Review.Reviewer)}
	case store.Verified:
		return table.Cell{Role: themes.StateDone, Text: text.Safe(e.Glyphs.OK) + " verified"}
	}
	return table.Cell{Role: themes.Disabled, Text: text.Safe(e.Glyphs.Sep)}
}

// from gives a reason from the word on in which it differs from that of its
// group.
func from(reason, shared, tail string) string {
	n := 0
	for i := range min(len(reason), len(shared)) {
		if reason[i] != shared[i] {
			break
		}
		if reason[i] == ' ' {
			n = i + 1
		}
	}
	if n == 0 {
		return reason
	}
	return tail + " " + reason[n:]
}

// particular tells of an item of a group what the reason that the group shares
// does not: its own words where they differ, else the note of a reviewer, or how
// far it had come.
func particular(shared string) func(env.Env, *store.Item) table.Cell {
	return func(e env.Env, i *store.Item) table.Cell {
		switch {
		case i.Review.Note != "":
			return table.Cell{Role: themes.Text, Text: text.Clean(i.Review.Note)}
		case i.Error != nil && i.Error.Reason != shared:
			return table.Cell{Role: themes.Text, Text: text.Clean(from(i.Error.Reason, shared, e.Glyphs.Ellipsis))}
		}
		return table.Cell{Role: themes.Muted, Text: text.Clean(i.Progress)}
	}
}

// what tells why an item stands where it does.
func what(e env.Env, i *store.Item) table.Cell {
	switch {
	case i.Status == store.Retried && !i.Next.IsZero():
		return table.Cell{Role: themes.Muted, Text: text.Clean(e.Glyphs.Retried + " goes on as " + i.Next.String())}
	case i.Error != nil && i.Error.Reason != "" && !i.Status.InFlight():
		return table.Cell{Role: themes.Text, Text: text.Clean(i.Error.Reason)}
	case i.Status == store.Abandoned:
		return table.Cell{Role: themes.Text, Text: text.Clean(env.Robot(i.ClaimedBy) + " ended without a word")}
	case i.Progress != "":
		return table.Cell{Role: themes.Muted, Text: text.Clean(i.Progress)}
	}
	return table.Cell{}
}
