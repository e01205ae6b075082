package form

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// below and most are the fewest and the most lines kept under the fields for
// the hint; what is wrong gets what fewest fields leave it. The names of the
// pages take tabRows above them.
const (
	below   = 3
	most    = 6
	fewest  = 3
	tabRows = 2
)

// Draw implements screen.Dialog.
func (d *form) Draw(e env.Env, w, h int) *paint.Canvas {
	d.live(e)
	inner := max(min(78, w-4), 1)
	role, parts := d.under(e, max(inner-2, 1))
	head := 0
	if d.paged() {
		head = tabRows
	}
	room := most
	if d.err != "" {
		room = max(h-2-head-fewest, below)
	}
	foot := max(min(len(parts)+1, room), below)
	if d.cut = d.err != "" && len(parts) > foot-1; d.cut {
		parts = parts[:foot-1]
		more := text.Safe(" "+e.Glyphs.Ellipsis+" "+e.Keys.LabelIn(keymap.Command, keymap.Apply)) + " tells it all"
		last := len(parts) - 1
		parts[last] = text.Truncate(parts[last], max(inner-2-text.Width(more), 0), "") + more
	}
	d.fit(inner, max(min(d.tallest(), h-2-foot-head), 1))
	c := e.Canvas(inner, head+d.rows+foot)
	if head > 0 {
		d.drawTabs(e, c)
	}
	for _, line := range d.lines {
		c.Styled(line)
		c.End()
	}
	c.Skip(head + d.rows - c.Row())
	c.End()
	for _, part := range parts {
		c.Gap(2)
		c.Text(role, part)
	}
	c.Skip(c.Left())
	on := d.on(d.here().Spec.Page)
	return dialog.Scrolled(e, d.Title, c, max(len(on)-d.top(on)-d.rows, 0), w, h)
}

// fit has huh draw the fields of the page in hand in w columns and so many rows,
// where it did not yet.
func (d *form) fit(w, rows int) {
	if w != d.width || rows != d.rows {
		d.width, d.rows = w, rows
		d.huh.WithWidth(w).WithHeight(rows)
		d.stale = true
	}
	if d.stale {
		d.stale = false
		d.huh.Update(tea.WindowSizeMsg{Width: w, Height: rows}) // it draws when told something
		d.lines = strings.Split(d.huh.View(), "\n")
	}
}

// under is what stands under the fields, in lines of at most w: what is wrong,
// one fault under the other, or else what helps.
func (d *form) under(e env.Env, w int) (themes.Role, []text.Safe) {
	if d.err == "" {
		return themes.Muted, paint.Wrap(d.hint(e), w)
	}
	lines := paint.Wrap(text.Safe(e.Glyphs.Danger)+" "+d.err, w)
	for _, f := range d.faults {
		lead := text.Safe(e.Glyphs.Bullet) + " "
		for _, part := range paint.Wrap(f, max(w-2, 1)) {
			lines = append(lines, lead+part)
			lead = "  "
		}
	}
	return themes.Danger, lines
}

// hint is what helps with the field in hand.
func (d *form) hint(e env.Env) text.Safe {
	f := d.here().Spec
	if f.Write == nil {
		return f.Hint
	}
	return f.Hint + ". " + text.Safe(e.Keys.LabelIn(keymap.Command, keymap.Editor)) + " writes it in $EDITOR, @FILE takes one, none leaves it out"
}

// drawTabs writes the names of the pages, from the first with which the one in
// hand can be seen. The one with what is wrong is marked.
func (d *form) drawTabs(e env.Env, c *paint.Canvas) {
	d.tabs = d.tabs[:0]
	names := d.pages()
	from := slices.Index(names, d.here().Spec.Page)
	for room := c.Width() - 2; from > 0; from-- { // 2 for a mark
		if room -= text.Width(names[from]) + 2; room < text.Width(names[from-1])+2 {
			break
		}
	}
	for i, name := range names {
		if i < from {
			d.tabs = append(d.tabs, 0)
			continue
		}
		words, role := " "+name+" ", themes.Muted
		if d.err != "" && d.wrong >= 0 && d.Fields[d.wrong].Page == name {
			words, role = " "+text.Safe(e.Glyphs.Danger)+words, themes.Danger
		}
		if c.Col()+text.Width(words) > c.Width() {
			c.Right(themes.Muted, text.Safe(e.Glyphs.Ellipsis))
			d.tabs = append(d.tabs, c.Width())
			continue
		}
		if name == d.here().Spec.Page {
			c.Raise(themes.Cursor)
			c.Put(themes.Text, words)
			c.Lower()
		} else {
			c.Put(role, words)
		}
		d.tabs = append(d.tabs, c.Col())
	}
	c.Skip(tabRows)
}
