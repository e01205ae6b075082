package act

import (
	"signalbox/store"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// Many is more than a row in hand: so many items of queues, whose states the
// engine judges one by one. Its zero value is none.
type Many struct {
	Items  int
	Queues []string
}

// Choices are the lines of the verbs menu for the row in hand, or for many.
func (d Desk) Choices(e env.Env, row *store.Item, many Many) []dialog.Choice {
	var all []dialog.Choice
	for _, v := range Verbs() {
		c := dialog.Choice{Action: v.Action(), Name: text.Safe(v.Name()), What: text.Safe(v.Means())}
		switch {
		case many.Items == 0 || e.ReadOnly:
			c.Refuse = text.Clean(v.Refusal(e, row))
		case v == Edit:
			c.Refuse = onlyOne
		default:
			c.Refuse = text.Clean(forbidden(e, v.Action(), many.Items, many.Queues...))
		}
		if c.Refuse == "" && v == Delete && !d.deletes() {
			c.Refuse = notThere
		}
		all = append(all, c)
	}
	return all
}

const (
	onlyOne  = "one item at a time"
	notThere = "the engine at the other end does not offer it"
)

func (d Desk) deletes() bool {
	_, ok := d.engine.(Deleter)
	return ok
}
