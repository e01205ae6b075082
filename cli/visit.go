package cli

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/store/memory"
)

const (
	// peek is the time between two looks at the file of a store that is visited.
	peek = 250 * time.Millisecond
	// stale is the age at which a picture of it is taken anew, as items ripen
	// in a file that does not change.
	stale = 2 * time.Second
)

// visitor reads a store for as long as a console is open without keeping it
// from others, who could not write to it else: each question opens the store
// and lets go of it, or goes to the engine that has come meanwhile.
type visitor struct {
	Service // refuses what is not answered here: every change
	app     *app
	where   place

	mu     sync.Mutex
	engine *client.Client // nil while none runs
	file   os.FileInfo    // as it was when last looked at
	looked time.Time
}

func (a *app) visit(ctx context.Context) (*visitor, error) {
	where, err := a.where()
	if err != nil {
		return nil, err
	}
	if err := where.holds(); err != nil {
		return nil, err
	}
	closed, err := a.start(ctx, place{memory: true}, memory.New(), nil)
	if err != nil {
		return nil, err
	}
	return &visitor{Service: closed, app: a, where: where}, nil
}

// Close lets go of the engine, if one has come.
func (v *visitor) Close() error {
	v.leave(v.running())
	return v.Service.Close()
}

func (v *visitor) running() *client.Client {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.engine
}

// leave forgets an engine that has gone.
func (v *visitor) leave(c *client.Client) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c != nil && v.engine == c {
		_ = c.Close()
		v.engine = nil
	}
}

// open gives the engine that runs, or one of our own for one question.
func (v *visitor) open(ctx context.Context) (Service, error) {
	if c := v.running(); c != nil {
		return c, nil
	}
	s, err := v.app.find(ctx, v.where, nil)
	if c, ok := s.(*client.Client); ok {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.engine != nil { // another question found it too
			_ = c.Close()
			return v.engine, nil
		}
		v.engine = c
	}
	return s, err
}

// ask asks one question.
func ask[Out any](ctx context.Context, v *visitor, question func(Service) (Out, error)) (out Out, err error) {
	s, err := v.open(ctx)
	if err != nil {
		return out, err
	}
	out, err = question(s)
	if c, ok := s.(*client.Client); ok {
		if store.CodeOf(err) == store.CodeUnavailable {
			v.leave(c)
		}
		return out, err
	}
	if e := s.Close(); err == nil {
		err = e
	}
	return out, err
}

// Watch gives a new picture when the file has changed or the last one is
// stale; with an engine, when that has one.
func (v *visitor) Watch(ctx context.Context, after uint64) (*engine.Snapshot, error) {
	for {
		c := v.running()
		if c == nil {
			if err := v.news(ctx, after); err != nil {
				return nil, err
			}
		}
		snapshot, err := ask(ctx, v, func(s Service) (*engine.Snapshot, error) {
			snapshot, err := s.Watch(ctx, after)
			if _, own := s.(*engine.Engine); own && err == nil {
				told := *snapshot
				told.Store += " (no engine runs)"
				snapshot = &told
			}
			return snapshot, err
		})
		if c == nil || v.running() == c {
			return snapshot, err
		}
	}
}

// news waits until there is something to look at again.
func (v *visitor) news(ctx context.Context, after uint64) error {
	tick := time.NewTicker(peek)
	defer tick.Stop()
	for {
		file, err := os.Stat(v.where.path)
		if after == 0 || v.changed(file, err) {
			v.mu.Lock()
			v.file, v.looked = file, time.Now()
			v.mu.Unlock()
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (v *visitor) changed(file os.FileInfo, err error) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return err != nil || v.file == nil || time.Since(v.looked) > stale ||
		file.Size() != v.file.Size() || !file.ModTime().Equal(v.file.ModTime())
}

// The questions that a console asks.

func (v *visitor) Queues(ctx context.Context) ([]engine.QueueState, error) {
	return ask(ctx, v, func(s Service) ([]engine.QueueState, error) { return s.Queues(ctx) })
}

func (v *visitor) Queue(ctx context.Context, name string) (engine.QueueState, error) {
	return ask(ctx, v, func(s Service) (engine.QueueState, error) { return s.Queue(ctx, name) })
}

func (v *visitor) List(ctx context.Context, r engine.ListRequest) (engine.Page, error) {
	return ask(ctx, v, func(s Service) (engine.Page, error) { return s.List(ctx, r) })
}

func (v *visitor) Plan(ctx context.Context, r engine.ListRequest) (engine.Plan, error) {
	return ask(ctx, v, func(s Service) (engine.Plan, error) { return s.Plan(ctx, r) })
}

func (v *visitor) Select(ctx context.Context, r engine.ListRequest) ([]engine.Target, error) {
	return ask(ctx, v, func(s Service) ([]engine.Target, error) { return s.Select(ctx, r) })
}

func (v *visitor) Item(ctx context.Context, id store.ID) (engine.Record, error) {
	return ask(ctx, v, func(s Service) (engine.Record, error) { return s.Item(ctx, id) })
}

func (v *visitor) Explain(ctx context.Context, id store.ID) (engine.Explanation, error) {
	return ask(ctx, v, func(s Service) (engine.Explanation, error) { return s.Explain(ctx, id) })
}

func (v *visitor) History(ctx context.Context, id store.ID, limit int) ([]store.Change, error) {
	return ask(ctx, v, func(s Service) ([]store.Change, error) { return s.History(ctx, id, limit) })
}

func (v *visitor) Changes(ctx context.Context, after uint64, limit int) ([]store.Change, error) {
	return ask(ctx, v, func(s Service) ([]store.Change, error) { return s.Changes(ctx, after, limit) })
}

func (v *visitor) Groups(ctx context.Context, queue string) ([]store.Group, error) {
	return ask(ctx, v, func(s Service) ([]store.Group, error) { return s.Groups(ctx, queue) })
}

func (v *visitor) Pool(ctx context.Context) (lane.State, error) {
	return ask(ctx, v, func(s Service) (lane.State, error) { return s.Pool(ctx) })
}

func (v *visitor) Export(ctx context.Context, r engine.ExportRequest, w io.Writer) (engine.Exported, error) {
	return ask(ctx, v, func(s Service) (engine.Exported, error) { return s.Export(ctx, r, w) })
}

// What keeping a store asks.

func (v *visitor) Check(ctx context.Context) ([]string, error) {
	return ask(ctx, v, func(s Service) ([]string, error) { return s.Check(ctx) })
}

func (v *visitor) Backup(ctx context.Context, w io.Writer) error {
	_, err := ask(ctx, v, func(s Service) (struct{}, error) { return struct{}{}, s.Backup(ctx, w) })
	return err
}
