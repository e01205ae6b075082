package fake

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"signalbox/engine"
	"signalbox/store"
)

// Log replaces the history of everything.
func (e *Engine) Log(changes ...store.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range changes {
		changes[i].Seq = uint64(i + 1)
	}
	e.stream = changes
	e.change(nil)
}

// Stream implements act.Streamer; a filter is a part of the event.
func (e *Engine) Stream(_ context.Context, r engine.StreamRequest) (engine.Stream, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if strings.HasPrefix(r.Filter, "colour:") {
		return engine.Stream{}, store.Invalid("filter "+r.Filter, "changes have no field colour", "use event:, queue:, item:, actor:, status: or why:, or plain words")
	}
	s := engine.Stream{Changes: []store.Change{}, Last: uint64(len(e.stream)), Next: r.From}
	all := slices.Clone(e.stream)
	if !r.Newer {
		slices.Reverse(all)
	}
	for _, c := range all {
		if r.Newer && c.Seq <= r.From || !r.Newer && r.From > 0 && c.Seq >= r.From || !strings.Contains(c.Event, r.Filter) {
			continue
		}
		if len(s.Changes) == r.Limit {
			s.More = true
			break
		}
		s.Changes, s.Next = append(s.Changes, c), c.Seq
	}
	slices.SortFunc(s.Changes, func(a, b store.Change) int { return cmp.Compare(b.Seq, a.Seq) })
	return s, e.Fail
}

// Robots implements act.Roller.
func (e *Engine) Robots(context.Context) ([]engine.Robot, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.Crew), e.Fail
}

// Reveal implements act.Revealer.
func (e *Engine) Reveal(_ context.Context, id store.ID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Revealed = append(e.Revealed, id)
	return e.Fail
}
