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
	top    int
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
func (h *help) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Typed:
		h.field.Press(msg.Press)
		h.top = 0
	case screen.Pasted:
		h.field.Insert(msg.Text)
	case screen.Key:
		return h.key(e, msg.Action)
	}
	return screen.Effects{}
}

func (h *help) key(e env.Env, a keymap.Action) screen.Effects {
	last := max(len(h.rows(e))-1, 0)
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
		h.top = max(h.top-1, 0)
	case keymap.Down:
		h.top = min(h.top+1, last)
	case keymap.PageUp:
		h.top = max(h.top-e.Height/2, 0)
	case keymap.PageDown:
		h.top = min(h.top+e.Height/2, last)
	case keymap.Top:
		h.top = 0
	case keymap.Bottom:
		h.top = last
	}
	return screen.Effects{}
}

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
	rows := h.rows(e)
	if len(rows) == 0 {
		body.Text(themes.Muted, "No key or action matches.")
	}
	top := max(min(h.top, len(rows)-body.Left()), 0)
	for _, r := range rows[top:] {
		if r.heading != "" {
			body.Text(themes.Title, r.heading)
			continue
		}
		body.Gap(2)
		body.Fit(themes.Key, r.keys, 13)
		for i, part := range paint.Wrap(r.what, max(inner-15, 8)) {
			if i > 0 {
				body.Gap(15)
			}
			body.Text(themes.Text, part)
		}
	}
	return dialog.Frame(e, "Keys here", body, w, height)
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
