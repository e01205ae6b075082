package act

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/env"
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
	Named    []store.ID           // those of many that the question names: the first that the verb can be used on
	Where    []text.Safe          // Matching: what they match
	Requests []engine.ListRequest // Matching: what selects them
	Hidden   int                  // marks that the filter hides
	First    int                  // only the first so many; 0 = all
	Rate     engine.Rate          // at most so many in a time
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

// queues are those of its items.
func (o *Order) queues() []string {
	var names []string
	last := ""
	for i := range o.Targets {
		if name := o.Targets[i].Item.Queue; name != last && !slices.Contains(names, name) {
			last = name
			names = append(names, name)
		}
	}
	return names
}

// Name has the question name those of rows that are among the targets and that
// the verb can be used on: with these it begins where only the first are wanted.
// Where no row is among them, it names the first targets.
func (o *Order) Name(rows []store.Item) {
	r := engine.BulkRequest{Verb: o.Verb.bulk()}
	among := make(map[store.ID]bool, len(o.Targets))
	for i := range o.Targets {
		among[o.Targets[i].Item] = true
	}
	known := false
	for i := range rows {
		id := rows[i].ID()
		known = known || among[id]
		if len(o.Named) < sample && among[id] && r.Allows(&rows[i]) {
			o.Named = append(o.Named, id)
		}
	}
	for _, t := range o.Targets[:min(sample, len(o.Targets))] {
		if !known {
			o.Named = append(o.Named, t.Item)
		}
	}
}

// Tally counts outcomes by result.
type Tally struct {
	OK, Stale, Gone, Refused int
	Trouble                  []text.Safe // a line for each row that was not done, at most sample
}

// Count tallies outcomes; times in them are told as they are at place.
func Count(outcomes []engine.Outcome, place *time.Location) Tally {
	var t Tally
	if place == nil {
		place = time.UTC
	}
	for i := range outcomes {
		o := &outcomes[i]
		switch o.Result {
		case engine.OK:
			t.OK++
			continue
		case engine.Stale:
			t.Stale++
		case engine.Gone:
			t.Gone++
		default:
			t.Refused++
		}
		if len(t.Trouble) < sample {
			t.Trouble = append(t.Trouble, text.Clean(o.Item.String()+": "+why(o, place)))
		}
	}
	return t
}

// why says why an item was not done, and who was there before.
func why(o *engine.Outcome, place *time.Location) string {
	before := ""
	if o.LastEvent != "" {
		before = fmt.Sprintf("%s by %s at %s", happened(o.LastEvent), env.Robot(o.LastBy), text.Clock(o.LastAt.Time(), place))
	}
	rule := strings.TrimPrefix(o.Error, fmt.Sprintf("item %q: ", o.Item.String()))
	if e, ok := errors.AsType[*store.Error](o.Err); ok {
		rule = e.Rule
	}
	switch {
	case o.Result == engine.Stale && before != "":
		return "changed since you looked: " + before
	case o.Result == engine.Stale:
		return orElse(rule, "changed since you looked")
	case o.Result == engine.Gone:
		return "no longer there"
	case before != "" && !strings.Contains(rule, o.LastBy):
		return orElse(rule, "not allowed in its state") + "; " + before
	}
	return orElse(rule, "not allowed in its state")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// happened words an event of the history as what was done.
func happened(event string) string {
	switch event {
	case "retry":
		return "retried"
	case "delete":
		return "deleted"
	case "claim":
		return "claimed"
	case "edit":
		return "edited"
	case "add":
		return "added"
	case "undo":
		return "taken back"
	case "review-verify":
		return "verified"
	case "review-assign":
		return "assigned"
	case "review-note":
		return "noted on"
	case "review-clear":
		return "review cleared"
	}
	return event
}

// report words a finished order: what was done, and what was not and why.
func (d *Done) report() text.Safe {
	t, o := d.tally(), &d.Order
	all, arrived := len(d.Outcomes), 0
	if b := d.Bulk; b != nil {
		all, arrived = b.Of, max(b.Arrived, 0)
	}
	if d.Bulk == nil && all == 1 && t.OK == 1 {
		return one(o, d.Outcomes[0])
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
	return text.Safe(words) + d.ending(o) + since(o, arrived)
}

// ending says that a bulk act did not come to its end, and why.
func (d *Done) ending(o *Order) text.Safe {
	if d.Bulk == nil {
		return ""
	}
	left := text.Count(int64(d.Bulk.Of - d.Bulk.Tried()))
	switch d.Bulk.State {
	case engine.BulkCancelled:
		by := " by " + orElse(d.Bulk.EndedBy, "the end of the engine")
		if d.Bulk.EndedBy == d.Bulk.By {
			by = ""
		}
		return text.Clean("; stopped" + by + " with " + left + " left as they were")
	case engine.BulkFailed:
		return text.Clean("; broke off with " + left + " left: " + d.Bulk.Error)
	}
	return ""
}

// since tells of what came to match a decided order after it was frozen.
func since(o *Order, arrived int) text.Safe {
	switch {
	case arrived == 0 || o.Scope != Matching || !o.Verb.Decides():
		return ""
	case arrived == 1:
		return "; 1 arrived since and is untouched"
	}
	return text.Safe(fmt.Sprintf("; %s arrived since and are untouched", text.Count(int64(arrived))))
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
