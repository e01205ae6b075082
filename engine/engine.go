package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync"
	"sync/atomic"

	"signalbox/engine/lane"
	"signalbox/store"
)

// Options says how an engine runs; the zero value is ready to use.
type Options struct {
	Name     string       // of the store, for people: "bolt:/var/lib/queue.db"
	ReadOnly bool         // nothing is changed, no lease expires
	Clock    Clock        // nil = SystemClock
	Logger   *slog.Logger // nil = none
	// Archive is the folder of the archives that retention writes; "" = none,
	// and then what would be archived stays.
	Archive string
	// Key opens and seals the contents of encrypted queues' items: KeySize bytes,
	// or none, with which the rest works.
	Key []byte
	// JobAccess says whether who acts (see Actor) may see the details of a job that
	// somebody else has started, and act on it; nil = everybody may.
	JobAccess func(context.Context, store.Job) bool
}

// Engine is one running engine on a store. All methods are safe for concurrent
// use; each change is durable when its method returns.
type Engine struct {
	store       store.Store
	name        string
	readOnly    bool
	firstFence  uint64 // no claim gets a lower one
	clock       Clock
	log         *slog.Logger
	incarnation string
	slots       *lane.Pool
	diary       *diary // of the slots; nil when read-only
	visits      visits
	resizing    sync.Mutex
	parking     parking
	rates       rates
	feed        feed
	expirer     expirer
	pruner      pruner
	supply      supply
	schemas     schemas
	bulks       bulks
	vault       vault
	imports     imports
	listings    listings
	uploads     uploads
	latest      atomic.Int64 // what now gave last
	jobAccess   func(context.Context, store.Job) bool
	upkeep      upkeep
	finisher    atomic.Pointer[finisher]
	revocations revocations
	followers   sync.WaitGroup
	closed      chan struct{}
	closing     sync.Once
}

// Open starts an engine on a store, which it owns from then on. What ran out
// while no engine ran is applied before it returns, and so are the claims of
// drains that died with an earlier engine.
func Open(ctx context.Context, s store.Store, o Options) (*Engine, error) {
	e := &Engine{
		store: s, name: o.Name, readOnly: o.ReadOnly, clock: o.Clock, log: o.Logger,
		jobAccess:   o.JobAccess,
		incarnation: newIncarnation(), closed: make(chan struct{}),
	}
	if e.clock == nil {
		e.clock = SystemClock{}
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if err := firstOf(e.vault.unlock(o.Key), e.vault.look(ctx, s)); err != nil {
		return nil, err
	}
	e.feed.e = e
	e.expirer.init(e)
	e.pruner.init(e, o.Archive)
	e.supply.init()
	e.bulks.init(e)
	e.visits.init()
	split := lane.Auto(DefaultPool)
	e.slots = lane.New(split, true, e.clock.Now, e.feed.touchSlots)
	if err := e.resize(ctx); err != nil {
		return nil, err
	}
	if e.readOnly {
		return e, nil
	}
	if err := firstOf(e.noteKeys(ctx), e.lookUpFences(ctx)); err != nil {
		return nil, err
	}
	if err := e.undoImports(ctx); err != nil {
		return nil, err
	}
	if err := e.endOrphans(ctx); err != nil {
		return nil, err
	}
	if err := e.expirer.sweep(ctx); err != nil {
		return nil, err
	}
	if err := e.flagAll(ctx); err != nil {
		return nil, err
	}
	if err := e.keepDiary(ctx); err != nil {
		return nil, err
	}
	e.expirer.start()
	e.pruner.start()
	e.followers.Go(e.catchUp)
	return e, nil
}

// lookUpFences finds where fences begin in a store that was restored. Robots may still
// hold claims that were made after its backup, of items that have other holders here,
// so no fence of that time is given again: they go on from the time of the restore, in
// milliseconds, which no item has been claimed as often as.
func (e *Engine) lookUpFences(ctx context.Context) error {
	return e.store.View(ctx, func(r store.Reader) (err error) {
		e.firstFence, err = r.Mark("", store.RestoredMark)
		return err
	})
}

// Close stops the engine and closes its store. Drains are stopped before it.
func (e *Engine) Close() (err error) {
	e.closing.Do(func() {
		close(e.closed)
		e.bulks.close()
		if !e.readOnly {
			e.pruner.stop()
			e.expirer.stop()
			e.visits.close()
			e.diary.close()
		}
		e.followers.Wait()
		err = e.store.Close()
	})
	return err
}

// stopped is the error of a call that waited while the engine was closed; nil
// while it runs.
func (e *Engine) stopped() error {
	select {
	case <-e.closed:
		return &store.Error{Code: store.CodeUnavailable, Thing: or(e.name, "the engine"), Rule: "has stopped", Mend: "start it again"}
	default:
		return nil
	}
}

// Incarnation is this engine's own random name; it tells its drains' claims
// from those of an engine that ran on the store before.
func (e *Engine) Incarnation() string { return e.incarnation }

func newIncarnation() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
