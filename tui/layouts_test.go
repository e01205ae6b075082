package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/internal/fake"
)

// A key of another layout does what stands on it in the common one, where the
// terminal tells, and types its own letter in a field.
func TestOtherKeyboardLayouts(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.send(tea.KeyPressMsg{Code: 'ы', Text: "Ы", BaseCode: 's', Mod: tea.ModShift})
	c.shows("edit the split")
	c.press("esc", "2")
	c.send(tea.KeyPressMsg{Code: 'о', Text: "о", BaseCode: 'j'})
	c.shows("▌  finance.orders")
	c.press("/")
	c.send(tea.KeyPressMsg{Code: 'о', Text: "о", BaseCode: 'j'})
	c.shows("/ о")
	c.press("esc")
	c.send(tea.KeyPressMsg{Code: 'с', BaseCode: 'c', Mod: tea.ModCtrl})
	if !c.quit {
		t.Fatal("ctrl+c of another layout does not quit")
	}
}

// A storm of sizes, as a window being dragged sends, ends in the last one.
func TestResizeStorm(t *testing.T) {
	p := run(t, fake.Lifelike(), 100, 30)
	p.shows("pool 23/25")
	for i := range 300 {
		p.tea.Send(tea.WindowSizeMsg{Width: i * 7 % 211, Height: i * 5 % 67})
	}
	p.tea.Send(tea.WindowSizeMsg{Width: 100, Height: 30})
	p.press("2")
	p.shows("2 Queues")
	p.shows("? help")
}
