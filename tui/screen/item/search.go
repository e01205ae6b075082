package item

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	input "signalbox/tui/widget/line"
)

// search looks for words in what the item carries.
type search struct {
	field  input.Field
	typing bool
	want   string // in lower case
	hits   []place
	at     int
	began  place // where the hand was
}

// place is a line of a section.
type place struct{ section, src int }

// on says that words are looked for.
func (f *search) on() bool { return f.want != "" }

// edit takes in what is typed and goes to the first hit from where it began.
func (s *Item) edit(e env.Env, msg tea.Msg) screen.Effects {
	f := &s.search
	switch msg := msg.(type) {
	case screen.Typed:
		if !f.field.Press(msg.Press) {
			return screen.Effects{}
		}
	case screen.Pasted:
		f.field.Insert(msg.Text)
	}
	s.look(e)
	return screen.Effects{}
}

// look finds every line that holds the words.
func (s *Item) look(e env.Env) {
	f := &s.search
	f.want, f.hits, f.at = strings.ToLower(f.field.Text()), nil, 0
	if f.want == "" {
		return
	}
	first := -1
	for n := range s.page.sections {
		for i, l := range s.page.sections[n].lines {
			if !strings.Contains(strings.ToLower(words(l)), f.want) {
				continue
			}
			hit := place{n + 1, i}
			if first < 0 && (hit.section > f.began.section || hit.section == f.began.section && hit.src >= f.began.src) {
				first = len(f.hits)
			}
			f.hits = append(f.hits, hit)
		}
	}
	if len(f.hits) > 0 {
		f.at = max(first, 0)
		s.toHit(e)
	}
}

func words(l line) string {
	if len(l) == 1 {
		return string(l[0].text)
	}
	var b strings.Builder
	for _, r := range l {
		b.WriteString(string(r.text))
	}
	return b.String()
}

// toHit goes to the hit in hand, which may be folded away.
func (s *Item) toHit(e env.Env) {
	hit := s.search.hits[s.search.at]
	s.open(hit.section, hit.src)
	s.find(e, hit.section, hit.src)
	rows := s.all(e) // of a long line, to the part that holds the words
	for i := s.at; i < len(rows) && rows[i].section == hit.section && rows[i].src == hit.src; i++ {
		if strings.Contains(strings.ToLower(words(rows[i].line)), s.search.want) {
			s.at = i
			break
		}
	}
	s.settle(len(rows), max(s.height(e), 1))
}

// onward goes to the next hit, or the one before.
func (s *Item) onward(e env.Env, by int) screen.Effects {
	f := &s.search
	if n := len(f.hits); n > 0 {
		f.at = (f.at + by + n) % n
		s.toHit(e)
		return screen.Effects{}
	}
	return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: "Nothing matches " + text.Clean(f.field.Text()), Brief: true}})
}

// searchKey takes in an action and says whether it was the search's.
func (s *Item) searchKey(e env.Env, a keymap.Action) (screen.Effects, bool) {
	f := &s.search
	switch {
	case a == keymap.Filter && !f.typing:
		f.typing = true
		f.began = place{}
		if rows := s.all(e); s.at < len(rows) {
			f.began = place{rows[s.at].section, rows[s.at].src}
		}
	case f.typing && a == keymap.Apply:
		f.typing = false
	case f.typing && a != keymap.Back:
	case a == keymap.Back && (f.typing || f.on()):
		*f = search{}
	case f.on() && a == keymap.NextMatch:
		return s.onward(e, 1), true
	case f.on() && a == keymap.PrevMatch:
		return s.onward(e, -1), true
	default:
		return screen.Effects{}, false
	}
	return screen.Effects{}, true
}

// marked gives a row's runs with the words found set apart.
func (f *search) marked(r *row) line {
	if !f.on() || r.section == 0 {
		return r.line
	}
	lower := strings.ToLower(words(r.line))
	if len(lower) != len(words(r.line)) || !strings.Contains(lower, f.want) {
		return r.line // lengths differ where a lower case letter is longer
	}
	found := make([]bool, len(lower))
	for from := 0; ; {
		i := strings.Index(lower[from:], f.want)
		if i < 0 {
			break
		}
		for j := range len(f.want) {
			found[from+i+j] = true
		}
		from += i + len(f.want)
	}
	var out line
	at := 0
	for _, part := range r.line {
		for rest := part.text; rest != ""; {
			n := 1
			for n < len(rest) && found[at+n] == found[at] {
				n++
			}
			role := part.role
			if found[at] {
				role = themes.Match
			}
			out = append(out, run{role, rest[:n]})
			at, rest = at+n, rest[n:]
		}
	}
	return out
}

// draw writes the line of the search, empty where there is none.
func (f *search) draw(e env.Env, c *paint.Canvas) {
	c.Gap(1)
	switch {
	case f.typing:
		c.Put(themes.Accent, "/ ")
		f.field.Draw(e, c, max(c.Width()/2, 20))
	case f.on():
		c.Put(themes.Accent, "/ ")
		c.Put(themes.Match, text.Clean(f.field.Text()))
	}
	switch {
	case f.on() && len(f.hits) == 0:
		c.Right(themes.Warn, "nothing found ")
	case f.on():
		c.Right(themes.Muted, text.Safe(fmt.Sprintf("%d of %d lines ", f.at+1, len(f.hits))))
	}
	c.End()
}
