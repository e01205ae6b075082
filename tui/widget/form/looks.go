package form

import (
	"slices"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
)

// looks are the console's roles and shapes as huh's theme. huh's fields take one
// theme for their life (Input.WithTheme), so what it gives changes with the
// console's.
type looks struct {
	theme  *themes.Theme
	glyphs *themes.Glyphs
	styles huh.Styles
	tail   string // of what was cut
}

// Theme implements huh.Theme.
func (l *looks) Theme(bool) *huh.Styles { return &l.styles }

// follow takes over the console's looks, and says whether they are others.
func (l *looks) follow(e env.Env) bool {
	if l.theme == e.Theme && l.glyphs == e.Glyphs {
		return false
	}
	l.theme, l.glyphs, l.tail = e.Theme, e.Glyphs, e.Glyphs.Ellipsis
	style := e.Theme.Style
	fields := huh.FieldStyles{
		SelectSelector: style(themes.Accent).SetString(e.Glyphs.Cursor + " "),
		Title:          style(themes.Title),
		ErrorMessage:   style(themes.Danger),
		PrevIndicator:  style(themes.Muted).SetString(e.Glyphs.Left + " "),
		NextIndicator:  style(themes.Muted).SetString(" " + e.Glyphs.Right),
		SelectedOption: style(themes.Text),
		TextInput: huh.TextInputStyles{
			Cursor: lipgloss.NewStyle().Foreground(e.Theme.Color(themes.Accent)), Text: style(themes.Text), Placeholder: style(themes.Muted),
		},
	}
	l.styles.Focused = fields
	fields.SelectSelector, fields.Title = lipgloss.NewStyle().SetString("  "), style(themes.Muted)
	l.styles.Blurred = fields
	return true
}

// keysOf are huh's keys out of the console's. A key that is an action of the
// console comes as that action, and moves or leaves the form; what is left to
// huh is to turn a choice.
func keysOf(m *keymap.Map) *huh.KeyMap {
	free := func(a keymap.Action, more ...string) key.Binding {
		return key.NewBinding(key.WithKeys(append(more, slices.DeleteFunc(m.Keys(a), letter)...)...))
	}
	return &huh.KeyMap{Select: huh.SelectKeyMap{Left: free(keymap.Left), Right: free(keymap.Right, "space")}}
}

// letter says that a key types, so that a choice is picked by it.
func letter(name string) bool { return utf8.RuneCountInString(name) == 1 }
