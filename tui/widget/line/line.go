// Package line is a one-line text field: the filter, notes, names and typed
// counts are all entered here.
package line

import (
	"unicode"

	tea "charm.land/bubbletea/v2"

	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// limit is the longest text that can be typed or pasted, in characters.
const limit = 2000

// Field is the text being typed and the place of the cursor in it.
type Field struct {
	runes []rune
	at    int
}

// New makes a field that holds s, with the cursor behind it.
func New(s string) Field {
	f := Field{}
	f.Insert(s)
	return f
}

// Text is what has been typed.
func (f *Field) Text() string { return string(f.runes) }

// Before is the text before the cursor.
func (f *Field) Before() string { return string(f.runes[:f.at]) }

// AtEnd says that the cursor stands behind a word, or at the end.
func (f *Field) AtEnd() bool { return f.at == len(f.runes) || f.runes[f.at] == ' ' }

// Set replaces the text.
func (f *Field) Set(s string) {
	f.runes, f.at = nil, 0
	f.Insert(s)
}

// Insert puts s at the cursor, cleaned to one line, as typing or pasting does.
func (f *Field) Insert(s string) {
	var in []rune
	for _, r := range s {
		if r == '\n' || r == '\t' || r == '\r' {
			r = ' '
		}
		if unicode.IsPrint(r) && len(f.runes)+len(in) < limit {
			in = append(in, r)
		}
	}
	rest := append(in, f.runes[f.at:]...)
	f.runes = append(f.runes[:f.at:f.at], rest...)
	f.at += len(in)
}

// Press takes in a key press and says whether the text changed.
func (f *Field) Press(k tea.KeyPressMsg) bool {
	before := len(f.runes)
	switch k.String() {
	case "left", "ctrl+b":
		f.at = max(f.at-1, 0)
	case "right":
		f.at = min(f.at+1, len(f.runes))
	case "home", "ctrl+a":
		f.at = 0
	case "end", "ctrl+e":
		f.at = len(f.runes)
	case "backspace":
		f.cut(f.at-1, f.at)
	case "delete", "ctrl+d":
		f.cut(f.at, f.at+1)
	case "ctrl+u":
		f.cut(0, f.at)
	case "ctrl+k":
		f.cut(f.at, len(f.runes))
	case "ctrl+w":
		f.cut(f.wordStart(), f.at)
	default:
		if k.Mod&^tea.ModShift == 0 {
			f.Insert(k.Text)
		}
	}
	return len(f.runes) != before
}

func (f *Field) cut(from, to int) {
	from, to = max(from, 0), min(to, len(f.runes))
	if from >= to {
		return
	}
	f.runes = append(f.runes[:from:from], f.runes[to:]...)
	f.at = from
}

func (f *Field) wordStart() int {
	i := f.at
	for i > 0 && f.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && f.runes[i-1] != ' ' {
		i--
	}
	return i
}

// Draw writes the field in w columns with the cursor in sight.
func (f *Field) Draw(e env.Env, c *paint.Canvas, w int) { f.DrawWith(e, c, w, "") }

// DrawWith is Draw with what could be taken over shown dimly at the cursor, where
// that stands at the end.
func (f *Field) DrawWith(e env.Env, c *paint.Canvas, w int, offered text.Safe) {
	edge := min(c.Col()+w, c.Width())
	before := f.runes[:f.at]
	for len(before) > 0 && text.Width(text.Clean(string(before))) > w-2 {
		before = before[1:]
	}
	c.Put(themes.Text, text.Clean(string(before)))
	under, after := text.Safe(" "), []rune(nil)
	if f.at < len(f.runes) {
		under, after = text.Clean(string(f.runes[f.at])), f.runes[f.at+1:]
	}
	c.Raise(themes.Selection)
	role, rest := themes.Text, text.Clean(string(after))
	if runes := []rune(offered); len(runes) > 0 && f.at == len(f.runes) {
		role, under, rest = themes.Muted, text.Safe(runes[0]), text.Safe(runes[1:])
	}
	c.Put(role, under)
	c.Lower()
	if room := edge - c.Col(); room > 0 {
		c.Put(role, text.Truncate(rest, room, ""))
	}
	c.To(edge)
}
