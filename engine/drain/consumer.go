package drain

import (
	"context"
	"fmt"
	"sync"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// consumer works items.
type consumer interface {
	// together says that all items of a claim are worked at once; otherwise
	// work is given one at a time.
	together() bool
	work(ctx context.Context, records []engine.Record) result
	// patience is how long work may take to return when its context ended,
	// given the delay between SIGTERM and SIGKILL.
	patience(kill time.Duration) time.Duration
}

// result is what became of an attempt.
type result struct {
	// reports has a settlement for each record in order, or one for all;
	// whose they are is filled in later.
	reports []engine.Settlement
	// cut says that the attempt was ended from outside: its reports then only
	// tell how far it came.
	cut bool
	// broken says that the consumer itself did not work, "" that it did.
	broken string
}

// report gives the settlement of the i-th record.
func (r *result) report(i int) engine.Settlement {
	if len(r.reports) == 1 {
		i = 0
	}
	return r.reports[i]
}

func failed(status, reason, details string) result {
	if reason == "" {
		reason = "no reason was given"
	}
	return result{reports: []engine.Settlement{{Status: status, Reason: reason, Details: details}}}
}

// broken is the result of a consumer that can't be run.
func broken(text string) result {
	r := failed(engine.System, "consumer error: "+text, "")
	r.broken = text
	return r
}

// absent stands for a consumer that there is none of.
type absent struct{ text string }

func (a absent) together() bool                               { return true }
func (a absent) patience(kill time.Duration) time.Duration    { return kill }
func (a absent) work(context.Context, []engine.Record) result { return broken(a.text) }

// consumer gives what works the queue's items.
func (d *drain) consumer(set *store.Queue) consumer {
	s := d.s
	switch set.Consumer.Kind {
	case engine.Command:
		return &command{set: set, wave: set.BatchSize > 1, spawner: &s.spawner, killDelay: s.options.KillDelay, hurry: s.hurry, env: s.options.Env, slot: d.grant.Token()}
	case engine.HTTP:
		return &poster{set: set, wave: set.BatchSize > 1, client: s.client}
	case engine.Handler:
		if h := s.options.Handlers[set.Name]; h != nil {
			return function{h}
		}
		return absent{fmt.Sprintf("this program has no handler for queue %q", set.Name)}
	}
	return absent{fmt.Sprintf("this program knows no consumer of kind %q", set.Consumer.Kind)}
}

// health is whether a queue's consumer works, as last told to the engine.
type health struct {
	mu   sync.Mutex
	told string
}

// tell tells the engine when a consumer broke ("" = works), once for each text.
func (d *drain) tell(text string) {
	h := &d.q.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told == text {
		return
	}
	if err := d.s.engine.ConsumerFailed(d.context(), d.queue, text); err != nil {
		d.s.log.Error("consumer error", "queue", d.queue, "error", err)
		return
	}
	h.told = text
}
