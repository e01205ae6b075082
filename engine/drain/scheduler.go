package drain

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
)

// Engine is what drains need of the engine.
type Engine interface {
	Wake() <-chan struct{}
	Available(context.Context) ([]store.Queue, error)
	Claim(context.Context, engine.ClaimRequest) ([]engine.Record, error)
	Next(context.Context, []engine.Settlement, engine.ClaimRequest) ([]engine.Outcome, []engine.Record, error)
	Settle(context.Context, []engine.Settlement) ([]engine.Outcome, error)
	Renew(context.Context, []engine.Holding) ([]engine.Outcome, error)
	Release(context.Context, []engine.Holding) ([]engine.Outcome, error)
	Tended(loop string, err error)
	ConsumerFailed(ctx context.Context, queue, text string) error
	Slots() *lane.Pool
	Incarnation() string
}

// Options says how drains run; the zero value is ready to use.
type Options struct {
	// Handlers are the Go functions of queues whose consumer kind is handler,
	// by the queue's name.
	Handlers map[string]Handler
	// Abreast is how many items one drain works side by side, by the queue's
	// name; where it says nothing, one after the other.
	Abreast map[string]int
	// Bound is how long a drain goes on to claim before it lets another have
	// its slot; 0 = 25 s.
	Bound time.Duration
	// Grace is how long drains may go on after Stop; 0 = 25 s.
	Grace time.Duration
	// KillDelay is how long a program has between SIGTERM and SIGKILL, and a
	// Go function to return after its context ended; 0 = 5 s.
	KillDelay time.Duration
	// Env is added to the environment of programs, before the queue's own.
	Env    []string
	Logger *slog.Logger // nil = none
}

// Waits that nobody needs to set.
const (
	// rest is the least time between two looks at the available queues, so
	// that a flood of signals costs no flood of looks.
	rest = 2 * time.Millisecond
	// share is how long no look follows for each queue that one found. It is ten
	// times what a queue costs, 2.4 µs on two cores, and not ten times what the look
	// took: that may have waited for a store that had much to write.
	share = 25 * time.Microsecond
	// retryAfter is when something that failed in the engine is tried again.
	retryAfter = time.Second
)

// Scheduler runs the drains of one engine.
type Scheduler struct {
	engine  Engine
	options Options
	log     *slog.Logger
	spawner spawner
	client  *http.Client // for consumers that are reached by HTTP

	base   context.Context         // never ends: reports are made whatever else stops
	work   context.Context         // ends with errGiveBack when work is to be given back
	giveUp context.CancelCauseFunc // ends work
	line   context.Context         // ends when nothing new is to be started
	halt   context.CancelFunc      // ends line
	detach func() bool             // forgets the context given to Start
	hurry  chan struct{}           // closed: kill without delay
	idle   chan struct{}           // closed when stopped and every item is accounted for

	look  chan struct{} // capacity 1: look at the available queues again
	wakes atomic.Uint64 // how often something new may have come

	retrying atomic.Bool // another look is due after a failure

	mu     sync.Mutex
	queues map[string]*queue // those available or with drains

	stopOnce, hurryOnce sync.Once
	running             sync.WaitGroup // drains with items not accounted for
	all                 sync.WaitGroup // drains
	tally               tally
	holders             holders
	deafen              func() // no more word of revocations
}

// Start begins to work the engine's queues. It goes on until Stop; the end of
// ctx stops it too, at once, but Stop is still to be called.
func Start(ctx context.Context, e Engine, o Options) *Scheduler {
	defaults(&o)
	base := context.WithoutCancel(ctx)
	work, giveUp := context.WithCancelCause(base)
	line, halt := context.WithCancel(base)
	s := &Scheduler{
		engine: e, options: o, log: o.Logger, client: newClient(),
		base: base, work: work, giveUp: giveUp, line: line, halt: halt,
		hurry: make(chan struct{}), idle: make(chan struct{}),
		look:   make(chan struct{}, 1),
		queues: map[string]*queue{},
	}
	s.wakes.Store(1)
	s.deafen = func() {}
	if r, ok := e.(revoker); ok {
		s.deafen = r.OnRevoke(s.holders.revoked)
	}
	s.detach = context.AfterFunc(ctx, s.abort)
	go s.loop()
	return s
}

func defaults(o *Options) {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.Bound, 25*time.Second)
	set(&o.Grace, 25*time.Second)
	set(&o.KillDelay, 5*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// loop looks at the available queues whenever something may have changed, and
// sleeps in between.
func (s *Scheduler) loop() {
	defer s.windUp()
	for {
		found := s.scan()
		if !s.pause(max(rest, time.Duration(found)*share)) {
			return
		}
		select {
		case <-s.line.Done():
			return
		case <-s.engine.Wake():
			s.wakes.Add(1)
		case <-s.look:
		}
	}
}

// pause waits, and says whether to go on.
func (s *Scheduler) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.line.Done():
		return false
	case <-t.C:
		return true
	}
}

// again asks for another look.
func (s *Scheduler) again() {
	select {
	case s.look <- struct{}{}:
	default:
	}
}

// later asks for another look after something failed in the engine; once,
// however much fails until then.
func (s *Scheduler) later() {
	if !s.retrying.CompareAndSwap(false, true) {
		return
	}
	time.AfterFunc(retryAfter, func() {
		s.retrying.Store(false)
		s.wakes.Add(1)
		s.again()
	})
}

func (s *Scheduler) stopping() bool { return s.line.Err() != nil }
