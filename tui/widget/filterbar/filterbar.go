// Package filterbar is the line in which rows are filtered, and which shows
// what they are filtered by and what is wrong with that.
package filterbar

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/line"
	"signalbox/tui/widget/table"
)

// Bar is a filter and the field to type it in. Its zero value filters nothing.
type Bar struct {
	// Words are what tab completes.
	Words Words

	field  line.Field
	force  string // what rows are filtered by: what is typed, but for a word half typed
	typing bool
	before string // what esc goes back to
	err    error
}

// Typing says that the keyboard belongs to the bar.
func (b *Bar) Typing() bool { return b.typing }

// Hand is where the keyboard is, seen from the table below the bar.
func (b *Bar) Hand() table.Hand {
	if b.typing {
		return table.Aside
	}
	return table.Here
}

// Text is the filter in force. A word that may yet become the name of a field
// is none of it before it is typed in full or applied: nothing would match
// "sta" on its way to "status:failed".
func (b *Bar) Text() string { return b.force }

// Set replaces the filter.
func (b *Bar) Set(s string) {
	b.field.Set(s)
	b.err = nil
	b.enforce()
}

// enforce takes what is typed for the filter, and says whether it is another.
func (b *Bar) enforce() bool {
	typed := strings.TrimSpace(b.field.Text())
	changed := typed != b.force
	b.force = typed
	return changed
}

// edited is enforce, but for a word half typed.
func (b *Bar) edited() bool { return !b.half() && b.enforce() }

// Fail shows what is wrong with the filter; nil clears it.
func (b *Bar) Fail(err error) { b.err = err }

// Wrong is what is wrong with the filter; nil where it is understood.
func (b *Bar) Wrong() error { return b.err }

// Edit takes in typed or pasted text and says whether the filter changed.
func (b *Bar) Edit(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case screen.Typed:
		return b.field.Press(msg.Press) && b.edited()
	case screen.Pasted:
		b.field.Insert(msg.Text)
		return b.edited()
	}
	return false
}

// Key takes in an action and says whether it was the bar's. Outside the field
// only the first step back is: it clears the filter.
func (b *Bar) Key(a keymap.Action) bool {
	switch {
	case a == keymap.Filter && !b.typing:
		b.typing, b.before = true, b.field.Text()
	case b.typing && a == keymap.Back:
		if b.typing = false; b.field.Text() != b.before {
			b.Set(b.before)
		}
	case b.typing && a == keymap.Apply:
		b.typing = false
		b.enforce()
	case b.typing:
		return true
	case a == keymap.Back && b.force != "":
		b.Set("")
	default:
		return false
	}
	return true
}

// Fields are what rows are matched by: names, each followed by its value.
type Fields []string

// value is the value of a field.
func (f Fields) value(name string) (string, bool) {
	for i := 0; i+1 < len(f); i += 2 {
		if f[i] == name {
			return f[i+1], true
		}
	}
	return "", false
}

// Check looks at the filter before rows are matched by it: a field that the
// rows don't have is said at the bar.
func (b *Bar) Check() {
	b.err = nil
	names := b.Words.Names
	for word := range strings.FieldsSeq(strings.ToLower(b.force)) {
		name, _, ok := strings.Cut(strings.TrimPrefix(word, "!"), ":")
		if !ok || name == "" || slices.Contains(names, name) {
			continue
		}
		mend := "use " + strings.Join(names, ", ") + ", or plain words"
		if near := text.Nearest(name, names); near != "" {
			mend = "did you mean " + near + ":?"
		}
		b.err = store.Invalid("filter "+name, "rows here have no such field", mend)
	}
}

// Matches says that each word of the filter is found in one of the fields, or
// in the one it names; with ! before it, that it is not. A filter that is not
// understood lets everything through.
func (b *Bar) Matches(fields Fields) bool {
	if b.err != nil {
		return true
	}
	var all []string
	for i := 1; i < len(fields); i += 2 {
		all = append(all, fields[i])
	}
	everything := strings.ToLower(strings.Join(all, " "))
	for word := range strings.FieldsSeq(strings.ToLower(b.force)) {
		word, inverse := strings.CutPrefix(word, "!")
		hay, want := everything, word
		if name, rest, ok := strings.Cut(word, ":"); ok {
			if value, ok := fields.value(name); ok {
				hay, want = strings.ToLower(value), rest
			}
		}
		if strings.Contains(hay, want) == inverse {
			return false
		}
	}
	return true
}

// Fault is what is wrong with the filter, unless that can still be completed:
// what is half typed is not wrong yet.
func (b *Bar) Fault(e env.Env) error {
	if b.err == nil || len(b.offer(e).all) > 0 {
		return nil
	}
	return b.err
}

// Cuts says that the bar has no room in w columns for all that is wrong.
func (b *Bar) Cuts(e env.Env, w int) bool {
	const around = 8 // the gaps, and the signs before filter and fault
	err := b.Fault(e)
	return err != nil && text.Width(text.Clean(b.field.Text()))+text.Width(text.Clean(err.Error()))+around > w
}

// Draw writes the bar in one line: the filter, or what stands there without
// one.
func (b *Bar) Draw(e env.Env, c *paint.Canvas, rest text.Safe) {
	c.Gap(1)
	offer := b.offer(e)
	wrong := b.Fault(e) != nil
	switch {
	case b.typing:
		c.Put(themes.Accent, "/ ")
		w := max(c.Width()/2, 20)
		if wrong { // whose words need the room
			w = min(w, text.Width(text.Clean(b.field.Text()))+2)
		}
		b.field.DrawWith(e, c, w, text.Clean(offer.first()))
	case b.force != "":
		c.Put(themes.Accent, "/ ")
		c.Put(themes.Match, text.Clean(b.Text()))
	}
	if wrong {
		c.Gap(2)
		c.Put(themes.Danger, text.Truncate(text.Safe(e.Glyphs.Danger)+" "+text.Clean(b.err.Error()), c.Width()-c.Col()-1, e.Glyphs.Ellipsis))
	} else if len(offer.all) > 1 {
		offer.draw(e, c)
	} else if rest != "" {
		c.Right(themes.Muted, rest+" ")
	}
	c.End()
}
