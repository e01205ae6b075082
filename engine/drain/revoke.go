package drain

import (
	"sync"

	"signalbox/store"
)

// rememberedRevocations is how many items taken away are remembered for batches
// that are claimed at that very moment.
const rememberedRevocations = 1024

// revoker is an engine that tells when items are taken away from who works them.
type revoker interface {
	OnRevoke(func([]store.ID)) (stop func())
}

// holders are the batches under way, to be told when items of theirs are taken
// away. Without that they would learn of it when they next renew.
type holders struct {
	mu      sync.Mutex
	batches map[*batch]bool
	lately  []store.ID
}

func (h *holders) add(b *batch) {
	h.mu.Lock()
	if h.batches == nil {
		h.batches = map[*batch]bool{}
	}
	h.batches[b] = true
	lately := h.lately[:len(h.lately):len(h.lately)]
	h.mu.Unlock()
	for _, id := range lately {
		b.lose(id)
	}
}

func (h *holders) drop(b *batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.batches, b)
}

// revoked cancels the work on items that were taken away.
func (h *holders) revoked(ids []store.ID) {
	h.mu.Lock()
	h.lately = append(h.lately, ids...)
	if extra := len(h.lately) - rememberedRevocations; extra > 0 {
		h.lately = append([]store.ID(nil), h.lately[extra:]...)
	}
	told := make([]*batch, 0, len(h.batches))
	for b := range h.batches {
		told = append(told, b)
	}
	h.mu.Unlock()
	for _, b := range told {
		for _, id := range ids {
			b.lose(id)
		}
	}
}
