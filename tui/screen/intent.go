package screen

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Intent is something that only the root can do: one of the types below.
type Intent interface{ intent() }

// Push opens a screen above the one that asks.
type Push struct{ Screen Screen }

// Leave goes back to the screen below; the lowest one stays.
type Leave struct{}

// Ask puts a dialog in front.
type Ask struct{ Dialog Dialog }

// Close takes the front dialog away.
type Close struct{}

// Say shows a toast.
type Say struct{ Toast Toast }

// Awaits says that a question comes with a reply, which is Awaited. Until then
// keys are meant for the question, and are nobody's; the one that goes back
// gives it up.
type Awaits struct{}

// Started says that an act is under way; its Reply is a Finisher.
type Started struct{}

// Undo is how the act that was just done is taken back. Without a command it
// can't be, and neither can what was done before.
type Undo struct {
	What text.Safe // what was done, as a report words it
	Cmd  tea.Cmd   // its answer is a Finisher and a Teller
}

// Set changes one of the person's settings for now: theme, keymap, zone,
// glyphs or mouse, with "" for what follows from the terminal.
type Set struct{ Name, Value string }

// Save keeps the settings as they are now.
type Save struct{}

// Press has an action carried out as its key would.
type Press struct{ Action keymap.Action }

// Go shows a place, and opens screens above its own.
type Go struct {
	Number int
	Above  []Screen
}

// Narrow filters the screen in front.
type Narrow struct{ Filter string }

// Clip puts a text on the clipboard, and tells what became of it.
type Clip struct {
	Text string
	What text.Safe // the text in words
}

func (Awaits) intent()  {}
func (Set) intent()     {}
func (Save) intent()    {}
func (Press) intent()   {}
func (Go) intent()      {}
func (Narrow) intent()  {}
func (Clip) intent()    {}
func (Push) intent()    {}
func (Leave) intent()   {}
func (Ask) intent()     {}
func (Close) intent()   {}
func (Say) intent()     {}
func (Started) intent() {}
func (Undo) intent()    {}

// Dialog is a question in front of a screen. It has the keyboard for itself.
type Dialog interface {
	Scope() keymap.Scope
	Update(env.Env, tea.Msg) Effects
	// Draw gives the dialog's picture, at most w by h cells.
	Draw(e env.Env, w, h int) *paint.Canvas
}

// Finisher marks the reply that ends an act.
type Finisher interface{ Finishes() }

// Awaited marks the reply that a screen Awaits.
type Awaited interface{ Awaited() bool }

// Teller is a reply that must be told even when the screen that asked is gone.
type Teller interface{ Tell() Effects }

// Level is how grave a toast is.
type Level uint8

// The levels.
const (
	Info Level = iota
	Good
	Warning
	Bad // stays until put away
)

// Toast is one line about what happened, with more lines where that helps.
type Toast struct {
	Level Level
	Text  text.Safe
	More  []text.Safe
	Undo  bool // the key that takes it back is named
	Brief bool // the next key press puts it away
}
