package engine

import (
	"context"
	"slices"
	"time"

	"signalbox/store"
)

// scanChunk is how many items are read in one short look at the store, so that
// a long list holds no old pages; glance is how many between looks at the time.
const (
	scanChunk = 10_000
	glance    = 64
)

// walk goes through the selected items in short reads of the store.
type walk struct {
	e      *Engine
	r      *ListRequest
	f      Filter
	path   path
	chosen bool

	at        store.ID // behind what was looked at
	reference string   // likewise, in order of reference

	looked  int64 // at least a glance of them, whatever the budget
	damaged int   // unreadable records that were passed over
	until   time.Time
	done    bool // nothing is left to look at
}

func (e *Engine) walk(r *ListRequest) (*walk, error) {
	f, err := ParseFilter(r.Filter)
	if err != nil {
		return nil, err
	}
	switch r.Order {
	case "", ByNumber, ByReference, AnyOrder:
	default:
		return nil, store.Invalid("order "+r.Order, "a list is in order of number or reference", "use number, reference or any")
	}
	w := &walk{e: e, r: r, f: f, at: r.After, reference: r.AfterReference}
	if r.Budget > 0 {
		w.until = time.Now().Add(time.Duration(r.Budget))
	}
	return w, nil
}

// run visits the selected items until visit refuses one, which is then still to
// come, or the time is over.
func (w *walk) run(ctx context.Context, visit func(store.Item) bool) error {
	for more := true; more; {
		err := w.e.store.View(ctx, func(r store.Reader) (err error) {
			if !w.chosen || w.path.passing() {
				if err := w.choose(r); err != nil {
					return err
				}
			}
			more, err = w.chunk(ctx, r, visit)
			return err
		})
		if err != nil {
			return err
		}
		if w.late() {
			return nil
		}
	}
	return nil
}

func (w *walk) late() bool { return !w.until.IsZero() && !w.done && time.Now().After(w.until) }

func (w *walk) choose(r store.Reader) (err error) {
	if w.path, err = choose(r, w.r, &w.f); err != nil {
		return err
	}
	w.chosen = true
	if w.r.Desc {
		slices.SortStableFunc(w.path.found, func(a, b store.Item) int {
			if a.Queue == b.Queue {
				return -compareIDs(a.ID(), b.ID())
			}
			return compareIDs(a.ID(), b.ID())
		})
	}
	if w.path.order != ByReference {
		w.reference = ""
	}
	return nil
}

// chunk visits one chunk; more says that the walk is not at its end.
func (w *walk) chunk(ctx context.Context, r store.Reader, visit func(store.Item) bool) (more bool, err error) {
	now := w.e.now()
	settings := settingsOf{r: r}
	end := w.looked + scanChunk
	for i, err := range w.items(r) {
		if err != nil {
			if store.CodeOf(err) != store.CodeNotFound { // a queue that was deleted meanwhile
				w.damaged++
			}
			continue
		}
		if w.looked == end || w.looked > 0 && w.looked%glance == 0 && w.late() {
			return true, nil
		}
		w.looked++
		fits, err := w.wanted(ctx, r, &i, now)
		if err != nil {
			return false, err
		}
		if fits {
			q, err := settings.of(i.Queue)
			if err != nil {
				return false, err
			}
			present(q, &i)
			if !visit(i) {
				return false, nil
			}
		}
		w.at = i.ID()
		if w.path.order == ByReference {
			w.reference = i.Reference
		}
	}
	w.done = true
	return false, nil
}

// settingsOf remembers the settings of the queue asked for last.
type settingsOf struct {
	r     store.Reader
	queue store.Queue
}

func (s *settingsOf) of(name string) (*store.Queue, error) {
	var err error
	if s.queue.Name != name {
		s.queue, err = s.r.Queue(name)
	}
	return &s.queue, err
}

// fits says that an item matches in all that it shows by itself.
func (w *walk) fits(i *store.Item, now store.Time) bool {
	return w.path.reaches(i) && (w.r.Kind == "" || w.r.Kind == i.ErrorKind()) && w.f.match(i, now)
}

func (w *walk) wanted(ctx context.Context, r store.Reader, i *store.Item, now store.Time) (bool, error) {
	if !w.fits(i, now) {
		return false, nil
	}
	if len(w.f.payload) == 0 {
		return true, nil
	}
	return w.f.matchPayload(ctx, r, &w.e.vault, i)
}

// items yields what the path leads to, behind the place reached.
func (w *walk) items(r store.Reader) func(func(store.Item, error) bool) {
	return func(yield func(store.Item, error) bool) {
		if w.path.found != nil {
			for _, i := range w.path.found {
				if w.behind(i.ID()) && !yield(i, nil) {
					return
				}
			}
			return
		}
		for _, name := range w.path.names {
			if name >= w.at.Queue && !w.queue(r, name, yield) {
				return
			}
		}
	}
}

// behind says that an item comes after the place reached, by number.
func (w *walk) behind(id store.ID) bool {
	if w.at.IsZero() || id.Queue != w.at.Queue {
		return id.Queue > w.at.Queue
	}
	if w.r.Desc {
		return id.Number < w.at.Number
	}
	return id.Number > w.at.Number
}

// queue yields one queue's share; false when the caller stopped.
func (w *walk) queue(r store.Reader, name string, yield func(store.Item, error) bool) bool {
	p := &w.path
	numbered := p.index != "reference"
	for i, err := range r.Items(w.query(name)) {
		if err == nil && numbered && w.past(i.Number) {
			return true
		}
		if !yield(i, err) {
			return false
		}
	}
	return true
}

// past says that a number is beyond the last one wanted.
func (w *walk) past(number uint64) bool {
	if w.r.Desc {
		return number < w.path.from
	}
	return w.path.to != 0 && number > w.path.to
}

func (w *walk) query(name string) store.Query {
	p := &w.path
	q := store.Query{Queue: name, Statuses: p.statuses, Desc: w.r.Desc}
	if name == w.at.Queue {
		q.After, q.AfterReference = w.at, w.reference
	}
	switch p.index {
	case "group":
		q.Groups = p.groups
	case "job":
		q.Job = p.job
	case "reference":
		q.Reference, q.Exact = p.reference, p.exact
		if p.exact {
			q.AfterReference = p.reference
		}
		return q
	}
	switch begin := p.from - min(p.from, 1); {
	case w.r.Desc && p.to != 0 && (q.After.IsZero() || q.After.Number > p.to+1):
		q.After = store.ID{Queue: name, Number: p.to + 1}
	case !w.r.Desc && begin > q.After.Number:
		q.After = store.ID{Queue: name, Number: begin}
	}
	return q
}
