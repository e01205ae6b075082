package item

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"signalbox/engine"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/text"
)

// section is a part of the page with a heading of its own.
type section struct {
	name  text.Safe
	lines []line
	folds []fold
}

// page is what an item carries, ready to be broken into rows. It depends on
// the record alone; rows keeps the last breaking.
type page struct {
	sections []section
	veils    int // values hidden by the queue's mask
	rows     []row
	width    int
}

// row is a line as broken to the width, or a heading.
type row struct {
	heading bool
	line    line
	section int // from 1, 0 for what is of none
	src     int // the line of the section
}

// compose makes the page of a record.
func compose(e env.Env, r *engine.Record, revealed bool) page {
	var p page
	var mask []string
	if q, ok := e.Queue(r.Queue); ok && !revealed {
		mask = q.Mask
	}
	add := func(name text.Safe, lines []line) {
		if len(lines) > 0 {
			p.sections = append(p.sections, section{name: name, lines: lines})
		}
	}
	document := func(name text.Safe, raw []byte) {
		if len(raw) > 0 {
			d := read(raw, mask, hidden(e.Glyphs))
			p.sections = append(p.sections, section{name, d.lines, d.folds})
			p.veils += d.veils
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
	document("Payload", r.Payload)
	document("Output", r.Output)
	document("Analytics", r.Analytics)
	return p
}

// broken gives the page's rows at a width, without what is folded away.
func (p *page) broken(w int, folded map[string]bool) []row {
	if p.width == w && p.rows != nil {
		return p.rows
	}
	p.width, p.rows = w, []row{}
	for n := range p.sections {
		s := &p.sections[n]
		p.rows = append(p.rows, row{heading: true, section: n + 1, src: -1, line: line{{themes.Title, s.name}}})
		next := 0
		for i := 0; i < len(s.lines); i++ {
			l, src := s.lines[i], i
			for next < len(s.folds) && s.folds[next].start < i {
				next++
			}
			if next < len(s.folds) && s.folds[next].start == i && folded[s.key(&s.folds[next])] {
				l, i = s.closed(&s.folds[next]), s.folds[next].end
			}
			for _, part := range breakLine(l, max(w, 1)) {
				p.rows = append(p.rows, row{line: part, section: n + 1, src: src})
			}
		}
		p.rows = append(p.rows, row{})
	}
	return p.rows
}

// key names a fold beyond the record's next revision.
func (s *section) key(f *fold) string { return string(s.name) + f.path }

// closed is the line that stands for a fold: its beginning, how much it holds,
// and its end.
func (s *section) closed(f *fold) line {
	what := "value"
	if f.object {
		what = "field"
	}
	l := append(slices.Clip(s.lines[f.start]), run{themes.Muted, " " + text.Safe(text.Plural(int64(f.n), what)) + " "})
	return append(l, s.lines[f.end][1:]...) // without its indent
}

// breakLine cuts a line into rows of at most w columns.
func breakLine(l line, w int) []line {
	var out []line
	var cur line
	used := 0
	for _, r := range l {
		for rest := r.text; rest != ""; {
			head := atBlank(take(rest, w-used), rest)
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

// atBlank draws a cut back to the last blank, where there is one not far back:
// prose breaks between words.
func atBlank(head, rest text.Safe) text.Safe {
	if len(head) == len(rest) || head == "" || rest[len(head)] == ' ' {
		return head
	}
	if i := strings.LastIndexByte(string(head), ' '); i > 0 && len(head)-i < 24 {
		return head[:i+1]
	}
	return head
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
