// Package help shows what every key does, from the live keymap.
package help

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
	"signalbox/tui/widget/line"
)

type help struct {
	scope  keymap.Scope
	works  func(keymap.Action) bool
	word   func(keymap.Action) text.Safe
	typing bool
	field  line.Field
	top    int // the first line shown
	last   int // what top is at the end
	page   int
}

// New makes the help for the keys of a scope, as far as they work there. Where
// an action means something of its own there, word says what; else it is "".
func New(scope keymap.Scope, works func(keymap.Action) bool, word func(keymap.Action) text.Safe) screen.Dialog {
	return &help{scope: scope, works: works, word: word}
}

// Scope implements screen.Dialog.
func (h *help) Scope() keymap.Scope {
	if h.typing {
		return keymap.Input
	}
	return keymap.HelpView
}

// Update implements screen.Dialog.
func (h *help) Update(_ env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Typed:
		h.field.Press(msg.Press)
		h.top = 0
	case screen.Pasted:
		h.field.Insert(msg.Text)
	case screen.Key:
		return h.key(msg.Action)
	}
	return screen.Effects{}
}

func (h *help) key(a keymap.Action) screen.Effects {
	switch a {
	case keymap.Help, keymap.Quit:
		return screen.Want(screen.Close{})
	case keymap.Back:
		if !h.typing && h.field.Text() == "" {
			return screen.Want(screen.Close{})
		}
		h.typing = false
		h.field.Set("")
	case keymap.Apply:
		h.typing = false
	case keymap.Filter:
		h.typing = true
	case keymap.Up:
		h.turn(-1)
	case keymap.Down:
		h.turn(1)
	case keymap.PageUp:
		h.turn(-h.page)
	case keymap.PageDown:
		h.turn(h.page)
	case keymap.Top:
		h.top = 0
	case keymap.Bottom:
		h.top = h.last
	}
	return screen.Effects{}
}

func (h *help) turn(by int) { h.top = max(min(h.top+by, h.last), 0) }

// row is a heading, or an action with its keys.
type row struct {
	heading, keys, what text.Safe
}

// rows are the actions that match what was typed, by key or by word.
func (h *help) rows(e env.Env) []row {
	want := strings.ToLower(h.field.Text())
	var rows []row
	for _, group := range e.Keys.Help(h.scope) {
		at := len(rows)
		for _, b := range group.Bindings {
			if !h.works(b.Action) {
				continue
			}
			keys := e.Keys.Labels(b.Keys)
			if len(b.Keys) == 0 {
				keys = e.Keys.Label(keymap.Verbs) + " menu"
			}
			what := text.Safe(b.Long)
			if word := h.word(b.Action); word != "" { // the footer's, as a line of its own
				what = text.Safe(strings.ToUpper(string(word[:1]))) + word[1:]
			}
			hay := strings.ToLower(keys + " " + string(b.Action) + " " + string(what))
			if strings.Contains(hay, want) {
				rows = append(rows, row{keys: text.Clean(keys), what: what})
			}
		}
		if len(rows) > at {
			rows = append(rows[:at], append([]row{{heading: text.Safe(group.Title)}}, rows[at:]...)...)
		}
	}
	return rows
}

// Draw implements screen.Dialog.
func (h *help) Draw(e env.Env, w, height int) *paint.Canvas {
	inner := min(84, w-4)
	body := e.Canvas(inner, max(height-2, 1))
	h.drawSearch(e, body)
	lines := lines(h.rows(e), max(inner-beside, 8))
	if len(lines) == 0 {
		body.Text(themes.Muted, "No key or action matches.")
	}
	h.page, h.last = max(body.Left()-1, 1), max(len(lines)-body.Left(), 0)
	h.turn(0)
	for _, l := range lines[h.top:] {
		if l.heading != "" {
			body.Text(themes.Title, l.heading)
			continue
		}
		body.Gap(2)
		body.Fit(themes.Key, l.keys, beside-2)
		body.Text(themes.Text, l.what)
	}
	return dialog.Scrolled(e, "Keys here", body, h.last-h.top, w, height)
}

// beside is the room of the keys, beside what they do.
const beside = 15

// lines are the rows with what is longer than w wrapped.
func lines(rows []row, w int) (all []row) {
	for _, r := range rows {
		if r.heading != "" {
			all = append(all, r)
			continue
		}
		for i, part := range paint.Wrap(r.what, w) {
			if i > 0 {
				r.keys = ""
			}
			all = append(all, row{keys: r.keys, what: part})
		}
	}
	return all
}

func (h *help) drawSearch(e env.Env, c *paint.Canvas) {
	c.Put(themes.Key, text.Safe(e.Keys.LabelIn(keymap.HelpView, keymap.Filter))+" ")
	switch {
	case h.typing:
		h.field.Draw(e, c, c.Width()-2)
	case h.field.Text() != "":
		c.Put(themes.Match, text.Clean(h.field.Text()))
	default:
		c.Put(themes.Muted, "search")
	}
	c.End()
}
