package tui

import (
	"testing"
	"time"

	"signalbox/keymap"
	"signalbox/tui/internal/fake"
)

// Whatever key the documents have for a screen does something there that is
// seen, or says why it does nothing.
func TestEveryKeyOfEveryScreenIsAnswered(t *testing.T) {
	screens := map[string][]string{
		"slots": {"1"}, "queues": {"2"}, "jobs": {"3"}, "abandoned": {"4"}, "review": {"5"}, "events": {"7"}, "robots": {"8"},
		"items": {"2", "j", "enter"}, "group": {"5", "enter"}, "item": {"5", "enter", "enter"}, "job": {"3", "enter"}, "folders": {"2", "F"},
		"empty": {"2", "/", "z", "z", "z", "enter", "enter"}, "empty review": {"5", "/", "z", "z", "z", "enter", "enter"}, "split": {"1", "S"},
	}
	for name, way := range screens {
		c := open(t, fake.Lifelike(), 120, 40)
		c.press(way...)
		for _, group := range c.app.env.Keys.Help(c.app.top().Scope()) {
			for _, b := range group.Bindings {
				if group.Title == "Move" || b.Action == keymap.Interrupt || b.Action == keymap.Suspend || b.Action == keymap.Quit || b.Action == keymap.EditRetry || b.Danger || len(b.Keys) == 0 {
					continue // at the end there is nowhere to go; the editor has tests of its own
				}
				t.Run(name+"/"+string(b.Action), func(t *testing.T) { answers(t, way, b.Action, b.Keys[0]) })
			}
		}
	}
}

func answers(t *testing.T, way []string, action keymap.Action, key string) {
	c := open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.Place = time.FixedZone("CET", 3600) })
	c.press(way...)
	before := c.picture()
	c.press(key)
	c.feed()
	if number, ok := action.Number(); ok && c.app.places[c.app.at].number == number {
		return
	}
	if c.picture() == before && len(c.app.dialogs) == 0 {
		t.Errorf("nothing is seen of it:\n%s", before)
	}
}
