package engine_test

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Steps of a life in which items are edited, postponed, and added in other ways.

// wants draws items that somebody may want added: few names, so that they meet.
func (l *life) wants(pasts []string) []candidate {
	ws := make([]candidate, 1+l.draw(3, "items"))
	for n := range ws {
		ws[n] = candidate{
			key:       []string{"", "", "k-1", "k-2", "k-3"}[l.draw(5, "key")],
			reference: l.reference(),
			past:      pasts[l.draw(len(pasts), "past")],
			bad:       l.draw(5, "bad") == 1,
		}
		if ws[n].past == "" {
			ws[n].job = []string{"", "", "", "j1"}[l.draw(4, "job")]
		}
	}
	return ws
}

func (l *life) reference() string {
	return []string{"", "INV-1", "INV-2", "INV-3"}[l.draw(4, "reference")]
}

func (w *candidate) item() engine.NewItem {
	n := engine.NewItem{Payload: object(), Key: w.key, Reference: w.reference, Job: w.job}
	if w.bad {
		n.Payload = []byte(`{"bad":1}`)
	}
	if w.past != "" {
		n.Past = &engine.Past{State: w.past}
	}
	return n
}

// addNamed adds items with keys and references that others may have.
func (l *life) addNamed() error {
	ws, strict := l.wants([]string{""}), l.draw(4, "strict") == 1
	mode := []string{engine.AllOrNothing, engine.StopOnFirstFailure, engine.Independent}[l.draw(3, "mode")]
	l.say("add %s, strict %v: %+v", mode, strict, ws)
	items := make([]engine.NewItem, len(ws))
	for n := range ws {
		items[n] = ws[n].item()
	}
	results, err := l.e.Add(l.ctx, engine.AddRequest{Queue: "q", Items: items, Mode: mode, Strict: strict})
	want := l.m.addAll(ws, mode, strict)
	if last := want[len(want)-1]; mode == engine.AllOrNothing && last.refused != 0 {
		return wantCode("add", err, last.refused)
	}
	if err != nil {
		return err
	}
	for n, w := range want {
		got := added{results[n].Item.Number, results[n].Existing, store.CodeOf(results[n].Err)}
		if got != w {
			return fmt.Errorf("add answered %+v for item %d, want %+v", got, n, w)
		}
	}
	return nil
}

// imports brings in items that were elsewhere before, or are new.
func (l *life) imports() error {
	ws := l.wants([]string{"", "deleted", "complete", "failed", "claimed"})
	l.say("import %+v", ws)
	var rows iter.Seq2[engine.NewItem, error] = func(yield func(engine.NewItem, error) bool) {
		for n := range ws {
			if !yield(ws[n].item(), nil) {
				return
			}
		}
	}
	got, err := l.e.Import(l.ctx, engine.ImportRequest{Queue: "q"}, rows)
	answers := l.m.addAll(ws, engine.AllOrNothing, false)
	var want engine.ImportResult
	for n, a := range answers {
		switch {
		case a.refused != 0:
			row, is := errors.AsType[*engine.RowError](err)
			if !is || row.Row != int64(n) {
				return fmt.Errorf("import answered %v, want row %d refused", err, n)
			}
			return wantCode("import", err, a.refused)
		case a.existing:
			want.Existing++
		default:
			want.Stored++
		}
	}
	if err != nil || got != want {
		return fmt.Errorf("import answered %+v (%v), want %+v", got, err, want)
	}
	return nil
}

// unique switches whether references are unique, over whatever is there.
func (l *life) unique() error {
	u := &l.m.queue.UniqueReferences
	*u = !*u
	l.say("unique references %v", *u)
	_, err := l.e.SetQueue(l.ctx, "q", fmt.Appendf(nil, `{"unique_references":%v}`, *u))
	return err
}

// addBad adds an item that breaks the schema, for a person to see.
func (l *life) addBad() error {
	l.say("add one that breaks the schema")
	l.m.add(l.m.newItem(candidate{bad: true}))
	_, err := l.e.Add(l.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: []byte(`{"bad":1}`)}}})
	return err
}

// edit changes what can be changed of an item that waits.
func (l *life) edit() error {
	i, _ := l.any()
	if i == nil {
		return nil
	}
	var e modelEdit
	if l.draw(3, "priority is edited") == 0 {
		e.priority = new(store.Priority(l.draw(3, "priority") - 1))
	}
	if l.draw(3, "due is edited") == 0 {
		e.due = new(store.Time)
		if l.draw(2, "due") == 0 {
			*e.due = l.now().Add(time.Duration(l.draw(5, "due in")) * time.Minute)
		}
	}
	if l.draw(2, "deferral is edited") == 0 {
		e.deferred = new(store.Time)
		if l.draw(3, "deferred") > 0 {
			*e.deferred = l.now().Add(time.Duration(l.draw(12, "deferred by")-1) * time.Second)
		}
	}
	if l.draw(4, "reference is edited") == 0 {
		e.reference = new(l.reference())
	}
	l.say("edit %d: %s", i.number, e)
	_, err := l.e.Edit(l.ctx, engine.EditRequest{
		Target:   engine.Target{Item: l.id(i)},
		Priority: e.priority, DueAt: e.due, DeferUntil: e.deferred, Reference: e.reference,
	})
	return wantCode("edit", err, l.m.edit(i, e))
}

func (e modelEdit) String() (s string) {
	if e.priority != nil {
		s += fmt.Sprintf(" priority %s", *e.priority)
	}
	if e.due != nil {
		s += fmt.Sprintf(" due %s", *e.due)
	}
	if e.deferred != nil {
		s += fmt.Sprintf(" deferred until %s", *e.deferred)
	}
	if e.reference != nil {
		s += fmt.Sprintf(" reference %q", *e.reference)
	}
	return s
}

// postpone gives an item back until later.
func (l *life) postpone() error {
	i, fence := l.any()
	if i == nil || i.gone || fence == 0 {
		return nil
	}
	until := l.now().Add(time.Duration(1+l.draw(10, "postponed by")) * time.Second)
	l.say("postpone %d fence %d", i.number, fence)
	err := l.e.Postpone(l.ctx, engine.Holding{Item: l.id(i), Fence: fence}, until)
	if l.m.giveBack(i, fence, until) != engine.OK {
		return wantCode("postpone", err, store.CodeConflict)
	}
	return err
}
