package act

import (
	"encoding/json"
	"fmt"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

// Scope is how wide an order reaches.
type Scope uint8

// The three scopes.
const (
	Row Scope = iota
	Marked
	Matching
)

// sample is how many items a question names.
const sample = 5

// typeAbove is the number of items above which the count must be typed.
const typeAbove = 1000

// Order is a verb with all that it needs: which items, as they were seen, and
// the words that go with it.
type Order struct {
	Verb     Verb
	Scope    Scope
	Targets  []engine.Target
	Where    []text.Safe          // Matching: what they match
	Requests []engine.ListRequest // Matching: what selects them
	Hidden   int                  // marks that the filter hides
	Reviewer string
	Note     string
	Payload  json.RawMessage // Edit: what the item is to carry
	File     string          // Edit: where it stands
}

// Title names verb, number and scope: "Retry 37 matching items". What they
// match follows in Where.
func (o *Order) Title() text.Safe {
	n := len(o.Targets)
	verb := text.Safe(o.Verb.asking()) + " "
	switch {
	case o.Scope == Matching:
		return verb + text.Safe(text.Plural(int64(n), "matching item"))
	case o.Scope == Marked:
		return verb + text.Safe(text.Plural(int64(n), "marked item"))
	case n == 1:
		return verb + text.Clean(o.Targets[0].Item.String())
	}
	return verb + text.Safe(text.Plural(int64(n), "item"))
}

// first names the items that come first, for the question.
func (o *Order) first() []text.Safe {
	var names []text.Safe
	for _, t := range o.Targets[:min(sample, len(o.Targets))] {
		names = append(names, text.Clean(t.Item.String()))
	}
	return names
}

// Tally counts outcomes by result.
type Tally struct {
	OK, Stale, Gone, Refused int
	Trouble                  []text.Safe // a line for each row that was not done, at most sample
}

// Count tallies outcomes.
func Count(outcomes []engine.Outcome) Tally {
	var t Tally
	for _, o := range outcomes {
		why := o.Error
		switch o.Result {
		case engine.OK:
			t.OK++
			continue
		case engine.Stale:
			t.Stale++
			why = orElse(why, "changed since you looked")
		case engine.Gone:
			t.Gone++
			why = orElse(why, "no longer there")
		default:
			t.Refused++
			why = orElse(why, "not allowed in its state")
		}
		if len(t.Trouble) < sample {
			t.Trouble = append(t.Trouble, text.Clean(o.Item.String()+": "+why))
		}
	}
	return t
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Report words a finished order: what was done, and what was not and why.
func (t Tally) Report(o *Order, outcomes []engine.Outcome, arrived int64) text.Safe {
	all := len(outcomes)
	if all == 1 && t.OK == 1 && arrived == 0 {
		return one(o, outcomes[0])
	}
	words := fmt.Sprintf("%s %s", o.Verb.past(), text.Count(int64(t.OK)))
	if t.OK < all {
		words += " of " + text.Count(int64(all))
	}
	if o.Verb == Assign {
		words += " to " + string(text.Clean(o.Reviewer))
	}
	for _, part := range []struct {
		n    int
		what string
	}{{t.Stale, "changed since you looked"}, {t.Gone, "gone"}, {t.Refused, "not allowed"}} {
		if part.n > 0 {
			words += fmt.Sprintf(", %s %s", text.Count(int64(part.n)), part.what)
		}
	}
	switch {
	case arrived == 1:
		words += "; 1 arrived since and is untouched"
	case arrived > 1:
		words += fmt.Sprintf("; %s arrived since and are untouched", text.Count(arrived))
	}
	return text.Safe(words)
}

func one(o *Order, done engine.Outcome) text.Safe {
	words := o.Verb.past() + " " + done.Item.String()
	switch {
	case o.Verb == Assign:
		words += " to " + o.Reviewer
	case done.Next != (store.ID{}):
		words += ": goes on as " + done.Next.String()
	case o.Verb == Retry || o.Verb == Edit:
		words += ": " + done.Status.String() + " again"
	}
	return text.Clean(words)
}
