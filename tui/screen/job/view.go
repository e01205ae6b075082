package job

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen/blank"
	"signalbox/tui/text"
	"signalbox/tui/widget/progress"
)

// indent is the column in which what belongs to a heading begins.
const indent = 3

// bodyHeight is the room a screen has in a terminal.
func bodyHeight(e env.Env) int { return max(e.Height-4, 1) }

// Notice is what a person should know of a job besides its numbers, in one line.
func Notice(e env.Env, j *engine.JobState) (themes.Role, text.Safe) {
	g := e.Glyphs
	queue, _ := e.Queue(j.Queue)
	switch {
	case !j.EndedAt.IsZero():
		words := "took " + text.Duration(time.Duration(j.EndedAt.Sub(j.CreatedAt)).Truncate(time.Second)) + ", ended " + string(e.When(j.EndedAt))
		if j.Failed > 0 {
			return themes.StateFault, text.Safe(g.Status(store.Failed) + " " + text.Count(j.Failed) + " failed; " + words)
		}
		return themes.Muted, text.Safe(words)
	case j.Status == store.JobCancelled:
		return themes.StateClosing, text.Safe(g.SlotClosing + " cancelling: " + text.Count(j.Left()) + " are still to be stopped")
	case j.Status == store.JobPaused:
		return themes.Warn, text.Clean(g.Paused + " paused by " + j.PausedBy + ": nothing new is handed out, what is in flight goes on")
	case j.Hook.Error != "":
		return themes.Danger, text.Clean(fmt.Sprintf("%s its completion failed, tried again: %s", g.Danger, j.Hook.Error))
	case queue.Paused:
		return themes.Warn, text.Clean(g.Paused + " its queue " + j.Queue + " is paused by " + queue.PausedBy)
	case queue.ConsumerError != "":
		return themes.Danger, text.Clean(g.Danger + " consumer of " + j.Queue + ": " + queue.ConsumerError)
	}
	if w, ok := waiter(e, j); ok && j.InFlight == 0 {
		return themes.StateWaiting, inLine(e, &w)
	}
	switch {
	case j.Available > 0 && j.Delayed >= j.Available && j.InFlight == 0:
		return themes.StateDelayed, text.Safe(g.Delayed) + " all that is left is delayed" + next(e, j)
	case j.Filling:
		return themes.Muted, text.Safe(g.Info) + " more items are to come"
	case j.Left() == 0:
		return themes.Muted, text.Safe(g.Info) + " all is accounted for; it is being completed"
	}
	return themes.Muted, ""
}

// next words when the first of the delayed comes free.
func next(e env.Env, j *engine.JobState) text.Safe {
	if j.NextAvailableAt.IsZero() {
		return ""
	}
	return ", the next until " + e.When(j.NextAvailableAt) + ", in " + env.Span(e.Until(j.NextAvailableAt))
}

// waiter is the first place in line for a slot of the job, or of its queue for
// whichever item comes next.
func waiter(e env.Env, j *engine.JobState) (lane.Waiter, bool) {
	if e.Snap == nil || j.Status != store.JobRunning || j.Available == j.Delayed {
		return lane.Waiter{}, false
	}
	for _, w := range e.Snap.Slots.Waiting {
		if w.Job == j.ID || w.Job == "" && w.Queue == j.Queue {
			return w, true
		}
	}
	return lane.Waiter{}, false
}

// inLine words a place in line for a slot.
func inLine(e env.Env, w *lane.Waiter) text.Safe {
	words := fmt.Sprintf("%s waits %s for a %s slot: place %d in line", e.Glyphs.Status(store.Queued), e.Age(w.Since), w.Lane, w.Place)
	if w.Ahead > 0 {
		words += ", " + text.Plural(int64(w.Ahead), "turn") + " ahead"
	}
	if w.Expected > 0 {
		words += ", about " + string(env.Span(time.Duration(w.Expected).Round(time.Second))) + " to go"
	}
	return text.Clean(words)
}

// Draw implements screen.Screen.
func (s *Job) Draw(e env.Env, c *paint.Canvas) {
	j := s.now(e)
	switch {
	case j == nil && s.err != nil:
		blank.Failed(e, c, s.err)
		return
	case j == nil:
		blank.Loading(e, c, "Reading")
		return
	}
	s.drawHead(e, c, j)
	s.drawTiles(e, c, j)
	s.drawPanes(e, c)
}

