package themes

import (
	"image/color"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// level is how much colour a terminal shows.
type level uint8

const (
	trueColor level = iota
	colors256
	colors16
	noColor // attributes only
	levels
)

// attrs is a set of text attributes.
type attrs uint8

const (
	bold attrs = 1 << iota
	faint
	italic
	underline
	reverse
)

func attribute(word string) (attrs, bool) {
	switch word {
	case "bold":
		return bold, true
	case "faint":
		return faint, true
	case "italic":
		return italic, true
	case "underline":
		return underline, true
	case "reverse":
		return reverse, true
	}
	return 0, false
}

// shade is one colour as each kind of terminal shows it; nil is the
// terminal's own.
type shade [noColor]color.Color

// paint is colours for all terminals, with attributes.
type paint struct {
	fg, bg  shade
	surface bool // it has a background
	attrs   attrs
}

// look is a role's appearance on one kind of terminal.
type look struct {
	fg, bg color.Color
	attrs  attrs
}

// at gives the appearance of p at l. A surface that l cannot colour is shown
// in reverse.
func (p paint) at(l level) look {
	k := look{attrs: p.attrs}
	if l < noColor {
		k.fg, k.bg = p.fg[l], p.bg[l]
	}
	if p.surface && k.bg == nil {
		k.fg = nil
		k.attrs |= reverse
	}
	return k
}

// over gives k as it looks on base's surface. In reverse, colours would turn
// into surfaces of their own, so only the attributes stay.
func (k look) over(base look) look {
	if base.attrs&reverse != 0 {
		return look{fg: base.fg, bg: base.bg, attrs: base.attrs | k.attrs&(bold|underline)}
	}
	if k.fg == nil {
		k.fg = base.fg
	}
	if k.bg == nil && k.attrs&reverse == 0 {
		k.bg = base.bg
	}
	k.attrs |= base.attrs
	return k
}

// sgr is the escape sequence that switches k on; "" for plain text.
func (k look) sgr() string {
	var s ansi.Style
	if k.attrs&bold != 0 {
		s = s.Bold()
	}
	if k.attrs&faint != 0 {
		s = s.Faint()
	}
	if k.attrs&italic != 0 {
		s = s.Italic(true)
	}
	if k.attrs&underline != 0 {
		s = s.Underline(true)
	}
	if k.attrs&reverse != 0 {
		s = s.Reverse(true)
	}
	if k.fg != nil {
		s = s.ForegroundColor(k.fg)
	}
	if k.bg != nil {
		s = s.BackgroundColor(k.bg)
	}
	if len(s) == 0 {
		return ""
	}
	return s.String()
}

func (k look) style() lipgloss.Style {
	s := lipgloss.NewStyle().
		Bold(k.attrs&bold != 0).
		Faint(k.attrs&faint != 0).
		Italic(k.attrs&italic != 0).
		Underline(k.attrs&underline != 0).
		Reverse(k.attrs&reverse != 0)
	if k.fg != nil {
		s = s.Foreground(k.fg)
	}
	if k.bg != nil {
		s = s.Background(k.bg)
	}
	return s
}

// basicColors are the names of the 16 colours, in their order.
func basicColors() []string {
	names := []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	for _, name := range names[:8] {
		names = append(names, "bright-"+name)
	}
	return names
}

// parseColor reads a colour that stands for itself: #rrggbb, a palette index,
// one of the 16 names, or default.
func parseColor(word string) (color.Color, bool) {
	if word == "default" {
		return nil, true
	}
	if strings.HasPrefix(word, "#") {
		c, err := colorful.Hex(word)
		if err != nil {
			return nil, false
		}
		r, g, b := c.RGB255()
		return color.RGBA{R: r, G: g, B: b, A: 0xff}, true
	}
	if n, err := strconv.Atoi(word); err == nil {
		return indexed(n), n >= 0 && n < 256
	}
	for i, name := range basicColors() {
		if name == word {
			return ansi.BasicColor(i), true
		}
	}
	return nil, false
}

func indexed(n int) color.Color {
	if n < 16 {
		return ansi.BasicColor(n)
	}
	return ansi.IndexedColor(n)
}

// spread gives c for every terminal, by the nearest colour that each has.
func spread(c color.Color) shade {
	switch c := c.(type) {
	case nil:
		return shade{}
	case ansi.BasicColor:
		return shade{c, c, c}
	case ansi.IndexedColor:
		return shade{c, c, ansi.Convert16(c)}
	}
	return shade{c, ansi.Convert256(c), ansi.Convert16(c)}
}
