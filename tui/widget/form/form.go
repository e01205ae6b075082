// Package form asks for several things at once: texts, choices, files and longer
// texts, each on a line, and on pages where they are many. What is wrong is said
// at its field, and nothing typed is lost.
package form

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
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
	Page    text.Safe // on which it stands; the fields of a page follow each other
	// When says that the field is asked for, by what the others hold; nil where
	// it always is.
	When func(Values) bool
	// Default is what the field holds until it is touched, by what the others
	// hold; nil where that is Value.
	Default func(Values) string
	// Write gives a text that is too long for a line to the person's editor; its
	// answer is a screen.Written. nil for texts of one line.
	Write func(field, text string) tea.Cmd
}

// Form is what is asked.
type Form struct {
	Title  text.Safe
	Fields []Field
	Typed  Values    // what was typed before, where it is asked anew
	Yes    text.Safe // what enter does
	// Check says which field is wrong, and why; nil where nothing is checked.
	Check func(Values) (field string, err error)
	Then  func(env.Env, Values) screen.Effects
}

// Listed is an error of several faults: what it comes to, and then each of them.
type Listed interface {
	error
	Lines() []string
}

// Values are the answers by the names of the fields.
type Values map[string]string

// input is what a field holds.
type input struct {
	line.Field
	long string // a text that no line can hold; what is typed takes its place
	last string // the default it had last
}

type form struct {
	Form
	inputs []input
	at     int
	top    int
	err    text.Safe
	faults []text.Safe // that err is made of, where it is of several
	cut    bool        // what is wrong is longer than there was room for
	wrong  int         // the field that err is about, -1 for none
	rows   int
	tabs   []int // where the names of the pages end
}

// New makes the dialog. An error with which it is asked anew is shown at its
// field, or below where field is "".
func New(f Form, field string, err error) screen.Dialog {
	d := &form{Form: f, wrong: -1, inputs: make([]input, len(f.Fields))}
	for i, each := range f.Fields {
		value := each.Value
		if typed, ok := f.Typed[each.Name]; ok {
			value = typed
		}
		d.put(i, value)
	}
	for i, each := range f.Fields {
		if each.Default != nil {
			d.inputs[i].last = each.Default(d.values())
		}
	}
	if err != nil {
		d.refuse(field, err)
	}
	return d
}

// put gives a field a value. A long text, and one that a line would alter,
// stands behind its line, which is empty.
func (d *form) put(i int, value string) {
	in := &d.inputs[i]
	in.long = ""
	in.Set(value)
	named := strings.HasPrefix(value, "@") || value == "none"
	if typed := in.typed(); typed != value || d.Fields[i].Write != nil && !named {
		in.long = value
		in.Set("")
	}
}

// typed is what stands on the line.
func (in *input) typed() string { return strings.TrimSpace(in.Text()) }

// value is what a field holds.
func (d *form) value(i int) string {
	if typed := d.inputs[i].typed(); typed != "" {
		return typed
	}
	return d.inputs[i].long
}

func (d *form) values() Values {
	all := Values{}
	for i, f := range d.Fields {
		all[f.Name] = d.value(i)
	}
	return all
}

// follow gives the fields that nobody touched the defaults that go with the
// others.
func (d *form) follow() {
	for i, f := range d.Fields {
		if f.Default == nil {
			continue
		}
		in := &d.inputs[i]
		now := f.Default(d.values())
		if now != in.last && d.value(i) == in.last {
			d.put(i, now)
		}
		in.last = now
	}
}

// changed counts the fields that hold something else than they began with.
func (d *form) changed() (n int64) {
	values := d.values()
	for _, f := range d.Fields {
		was := f.Value
		if f.Default != nil {
			was = f.Default(values)
		}
		if values[f.Name] != was {
			n++
		}
	}
	return n
}

