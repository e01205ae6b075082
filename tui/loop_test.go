package tui

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/keymap"
	"signalbox/tui/internal/fake"
)

// A store that hangs does not hang the console: neither keys nor pictures wait
// for the engine, which only commands ask.
func TestKeysAndPicturesNeverWaitForTheEngine(t *testing.T) {
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(views())) {
		keys = append(append(keys, "esc", "esc", "esc", "1"), views()[name]...)
		keys = append(keys, "G", "pgup", "tab", "w", "esc", "y", "Y", "e", "esc", "p", "n", "u")
	}
	c := open(t, fake.Lifelike(), 120, 40)
	for _, key := range append(keys, hands()...) {
		if c.app.feed.frozen {
			c.press("f")
		}
		var cmd tea.Cmd
		c.engine.Hang(func() {
			done := make(chan struct{})
			go func() {
				_, cmd = c.app.Update(keyOf(key))
				c.app.View()
				close(done)
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				panic("the loop waits for the engine at key " + key)
			}
		})
		c.run(cmd)
	}
}

// News that changes nothing seen changes nothing: not what is being typed, nor
// what is offered, chosen, marked or folded.
func TestNewsLeavesTheHandAlone(t *testing.T) {
	for name, keys := range hand() {
		c := open(t, fake.Lifelike(), 120, 40)
		c.press(keys...).wait(3 * time.Second).send(struct{}{}) // the clock is seen with the next message
		c.app.dirty = true
		before := c.picture()
		for range 3 {
			c.engine.Change(nil)
			c.feed()
		}
		if after := c.picture(); after != before {
			t.Errorf("%s: news changed the picture from\n%s\nto\n%s", name, before, after)
		}
	}
}

// Pasted lines, which hold what would be keys, act nowhere: they go into the
// field that is typed in, or nowhere, and answer nothing.
func TestPasteActsNowhere(t *testing.T) {
	for name, keys := range hand() {
		c := open(t, fake.Lifelike(), 120, 40)
		c.press(keys...).wait(3 * time.Second).send(struct{}{})
		c.app.dirty = true
		before, scope, dialogs := c.picture(), c.app.scope(), len(c.app.dialogs)
		for range 2 {
			c.send(tea.PasteMsg{Content: "y\r\ny\n\nq\nr\x1b\n1\n"})
		}
		e := c.engine
		if n := len(e.Retries) + len(e.Reviews) + len(e.Deletes) + len(e.Bulks) + len(e.Splits) + len(e.Patches) + len(e.Steered) + len(e.Undos); n > 0 || c.quit {
			t.Errorf("%s: a paste acted", name)
		}
		if c.app.scope() != scope || len(c.app.dialogs) != dialogs {
			t.Errorf("%s: a paste left where it was pasted:\n%s", name, c.picture())
		}
		if typing := scope == keymap.Input || scope == keymap.Command; !typing && c.picture() != before {
			t.Errorf("%s: a paste changed the picture from\n%s\nto\n%s", name, before, c.picture())
		}
	}
}

// hand is what may be in hand, by the keys that lead there.
func hand() map[string][]string {
	states := views()
	for name, keys := range map[string][]string{
		"typing a filter":    {"2", "down", "enter", "/", "I", "N", "V"},
		"an unfinished word": {"2", "/", "l", "a", "n", "e", ":"},
		"palette":            {":", "t", "h", "e", "m", "e", "down", "down"},
		"a note":             {"5", "enter", "c", "a", "s", "k", "left"},
		"a note in question": {"5", "enter", "a", "v", "c", "a", "s", "k"},
		"rate":               {"5", "enter", "a", "v", "tab", "tab", "5"},
		"searching the help": {"?", "/", "f", "r", "e"},
		"menu":               {"5", "enter", "x", "down", "down"},
		"folded":             {"2", "down", "enter", "enter", "space"},
		"a range":            {"2", "down", "enter", "V", "down", "down"},
		"settings":           {",", "down", "right"},
		"form":               {"2", "N", "x", "y", "tab", "right"},
	} {
		states[name] = keys
	}
	return states
}

// Filter, order and the row in hand outlive acts and looking elsewhere.
func TestFilterOrderAndRowOutliveActs(t *testing.T) {
	for name, test := range map[string]struct{ list, acts []string }{
		"queues":    {[]string{"2", "/", "l", "a", "n", "e", ":", "s", "l", "o", "w", "enter", "s", "down", "enter", "G"}, []string{"p", "u"}},
		"items":     {[]string{"2", "down", "enter", "/", "I", "N", "V", "enter", "s", "down", "enter", "down", "down"}, []string{"c", "x", "enter"}},
		"group":     {[]string{"5", "enter", "/", "I", "N", "V", "enter", "down"}, []string{"c", "x", "enter", "A", "enter"}},
		"review":    {[]string{"5", "/", "n", "o", "enter", "G"}, []string{"x", "esc"}},
		"abandoned": {[]string{"4", "/", "o", "enter"}, []string{"x", "esc"}},
		"jobs":      {[]string{"3", "/", "t", "r", "enter", "s", "down", "enter", "G"}, []string{"p", "p"}},
		"robots":    {[]string{"8", "/", "d", "r", "a", "i", "n", "enter", "s", "down", "enter", "G"}, []string{"x", "y"}},
	} {
		c := open(t, fake.Lifelike(), 120, 40)
		c.press(test.list...)
		seen := c.standing()
		c.press(test.acts...)
		c.feed()
		for _, elsewhere := range []string{"1", "5", "3", "2"} {
			c.press(elsewhere)
		}
		if c.app.places[c.app.at].number != int(test.list[0][0]-'0') {
			c.press(test.list[0])
		}
		if got := c.standing(); got != seen {
			t.Errorf("%s: after acts and looking elsewhere %q, before %q\n%s", name, got, seen, c.picture())
		}
	}
}

// standing is what a list is filtered and ordered by, and the row in hand.
func (c *console) standing() string {
	var words []string
	for line := range strings.SplitSeq(c.picture(), "\n") {
		switch {
		case strings.HasPrefix(line, " / "):
			words = append(words, strings.Fields(line)[:2]...)
		case strings.HasPrefix(line, "▌"):
			words = append(words, strings.Fields(line)[1])
		case strings.ContainsAny(line, "▴▾"):
			for _, word := range strings.Fields(line) {
				if strings.ContainsAny(word, "▴▾") {
					words = append(words, word)
				}
			}
		}
	}
	return strings.Join(words, " ")
}

// Without the focus the picture is dim and the engine is asked once a second.
func TestUnfocusedIsDimAndSlow(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2")
	c.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	bright := c.picture()
	c.send(tea.BlurMsg{})
	if c.picture() == bright {
		t.Error("the picture is as bright as with the focus")
	}
	c.send(tea.FocusMsg{})
	if c.picture() != bright {
		t.Error("the focus does not bring it back")
	}
	for focused, want := range map[bool]time.Duration{true: 250 * time.Millisecond, false: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			e := fake.Lifelike()
			f := feed{ctx: t.Context(), engine: e, after: 1}
			from := time.Now()
			f.next(focused)()
			if got := time.Since(from); got != want {
				t.Errorf("focused %t: news after %v, want %v", focused, got, want)
			}
		})
	}
}
