package job

import (
	"bytes"
	"encoding/json"
	"strconv"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// The panes below the numbers: side by side where there is room, else one at a
// time.
const (
	logPane = iota
	aboutPane
	panes
)

// sideBySide is the width from which both panes are seen.
const sideBySide = 100

// pane is a part of the page that scrolls.
type pane struct {
	top   int
	tail  bool // it stays at its end
	rows  []line
	shown int // how many rows were drawn last
	from  int // the column and row where it was
	row   int
}

// line is a row of a pane.
type line []run

type run struct {
	role themes.Role
	text text.Safe
}

// paneWidth is the width of a pane's text.
func paneWidth(e env.Env, which int) int {
	switch {
	case e.Width < sideBySide:
		return max(e.Width-2*indent, 1)
	case which == logPane:
		return e.Width*6/10 - 2*indent
	}
	return e.Width - e.Width*6/10 - indent - 1
}

// drawPanes fills what room is left.
func (s *Job) drawPanes(e env.Env, c *paint.Canvas) {
	if e.Class() != env.Narrow {
		c.End()
	}
	s.panes[logPane].rows, s.panes[aboutPane].rows = s.logRows(e), s.aboutRows(e)
	if c.Left() < 2 {
		return
	}
	if e.Width < sideBySide {
		s.drawTabs(e, c)
		s.drawPane(e, c, s.at, c.Left(), 0)
		return
	}
	left := e.Canvas(e.Width*6/10, c.Left())
	right := e.Canvas(c.Width()-e.Width*6/10, c.Left())
	for i, part := range []*paint.Canvas{left, right} {
		s.panes[i].from = i * left.Width()
		s.heading(e, part, i)
		part.End()
		s.drawPane(e, part, i, part.Left(), c.Row())
	}
	c.Append(0, left, right)
}

// drawTabs names the panes, the one shown first in hand.
func (s *Job) drawTabs(e env.Env, c *paint.Canvas) {
	for i := range s.panes {
		s.heading(e, c, i)
		c.Gap(3)
	}
	c.Put(themes.Muted, text.Safe(e.Keys.Label(keymap.NextPane)+" the other"))
	c.End()
}

func (s *Job) heading(e env.Env, c *paint.Canvas, which int) {
	name := text.Safe("Log")
	if which == aboutPane {
		name = "About"
	}
	if which == logPane && len(s.log) > 0 {
		name += text.Safe(" " + text.Count(int64(s.log[len(s.log)-1].Seq)))
	}
	if which == aboutPane && len(s.files) > 0 {
		name += text.Safe(", " + text.Plural(int64(len(s.files)), "file"))
	}
	c.Gap(1)
	if which == s.at {
		c.Put(themes.Accent, text.Safe(e.Glyphs.Focus)+" ")
		c.Put(themes.Title, name)
		return
	}
	c.Gap(2)
	c.Put(themes.Muted, name)
}

func (s *Job) drawPane(e env.Env, c *paint.Canvas, which, height, below int) {
	p := &s.panes[which]
	p.shown, p.row = height, below+c.Row()
	p.clamp()
	for i := p.top; i < min(p.top+height, len(p.rows)); i++ {
		c.Gap(indent)
		for _, r := range p.rows[i] {
			c.Put(r.role, r.text)
		}
		if i == p.top+height-1 && i < len(p.rows)-1 {
			c.Right(themes.Muted, text.Safe("  "+e.Glyphs.Down+" "+strconv.Itoa(len(p.rows)-1-i)+" more "))
		}
		c.End()
	}
}

// clamp keeps what is seen within the rows, at the end where it is followed.
func (p *pane) clamp() {
	last := max(len(p.rows)-max(p.shown, 1), 0)
	if p.tail {
		p.top = last
	}
	p.top = max(min(p.top, last), 0)
}

// move scrolls the pane in focus.
func (s *Job) move(e env.Env, a keymap.Action) {
	p := &s.panes[s.at]
	page := max(p.shown-1, 1)
	switch a {
	case keymap.Up:
		s.scroll(e, -1)
	case keymap.Down:
		s.scroll(e, 1)
	case keymap.PageUp:
		s.scroll(e, -page)
	case keymap.PageDown:
		s.scroll(e, page)
	case keymap.Top:
		s.scroll(e, -len(p.rows))
	case keymap.Bottom:
		s.scroll(e, len(p.rows))
	}
}

// scroll moves the pane in focus by rows. A log that is at its end stays there
// as it grows.
func (s *Job) scroll(_ env.Env, by int) {
	p := &s.panes[s.at]
	p.tail = false
	p.top += by
	p.clamp()
	p.tail = s.at == logPane && p.top >= len(p.rows)-max(p.shown, 1)
}

// click gives a pane the focus.
func (s *Job) click(e env.Env, msg screen.Click) {
	if e.Width < sideBySide || msg.Y < s.panes[logPane].row-1 {
		return
	}
	s.at = logPane
	if msg.X >= s.panes[aboutPane].from {
		s.at = aboutPane
	}
}

// level is the look of a log line's level, which stands there in words too.
func level(name string) themes.Role {
	switch name {
	case "debug":
		return themes.Muted
	case "warn":
		return themes.Warn
	case "error":
		return themes.Danger
	}
	return themes.Text
}

// logRows are the log's lines, broken to the pane.
func (s *Job) logRows(e env.Env) (rows []line) {
	w := paneWidth(e, logPane)
	switch {
	case s.closed != nil:
		return wrapped(themes.Muted, text.Clean(s.closed.Error()), w)
	case len(s.log) == 0 && s.state == nil:
		return []line{{{themes.Muted, "Reading" + text.Safe(e.Glyphs.Ellipsis)}}}
	case len(s.log) == 0:
		return wrapped(themes.Muted, "Nothing is logged. Programs add lines with `signalbox job log JOB TEXT`.", w)
	}
	return s.kept.of(e, s.log, w)
}

// keptLog is a log as it was broken last: it may be long, and pictures come
// often.
type keptLog struct {
	by   brokenBy
	rows []line
}

// brokenBy is what the rows of a log follow from.
type brokenBy struct {
	first, last uint64 // lines
	width       int
	zone        env.Zone
	day         int // times of today are told without it
}

func (k *keptLog) of(e env.Env, log []store.LogLine, w int) []line {
	by := brokenBy{log[0].Seq, log[len(log)-1].Seq, w, e.Zone, e.Now.In(e.Location()).YearDay()}
	if k.rows != nil && e.Zone != env.Relative && k.by == by {
		return k.rows
	}
	k.by, k.rows = by, nil
	if cut := log[0].Seq - 1; cut > 0 {
		k.rows = append(k.rows, line{{themes.Muted, text.Safe(text.Count(int64(cut)) + " older lines are not shown")}})
	}
	for i := range log {
		k.rows = append(k.rows, logLine(e, &log[i], w)...)
	}
	return k.rows
}

// logLine is one line of the log: when, its level, what it says.
func logLine(e env.Env, l *store.LogLine, w int) (rows []line) {
	const gap = 2
	when := e.When(l.At)
	margin := max(text.Width(when), 8) + gap + len("error") + gap
	words := text.Clean(l.Text)
	if l.Fields != "" && l.Fields != "{}" {
		words += "  " + text.Clean(string(l.Fields))
	}
	head := line{{themes.Muted, text.Pad(when, max(text.Width(when), 8)+gap)}, {level(l.Level), text.Pad(text.Clean(l.Level), len("error")+gap)}}
	if w < margin+12 { // what it says is more than when
		head, margin = line{{level(l.Level), text.Pad(text.Clean(l.Level), len("error")+gap)}}, len("error")+gap
	}
	for i, part := range paint.Wrap(words, max(w-margin, 1)) {
		if i > 0 {
			head = line{{themes.Text, text.Pad(text.Safe(""), margin)}}
		}
		rows = append(rows, append(head[:len(head):len(head)], run{level(l.Level), part}))
	}
	return rows
}

func wrapped(r themes.Role, words text.Safe, w int) (rows []line) {
	for _, part := range paint.Wrap(words, max(w, 1)) {
		rows = append(rows, line{{r, part}})
	}
	return rows
}

// aboutRows are the files, the metadata and what else is known of the job.
func (s *Job) aboutRows(e env.Env) []line {
	j := s.now(e)
	if j == nil {
		return nil
	}
	a := about{env: e, w: paneWidth(e, aboutPane)}
	if s.closed == nil {
		a.files(s.files)
		a.metadata(e.Mask(j.Queue), j.Metadata)
	}
	a.heading("Job")
	a.fact("id", text.Clean(j.ID))
	a.fact("queue", text.Clean(j.Queue))
	a.fact("kind", text.Clean(j.Kind))
	a.fact("by", text.Clean(j.Initiator))
	a.fact("started", e.Moment(j.CreatedAt))
	if !j.EndedAt.IsZero() {
		a.fact("ended", e.Moment(j.EndedAt))
	}
	a.fact("single key", text.Clean(j.SingletonKey))
	if !j.NextAvailableAt.IsZero() {
		a.fact("next due", e.Moment(j.NextAvailableAt))
	}
	a.hook(j)
	if s.closed != nil {
		a.rows = append(a.rows, nil)
		a.rows = append(a.rows, wrapped(themes.Muted, text.Clean(s.closed.Error()), a.w)...)
	}
	return a.rows
}

type about struct {
	env  env.Env
	w    int
	rows []line
}

func (a *about) heading(name text.Safe) {
	if len(a.rows) > 0 {
		a.rows = append(a.rows, nil)
	}
	a.rows = append(a.rows, line{{themes.Title, name}})
}

// labelled is the width of a fact's name.
const labelled = 12

func (a *about) fact(label, value text.Safe) { a.told(themes.Text, label, value) }

func (a *about) told(r themes.Role, label, value text.Safe) {
	if value == "" {
		return
	}
	for i, part := range paint.Wrap(value, max(a.w-labelled, 1)) {
		if i > 0 {
			label = ""
		}
		a.rows = append(a.rows, line{{themes.Muted, text.Pad(label, labelled)}, {r, part}})
	}
}

func (a *about) files(files []store.Attachment) {
	if len(files) == 0 {
		return
	}
	a.heading("Files")
	for i := range files {
		f := &files[i]
		size := text.Safe(text.Bytes(f.Size))
		name := text.Truncate(text.Clean(f.Name), max(a.w-10, 4), a.env.Glyphs.Ellipsis)
		l := line{{themes.Text, text.Pad(name, max(a.w-10, 4)+1)}, {themes.Text, text.PadLeft(size, 8)}}
		a.rows = append(a.rows, l)
	}
	if label := a.env.Keys.LabelIn(keymap.Page, keymap.Export); label != "" {
		a.rows = append(a.rows, line{{themes.Muted, text.Safe(label + " saves one")}})
	}
}

// metadata shows what whoever started the job has said of it.
func (a *about) metadata(mask []string, raw store.JSON) {
	if raw == "" {
		return
	}
	a.heading("Metadata")
	var b bytes.Buffer
	hidden := engine.Mask(json.RawMessage(raw), mask)
	if err := json.Indent(&b, hidden, "", "  "); err != nil {
		b.Reset()
		b.Write(hidden)
	}
	for _, l := range text.CleanLines(b.String()) {
		a.rows = append(a.rows, wrapped(themes.Text, l, a.w)...)
	}
}

// hook tells what became of the job's completion.
func (a *about) hook(j *engine.JobState) {
	switch h := &j.Hook; {
	case !h.RanAt.IsZero():
		a.fact("completion", "ran "+a.env.Moment(h.RanAt))
	case h.Error != "":
		a.told(themes.Danger, "completion", text.Clean("failed "+strconv.Itoa(h.Tries)+"x, tried again: "+h.Error))
	case j.Kind != "" && j.Status.Open():
		a.fact("completion", "runs when nothing is left")
	}
}