// drawHead writes what is seen from afar: the status, the bar, the numbers.
func (s *Job) drawHead(e env.Env, c *paint.Canvas, j *engine.JobState) {
	roomy := e.Class() >= env.Compact
	role, words := e.JobStanding(j)
	sep := text.Safe(" " + e.Glyphs.Sep + " ")
	line := e.Canvas(2*max(c.Width(), 120), 1)
	line.Gap(1)
	line.Put(role, words)
	line.Put(themes.Muted, sep+text.Clean(j.Queue)+sep+"by "+text.Clean(j.Initiator)+sep)
	if j.EndedAt.IsZero() {
		line.Put(themes.Muted, "since "+e.When(j.CreatedAt)+", "+e.Age(j.CreatedAt))
	} else {
		line.Put(themes.Muted, "ended "+e.When(j.EndedAt))
	}
	if s.err != nil {
		line.Put(themes.Danger, sep+text.Safe(e.Glyphs.Danger)+" not up to date: "+text.Clean(s.err.Error()))
	}
	line.End()
	c.DrawLine(line, 0)
	c.End()
	if roomy {
		c.End()
	}
	for range barLines(e) {
		c.Gap(indent)
		progress.Draw(e, c, &j.JobCounts, max(c.Width()-indent-1-indent, 1))
		c.End()
	}
	s.drawSpeed(e, c, j)
	progress.Legend(e, c, &j.JobCounts, indent)
	all := notices(e, j)
	if !roomy {
		all = all[:min(len(all), 1)]
	}
	for _, n := range all {
		c.Gap(indent)
		c.Fit(n.role, n.words, max(c.Width()-indent-1, 1))
		c.End()
	}
}

// barLines is how high the bar is.
func barLines(e env.Env) int {
	switch {
	case e.Height >= 50:
		return 3
	case e.Class() == env.Full:
		return 2
	}
	return 1
}

// drawSpeed writes how much is done, how fast it goes and how long it takes.
func (s *Job) drawSpeed(e env.Env, c *paint.Canvas, j *engine.JobState) {
	sep := text.Safe("  " + e.Glyphs.Sep + "  ")
	c.Gap(indent)
	c.Put(themes.Title, progress.Share(j))
	c.Put(themes.Text, text.Safe(" of "+text.Plural(j.Total, "work unit")))
	rate, known := s.speeds.Rate(j, e.Now)
	left, soon := s.speeds.Left(j, e.Now)
	switch {
	case !j.EndedAt.IsZero():
		c.Put(themes.Muted, sep+"took ")
		c.Put(themes.Text, env.Span(time.Duration(j.EndedAt.Sub(j.CreatedAt)).Truncate(time.Second)))
		if known {
			c.Put(themes.Muted, text.Safe(", "+text.Rate(rate)))
		}
	case j.Status != store.JobRunning:
	case known:
		c.Put(themes.Muted, sep)
		c.Put(themes.Text, text.Safe(text.Rate(rate)))
		switch {
		case soon:
			c.Put(themes.Muted, sep)
			c.Put(themes.Title, env.Span(left)+" left")
		case j.Filling:
			c.Put(themes.Muted, sep+"more is to come, so the time left is not known")
		}
	case j.InFlight > 0:
		c.Put(themes.Muted, sep+"too early to tell")
	}
	c.End()
}

type notice struct {
	role  themes.Role
	words text.Safe
}

// notices are the lines below the numbers.
func notices(e env.Env, j *engine.JobState) (all []notice) {
	if role, words := Notice(e, j); words != "" && j.EndedAt.IsZero() {
		all = append(all, notice{role, words})
	}
	if !j.Status.Open() {
		return all
	}
	if j.Delayed > 0 && (j.Delayed < j.Available || j.InFlight > 0) {
		all = append(all, notice{themes.StateDelayed, text.Safe(e.Glyphs.Delayed+" "+text.Count(j.Delayed)+" delayed by a retry or a date") + next(e, j)})
	}
	if w, ok := waiter(e, j); ok && j.InFlight > 0 {
		all = append(all, notice{themes.StateWaiting, inLine(e, &w)})
	}
	return all
}

