package engine

import (
	"sync"

	"signalbox/store"
)

// revocations tells who works items that they were taken away.
type revocations struct {
	mu        sync.Mutex
	listeners map[int]func([]store.ID)
	next      int
}

// OnRevoke has fn called after every change that took items away from who works
// them, until stop is called. It must not wait.
func (e *Engine) OnRevoke(fn func([]store.ID)) (stop func()) {
	r := &e.revocations
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listeners == nil {
		r.listeners = map[int]func([]store.ID){}
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

func (e *Engine) revoke(ids []store.ID) {
	if len(ids) == 0 {
		return
	}
	e.revocations.mu.Lock()
	defer e.revocations.mu.Unlock()
	for _, fn := range e.revocations.listeners {
		fn(ids)
	}
}