func (d *form) refuse(field string, err error) {
	d.err, d.faults = text.Clean(err.Error()), nil
	if listed, ok := errors.AsType[Listed](err); ok {
		lines := listed.Lines()
		d.err = text.Clean(lines[0])
		for _, l := range lines[1:] {
			d.faults = append(d.faults, text.Clean(l))
		}
	}
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
	case keymap.PageUp, keymap.PageDown:
		return "page"
	case keymap.Complete:
		if d.completes() {
			return "complete"
		}
		return "next field"
	}
	return ""
}

// Footer implements screen.Footing.
func (d *form) Footer(env.Env) []keymap.Action {
	actions := []keymap.Action{keymap.Apply, keymap.Back, keymap.Complete, keymap.Up, keymap.Down}
	if d.paged() {
		actions = append(actions, keymap.PageUp, keymap.PageDown)
	}
	if d.Fields[d.at].Write != nil {
		actions = append([]keymap.Action{keymap.Editor}, actions...)
	}
	return actions
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
		d.found(msg)
	case screen.Written:
		d.written(msg)
	case screen.Wheel:
		d.move(msg.By)
	case screen.Click:
		d.click(msg)
	case screen.Key:
		return d.key(e, msg.Action)
	}
	d.follow()
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

// completes says that the field in hand holds the name of a file.
func (d *form) completes() bool {
	return d.Fields[d.at].Path || d.Fields[d.at].Write != nil && strings.HasPrefix(d.inputs[d.at].Text(), "@")
}

func (d *form) found(msg screen.Found) {
	in := &d.inputs[d.at]
	switch {
	case !d.completes():
	case msg.For == in.Text():
		in.Set(msg.Text)
	case "@"+msg.For == in.Text():
		in.Set("@" + msg.Text)
	}
}

// written takes in what the editor left.
func (d *form) written(msg screen.Written) {
	i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == msg.Field })
	switch {
	case i < 0:
	case msg.Err != nil:
		d.refuse(msg.Field, msg.Err)
	default:
		d.inputs[i].Set("")
		d.inputs[i].long = msg.Text
		d.err = ""
	}
}

func (d *form) key(e env.Env, a keymap.Action) screen.Effects {
	switch a {
	case keymap.Back:
		return d.leave(e)
	case keymap.Up:
		d.move(-1)
	case keymap.Down:
		d.move(1)
	case keymap.PageUp:
		d.page(-1)
	case keymap.PageDown:
		d.page(1)
	case keymap.Complete:
		if d.completes() {
			return screen.Do(complete(strings.TrimPrefix(d.inputs[d.at].Text(), "@")))
		}
		d.next()
	case keymap.Editor:
		if write := d.Fields[d.at].Write; write != nil {
			return screen.Do(write(d.Fields[d.at].Name, d.value(d.at)))
		}
	case keymap.Apply:
		return d.apply(e)
	}
	return screen.Effects{}
}

// leave closes the form, after a question where something was typed.
func (d *form) leave(e env.Env) screen.Effects {
	n := d.changed()
	if n == 0 {
		return screen.Want(screen.Close{})
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewConfirm(e, dialog.Confirm{
		Title: "Leave what you typed?", Yes: "Leave it",
		Lines: []text.Safe{text.Safe(text.Plural(n, "field")) + " hold" + single(n) + " something new; none of it is applied."},
		Then:  func(env.Env, dialog.Answer) screen.Effects { return screen.Want(screen.Close{}) },
	})})
}

func single(n int64) text.Safe {
	if n == 1 {
		return "s"
	}
	return ""
}

func (d *form) apply(e env.Env) screen.Effects {
	if d.err != "" && d.cut { // nothing was changed since it was refused
		lines := []dialog.Line{{Role: themes.Text, Text: d.err}}
		for _, f := range d.faults {
			lines = append(lines, dialog.Line{Role: themes.Text, Text: text.Safe(e.Glyphs.Bullet) + " " + f})
		}
		return screen.Want(screen.Ask{Dialog: dialog.NewNote(e, "What is wrong", lines)})
	}
	values := d.values()
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
