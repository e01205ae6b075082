package queues

import (
	"strconv"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// The picture of the queue in hand: its flow minute by minute, its items by status,
// and how it is worked. It stands below the rows where these leave room for it.
const (
	paneBody   = 2*paneGraph + 2        // lines of it below its title
	paneHeight = 1 + 1 + 1 + paneBody   // a blank line, the title, another
	paneGraph  = 3                      // lines of one graph
	paneMinute = 2                      // columns of one minute
	flowWidth  = 4 + 15*paneMinute + 11 // with label and number
	itemsWidth = 30
	paneLeast  = 3 + flowWidth + itemsWidth // the width for flow and items
)

// pane says that there is a queue in hand and room for its picture.
func (q *Queues) pane(e env.Env) bool {
	row := q.Table.Row()
	return row != nil && row.folder == "" && e.Width >= paneLeast && q.Table.Len()+paneHeight <= room(e)+1
}

// drawPane draws the parts of the picture side by side, as many as there is room for.
func (q *Queues) drawPane(e env.Env, c *paint.Canvas) {
	row := q.Table.Row()
	c.End()
	c.Gap(3)
	c.Put(themes.Title, text.Clean(row.Name))
	c.Gap(2)
	drawStanding(e, c, row)
	c.End()
	c.End()
	flow, items := e.Canvas(flowWidth, paneBody), e.Canvas(itemsWidth, paneBody)
	drawFlow(e, flow, row)
	drawItems(e, items, row)
	facts := e.Canvas(max(c.Width()-paneLeast-2, 0), paneBody)
	if facts.Width() >= 30 {
		drawFacts(e, facts, row)
	}
	for i := range paneBody {
		c.Gap(3)
		c.Draw(flow, i)
		c.To(3 + flowWidth)
		c.Draw(items, i)
		c.To(paneLeast + 1)
		c.Draw(facts, i)
		c.End()
	}
}

// drawFlow draws what came in and what went out, on one scale.
func drawFlow(e env.Env, c *paint.Canvas, q *row) {
	most := least
	for _, n := range append(q.In[:len(q.In):len(q.In)], q.Out...) {
		most = max(most, n)
	}
	drawGraph(e, c, "in", q.In, most)
	drawGraph(e, c, "out", q.Out, most)
	c.Gap(4)
	c.Put(themes.Muted, text.Pad(text.Safe("15 min ago"), 15*paneMinute-3)+"now")
	c.End()
}

// drawGraph draws counts by the minute, the newest at the right, and the last whole
// minute's as a number.
func drawGraph(e env.Env, c *paint.Canvas, label text.Safe, minutes []int, most int) {
	for line := range paneGraph {
		if line == 0 {
			c.Put(themes.Muted, label)
		}
		c.To(4 + (15-len(minutes))*paneMinute)
		floor := float64(paneGraph-1-line) * float64(most) / paneGraph
		for _, n := range minutes {
			glyph := e.Glyphs.Column(float64(n)-floor, float64(most)/paneGraph)
			c.Put(themes.Graph, text.Safe(strings.Repeat(glyph, paneMinute)))
		}
		if line == paneGraph-1 {
			c.To(4 + 15*paneMinute + 1)
			drawRate(c, minutes)
		}
		c.End()
	}
	if label == "in" {
		c.End()
	}
}

// drawRate tells the last whole minute's count, or what has come of the first.
func drawRate(c *paint.Canvas, minutes []int) {
	switch len(minutes) {
	case 0:
		c.Put(themes.Muted, "0/min")
	case 1:
		c.Put(themes.Text, text.Safe(text.CompactCount(int64(minutes[0]))))
		c.Put(themes.Muted, " so far")
	default:
		c.Put(themes.Text, text.Safe(text.CompactCount(last(minutes))))
		c.Put(themes.Muted, "/min")
	}
}

// drawItems counts the queue's items by status.
func drawItems(e env.Env, c *paint.Canvas, q *row) {
	line := func(r themes.Role, words text.Safe, n int64) {
		if n == 0 || c.Left() == 0 {
			return
		}
		c.Fit(r, words, 20)
		c.Gap(1)
		number := count(e, r, n).Text
		c.To(itemsWidth - 2 - text.Width(number))
		c.Put(themes.Text, number)
		c.End()
	}
	for i, n := range q.Counts {
		s := store.Status(i)
		if s == store.Failed { // of which some are a person's to look at
			n -= q.business
			line(themes.StateException, text.Safe(e.Glyphs.Status(store.BusinessException)+" failed, business"), q.business)
		}
		role, words := e.Standing(s, "")
		line(role, words, n)
		if s.Waiting() {
			line(themes.StateDelayed, text.Safe(e.Glyphs.Delayed+" of these delayed"), q.Delayed)
		}
	}
}

// drawFacts tells how the queue is worked.
func drawFacts(e env.Env, c *paint.Canvas, q *row) {
	fact := func(label text.Safe, words string) {
		if words == "" || c.Left() == 0 {
			return
		}
		c.Fit(themes.Muted, label, 9)
		c.Fit(themes.Text, text.Clean(words), c.Width()-9)
		c.End()
	}
	fact("consumer", consumerWords(&q.Consumer))
	fact("slots", slotWords(e, q))
	if !q.OldestWaitingAt.IsZero() {
		fact("oldest", "has waited "+string(e.Age(q.OldestWaitingAt)))
	}
	fact("sla", slaWords(q))
	fact("lease", leaseWords(&q.Queue))
	fact("retries", retryWords(&q.Queue))
	fact("kept", keptWords(&q.Queue))
}

func consumerWords(c *store.Consumer) string {
	switch c.Kind {
	case engine.Manual:
		return "manual, robots pull"
	case engine.Command:
		return strings.Join(c.Argv, " ")
	case engine.HTTP:
		return c.URL
	}
	return c.Kind
}

// slotWords tell the lane, the slots that the queue's work holds, and its place in
// line for another.
func slotWords(e env.Env, q *row) string {
	if q.Consumer.Kind == engine.Manual {
		return ""
	}
	held := 0
	for i := range e.Snap.Slots.Slots {
		if h := e.Snap.Slots.Slots[i].Holder; h != nil && h.Queue == q.Name {
			held++
		}
	}
	words := q.Lane + ", " + strconv.Itoa(held) + " held"
	if q.MaxDrains > 0 {
		words += " of at most " + strconv.Itoa(q.MaxDrains)
	}
	for i := range e.Snap.Slots.Waiting {
		if w := &e.Snap.Slots.Waiting[i]; w.Queue == q.Name && w.Lane == lane.Lane(q.Lane) {
			return words + ", place " + strconv.Itoa(w.Place) + " in line"
		}
	}
	return words
}

func slaWords(q *row) string {
	var words []string
	for _, part := range []struct {
		n    int64
		word string
	}{{q.SLA.Overdue, "overdue"}, {q.SLA.AtRisk, "at risk"}, {q.SLA.OnTime, "on time"}} {
		if part.n > 0 {
			words = append(words, text.Count(part.n)+" "+part.word)
		}
	}
	if q.Queue.SLA > 0 {
		words = append(words, "due after "+q.Queue.SLA.String())
	}
	return strings.Join(words, ", ")
}

func leaseWords(q *store.Queue) string {
	switch {
	case q.Lease == 0:
		return "never runs out"
	case q.OnExpiry == engine.Reclaim && q.MaxReclaims > 0:
		return q.Lease.String() + ", waits again up to " + text.Plural(int64(q.MaxReclaims), "time")
	case q.OnExpiry == engine.Reclaim:
		return q.Lease.String() + ", then it waits again"
	case q.RetryAbandoned:
		return q.Lease.String() + ", then it is retried"
	}
	return q.Lease.String() + ", then it is abandoned"
}

func retryWords(q *store.Queue) string {
	if q.Retries == 0 {
		return "none"
	}
	words := strconv.Itoa(q.Retries)
	if q.RetryWindow > 0 {
		words += " within " + q.RetryWindow.String()
	}
	if q.AttemptTimeout > 0 {
		words += ", each up to " + time.Duration(q.AttemptTimeout).String()
	}
	return words
}

func keptWords(q *store.Queue) string {
	settled, excepted := keptFor(q.RetainSettled, q.RetainSettledThen), keptFor(q.RetainExcepted, q.RetainExceptedThen)
	switch {
	case settled == excepted:
		return settled
	case q.RetainSettledThen == q.RetainExceptedThen:
		return q.RetainSettled.String() + ", others " + strings.Replace(excepted, " then", ", then", 1)
	}
	return "done " + settled + ", others " + excepted
}

func keptFor(age store.Duration, then string) string {
	switch then {
	case "delete":
		return age.String() + " then deleted"
	case "archive":
		return age.String() + " then archived"
	}
	return "for good"
}
