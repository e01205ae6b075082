package engine

import (
	"sync"

	"signalbox/store"
)

// revocations tells who works items that they were taken away.
type revocations struct {
	mu        sync.Mutex
	listeners map[int]func([]Holding)
	next      int
}

// OnRevoke has fn called after every change by which others took items away from who
// works them, with the claims that ended, until stop is called. It must not wait.
func (e *Engine) OnRevoke(fn func([]Holding)) (stop func()) {
	r := &e.revocations
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listeners == nil {
		r.listeners = map[int]func([]Holding){}
	}
	r.next++
	id := r.next
	r.listeners[id] = fn
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.listeners, id)
	}
}

func (e *Engine) revoke(claims []Holding) {
	if len(claims) == 0 {
		return
	}
	e.revocations.mu.Lock()
	defer e.revocations.mu.Unlock()
	for _, fn := range e.revocations.listeners {
		fn(claims)
	}
}

// revokeAll takes away what is worked of a queue.
func (t *tx) revokeAll(queue string) error {
	for i, err := range t.Items(store.Query{Queue: queue, Statuses: []store.Status{store.Claimed, store.Processing}}) {
		if err == nil {
			t.after.revoked = append(t.after.revoked, Holding{i.ID(), i.Fence})
		} else if unlessGone(err) != nil {
			return err
		}
	}
	return nil
}
