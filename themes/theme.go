package themes

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Reset ends what a Prefix began. Runs of text stand side by side, each with
// its prefix and a Reset; they are never nested.
const Reset = "\x1b[m"

// Theme is a finished theme for one kind of terminal. It does not change and
// may be shared.
type Theme struct {
	Name string
	Dark bool

	contrast   float64 // the least that words must have
	background color.Color
	foreground color.Color
	looks      [levels][roles]look

	level    level
	bare     bool // text without any look
	prefixes [roles]string
	on       map[Role]*[roles]string // for the roles that have a surface
	faded    *Theme                  // the same with muted words
}

// For gives the theme as a terminal with profile shows it: in true colour, 256
// or 16 colours, with attributes only (ASCII, NO_COLOR), or as bare text.
func (t *Theme) For(profile colorprofile.Profile) *Theme {
	other := *t
	other.bare = false
	switch profile {
	case colorprofile.ANSI256:
		other.level = colors256
	case colorprofile.ANSI:
		other.level = colors16
	case colorprofile.ASCII:
		other.level = noColor
	case colorprofile.NoTTY:
		other.level, other.bare = noColor, true
		other.looks[noColor] = [roles]look{}
	default:
		other.level = trueColor
	}
	other.prepare()
	pale := other
	for l := range pale.looks {
		for r := range pale.looks[l] {
			if k := &pale.looks[l][r]; k.bg == nil && k.attrs&reverse == 0 {
				*k = pale.looks[l][Muted]
			}
		}
	}
	pale.prepare()
	other.faded = &pale
	return &other
}

// Ground is the background and the foreground that the theme is made for: the
// terminal's own, which it never paints.
func (t *Theme) Ground() (back, front color.Color) { return t.background, t.foreground }

// Faded is the theme with every word and mark muted, for a picture that is
// not live. Surfaces stay, so that the hand is still seen.
func (t *Theme) Faded() *Theme {
	if t.faded == nil {
		return t
	}
	return t.faded
}

// prepare makes every sequence that drawing will need.
func (t *Theme) prepare() {
	t.on = map[Role]*[roles]string{}
	looks := &t.looks[t.level]
	for r := range roles {
		t.prefixes[r] = looks[r].sgr()
		if base := looks[r]; base.bg != nil || base.attrs&reverse != 0 {
			t.on[r] = new([roles]string)
			for top := range roles {
				t.on[r][top] = looks[top].over(base).sgr()
			}
		}
	}
}

// Bare says that no role has a look.
func (t *Theme) Bare() bool { return t.bare }

// Prefix is the escape sequence to write before text in role r, and Reset
// after it. It may be empty.
func (t *Theme) Prefix(r Role) string { return t.prefixes[r] }

// On is the Prefix of role r on the surface of another role: the colour of a
// state within the row in hand.
func (t *Theme) On(surface, r Role) string {
	if mixed, ok := t.on[surface]; ok {
		return mixed[r]
	}
	return t.prefixes[r]
}

// Style is role r for code that lays out with lipgloss.
func (t *Theme) Style(r Role) lipgloss.Style { return t.looks[t.level][r].style() }

// Color is the foreground of role r; lipgloss.NoColor where it is the
// terminal's own.
func (t *Theme) Color(r Role) color.Color {
	if c := t.looks[t.level][r].fg; c != nil {
		return c
	}
	return lipgloss.NoColor{}
}

// Paint writes s in role r, for places where speed does not matter.
func (t *Theme) Paint(r Role, s string) string {
	if t.prefixes[r] == "" {
		return s
	}
	return t.prefixes[r] + s + Reset
}
