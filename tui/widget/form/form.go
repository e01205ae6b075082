// Package form asks for several things at once: texts, choices, files and longer
// texts, each on a line, and on pages where they are many. What is wrong is said
// at its field, and nothing typed is lost.
//
// The fields, the pages and the steps between them are huh's. Around it stand the
// names of the pages and what helps or is wrong; looks and keys are the console's.
package form

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
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

type form struct {
	Form
	huh    *huh.Form
	fields []*field
	asked  []bool // which of them are asked for, by what they hold
	looks  looks
	keys   *keymap.Map
	labels int // the width of the widest label

	err    text.Safe
	faults []text.Safe // that err is made of, where it is of several
	cut    bool        // what is wrong is longer than there was room for
	wrong  int         // the field that err is about, -1 for none

	width, rows int
	stale       bool     // lines are of how it was
	lines       []string // as huh draws them
	tabs        []int    // where the names of the pages end
}

// New makes the dialog. An error with which it is asked anew is shown at its
// field, or below where field is "".
func New(f Form, name string, err error) screen.Dialog {
	d := &form{Form: f, wrong: -1, stale: true}
	for i, spec := range f.Fields {
		d.labels = max(d.labels, text.Width(spec.Label))
		d.fields = append(d.fields, newField(d, i, spec))
	}
	for i, spec := range f.Fields {
		value := spec.Value
		if typed, ok := f.Typed[spec.Name]; ok {
			value = typed
		}
		d.fields[i].put(value)
	}
	for _, each := range d.fields {
		if each.Spec.Default != nil {
			each.last = each.Spec.Default(d.values())
		}
	}
	d.ask()
	var groups []*huh.Group
	for _, page := range d.pages() {
		var fields []huh.Field
		for _, each := range d.fields {
			if each.Spec.Page == page {
				fields = append(fields, each)
			}
		}
		groups = append(groups, huh.NewGroup(fields...))
	}
	d.huh = huh.NewForm(groups...).WithShowHelp(false).WithShowErrors(false).WithTheme(&d.looks)
	d.huh.Init()
	if err != nil {
		d.refuse(name, err)
	}
	return d
}

// live takes over the console's looks and keys.
func (d *form) live(e env.Env) {
	d.stale = d.looks.follow(e) || d.stale
	if d.keys != e.Keys {
		d.keys = e.Keys
		d.huh.WithKeyMap(keysOf(e.Keys))
	}
}

func (d *form) values() Values {
	all := Values{}
	for _, f := range d.fields {
		all[f.Spec.Name] = f.value()
	}
	return all
}

// follow gives the fields that nobody touched the defaults that go with the
// others.
func (d *form) follow() {
	for _, f := range d.fields {
		if f.Spec.Default == nil {
			continue
		}
		now := f.Spec.Default(d.values())
		if now != f.last && f.value() == f.last {
			f.put(now)
		}
		f.last = now
	}
	d.ask()
}

// ask finds out which fields are asked for.
func (d *form) ask() {
	values := d.values()
	d.asked = d.asked[:0]
	for _, f := range d.Fields {
		d.asked = append(d.asked, f.When == nil || f.When(values))
	}
	d.stale = true
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
	if d.wrong >= 0 && d.asked[d.wrong] {
		d.goTo(d.wrong)
	}
	d.stale = true
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
		if d.here().completes() {
			return "complete"
		}
		return "next field"
	case keymap.PrevPane:
		return "previous field"
	}
	return ""
}

// Footer implements screen.Footing.
func (d *form) Footer(env.Env) []keymap.Action {
	actions := []keymap.Action{keymap.Apply, keymap.Back, keymap.Complete, keymap.Up, keymap.Down}
	if d.paged() {
		actions = append(actions, keymap.PageUp, keymap.PageDown)
	}
	if d.here().Spec.Write != nil {
		actions = append([]keymap.Action{keymap.Editor}, actions...)
	}
	return actions
}

// Update implements screen.Dialog. What huh answers with is left alone: its
// cursor would blink, and its steps would come as messages, before which a quick
// hand's next key would be typed into the field that is left.
func (d *form) Update(e env.Env, msg tea.Msg) screen.Effects {
	d.live(e)
	switch msg := msg.(type) {
	case screen.Typed:
		d.err = ""
		d.huh.Update(msg.Press)
	case screen.Pasted:
		if d.here().Spec.Options == nil {
			d.err = ""
			d.huh.Update(tea.PasteMsg{Content: msg.Text})
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

func (d *form) found(msg screen.Found) {
	f := d.here()
	switch {
	case !f.completes():
	case msg.For == f.text:
		f.set(msg.Text)
	case "@"+msg.For == f.text:
		f.set("@" + msg.Text)
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
		d.fields[i].set("")
		d.fields[i].long = msg.Text
		d.err = ""
	}
}

func (d *form) key(e env.Env, a keymap.Action) screen.Effects {
	d.stale = true
	switch a {
	case keymap.Back:
		return d.leave(e)
	case keymap.Up:
		d.move(-1)
	case keymap.Down:
		d.move(1)
	case keymap.PageUp:
		d.turn(-1)
	case keymap.PageDown:
		d.turn(1)
	case keymap.Complete:
		if f := d.here(); f.completes() {
			return screen.Do(complete(strings.TrimPrefix(f.text, "@")))
		}
		d.next(1)
	case keymap.PrevPane:
		d.next(-1)
	case keymap.Editor:
		if f := d.here(); f.Spec.Write != nil {
			return screen.Do(f.Spec.Write(f.Spec.Name, f.value()))
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
