package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"

	"signalbox/engine"
	"signalbox/tui/internal/fake"
)

// A form writes nothing by itself: what is pressed in it leaves no command
// behind, as a cursor that blinks would.
func TestFormsStandStill(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	c.press("2")
	for _, key := range []string{"N", "a", "tab", "right", "down", "b", "left", "up", "pgdown", "pgup", "ctrl+v"} {
		if _, cmd := c.app.Update(keyOf(key)); cmd != nil {
			t.Errorf("%s wants %v", key, cmd())
		}
	}
	before := c.app.View()
	if c.feed(); c.app.View().Content != before.Content {
		t.Error("the picture moved")
	}
}

// A key is typed into the field that the key before it stepped to, however
// quickly it follows.
func TestStepsOfAFormAreTakenAtOnce(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	c.press("2", "O")
	for _, key := range []string{"a", "tab", "b", "up", "c", "pgdown", "down", "pgup", "d"} { // and nothing is carried out between them
		c.app.Update(keyOf(key))
	}
	c.shows("proposes an answeracd", "/supportb")
}

// A choice that is none of those on offer stays what it is until it is turned.
func TestFormsKeepAChoiceOfOthers(t *testing.T) {
	e := fake.Lifelike()
	e.Change(func(s *engine.Snapshot) {
		for i := range s.Queues {
			if s.Queues[i].Name == "agents.triage" {
				s.Queues[i].Consumer = engine.DefaultQueue("x", s.Queues[i].Family).Consumer
				s.Queues[i].Consumer.Kind = engine.Handler
			}
		}
	})
	c := open(t, e, 80, 24)
	c.press("2", "O").text("!").press("pgdown")
	c.shows("← handler →")
	c.press("enter")
	if got := strings.Join(e.Patches, " "); strings.Contains(got, "consumer") || !strings.Contains(got, "answer!") {
		t.Fatal(got)
	}
	c.press("O", "pgdown", "right", "left", "left")
	c.shows("← http →")
	c.press("right")
	c.shows("← handler →")
}

// Presets and overrides hold in forms as elsewhere.
func TestFormsTakeTheKeysOfTheKeymap(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24, func(o *Options) {
		o.Config.Keymap = "vim"
		o.Config.Keys = map[string][]string{"right": {"ctrl+r", "l"}, "complete": {"ctrl+n"}, "back": {"ctrl+g"}}
	})
	c.press("2", "N").text("orders").press("ctrl+n")
	c.shows("▌ family             ← transactions →")
	c.press("right", "l")
	c.shows("← transactions →")
	c.press("ctrl+r")
	c.shows("← jobs →")
	c.press("left", "j") // a letter picks, whatever it means elsewhere
	c.shows("← jobs →")
	c.press("tab")
	c.shows("▌ family ")
	c.press("shift+tab")
	c.shows("▌ name ")
	c.press("shift+tab", "shift+tab")
	c.shows("▌ output schema ")
	c.press("ctrl+n", "ctrl+n")
	c.shows("▌ name ")
	c.press("ctrl+g")
	c.shows("Leave what you typed?")
}

func TestMouseInForms(t *testing.T) {
	c := open(t, fake.Lifelike(), 50, 15, withMouse)
	c.press("2", "N")
	c.shows("▌ name ", "↓ 2 more")
	c.click("family ")
	c.shows("▌ family             ← transactions →")
	c.click("family ")
	c.shows("▌ family             ← jobs →")
	c.press("down", "down", "down", "down") // the page is turned on
	c.hides("name ")
	c.click("lane ")
	c.shows("▌ lane ")
	c.click("also in")
	c.shows("▌ also in folders")
	c.send(tea.MouseWheelMsg{X: 10, Y: 6, Button: tea.MouseWheelUp})
	c.hides("▌ also in folders")
	c.click("claims")
	c.shows("▌ lease ")
}