// tile is one who works for the job.
type tile struct {
	slot  int // 0 for a robot without one
	lane  lane.Lane
	item  string
	robot string
	since store.Time
}

// tiles are the slots that work for the job now, in order of number, then the
// items in flight that are held without a slot.
func (s *Job) tiles(e env.Env) (all []tile) {
	seen := map[string]bool{}
	if e.Snap != nil {
		held := map[string]bool{}
		for i := range s.held {
			held[s.held[i].ID().String()] = true
		}
		for _, slot := range e.Snap.Slots.Slots {
			if h := slot.Holder; h != nil && h.Item != "" && (h.Job == s.job || held[h.Item]) {
				all = append(all, tile{slot.Number, h.Lane, h.Item, h.Robot, h.Since})
				seen[h.Item] = true
			}
		}
	}
	for i := range s.held {
		r := &s.held[i]
		// A drain that has no slot any more has just let go of it.
		if !seen[r.ID().String()] && !strings.HasPrefix(r.ClaimedBy, engine.DrainPrefix) {
			all = append(all, tile{item: r.ID().String(), robot: r.ClaimedBy, since: r.ClaimedAt})
		}
	}
	return all
}

// A tile's width, the gap to the next, and what they leave.
const (
	tileWidth = 30
	tileGap   = 2
	paneLeast = 6
)

// drawTiles writes one tile for each who works for the job, as far as there is
// room: two lines each, or one.
func (s *Job) drawTiles(e env.Env, c *paint.Canvas, j *engine.JobState) {
	all := s.tiles(e)
	if len(all) == 0 || !j.EndedAt.IsZero() {
		return
	}
	high := 1
	if e.Class() == env.Full {
		high = 2
	}
	room := min(max(bodyHeight(e)/4, 1), c.Left()-paneLeast)
	if room < high {
		return
	}
	if e.Class() != env.Narrow {
		c.End()
	}
	across := max((c.Width()-indent)/(tileWidth+tileGap), 1)
	rows := min((len(all)+across-1)/across, max(room/high, 1))
	shown := min(len(all), rows*across)
	for from := 0; from < shown; from += across {
		row := all[from:min(from+across, shown)]
		for part := range high {
			c.Gap(indent)
			for i := range row {
				to := c.Col() + tileWidth
				if hidden := len(all) - shown; hidden > 0 && from+i == shown-1 {
					c.Put(themes.Muted, moreTiles(part, hidden+1))
				} else {
					row[i].draw(e, c, j.Queue, part, high, to)
				}
				c.To(to + tileGap)
			}
			c.End()
		}
	}
}

// moreTiles stands in the last tile for those that there is no room for.
func moreTiles(part, n int) text.Safe {
	if part > 0 {
		return ""
	}
	return text.Safe("and " + text.Count(int64(n)) + " more")
}

// draw writes one line of a tile up to a column.
func (t *tile) draw(e env.Env, c *paint.Canvas, queue string, part, high, to int) {
	role, glyph := themes.StateRunning, e.Glyphs.On
	switch t.lane {
	case lane.Fast:
		role, glyph = themes.LaneFast, e.Glyphs.LaneFast
	case lane.Slow:
		role, glyph = themes.LaneSlow, e.Glyphs.LaneSlow
	}
	where := text.Safe("slot " + strconv.Itoa(t.slot))
	if t.slot == 0 {
		where = text.Clean(env.Robot(t.robot))
	}
	item := "item " + text.Clean(strings.TrimPrefix(t.item, queue+"/"))
	age := e.Age(t.since)
	room := to - c.Col() - text.Width(age) - 1
	switch {
	case part == 1:
		c.Put(role, text.Safe(e.Glyphs.Line.V)+" ")
		c.Fit(themes.Muted, item, tileWidth-2)
		return
	case high == 1:
		where += "  " + item
	case t.slot != 0:
		where += " " + text.Safe(e.Glyphs.Sep) + " " + text.Safe(t.lane)
	}
	c.Put(role, text.Safe(glyph)+" ")
	c.Fit(themes.Text, where, max(room-2, 1))
	c.Gap(1)
	c.Put(themes.Text, age)
}
