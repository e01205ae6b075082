package item

import (
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/internal/fake"
	"signalbox/tui/screen"
)

// However often the engine's numbers change, one read is out at a time; what
// changed meanwhile is read once more after it, and an answer about an item
// left behind is not shown.
func TestOneReadAtATime(t *testing.T) {
	ids := []store.ID{{Queue: "finance.orders", Number: 4}, {Queue: "finance.orders", Number: 13}}
	s := New(act.NewDesk(t.Context(), fake.Lifelike(), "ada", nil), ids[0], Walk{IDs: ids})
	e := env.Env{Now: fake.Epoch(), Snap: &engine.Snapshot{}, Place: time.UTC, Glyphs: themes.Unicode()}
	first := s.Update(e, screen.Shown{})
	if len(first.Cmds) != 1 {
		t.Fatal("nothing is read")
	}
	for i := range 5 {
		e.Snap = &engine.Snapshot{QueuesRevision: uint64(i + 1)}
		if more := s.Update(e, screen.Fed{}); len(more.Cmds) != 0 {
			t.Fatal("a second read at once")
		}
	}
	if next, went := s.step(1); !went || len(next.Cmds) != 0 {
		t.Fatal("the step must wait for the read that is out")
	}
	second := s.Update(e, first.Cmds[0]())
	if s.record != nil || len(second.Cmds) != 1 {
		t.Fatal("the item left behind was shown, or the next one not read")
	}
	if third := s.Update(e, second.Cmds[0]()); len(third.Cmds) != 0 || s.record == nil || s.record.ID() != ids[1] {
		t.Fatalf("%d more reads, %v", len(third.Cmds), s.record)
	}
}
