package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"signalbox/store"
)

// A sorted list that is read to its end looks at all items once, not once a page:
// the places behind a page are kept for the next one, which reads the items that
// stand at them as they are then.
//
//	page 1  look at all ─▶ its items · places behind it ──┐ kept
//	page 2  those places ─▶ its items · what is left ─────┘
//
// What is kept goes to one page only, so who asks for a page again, to see what has
// changed, has all looked at anew.
const (
	placesKept = 16 << 20    // bytes; behind more of them all is looked at once more
	placeSize  = 48          // bytes of a place, besides its text
	placesFor  = time.Minute // within which the next page is to come
)

// listings keeps what is left of the sorted list that was read last.
type listings struct {
	mu   sync.Mutex
	left *listing
}

// listing is the places of a sorted list behind one of them.
type listing struct {
	of     string // what is listed, and in which order
	by     order
	desc   bool
	after  *spot // nil: the beginning
	most   int   // bytes
	places []spot
	bytes  int
	cut    *spot // the first place that there was no room for
	queue  string
}

// take gives what is left of a list behind a place, to one caller only.
func (m *listings) take(of string, after *spot) *listing {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.left
	if l == nil || after == nil || l.of != of || *l.after != *after {
		return nil
	}
	m.left = nil
	return l
}

// keep keeps what is left of a list for a while.
func (m *listings) keep(clock Clock, l *listing) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = l
	clock.AfterFunc(placesFor, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.left == l {
			m.left = nil
		}
	})
}

// sortedWhole gives a page of a list in order of a value that is read to its end.
func (e *Engine) sortedWhole(ctx context.Context, r ListRequest, by order) (Page, error) {
	page := Page{Items: []store.Item{}, Order: ByNumber}
	after, err := e.anchor(ctx, &r, by)
	if err != nil {
		return page, err
	}
	selection := unsorted(r)
	w, err := e.walk(&selection)
	if err != nil {
		return page, err
	}
	named := r
	named.After, named.AfterReference, named.Limit, named.Budget = store.ID{}, "", 0, 0
	of, err := store.Encode(named)
	if err != nil {
		return page, err
	}
	l := e.listings.take(string(of), after)
	if l == nil {
		l = &listing{of: string(of), by: by, desc: r.Desc, after: after, most: placesKept}
		if err := w.run(ctx, func(i store.Item) bool { l.add(&i); return true }); err != nil {
			return page, err
		}
		l.trim()
	}
	next := l.next(pageSize(r.Limit))
	if page.Items, err = w.standing(ctx, next); err != nil {
		return page, err
	}
	page.Damaged, page.Looked = w.damaged, w.looked
	if page.More = len(l.places) > 0 || l.cut != nil; page.More {
		page.Next, page.NextReference = l.after.id, l.after.cursor()
	}
	if len(l.places) > 0 {
		e.listings.keep(e.clock, l)
	}
	page.Total, err = w.total(ctx)
	return page, err
}

// add takes the place of an item that is behind where the list goes on.
func (l *listing) add(i *store.Item) {
	s := spot{l.by(i), i.ID()}
	if l.after != nil && !l.before(l.after, &s) || l.cut != nil && !l.before(&s, l.cut) {
		return
	}
	if l.queue != s.id.Queue { // texts of items may be parts of larger ones
		l.queue = strings.Clone(s.id.Queue)
	}
	s.text, s.id.Queue = strings.Clone(s.text), l.queue
	l.places = append(l.places, s)
	if l.bytes += placeSize + len(s.text); l.bytes > 2*l.most {
		l.trim()
	}
}

// trim puts the places in order, and lets go of the last where they are too many.
func (l *listing) trim() {
	slices.SortFunc(l.places, func(a, b spot) int {
		if l.desc {
			return b.compare(&a)
		}
		return a.compare(&b)
	})
	bytes := 0
	for n := range l.places {
		size := placeSize + len(l.places[n].text)
		if n > 0 && bytes+size > l.most {
			cut := l.places[n]
			l.cut = &cut
			clear(l.places[n:])
			l.places = l.places[:n]
			break
		}
		bytes += size
	}
	l.bytes = bytes
}

func (l *listing) before(a, b *spot) bool {
	if l.desc {
		a, b = b, a
	}
	return a.compare(b) < 0
}

// next takes the next places away.
func (l *listing) next(n int) []spot {
	next := l.places[:min(n, len(l.places))]
	l.places = l.places[len(next):]
	if len(next) > 0 {
		last := next[len(next)-1]
		l.after = &last
	}
	return next
}

// standing gives the items at places that still match.
func (w *walk) standing(ctx context.Context, places []spot) (items []store.Item, err error) {
	before := w.damaged
	err = w.e.store.View(ctx, func(r store.Reader) error {
		items, w.damaged = make([]store.Item, 0, len(places)), before
		if err := w.choose(r); err != nil {
			return err
		}
		now, settings := w.e.now(), settingsOf{r: r}
		for _, place := range places {
			i, err := r.Item(place.id)
			if err != nil {
				if store.CodeOf(err) != store.CodeNotFound { // it is gone
					w.damaged++
				}
				continue
			}
			fits, err := w.wanted(ctx, r, &i, now)
			if err != nil {
				return err
			}
			if !fits {
				continue
			}
			q, err := settings.of(i.Queue)
			if err != nil {
				return err
			}
			present(q, &i)
			items = append(items, i)
		}
		return nil
	})
	return items, err
}
