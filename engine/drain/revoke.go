package drain

import (
	"sync"

	"signalbox/engine"
)

// rememberedRevocations is how many claims taken away are remembered for batches
// that are claimed at that very moment.
const rememberedRevocations = 1024

// revoker is an engine that tells when items are taken away from who works them.
type revoker interface {
	OnRevoke(func([]engine.Holding)) (stop func())
}

// holders are the batches under way, to be told when items of theirs are taken
// away. Without that they would learn of it when they next renew.
type holders struct {
	mu      sync.Mutex
	batches map[*batch]bool
	lately  []engine.Holding
}

func (h *holders) add(b *batch) {
	h.mu.Lock()
	if h.batches == nil {
		h.batches = map[*batch]bool{}
	}
	h.batches[b] = true
	lately := h.lately[:len(h.lately):len(h.lately)]
	h.mu.Unlock()
	for _, c := range lately {
		b.lose(c)
	}
}

func (h *holders) drop(b *batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.batches, b)
}

// revoked cancels the work on items that were taken away.
func (h *holders) revoked(claims []engine.Holding) {
	h.mu.Lock()
	h.lately = append(h.lately, claims...)
	if extra := len(h.lately) - rememberedRevocations; extra > 0 {
		h.lately = append([]engine.Holding(nil), h.lately[extra:]...)
	}
	told := make([]*batch, 0, len(h.batches))
	for b := range h.batches {
		told = append(told, b)
	}
	h.mu.Unlock()
	for _, b := range told {
		for _, c := range claims {
			b.lose(c)
		}
	}
}
