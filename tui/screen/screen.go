// Package screen is the contract between the root and what it shows.
//
// The root owns a stack of screens for each place, dialogs above them and
// toasts. A screen gets actions, text keys, snapshots and the answers to what
// it asked; it returns Effects: commands to run, and intents for the root.
// Screens are plain values without a program, so their tests need none.
package screen

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Screen is a page of the console.
type Screen interface {
	// ID tells the screen from all others; answers are addressed to it.
	ID() int
	// Title is the screen's name in the line of places.
	Title() text.Safe
	// Scope says which keys apply.
	Scope() keymap.Scope
	// Answers says that an action means something here, for the help.
	Answers(keymap.Action) bool
	// Update takes in a message. It neither waits nor reads.
	Update(env.Env, tea.Msg) Effects
	// Draw fills the canvas from what Update left.
	Draw(env.Env, *paint.Canvas)
}

// Footing is a screen that names the actions that matter now.
type Footing interface {
	Footer(env.Env) []keymap.Action
}

// Wording is a screen that has words of its own for some actions, "" for the
// keymap's.
type Wording interface {
	Word(keymap.Action) text.Safe
}

// Filtering is a screen whose rows can be filtered by words handed in.
type Filtering interface {
	Narrow(e env.Env, filter string) Effects
}

// Refusing is a screen that tells why an action would do nothing now, ""
// where it would do something.
type Refusing interface {
	Refuses(env.Env, keymap.Action) text.Safe
}

// Ticking is a screen on which something may change with the clock alone.
type Ticking interface {
	Ticks(env.Env) bool
}

// Progressing is a screen that is about a job now, which the terminal's own
// progress bar follows while it goes on.
type Progressing interface {
	Focused(env.Env) (engine.JobState, bool)
}

// Settling is a screen that holds its order still under the hand and wants
// to be told when it may move again.
type Settling interface {
	Holding(env.Env) bool
}

// Key is an action chosen with a key.
type Key struct{ Action keymap.Action }

// Typed is a key press for a text field: no action, in a scope that types.
type Typed struct{ Press tea.KeyPressMsg }

// Pasted is text pasted into a text field.
type Pasted struct{ Text string }

// Click is a click of the mouse on a cell of a screen or dialog, counted from
// its top left; Twice where it follows at once on another there.
type Click struct {
	X, Y  int
	Twice bool
}

// Found is how a text that was being typed goes on, for the dialog in front.
type Found struct{ For, Text string }

// Written is what the person's editor left of the text of a field, for the
// dialog in front.
type Written struct {
	Field, Text string
	Err         error
}

// Wheel is a turn of the wheel: By rows down, or up where it is negative.
type Wheel struct{ By int }

// Fed says that Env holds a newer snapshot.
type Fed struct{}

// Forget says that the question which the screen awaits is not wanted any more.
type Forget struct{}

// Shown says that the screen came to the front.
type Shown struct{}

// Effects is what an Update wants done.
type Effects struct {
	Cmds    []tea.Cmd
	Intents []Intent
}

// Do adds commands; nil ones are left out.
func (e *Effects) Do(cmds ...tea.Cmd) {
	for _, cmd := range cmds {
		if cmd != nil {
			e.Cmds = append(e.Cmds, cmd)
		}
	}
}

// Want adds intents.
func (e *Effects) Want(intents ...Intent) { e.Intents = append(e.Intents, intents...) }

// Add joins other effects to these.
func (e *Effects) Add(other Effects) {
	e.Cmds = append(e.Cmds, other.Cmds...)
	e.Intents = append(e.Intents, other.Intents...)
}

// Want is Effects with nothing but intents.
func Want(intents ...Intent) Effects { return Effects{Intents: intents} }

// Do is Effects with one command.
func Do(cmd tea.Cmd) Effects {
	var e Effects
	e.Do(cmd)
	return e
}
