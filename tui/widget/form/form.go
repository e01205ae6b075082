// Package form asks for several things at once: texts, choices and files, each
// on a line. What is wrong is said at its field, and nothing typed is lost.
package form

import (
	"slices"
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

// Field is a line of a form.
type Field struct {
	Name    string
	Label   text.Safe
	Value   string
	Options []string  // what it may be; nil = any text
	Hint    text.Safe // shown while the field is in hand
	Path    bool      // a file, completed
}

// Form is what is asked.
type Form struct {
	Title  text.Safe
	Fields []Field
	Yes    text.Safe // what enter does
	// Check says which field is wrong, and why; nil where nothing is checked.
	Check func(Values) (field string, err error)
	Then  func(env.Env, Values) screen.Effects
}

// Values are the answers by the names of the fields.
type Values map[string]string

type form struct {
	Form
	inputs []line.Field
	at     int
	top    int
	err    text.Safe
	wrong  int // the field that err is about, -1 for none
	rows   int
}

// New makes the dialog. An error with which it is asked anew is shown at its
// field, or below where field is "".
func New(f Form, field string, err error) screen.Dialog {
	d := &form{Form: f, wrong: -1}
	for _, each := range f.Fields {
		d.inputs = append(d.inputs, line.New(each.Value))
	}
	if err != nil {
		d.refuse(field, err)
	}
	return d
}

func (d *form) refuse(field string, err error) {
	d.err = text.Clean(err.Error())
	d.wrong = slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == field })
	if d.wrong >= 0 {
		d.at = d.wrong
	}
}

// Scope implements screen.Dialog.
func (d *form) Scope() keymap.Scope { return keymap.Command }

// Word implements screen.Wording.
func (d *form) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.Apply:
		return d.Yes
	case keymap.Back:
		return "leave it"
	case keymap.Up, keymap.Down:
		return "field"
	case keymap.Complete:
		if d.Fields[d.at].Path {
			return "complete"
		}
		return "next field"
	}
	return ""
}

// Footer implements screen.Footing.
func (d *form) Footer(env.Env) []keymap.Action {
	return []keymap.Action{keymap.Apply, keymap.Back, keymap.Complete, keymap.Up, keymap.Down}
}

// Update implements screen.Dialog.
func (d *form) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Typed:
		d.typed(msg.Press)
	case screen.Pasted:
		if d.Fields[d.at].Options == nil {
			d.inputs[d.at].Insert(msg.Text)
			d.err = ""
		}
	case screen.Found:
		if d.Fields[d.at].Path && msg.For == d.inputs[d.at].Text() {
			d.inputs[d.at].Set(msg.Text)
		}
	case screen.Wheel:
		d.move(msg.By)
	case screen.Click:
		if at := d.top + msg.Y - 1; msg.Y >= 1 && msg.Y <= d.rows && at < len(d.Fields) {
			if d.at == at {
				d.turn(1)
			}
			d.at = at
		}
	case screen.Key:
		return d.key(e, msg.Action)
	}
	return screen.Effects{}
}

// typed edits the field in hand; a choice is turned by the keys that would move
// in a text.
func (d *form) typed(k tea.KeyPressMsg) {
	d.err = ""
	if d.Fields[d.at].Options == nil {
		d.inputs[d.at].Press(k)
		return
	}
	switch k.String() {
	case "left":
		d.turn(-1)
	case "right", "space":
		d.turn(1)
	default: // the first letter of a choice
		for _, o := range d.Fields[d.at].Options {
			if k.Text != "" && strings.HasPrefix(o, k.Text) {
				d.inputs[d.at].Set(o)
				break
			}
		}
	}
}

func (d *form) turn(by int) {
	if o := d.Fields[d.at].Options; len(o) > 0 {
		d.inputs[d.at].Set(o[(max(slices.Index(o, d.inputs[d.at].Text()), 0)+by+len(o))%len(o)])
	}
}

func (d *form) move(by int) { d.at = max(min(d.at+by, len(d.Fields)-1), 0) }

func (d *form) key(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Back:
		return screen.Want(screen.Close{})
	case keymap.Up:
		d.move(-1)
	case keymap.Down:
		d.move(1)
	case keymap.PageUp:
		d.at = 0
	case keymap.PageDown:
		d.at = len(d.Fields) - 1
	case keymap.Complete:
		if d.Fields[d.at].Path {
			return screen.Do(complete(d.inputs[d.at].Text()))
		}
		d.at = (d.at + 1) % len(d.Fields)
	case keymap.Apply:
		return d.apply(e)
	}
	return screen.Effects{}
}

func (d *form) apply(e env.Env) screen.Effects {
	values := Values{}
	for i, f := range d.Fields {
		values[f.Name] = strings.TrimSpace(d.inputs[i].Text())
	}
	if d.Check != nil {
		if field, err := d.Check(values); err != nil {
			d.refuse(field, err)
			return screen.Effects{}
		}
	}
	effects := screen.Want(screen.Close{})
	effects.Add(d.Then(e, values))
	return effects
}

// below and most are the fewest and the most lines kept under the fields: for
// the hint, or what is wrong.
const (
	below = 3
	most  = 6
)

// Draw implements screen.Dialog.
func (d *form) Draw(e env.Env, w, h int) *paint.Canvas {
	labels := 0
	for _, f := range d.Fields {
		labels = max(labels, text.Width(f.Label))
	}
	inner := max(min(78, w-4), 1)
	role, words := themes.Muted, d.Fields[d.at].Hint
	if d.err != "" {
		role, words = themes.Danger, text.Safe(e.Glyphs.Danger)+" "+d.err
	}
	parts := paint.Wrap(words, max(inner-2, 1))
	foot := max(min(len(parts)+1, most), below)
	d.rows = max(min(len(d.Fields), h-2-foot), 1)
	c := e.Canvas(inner, d.rows+foot)
	d.top = max(min(d.top, d.at), d.at-d.rows+1, 0)
	for i := d.top; i < min(d.top+d.rows, len(d.Fields)); i++ {
		d.drawField(e, c, i, labels)
	}
	c.End()
	for _, part := range parts {
		c.Gap(2)
		c.Text(role, part)
	}
	c.Skip(c.Left())
	return dialog.Frame(e, d.Title, c, w, h)
}

func (d *form) drawField(e env.Env, c *paint.Canvas, i, labels int) {
	f := &d.Fields[i]
	here := i == d.at
	if here {
		c.Put(themes.Accent, text.Safe(e.Glyphs.Cursor))
	}
	c.To(2)
	role := themes.Muted
	switch {
	case i == d.wrong && d.err != "":
		role = themes.Danger
	case here:
		role = themes.Title
	}
	c.Fit(role, f.Label, labels+2)
	value := text.Clean(d.inputs[i].Text())
	switch {
	case f.Options != nil && here:
		c.Put(themes.Muted, text.Safe(e.Glyphs.Left)+" ")
		c.Put(themes.Text, value)
		c.Put(themes.Muted, " "+text.Safe(e.Glyphs.Right))
	case f.Options != nil:
		c.Gap(2)
		c.Put(themes.Text, value)
	case here:
		c.Gap(2)
		d.inputs[i].Draw(e, c, c.Width()-c.Col())
	default:
		c.Gap(2)
		c.Put(themes.Text, text.Truncate(value, c.Width()-c.Col(), e.Glyphs.Ellipsis))
	}
	c.End()
}
