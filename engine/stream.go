package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"signalbox/store"
)

const (
	// streamChunk is how many changes are read in one short look at the store,
	// streamMost the most that one call looks at behind a filter.
	streamChunk = 2_000
	streamMost  = 50_000
)

// StreamRequest selects a stretch of the history of everything.
type StreamRequest struct {
	Filter string `json:"filter,omitempty"` // words, event:, queue:, actor:, item:, status:; ! inverts
	// From is the change to go on from, exclusive; 0 is the newest one, itself
	// included.
	From  uint64 `json:"from,omitempty"`
	Newer bool   `json:"newer,omitempty"` // what came after From, else what came before
	Limit int    `json:"limit,omitempty"` // 0 = 100
}

// Stream is a stretch of the history, the newest change first.
type Stream struct {
	Changes []store.Change `json:"changes"`
	Last    uint64         `json:"last"` // the newest change there is
	// More says that there may be others in the direction asked for; go on
	// with From = Next.
	More bool   `json:"more"`
	Next uint64 `json:"next"`
}

// Stream gives a stretch of the history of everything, newest first. A call
// looks at a bounded number of changes, so behind a filter it may give fewer
// than Limit, or none, and say that there is more.
func (e *Engine) Stream(ctx context.Context, r StreamRequest) (Stream, error) {
	match, err := changeFilter(r.Filter)
	if err != nil {
		return Stream{}, err
	}
	s := Stream{Changes: []store.Change{}, Next: r.From}
	limit := pageSize(r.Limit)
	for looked := 0; ; looked += streamChunk {
		var chunk []store.Change
		err := e.store.View(ctx, func(rd store.Reader) (err error) {
			if s.Last, err = rd.LastChange(); err != nil {
				return err
			}
			chunk, err = readStream(rd, s.Next, s.Last, r.Newer)
			return err
		})
		if err != nil {
			return Stream{}, err
		}
		full := s.take(chunk, match, limit)
		s.More = full || len(chunk) > 0 && looked+streamChunk >= streamMost
		if full || len(chunk) == 0 || looked+streamChunk >= streamMost {
			break
		}
	}
	if r.Newer {
		slices.Reverse(s.Changes)
	}
	return s, nil
}

// readStream reads the chunk next to from, in the direction asked for. The
// stream has no gaps but at its beginning, where what was pruned is missing.
func readStream(r store.Reader, from, last uint64, newer bool) ([]store.Change, error) {
	if newer {
		return r.Changes(from, streamChunk)
	}
	if from == 0 || from > last {
		from = last + 1
	}
	low := uint64(0)
	if from > streamChunk {
		low = from - 1 - streamChunk
	}
	chunk, err := r.Changes(low, int(from-1-low))
	chunk = slices.DeleteFunc(chunk, func(c store.Change) bool { return c.Seq >= from })
	slices.Reverse(chunk)
	return chunk, err
}

// take adds what matches and says whether there was no room for all.
func (s *Stream) take(chunk []store.Change, match func(*store.Change) bool, limit int) (full bool) {
	for i := range chunk {
		if !match(&chunk[i]) {
			s.Next = chunk[i].Seq
			continue
		}
		if len(s.Changes) == limit {
			return true
		}
		s.Next = chunk[i].Seq
		s.Changes = append(s.Changes, chunk[i])
	}
	return false
}

// changeFilter reads the words that changes are filtered by.
func changeFilter(filter string) (func(*store.Change) bool, error) {
	words, err := splitFilter(filter)
	if err != nil {
		return nil, err
	}
	var all []func(*store.Change) bool
	for _, word := range words {
		one, err := changeTerm(word)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return func(c *store.Change) bool {
		for _, match := range all {
			if !match(c) {
				return false
			}
		}
		return true
	}, nil
}

func changeTerm(w word) (func(*store.Change) bool, error) {
	value := strings.ToLower(w.value)
	test := func(fits func(*store.Change) bool) func(*store.Change) bool {
		return func(c *store.Change) bool { return fits(c) != w.inverse }
	}
	holds := func(of func(*store.Change) string) func(*store.Change) bool {
		return test(func(c *store.Change) bool { return strings.Contains(strings.ToLower(of(c)), value) })
	}
	is := func(of func(*store.Change) string) func(*store.Change) bool {
		return test(func(c *store.Change) bool { return strings.ToLower(of(c)) == value })
	}
	if value == "" {
		return nil, w.bad("it looks for nothing", "write a word, or event:claim")
	}
	switch w.key {
	case "":
		return holds(func(c *store.Change) string {
			return c.Event + " " + c.Actor + " " + changeOf(c) + " " + c.Why
		}), nil
	case "event":
		return holds(func(c *store.Change) string { return c.Event }), nil
	case "queue":
		return is(func(c *store.Change) string { return c.Queue }), nil
	case "actor", "by":
		return holds(func(c *store.Change) string { return c.Actor }), nil
	case "item":
		return is(changeOf), nil
	case "why":
		return holds(func(c *store.Change) string { return c.Why }), nil
	case "status", "to":
		statuses, _, err := w.statuses()
		return test(func(c *store.Change) bool { return slices.Contains(statuses, c.To) }), err
	}
	return nil, w.bad(fmt.Sprintf("changes have no field %q", w.key), "use event:, queue:, item:, actor:, status: or why:, or plain words")
}

// changeOf names what a change is of.
func changeOf(c *store.Change) string {
	if c.Number == 0 {
		return c.Queue
	}
	return store.ID{Queue: c.Queue, Number: c.Number}.String()
}
