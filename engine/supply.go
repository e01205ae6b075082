package engine

import (
	"context"
	"sync"

	"signalbox/store"
)

// supply tells drains which queues may have something for them. A queue is
// flagged when a change makes items claimable, and looked at once for that.
type supply struct {
	wake chan struct{} // capacity 1

	mu    sync.Mutex
	flags map[string]bool
}

func (s *supply) init() {
	s.wake = make(chan struct{}, 1)
	s.flags = map[string]bool{}
}

// flag says that the queues have gained claimable items.
func (e *Engine) flag(queues []string) {
	if len(queues) == 0 {
		return
	}
	s := &e.supply
	s.mu.Lock()
	for _, name := range queues {
		s.flags[name] = true
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (e *Engine) flagGains(gains []gain) {
	if len(gains) == 0 {
		return
	}
	names := make([]string, len(gains))
	for n := range gains {
		names[n] = gains[n].queue
	}
	e.flag(names)
}

func (e *Engine) flagAll(ctx context.Context) error {
	var names []string
	err := e.store.View(ctx, func(r store.Reader) error {
		queues, err := r.Queues()
		for _, q := range queues {
			names = append(names, q.Name)
		}
		return err
	})
	e.flag(names)
	return err
}

// Wake is signalled when a queue has gained items that can be claimed, was
// resumed, or had its settings changed.
func (e *Engine) Wake() <-chan struct{} { return e.supply.wake }

// Available gives the queues a drain can work now: not manual, not paused, with
// items ready to be claimed.
func (e *Engine) Available(ctx context.Context) (queues []store.Queue, err error) {
	s := &e.supply
	s.mu.Lock()
	flagged := s.flags
	s.flags = make(map[string]bool, len(flagged))
	s.mu.Unlock()
	var again []string
	err = e.look(ctx, func(r store.Reader) error {
		queues, again = nil, again[:0]
		for name := range flagged {
			q, err := r.Queue(name)
			var stats store.Stats
			if err == nil {
				stats, err = r.Stats(name, e.now())
			}
			switch store.CodeOf(err) {
			case 0:
			case store.CodeNotFound:
				continue
			case store.CodeUnavailable: // one damaged queue keeps no other from being worked
				e.log.Error("queue can't be read", "queue", name, "err", err)
				continue
			default:
				return err
			}
			if q.Consumer.Kind == Manual || q.Paused || e.vault.locked(&q) != nil || stats.Counts.Waiting() <= stats.Delayed+stats.Withheld {
				continue
			}
			queues, again = append(queues, q), append(again, name)
		}
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		for name := range flagged {
			s.flags[name] = true
		}
		return nil, err
	}
	for _, name := range again { // until it is found empty
		s.flags[name] = true
	}
	return queues, nil
}