// What is pasted becomes one line that shows all it holds, and confirms nothing.
func TestPastesIntoForms(t *testing.T) {
	c := open(t, fake.New(), 80, 24)
	c.press("2", "N")
	for _, s := range append(hostile(), "b\r\nc\n") {
		c.send(tea.PasteMsg{Content: s})
		c.send(tea.KeyPressMsg{Text: s})
	}
	c.shows("Add a queue", "▌ name ")
	exact(t, c.picture(), 80, 24)
	if strings.ContainsAny(c.picture(), "\x1b\u009b\u202e\u200b\r\t") {
		t.Errorf("%q", c.picture())
	}
	c.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	c.send(tea.PasteMsg{Content: "a\u202eb\r\nc\td\x1b[2J"})
	c.shows("▌ name                 ab  c d[2J ")
	c.press("tab")
	c.send(tea.PasteMsg{Content: "jobs\n"}) // a choice takes none
	c.shows("← transactions →")
}

// What was typed is kept, and its end seen, whatever becomes of the terminal.
func TestFormsFollowTheTerminal(t *testing.T) {
	long := strings.Repeat("0123456789 ", 8)
	c := open(t, fake.Lifelike(), 200, 60)
	c.press("2", "O").text(long + "the end")
	for _, size := range [][2]int{{50, 15}, {80, 24}, {30, 8}, {50, 15}, {200, 60}} {
		c.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		exact(t, c.picture(), size[0], size[1])
		if size[0] >= 50 {
			c.shows("the end ")
		}
	}
	c.press("enter")
	if got := strings.Join(c.engine.Patches, ""); !strings.Contains(got, long+"the end") {
		t.Fatal(got)
	}
	c.press("O").send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	dark := c.picture()
	c.press("esc", "T", "O")
	light := c.picture()
	if accent := "38;2;108;182;255"; !strings.Contains(dark, accent) || strings.Contains(light, accent) {
		t.Errorf("the theme's accent is not followed:\n%q\n%q", dark, light)
	}
}

// No key breaks a form, at any size, whatever was typed.
func TestAnyKeysInForms(t *testing.T) {
	keys := []tea.KeyPressMsg{
		{Code: tea.KeyDelete}, {Code: tea.KeyDelete, Mod: tea.ModAlt}, {Code: tea.KeyBackspace, Mod: tea.ModAlt},
		{Code: tea.KeyLeft, Mod: tea.ModCtrl}, {Code: tea.KeyRight, Mod: tea.ModCtrl}, {Code: '家', Text: "家"}, {Code: 'e', Text: "e\u0301"}, {Text: "👩‍👩‍👧"},
	}
	for _, name := range []string{
		"a", " ", "@", "left", "right", "home", "end", "backspace", "up", "down", "tab", "pgup", "pgdown", "space", "enter",
		"alt+d", "alt+b", "alt+f", "ctrl+w", "ctrl+u", "ctrl+k", "ctrl+d", "ctrl+h", "ctrl+n", "ctrl+p", "ctrl+v", "ctrl+e", "ctrl+a",
	} {
		keys = append(keys, keyOf(name))
	}
	rapid.Check(t, func(r *rapid.T) {
		w, h := rapid.IntRange(50, 90).Draw(r, "w"), rapid.IntRange(15, 30).Draw(r, "h")
		c := open(t, fake.Lifelike(), w, h)
		c.press("2", rapid.SampledFrom([]string{"N", "O", "I"}).Draw(r, "form"))
		for range rapid.IntRange(0, 60).Draw(r, "keys") {
			if k := rapid.SampledFrom(keys).Draw(r, "key"); k.String() != "enter" {
				c.send(k)
			}
			if rapid.IntRange(0, 9).Draw(r, "resized") == 0 {
				w, h = rapid.IntRange(50, 90).Draw(r, "w"), rapid.IntRange(15, 30).Draw(r, "h")
				c.send(tea.WindowSizeMsg{Width: w, Height: h})
			}
			exact(t, c.picture(), w, h)
			if !strings.Contains(c.picture(), "▌ ") {
				r.Fatalf("no field is in hand:\n%s", c.picture())
			}
		}
	})
}
