package demo_test

import (
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/engine/demo"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/memory"
)

// TestFirstMinute holds the demo to what it is for: within a minute a visitor
// has seen all of it.
func TestFirstMinute(t *testing.T) {
	for _, scenario := range demo.Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, end := start(t, demo.Options{Scenario: scenario.Name, Seed: 1})
				seen := watch(t, e)
				end()
				for what, n := range map[string]int64{
					"busy slow slots": seen.slow, "busy fast slots": seen.fast, "a waiting line": seen.line,
					"abandoned items": seen.abandoned, "business exceptions": seen.business, "finished items": seen.done,
				} {
					if n == 0 {
						t.Errorf("the first minute showed no %s: %+v", what, seen)
					}
				}
			})
		})
	}
}

// start gives an engine with a demo's traffic, until end.
func start(t *testing.T, o demo.Options) (e *engine.Engine, end func()) {
	t.Helper()
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := demo.New(t.Context(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	drains := drain.Start(t.Context(), e, drain.Options{Handlers: d.Handlers()})
	d.Start(t.Context())
	return e, func() {
		d.Stop()
		drains.Abort()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A demo may be left on for a day; its store is in memory.
func TestALongDemoForgetsWhatEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, end := start(t, demo.Options{Speed: 40, Seed: 1})
		defer end()
		held := func() (n int64) {
			queues, err := e.Queues(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range queues {
				for _, count := range q.Counts {
					n += count
				}
			}
			return n
		}
		time.Sleep(40 * time.Second)
		early := held()
		time.Sleep(40 * time.Second)
		if late := held(); early == 0 || late > early*3/2 {
			t.Errorf("%d items after 40 s, %d after 80", early, late)
		}
	})
}

type sights struct{ slow, fast, line, abandoned, business, done int64 }

func watch(t *testing.T, e *engine.Engine) (s sights) {
	for range 60 {
		time.Sleep(time.Second)
		pool, err := e.Pool(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.line = max(s.line, int64(len(pool.Waiting)))
		for _, slot := range pool.Slots {
			if slot.Holder != nil && slot.Holder.Lane == "slow" {
				s.slow++
			} else if slot.Holder != nil {
				s.fast++
			}
		}
	}
	queues, err := e.Queues(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queues {
		s.abandoned += q.Counts[store.Abandoned]
		s.business += q.Counts[store.BusinessException]
		s.done += q.Counts[store.Completed] + q.Counts[store.Successful]
	}
	return s
}

func TestBadOptions(t *testing.T) {
	for _, o := range []demo.Options{{Scenario: "none"}, {Speed: -1}, {Speed: 1000}} {
		synctest.Test(t, func(t *testing.T) {
			e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := demo.New(t.Context(), e, o); store.CodeOf(err) != store.CodeInvalid {
				t.Errorf("%+v: %v", o, err)
			}
			e.Close()
		})
	}
}
