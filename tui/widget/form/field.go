package form

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/charmbracelet/x/ansi"

	"signalbox/tui/text"
)

// limit is the longest text that can be typed or pasted, in characters.
const limit = 2000

// indent is where the label of a field begins, and gap how far what it holds
// stands from the widest of them.
const (
	indent = 2
	gap    = 2
)

// field is a line of the form, as huh works it: an input or a choice of huh's
// with its label before it, which can be asked for or not, hold a text that is
// too long for a line, and be picked by its first letter.
//
// huh draws only what the one in hand holds. Its choice puts the label on a line
// of its own (Select.View), and its input writes what it holds in a colour of its
// own while another is in hand (Input.View sets the styles of the focused one
// only).
type field struct {
	huh.Field // an *huh.Input or an *huh.Select[string]
	Spec      Field

	form *form
	at   int
	text string // what stands on the line
	long string // a text that no line can hold; what is typed takes its place
	last string // the default it had last
	here bool   // it is in hand
	room int    // columns
}

// newField makes a field that is empty yet.
func newField(d *form, at int, spec Field) *field {
	f := &field{form: d, at: at, Spec: spec}
	if spec.Options != nil {
		in := huh.NewSelect[string]()
		in.WithTheme(&d.looks) // huh makes a theme of its own at each step without one
		f.Field = in.Inline(true)
	} else {
		in := huh.NewInput()
		in.WithTheme(&d.looks)
		f.Field = in.Prompt("").CharLimit(limit)
	}
	return f
}

// put gives the field a value. A long text, and one that a line would alter,
// stands behind its line, which is empty.
func (f *field) put(value string) {
	f.long = ""
	f.set(value)
	named := strings.HasPrefix(value, "@") || value == "none"
	if f.typed() != value || f.Spec.Write != nil && !named {
		f.long = value
		f.set("")
	}
}

// set puts a text on the line, with the cursor behind it.
func (f *field) set(s string) {
	switch in := f.Field.(type) {
	case *huh.Input:
		f.text = ""
		in.Value(&f.text) // the cursor follows only what was empty
		f.text = printable(s)
		in.Value(&f.text)
	case *huh.Select[string]:
		var options []huh.Option[string]
		if !slices.Contains(f.Spec.Options, s) { // huh would take the first of them instead
			options = append(options, huh.NewOption(string(text.Clean(s)), s))
		}
		f.text = s
		in.Options(append(options, huh.NewOptions(f.Spec.Options...)...)...).Value(&f.text)
	}
}

// printable is s on one line, without what is not seen.
func printable(s string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			r = ' '
		}
		if n++; !unicode.IsPrint(r) || n > limit {
			return -1
		}
		return r
	}, s)
}

// typed is what stands on the line.
func (f *field) typed() string { return strings.TrimSpace(f.text) }

// value is what the field holds.
func (f *field) value() string {
	if typed := f.typed(); typed != "" {
		return typed
	}
	return f.long
}

// completes says that the field holds the name of a file.
func (f *field) completes() bool {
	return f.Spec.Path || f.Spec.Write != nil && strings.HasPrefix(f.text, "@")
}

// Skip implements huh.Field: what is not asked for is passed over.
func (f *field) Skip() bool { return !f.form.asked[f.at] }

// Focus implements huh.Field. The cursor stands still, so huh's command that
// would have it blink is nobody's.
func (f *field) Focus() tea.Cmd {
	f.here = true
	f.Field.Focus()
	return nil
}

// Blur implements huh.Field.
func (f *field) Blur() tea.Cmd {
	f.here = false
	f.Field.Blur()
	return nil
}

// Update implements huh.Field. It takes keys and pastes; what else huh sends is
// for titles and choices that follow others, of which there are none.
func (f *field) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		f.press(msg)
	case tea.PasteMsg:
		if f.Spec.Options == nil {
			f.Field.Update(tea.PasteMsg{Content: printable(msg.Content)})
		}
	}
	return f, nil
}

// press edits the text; a choice is turned, or picked by its first letter.
func (f *field) press(k tea.KeyPressMsg) {
	if f.Spec.Options != nil {
		f.Field.Update(k)
		i := slices.IndexFunc(f.Spec.Options, func(o string) bool { return k.Text != "" && strings.HasPrefix(o, k.Text) })
		if i >= 0 {
			f.set(f.Spec.Options[i])
		}
		return
	}
	if key.Matches(k, withheld()) {
		return
	}
	typed := k.Text
	if k.Text = printable(typed); k.Text == "" && typed != "" {
		return
	}
	f.Field.Update(k)
}

// withheld are keys that huh's input is not given: it reads a clipboard by a
// program of its own, and breaks on deleting the word that ends the text
// (textinput.deleteWordForward).
func withheld() key.Binding { return key.NewBinding(key.WithKeys("ctrl+v", "alt+d", "alt+delete")) }

// WithWidth implements huh.Field.
func (f *field) WithWidth(w int) huh.Field {
	was := f.room
	f.room = max(w-indent-f.form.labels-gap, 1)
	if f.Spec.Options != nil {
		f.Field.WithWidth(f.room)
	} else if f.room != was {
		f.Field.WithWidth(max(f.room-gap, 2))
		f.set(f.text) // which part of it is seen, huh finds out when it changes
	}
	return f
}

// WithHeight implements huh.Field: a field is a line.
func (f *field) WithHeight(int) huh.Field { return f }

// View implements huh.Field.
func (f *field) View() string {
	if f.Skip() {
		return ""
	}
	looks := &f.form.looks.styles.Blurred
	if f.here {
		looks = &f.form.looks.styles.Focused
	}
	title := looks.Title
	if f.form.err != "" && f.at == f.form.wrong {
		title = looks.ErrorMessage
	}
	space := strings.Repeat(" ", f.form.labels+gap-text.Width(f.Spec.Label))
	row := looks.SelectSelector.Render() + title.Render(string(f.Spec.Label)) + space + f.held(looks)
	if f.form.first(f) {
		return row
	}
	return "\n" + row // huh's separator would stand for what is not asked for, too
}

// held is what the field holds, on one line.
func (f *field) held(looks *huh.FieldStyles) string {
	value := text.Clean(f.text)
	switch {
	case f.Spec.Options == nil && value == "" && (f.Spec.Write != nil || f.long != ""):
		return f.heldLong(looks)
	case f.here && f.Spec.Options != nil:
		return one(f.Field.View())
	case f.here:
		return "  " + one(f.Field.View())
	}
	return "  " + looks.TextInput.Text.Render(string(text.Truncate(value, f.room-gap, f.form.looks.tail)))
}

// heldLong tells of a long text how it begins and how long it is.
func (f *field) heldLong(looks *huh.FieldStyles) string {
	lead := "  "
	if f.here { // what is typed begins here
		lead = " " + ansi.Truncate(one(f.Field.View()), 1, "")
	}
	if f.long == "" {
		return lead + looks.TextInput.Placeholder.Render("none")
	}
	size := fmt.Sprintf("%d characters", len([]rune(f.long)))
	begin := text.Clean(strings.Join(strings.Fields(f.long), " "))
	begin = text.Truncate(begin, max(f.room-gap-len(size)-gap, 0), f.form.looks.tail)
	return lead + looks.TextInput.Text.Render(string(begin)) + "  " + looks.TextInput.Placeholder.Render(size)
}

// one is the first line of what huh drew, which has more only where a character
// is wider than it counts.
func one(view string) string {
	line, _, _ := strings.Cut(view, "\n")
	return line
}
