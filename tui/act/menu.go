package act

import (
	"signalbox/store"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// Choices are the lines of the verbs menu for the row in hand, or for marked
// rows, whose states the engine judges one by one.
func Choices(row *store.Item, marked int, readOnly bool) []dialog.Choice {
	var all []dialog.Choice
	for _, v := range Verbs() {
		c := dialog.Choice{Action: v.Action(), Name: text.Safe(v.Name()), What: text.Safe(v.Means())}
		if marked == 0 || readOnly {
			c.Refuse = text.Clean(v.Refusal(row, readOnly))
		}
		all = append(all, c)
	}
	return all
}
