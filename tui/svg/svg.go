// Package svg writes a picture of the console as an SVG file, for documents:
// the cells of a frame, each in its place, in its colours.
package svg

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Size of a cell and of the letters in it, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	fontSize   = 14
	baseline   = 13.5
	margin     = 12.0
)

// Ground is what stands behind a frame, and what plain text is written in.
type Ground struct{ Back, Front color.Color }

// style is how a run of text looks.
type style struct {
	front, back                            color.Color // nil: the ground's
	bold, faint, italic, underline, invert bool
}

// run is text in one style, from a column on.
type run struct {
	col   int
	width int
	text  string
	style
}

// Write draws a frame of lines with SGR sequences; nothing else may be in it.
func Write(w io.Writer, frame string, g Ground) error {
	lines := strings.Split(frame, "\n")
	columns := 0
	var rows [][]run
	for _, line := range lines {
		runs := parse(line)
		rows = append(rows, runs)
		for _, r := range runs {
			columns = max(columns, r.col+r.width)
		}
	}
	var b strings.Builder
	width, height := 2*margin+float64(columns)*cellWidth, 2*margin+float64(len(lines))*cellHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", hex(g.Back))
	fmt.Fprintf(&b, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" xml:space="preserve">`+"\n", fontSize)
	for i, runs := range rows {
		for _, r := range runs {
			r.draw(&b, i, g)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *run) draw(b *strings.Builder, row int, g Ground) {
	front, back := r.front, r.back
	if front == nil {
		front = g.Front
	}
	if r.invert {
		if back == nil {
			back = g.Back
		}
		front, back = back, front
	}
	x, y := margin+float64(r.col)*cellWidth, margin+float64(row)*cellHeight
	if back != nil {
		rect(b, x, y, float64(r.width)*cellWidth, cellHeight, back)
	}
	if solid(b, r, x, y, front) || strings.TrimSpace(r.text) == "" {
		return
	}
	attrs := ""
	if r.bold {
		attrs += ` font-weight="bold"`
	}
	if r.italic {
		attrs += ` font-style="italic"`
	}
	if r.underline {
		attrs += ` text-decoration="underline"`
	}
	if r.faint {
		attrs += ` opacity="0.6"`
	}
	// Blanks at the ends are not kept by all that show such files.
	words := strings.TrimLeft(r.text, " ")
	x += float64(len(r.text)-len(words)) * cellWidth
	words = strings.TrimRight(words, " ")
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
		x, y+baseline, float64(ansi.StringWidth(words))*cellWidth, hex(front), attrs, html.EscapeString(words))
}

// solid draws a run of one block glyph as what it is, so that no font leaves
// gaps in it.
func solid(b *strings.Builder, r *run, x, y float64, c color.Color) bool {
	glyph := []rune(r.text)[0]
	for _, other := range r.text {
		if other != glyph {
			return false
		}
	}
	top, height, width := 0.0, cellHeight, float64(r.width)*cellWidth
	switch glyph {
	case '█':
	case '▀':
		height /= 2
	case '▄':
		top, height = cellHeight/2, cellHeight/2
	case '▌':
		width /= 2
	default:
		return false
	}
	rect(b, x, y+top, width, height, c)
	return true
}

func rect(b *strings.Builder, x, y, w, h float64, c color.Color) {
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, w, h, hex(c))
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// parse cuts a line into runs.
func parse(line string) []run {
	var runs []run
	var now style
	col := 0
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			params, after, _ := strings.Cut(rest, "m")
			now.apply(params)
			line = after
			continue
		}
		text := line
		if i := strings.IndexByte(line, '\x1b'); i >= 0 {
			text = line[:i]
		}
		line = line[len(text):]
		if text == "" { // a lone escape, which no frame holds
			break
		}
		for _, part := range blocks(text) {
			w := ansi.StringWidth(part)
			runs = append(runs, run{col, w, part, now})
			col += w
		}
	}
	return runs
}

// blocks sets runs of block glyphs apart from other text.
func blocks(text string) []string {
	var parts []string
	start, last := 0, rune(0)
	kind := func(r rune) rune {
		switch r {
		case '█', '▀', '▄', '▌':
			return r
		}
		return 0
	}
	for i, r := range text {
		if k := kind(r); i > start && k != last {
			parts = append(parts, text[start:i])
			start = i
		}
		last = kind(r)
	}
	return append(parts, text[start:])
}

// apply takes in the parameters of an SGR sequence.
func (s *style) apply(params string) {
	codes := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		*s = style{}
	}
	for i := 0; i < len(codes); i++ {
		n, _ := strconv.Atoi(codes[i])
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.invert = true
		case n == 38 || n == 48:
			c, used := extended(codes[i+1:])
			i += used
			if n == 38 {
				s.front = c
			} else {
				s.back = c
			}
		case n == 39:
			s.front = nil
		case n == 49:
			s.back = nil
		case n >= 30 && n <= 37:
			s.front = basic(n - 30)
		case n >= 90 && n <= 97:
			s.front = basic(n - 90 + 8)
		case n >= 40 && n <= 47:
			s.back = basic(n - 40)
		case n >= 100 && n <= 107:
			s.back = basic(n - 100 + 8)
		}
	}
}

// extended reads a colour of 256, or one in full.
func extended(codes []string) (color.Color, int) {
	number := func(i int) uint8 {
		if i >= len(codes) {
			return 0
		}
		n, _ := strconv.ParseUint(codes[i], 10, 8)
		return uint8(n)
	}
	switch number(0) {
	case 5:
		return ansi.IndexedColor(number(1)), 2
	case 2:
		return color.RGBA{number(1), number(2), number(3), 0xff}, 4
	}
	return nil, 0
}

// basic is one of the 16 colours, which terminals choose for themselves, in
// shades that most use.
func basic(n int) color.Color {
	shades := [16]uint32{
		0x16181d, 0xd9544d, 0x5fa35f, 0xc9a24d, 0x5b8fd6, 0xb176c9, 0x4fa8a8, 0xc8ccd4,
		0x6b7280, 0xff7b72, 0x7fd08c, 0xe8c558, 0x79b8ff, 0xd6a6f0, 0x76d4d4, 0xffffff,
	}
	v := shades[n&15]
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}
