package themes

import (
	"errors"
	"fmt"
	"image/color"

	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"

	"signalbox/store"
)

// minContrast is what words need to be read with ease (WCAG AA).
const minContrast = 4.5

// Contrast is the ratio of the luminances of two colours, from 1 to 21.
func Contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.Color) float64 {
	rgb, _ := colorful.MakeColor(c)
	r, g, b := rgb.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// Check measures every role that is used for words: on the background that the
// theme is made for, on its own surface, and in the row in hand. Colours of the
// terminal's own palette cannot be known and are passed over.
func (t *Theme) Check() error {
	var wrong []error
	looks := &t.looks[trueColor]
	for r := range roles {
		if !r.readable() {
			continue
		}
		wrong = append(wrong, t.measure(r, looks[r], ""))
		if looks[r].bg == nil {
			for _, row := range []Role{Cursor, CursorBlur} {
				wrong = append(wrong, t.measure(r, looks[r].over(looks[row]), " on "+row.String()))
			}
		}
	}
	return errors.Join(wrong...)
}

func (t *Theme) measure(r Role, k look, where string) error {
	fg, bg := k.fg, k.bg
	if fg == nil {
		fg = t.foreground
	}
	if bg == nil {
		bg = t.background
	}
	if own(fg) || own(bg) {
		return nil
	}
	if ratio := Contrast(fg, bg); ratio < t.contrast {
		return store.Invalid(fmt.Sprintf("theme %s: role %s%s", t.Name, r, where),
			fmt.Sprintf("its contrast is %.1f", ratio), fmt.Sprintf("it needs %.1f", t.contrast))
	}
	return nil
}

func own(c color.Color) bool {
	_, ok := c.(ansi.BasicColor)
	return ok
}
