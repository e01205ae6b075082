package queues

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// row is a queue in a folder, or a folder with the numbers of all that is in it
// or below it.
type row struct {
	*engine.QueueState        // of the picture, which nothing changes; a folder's own
	folder             string // that it is; "" for a queue
	in                 string // the folder that it stands in; "" where folders aren't shown
	link               bool   // the queue is linked into that one
	depth              int
	queues             int // of a folder: how many, with those that are paused or broken
	paused             int
	broken             int
	// business counts the business exceptions among the failed items.
	business int64
}

// key tells a row from all others: a queue may stand in several folders.
func (r *row) key() string {
	if r.folder != "" {
		return r.folder
	}
	return r.in + "\x00" + r.Name
}

// above gives the folder that a folder stands in, "/" at the top.
func above(folder string) string {
	return folder[:max(strings.LastIndexByte(folder, '/'), 1)]
}

// depth is how far down a folder's contents stand; those of "/" at the top.
func depth(folder string) int {
	if folder == "/" {
		return 0
	}
	return strings.Count(folder, "/")
}

// byFolder lists queues under their folders and those they are linked into, with
// a row for each folder that holds any.
func byFolder(queues []row) []row {
	folders := map[string]*row{}
	all := make([]row, 0, 2*len(queues))
	for i := range queues {
		q := &queues[i]
		within := map[string]bool{}
		for _, folder := range append([]string{cmp.Or(q.Folder, "/")}, q.Links...) {
			r := *q
			r.in, r.link, r.depth = folder, folder != cmp.Or(q.Folder, "/"), depth(folder)
			all = append(all, r)
			for at := folder; at != "/"; at = above(at) {
				within[at] = true
			}
		}
		for folder := range within {
			if folders[folder] == nil {
				folders[folder] = &row{folder: folder, in: above(folder), depth: depth(folder) - 1, QueueState: &engine.QueueState{Queue: store.Queue{Name: folder}}}
			}
			folders[folder].add(q)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		all = append(all, *folders[folder])
	}
	return all
}

// add adds a queue's numbers to a folder's.
func (r *row) add(q *row) {
	r.queues++
	for s, n := range q.Counts {
		r.Counts[s] += n
	}
	r.Delayed += q.Delayed
	r.business += q.business
	r.SLA.OnTime += q.SLA.OnTime
	r.SLA.AtRisk += q.SLA.AtRisk
	r.SLA.Overdue += q.SLA.Overdue
	r.In, r.Out = sum(r.In, q.In), sum(r.Out, q.Out)
	if at := q.OldestWaitingAt; !at.IsZero() && (r.OldestWaitingAt.IsZero() || at < r.OldestWaitingAt) {
		r.OldestWaitingAt = at
	}
	if q.Paused {
		r.paused++
	}
	if q.ConsumerError != "" {
		r.broken++
	}
}

// sum adds minutes to minutes; the last of each is the one now.
func sum(a, b []int) []int {
	total := slices.Clone(a)
	if len(b) > len(a) {
		total = slices.Concat(make([]int, len(b)-len(a)), a)
	}
	for i, n := range b {
		total[len(total)-len(b)+i] += n
	}
	return total
}

// arrange puts rows under their folders, which come before the queues beside
// them, and leaves out what stands in one that is closed.
func (q *Queues) arrange(rows []row) []row {
	if !q.grouped {
		return rows
	}
	inside := map[string][]*row{}
	for i := range rows {
		inside[rows[i].in] = append(inside[rows[i].in], &rows[i])
	}
	arranged := make([]row, 0, len(rows))
	var put func(folder string)
	put = func(folder string) {
		here := inside[folder]
		slices.SortStableFunc(here, func(a, b *row) int {
			switch {
			case a.folder != "" && b.folder == "":
				return -1
			case a.folder == "" && b.folder != "":
				return 1
			}
			return 0
		})
		for _, r := range here {
			arranged = append(arranged, *r)
			if r.folder != "" && !q.isClosed(r.folder) {
				put(r.folder)
			}
		}
	}
	put("/")
	return arranged
}

// isClosed says that a folder's contents are folded away; what a filter finds
// never is.
func (q *Queues) isClosed(folder string) bool { return q.closed[folder] && q.Filter.Text() == "" }

// fold closes the folder in hand or opens it; from a queue, closing takes the
// folder that it stands in.
func (q *Queues) fold(e env.Env, r *row, closed bool) {
	folder := r.folder
	if folder == "" || closed && q.closed[folder] {
		folder = r.in
	}
	if !q.grouped || folder == "" || folder == "/" {
		return
	}
	q.closed[folder] = closed
	q.Table.Settle()
	if closed {
		q.Table.Select(folder)
	}
	q.take(e)
}

// group lists the queues by folder, or in one list; the hand stays on its queue.
func (q *Queues) group(e env.Env) {
	hand := q.Table.Row()
	q.grouped = !q.grouped
	q.Table.Settle()
	q.take(e)
	if hand == nil || hand.folder != "" {
		return
	}
	rows := q.Table.Rows()
	at := slices.IndexFunc(rows, func(r row) bool { return r.folder == "" && r.Name == hand.Name })
	if at < 0 { // its folder is closed
		at = slices.IndexFunc(rows, func(r row) bool { return r.folder == cmp.Or(hand.Folder, "/") })
	}
	if at >= 0 {
		q.Table.Select(rows[at].key())
	}
}

// drawName writes a row's name as it stands among the folders.
func (q *Queues) drawName(e env.Env, c *paint.Canvas, r *row, w int) {
	edge := c.Col() + w
	c.Gap(min(2*r.depth, w/2))
	name := r.Name
	if r.folder != "" {
		sign := e.Glyphs.Unfolded
		if q.isClosed(r.folder) {
			sign = e.Glyphs.Folded
		}
		c.Put(themes.Muted, text.Safe(sign)+" ")
		name = r.folder[strings.LastIndexByte(r.folder, '/')+1:]
	} else if q.grouped {
		c.Gap(2)
	}
	role := themes.Text
	if r.folder != "" {
		role = themes.Title
	}
	c.Put(role, text.Truncate(text.Clean(name), edge-c.Col(), e.Glyphs.Ellipsis))
	if r.link && edge-c.Col() > 6 {
		c.Put(themes.Muted, " link")
	}
}

// width is how much room a row's name takes.
func (r *row) width() string {
	if r.in == "" {
		return r.Name
	}
	name := r.Name[strings.LastIndexByte(r.Name, '/')+1:]
	if r.link {
		name += " link"
	}
	return strings.Repeat(" ", 2*r.depth+2) + name
}

// drawFolder tells what a folder holds.
func drawFolder(e env.Env, c *paint.Canvas, r *row) {
	c.Put(themes.Muted, text.Clean(r.folder+": "+text.Plural(int64(r.queues), "queue")))
	if r.paused > 0 {
		c.Put(themes.Warn, text.Safe("  "+e.Glyphs.Paused+" "+text.Count(int64(r.paused))+" paused"))
	}
	if r.broken > 0 {
		c.Put(themes.Danger, text.Safe("  "+e.Glyphs.Danger+" "+text.Plural(int64(r.broken), "broken consumer")))
	}
}
