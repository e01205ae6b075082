package engine

import (
	"fmt"

	"signalbox/store"
)

// Standings of a waiting item that has a due or risk date.
const (
	OnTime  = "ok"
	AtRisk  = "risk"
	Overdue = "overdue"
)

// standing says how a waiting item stands to its dates; "" when it does not
// wait or has none.
func standing(i *store.Item, now store.Time) string {
	switch {
	case !i.Status.Waiting() || i.DueAt == 0 && i.RiskAt == 0:
		return ""
	case i.DueAt != 0 && i.DueAt <= now:
		return Overdue
	case i.RiskAt != 0 && i.RiskAt <= now:
		return AtRisk
	}
	return OnTime
}

// Events of an item's dates; webhooks are told of them by the same names.
const (
	AtRiskEvent  = "at-risk" // its risk date has come
	OverdueEvent = "overdue" // its due date has
)

// datesData is what webhooks are told of items whose dates have come.
type datesData struct {
	Queue string     `json:"queue"`
	Count int        `json:"count"`
	Items []store.ID `json:"items"` // the first hundred
}

// burst counts the items whose dates have come, by queue and event, until there
// is a pause: people get one notice of each.
type burst map[[2]string]int

// tellDates writes down of which waiting and running items a date has come, each
// once, and tells the webhooks. Deadlines go on while an item is deferred, or its
// queue or job paused. Items of an open import are held back.
func (t *tx) tellDates(told burst) (held bool, err error) {
	limit := sweepSize
	if t.e.imports.active.Load() > 0 {
		limit += claimHidden
	}
	items, err := t.Passed(t.now, limit)
	if err != nil {
		return false, err
	}
	events := map[[2]string]*datesData{}
	for n := range items {
		i := &items[n]
		if t.e.imports.hides(i.Queue, i.Number) {
			held = true
			continue
		}
		event, why := AtRiskEvent, "risk date "+i.RiskAt.String()
		if i.DueAt != 0 && i.DueAt <= t.now {
			event, why = OverdueEvent, "due "+i.DueAt.String()
		}
		if err := t.tellDate(i, event, why); err != nil {
			return false, err
		}
		key := [2]string{i.Queue, event}
		of := events[key]
		if of == nil {
			of = &datesData{Queue: i.Queue}
			events[key] = of
		}
		if of.Count++; of.Count <= 100 {
			of.Items = append(of.Items, i.ID())
		}
	}
	for key, of := range events {
		told[key] += of.Count
		if err := t.announce(key[1], of); err != nil {
			return false, err
		}
	}
	return held, nil
}

// tellDate is no act on the item: what was the last of those can still be taken
// back.
func (t *tx) tellDate(i *store.Item, event, why string) error {
	i.DueTold = i.DueTold || event == OverdueEvent
	i.RiskTold = i.RiskTold || i.RiskAt != 0 && i.RiskAt <= t.now
	if undoable(i) {
		i.Undo.Left++
	}
	t.touch(i.Queue)
	return t.Put(i, &store.Change{At: t.now, Actor: "engine", Event: event, From: i.Status, To: i.Status, Fence: i.Fence, Why: why})
}

// notices are those of a burst, for people.
func (b burst) notices(at store.Time) (list []Notice) {
	for key, n := range b {
		text := fmt.Sprintf("%d at risk in %s", n, key[0])
		if key[1] == OverdueEvent {
			text = fmt.Sprintf("%d overdue in %s", n, key[0])
		}
		list = append(list, Notice{At: at, Level: "warn", Text: text, Queue: key[0]})
	}
	return list
}
