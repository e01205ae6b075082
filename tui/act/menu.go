package act

import (
	"signalbox/store"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// Choices are the lines of the verbs menu for the row in hand, or for marked
// rows, whose states the engine judges one by one.
func (d Desk) Choices(row *store.Item, marked int, readOnly bool) []dialog.Choice {
	var all []dialog.Choice
	for _, v := range Verbs() {
		c := dialog.Choice{Action: v.Action(), Name: text.Safe(v.Name()), What: text.Safe(v.Means())}
		switch {
		case marked == 0 || readOnly:
			c.Refuse = text.Clean(v.Refusal(row, readOnly))
		case v == Edit:
			c.Refuse = onlyOne
		}
		if c.Refuse == "" && v == Delete && !d.deletes() {
			c.Refuse = notThere
		}
		all = append(all, c)
	}
	return all
}

const (
	onlyOne  = "one item at a time: take the marks away"
	notThere = "the engine at the other end does not offer it"
)

func (d Desk) deletes() bool {
	_, ok := d.engine.(Deleter)
	return ok
}
