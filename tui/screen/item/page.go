package item

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
)

// section is a part of the page with a heading of its own.
type section struct {
	name  text.Safe
	lines []line
}

// page is what an item carries, ready to be broken into rows. It depends on
// the record alone; rows keeps the last breaking.
type page struct {
	sections []section
	rows     []row
	width    int
}

// row is a line as broken to the width, or a heading.
type row struct {
	heading bool
	line    line
}

// compose makes the page of a record.
func compose(e env.Env, r *engine.Record) page {
	var p page
	var mask []string
	if q, ok := e.Queue(r.Queue); ok {
		mask = q.Mask
	}
	add := func(name text.Safe, lines []line) {
		if len(lines) > 0 {
			p.sections = append(p.sections, section{name, lines})
		}
	}
	if r.Error != nil {
		role, _ := e.Standing(r.Status, r.Error.Kind)
		kind := text.Clean(r.Error.Kind)
		switch r.Error.Kind {
		case engine.Business:
			kind = "business: a person must look"
		case engine.System:
			kind = "fault: a retry may do"
		}
		add("Error", append([]line{{{role, kind}}}, plain(r.Error.Reason)...))
		add("Details", plain(r.Error.Details))
	}
	add("Payload", document(e, r.Payload, mask))
	add("Output", document(e, r.Output, mask))
	add("Analytics", document(e, r.Analytics, mask))
	return p
}

func document(e env.Env, raw []byte, mask []string) []line {
	if len(raw) == 0 {
		return nil
	}
	return pretty(raw, mask, hidden(e.Glyphs))
}

// broken gives the page's rows at a width.
func (p *page) broken(w int) []row {
	if p.width == w && p.rows != nil {
		return p.rows
	}
	p.width, p.rows = w, []row{}
	for _, s := range p.sections {
		p.rows = append(p.rows, row{heading: true, line: line{{themes.Title, s.name}}})
		for _, l := range s.lines {
			for _, part := range breakLine(l, max(w, 1)) {
				p.rows = append(p.rows, row{line: part})
			}
		}
		p.rows = append(p.rows, row{})
	}
	return p.rows
}

// breakLine cuts a line into rows of at most w columns.
func breakLine(l line, w int) []line {
	var out []line
	var cur line
	used := 0
	for _, r := range l {
		for rest := r.text; rest != ""; {
			head := take(rest, w-used)
			if head == "" && used == 0 {
				head = rest[:first(rest)] // wider than the page: it will be cut
			}
			cur = append(cur, run{r.role, head})
			used += text.Width(head)
			if rest = rest[len(head):]; rest != "" {
				out = append(out, cur)
				cur, used = nil, 0
			}
		}
	}
	return append(out, cur)
}

// take gives the beginning of a text that fits w columns. It looks no further
// than that needs, for texts may be half a megabyte long.
func take(s text.Safe, w int) text.Safe {
	if w <= 0 {
		return ""
	}
	n := min(len(s), 16*w+64)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return text.Safe(ansi.Truncate(string(s[:n]), w, ""))
}

// first is the length of the first character.
func first(s text.Safe) int {
	_, n := utf8.DecodeRuneInString(string(s))
	return n
}

// scroll moves over the page.
func (s *Item) scroll(e env.Env, a keymap.Action) {
	rows := s.all(e)
	height := max(s.height(e), 1)
	last := max(len(rows)-height, 0)
	switch a {
	case keymap.Up:
		s.top--
	case keymap.Down:
		s.top++
	case keymap.PageUp:
		s.top -= height - 1
	case keymap.PageDown:
		s.top += height - 1
	case keymap.Top:
		s.top = 0
	case keymap.Bottom:
		s.top = last
	case keymap.NextPane, keymap.PrevPane:
		s.top = heading(rows, s.top, a == keymap.PrevPane, last)
	}
	s.top = max(min(s.top, last), 0)
}

// heading finds the next heading from a row on, or the one before; from the
// last it goes back to the first.
func heading(rows []row, from int, back bool, last int) int {
	if back {
		for i := min(from, len(rows)) - 1; i >= 0; i-- {
			if rows[i].heading {
				return i
			}
		}
		return last
	}
	for i := from + 1; i < len(rows); i++ {
		if rows[i].heading {
			if from >= last {
				return 0
			}
			return i
		}
	}
	return 0
}
