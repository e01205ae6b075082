package engine

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"signalbox/store"
)

// imports are the open ones, by queue.
type imports struct {
	active atomic.Int32
	mu     sync.Mutex
	open   map[string]*staged
}

// staged is what an open import has stored.
type staged struct {
	queue string
	mu    sync.Mutex
	spans []span
	now   span // of the chunk under way
	shown bool
	ended chan struct{} // closed when the import has
	stuck bool          // it has, and what it stored could not be taken out
}

// span is a stretch of numbers.
type span struct{ first, last uint64 }

func (s span) has(number uint64) bool { return number >= s.first && number <= s.last }

// begin opens an import. Where one is stuck it gives that, for the caller to take
// out what it stored: then nobody else is given it.
func (m *imports) begin(queue string) (s, stuck *staged, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if other := m.open[queue]; other != nil && other.stuck {
		other.stuck, other.ended = false, make(chan struct{})
		return nil, other, nil
	} else if other != nil {
		return nil, nil, store.Conflict(fmt.Sprintf("queue %q", queue), "another import into it is under way", "wait for its end")
	}
	if m.open == nil {
		m.open = map[string]*staged{}
	}
	s = &staged{queue: queue, ended: make(chan struct{})}
	m.open[queue] = s
	m.active.Add(1)
	return s, nil, nil
}

// stick leaves an import open whose items could not be taken out: they stay
// hidden.
func (m *imports) stick(s *staged) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.stuck = true
	close(s.ended)
}

func (m *imports) end(s *staged) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, s.queue)
	m.active.Add(-1)
	close(s.ended)
}

// beginImport opens an import, after it has taken out what one before could not.
func (e *Engine) beginImport(ctx context.Context, queue string) (*staged, error) {
	for {
		s, stuck, err := e.imports.begin(queue)
		if stuck == nil {
			return s, err
		}
		if err := e.undoImport(context.WithoutCancel(ctx), queue, "an import that ended early"); err != nil {
			e.imports.stick(stuck)
			return nil, fmt.Errorf("what an earlier import into queue %s had stored can't be taken out: %w", queue, err)
		}
		e.imports.end(stuck)
	}
}

// awaitImport is beginImport once no other import into the queue is open.
func (e *Engine) awaitImport(ctx context.Context, queue string) (*staged, error) {
	for {
		s, err := e.beginImport(ctx, queue)
		if store.CodeOf(err) != store.CodeConflict {
			return s, err
		}
		ended := e.imports.endOf(queue)
		if ended == nil {
			continue
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// endOf gives what is closed when the queue's open import ends; nil where none is.
func (m *imports) endOf(queue string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.open[queue]; s != nil {
		return s.ended
	}
	return nil
}

// hides says that an item belongs to an open import.
func (m *imports) hides(queue string, number uint64) bool {
	if m.active.Load() == 0 {
		return false
	}
	m.mu.Lock()
	s := m.open[queue]
	m.mu.Unlock()
	return s != nil && s.hides(number)
}

// hidden says why an item is not to be built on: it belongs to an open import, which
// may still be refused.
func (t *tx) hidden(i *store.Item) error {
	if !t.e.imports.hides(i.Queue, i.Number) {
		return nil
	}
	return store.Conflict(fmt.Sprintf("item %q", i.ID().String()), "the import that brings it is under way", "wait for its end")
}

func (s *staged) hides(number uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		return false
	}
	for _, of := range s.spans {
		if of.has(number) {
			return true
		}
	}
	return s.now.has(number)
}

func (s *staged) show(shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = shown
}

// mark hides a chunk's new items and writes down which they are, in the change
// that adds them.
func (s *staged) mark(t *tx, results []AddResult) error {
	var of span
	for n := range results {
		if results[n].Existing {
			continue
		}
		if of.last = results[n].Item.Number; of.first == 0 {
			of.first = of.last
		}
	}
	if of.first == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = of
	n := len(s.spans) - 1
	if n >= 0 && s.spans[n].last+1 == of.first {
		return t.PutMark(s.queue, importLast+strconv.Itoa(n), of.last)
	}
	n++
	name := strconv.Itoa(n)
	return firstOf(t.PutMark(s.queue, importFirst+name, of.first), t.PutMark(s.queue, importLast+name, of.last), t.PutMark(s.queue, importMark, uint64(n)+2))
}

// keep takes over the chunk that was committed.
func (s *staged) keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.now
	s.now = span{}
	if n := len(s.spans) - 1; n >= 0 && s.spans[n].last+1 == of.first {
		s.spans[n].last = of.last
	} else if of.first != 0 {
		s.spans = append(s.spans, of)
	}
}
