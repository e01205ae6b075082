package dialog

import (
	"strings"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Draw implements screen.Dialog.
func (d *confirm) Draw(e env.Env, w, h int) *paint.Canvas {
	least := 40
	if d.Pace != nil {
		least = 64
	}
	inner := widest(append([]text.Safe{d.Title + "  "}, d.Lines...), min(least, w-4), w-4)
	body := e.Canvas(inner, max(h-2, 1))
	lines, roomy := d.said(inner, h-2, e.Glyphs.Ellipsis)
	for _, part := range lines {
		body.Text(themes.Text, part)
	}
	if roomy {
		body.End()
	}
	if d.Pace != nil {
		d.drawPace(e, body)
	}
	if d.Noted {
		d.drawNote(e, body)
	}
	if roomy && (d.Noted || d.Pace != nil) {
		body.End()
	}
	if d.typing() != "" {
		d.drawTyping(e, body)
	} else {
		d.drawButtons(e, body)
	}
	return Frame(e, d.Title, body, w, h)
}

// said is what the question says in w by h cells, less the lines of its fields
// and buttons, and whether blank lines set these apart. Where room is short the
// blank lines go, then the examples, which are set in, and the last words only
// after them: a mark stands for those.
func (d *confirm) said(w, h int, tail string) (lines []text.Safe, apart bool) {
	tight := h - 1 // the buttons
	for _, there := range []bool{d.Noted, d.Pace != nil} {
		if there {
			tight--
		}
	}
	roomy := tight - 1
	if d.Noted || d.Pace != nil {
		roomy--
	}
	var all, full, bare []text.Safe
	for _, l := range d.Lines {
		parts := paint.Wrap(l, w)
		all = append(all, parts...)
		if l != "" {
			full = append(full, parts...)
		}
		if l != "" && !strings.HasPrefix(string(l), "  ") {
			bare = append(bare, parts...)
		}
	}
	switch {
	case len(all) <= roomy:
		return all, true
	case len(full) <= roomy:
		return full, true
	case len(full) <= tight:
		return full, false
	case len(bare) <= tight:
		return bare, len(bare) <= roomy
	case tight <= 0:
		return nil, false
	}
	return append(bare[:tight-1], text.Safe(tail)), false
}

func (d *confirm) drawTyping(e env.Env, c *paint.Canvas) {
	c.Put(themes.Text, text.Safe("Type "+d.typing()+" to go ahead: "))
	if d.at == buttons {
		d.fields[buttons].Draw(e, c, len(d.typing())+2)
	} else {
		c.Put(themes.Muted, text.Clean(d.fields[buttons].Text()))
	}
	c.End()
}

// Columns of the fields: labels stand below one another.
const (
	labels  = 7
	answers = 14
)

// drawPace writes how many and how fast, and the key that changes them.
func (d *confirm) drawPace(e env.Env, c *paint.Canvas) {
	d.drawField(e, c, first, "First", text.Safe("all "+text.Count(int64(d.Pace.Of))))
	c.To(labels + answers)
	c.Put(themes.Muted, "Rate ")
	c.To(2*labels + answers)
	d.drawValue(e, c, rate, "no limit")
	c.To(2*labels + 2*answers)
	d.drawHint(e, c)
	c.End()
}

// drawHint says what is wrong with the field in hand, or what it takes, where
// there is room.
func (d *confirm) drawHint(e env.Env, c *paint.Canvas) {
	role, hint := themes.Muted, text.Safe("")
	key := text.Safe(e.Keys.LabelIn(d.Scope(), keymap.NextPane))
	switch {
	case d.problem != "":
		role, hint = themes.Warn, d.problem
	case d.at == rate:
		hint = "as in 50/s, 100/m"
	case d.at == buttons:
		hint = " changes them"
	}
	if d.at == buttons && d.problem == "" && c.Col()+text.Width(key+hint) <= c.Width() {
		c.Put(themes.Key, key)
	} else if d.at == buttons {
		return
	}
	c.Put(role, text.Truncate(hint, c.Width()-c.Col(), e.Glyphs.Ellipsis))
}

func (d *confirm) drawField(e env.Env, c *paint.Canvas, p part, label, none text.Safe) {
	c.Put(themes.Muted, label)
	c.To(labels)
	d.drawValue(e, c, p, none)
}

func (d *confirm) drawValue(e env.Env, c *paint.Canvas, p part, none text.Safe) {
	switch {
	case d.at == p:
		d.fields[p].Draw(e, c, answers-2)
	case d.words(p) != "":
		c.Put(themes.Text, text.Truncate(text.Clean(d.words(p)), answers-1, e.Glyphs.Ellipsis))
	default:
		c.Put(themes.Text, none)
	}
}

// drawNote writes the note, or the key that begins one.
func (d *confirm) drawNote(e env.Env, c *paint.Canvas) {
	c.Put(themes.Muted, "Note")
	c.To(labels)
	switch {
	case d.at == noting:
		d.fields[noting].Draw(e, c, c.Width()-c.Col())
	case d.words(noting) != "":
		c.Put(themes.Text, text.Truncate(text.Clean(d.words(noting)), c.Width()-c.Col(), e.Glyphs.Ellipsis))
	default:
		key := e.Keys.LabelIn(d.Scope(), keymap.Note)
		switch {
		case key != "":
		case d.Pace != nil && d.at == buttons: // the other fields come first
			key = e.Keys.LabelIn(d.Scope(), keymap.PrevPane)
		default:
			key = e.Keys.LabelIn(d.Scope(), keymap.NextPane)
		}
		c.Put(themes.Key, text.Safe(key))
		c.Put(themes.Muted, " adds one")
	}
	c.End()
}

func (d *confirm) drawButtons(e env.Env, c *paint.Canvas) {
	button(e, c, "No", keymap.No, !d.yes)
	c.Gap(3)
	button(e, c, d.Yes, keymap.Yes, d.yes)
	c.End()
}

func button(e env.Env, c *paint.Canvas, label text.Safe, a keymap.Action, focus bool) {
	if focus {
		c.Raise(themes.Selection)
		c.Put(themes.Text, text.Safe(e.Glyphs.Focus)+" "+label+" ")
		c.Lower()
	} else {
		c.Put(themes.Text, "  "+label+" ")
	}
	c.Put(themes.Muted, " "+text.Safe(e.Keys.LabelIn(keymap.Dialog, a)))
}
