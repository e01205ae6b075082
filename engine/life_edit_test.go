package engine_test

import (
	"fmt"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Steps of a life in which items are edited, postponed, and added in other ways.

// addKeyed adds an item with a key that another may have been added with.
func (l *life) addKeyed() error {
	key := fmt.Sprintf("k-%d", l.draw(4, "key"))
	l.say("add with key %s", key)
	known := l.m.keyed(key)
	results, err := l.e.Add(l.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Key: key}}})
	if err != nil || results[0].Existing != known {
		return fmt.Errorf("an add with key %s answered %+v (%v), want it known: %v", key, results, err, known)
	}
	if !known {
		l.m.add(0, store.Normal, 0).key = key
	}
	return nil
}

// addBad adds an item that breaks the schema, for a person to see.
func (l *life) addBad() error {
	l.say("add one that breaks the schema")
	i := l.m.add(0, store.Normal, 0)
	i.waitsOnUs, i.status = true, store.BusinessException
	if l.m.queue.Family == store.Jobs {
		i.status = store.Failed
	}
	_, err := l.e.Add(l.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: []byte(`{"bad":1}`)}}})
	return err
}

// edit changes what can be changed of an item that waits.
func (l *life) edit() error {
	i, _ := l.any()
	if i == nil || i.gone {
		return nil
	}
	p, due := store.Priority(l.draw(3, "priority")-1), store.Time(0)
	if l.draw(2, "due") == 0 {
		due = l.now().Add(time.Duration(l.draw(5, "due in")) * time.Minute)
	}
	l.say("edit %d", i.number)
	_, err := l.e.Edit(l.ctx, engine.EditRequest{Target: engine.Target{Item: l.id(i)}, Priority: &p, DueAt: &due})
	if !l.m.edit(i, p, due) {
		return wantCode("edit", err, store.CodeConflict)
	}
	return err
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
