package act

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"signalbox/store"
	"signalbox/tui/screen"
)

// Revealer is an engine that writes down who looked at masked fields.
type Revealer interface {
	Reveal(context.Context, store.ID) error
}

// Revealed answers Reveal.
type Revealed struct {
	screen.Addr
	Item store.ID
	Err  error
}

// Reveal has it written down that masked fields of an item are looked at.
func (d Desk) Reveal(to screen.Addr, id store.ID) tea.Cmd {
	return func() tea.Msg {
		revealer, ok := d.engine.(Revealer)
		if !ok {
			return Revealed{to, id, store.Invalid("masked fields", notThere, "use `signalbox item show --unmask` there")}
		}
		return Revealed{to, id, revealer.Reveal(d.ctx, id)}
	}
}
