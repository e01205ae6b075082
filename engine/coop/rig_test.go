package coop_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"signalbox/engine/coop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errBroken = errors.New("broken")

// rig is a queue of texts whose handler does what each entry's name says in the
// table of scripts, and a record of what it did.
type rig struct {
	*coop.Queue[string, string]
	t testing.TB

	mu      sync.Mutex
	started []string
	events  []string
	reports []error
	running int
	most    int // handlers that ran at once
}

type script func(ctx context.Context, t coop.Task[string]) (string, error)

// newRig makes a queue in a bubble; it is destroyed with the test.
func newRig(t *testing.T, o coop.Options, do script) *rig {
	t.Helper()
	r := &rig{t: t}
	o.Observers = append(o.Observers, r.see)
	if o.Report == nil {
		o.Report = func(err error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reports = append(r.reports, err)
		}
	}
	q, err := coop.New(r.handler(do), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Queue = q
	t.Cleanup(func() {
		if err := q.Destroy(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) see(e coop.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := string(e.Kind)
	if e.ID != "" {
		text += " " + e.ID
	}
	r.events = append(r.events, text)
}

func (r *rig) handler(do script) coop.Handler[string, string] {
	return func(ctx context.Context, t coop.Task[string]) (string, error) {
		r.mu.Lock()
		r.started = append(r.started, t.ID)
		r.running++
		r.most = max(r.most, r.running)
		r.mu.Unlock()
		defer func() {
			r.mu.Lock()
			r.running--
			r.mu.Unlock()
		}()
		return do(ctx, t)
	}
}

// add enqueues an entry whose value and id are the name.
func (r *rig) add(name string, o ...coop.EntryOption) *coop.Future[string] {
	r.t.Helper()
	f, err := r.Enqueue(context.Background(), name, append(o, coop.ID(name))...)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

func (r *rig) addAll(names ...string) (fs []*coop.Future[string]) {
	r.t.Helper()
	for _, name := range names {
		fs = append(fs, r.add(name))
	}
	return fs
}

// settled gives what became of an entry, which must have settled by now.
func (r *rig) settled(f *coop.Future[string]) (string, error) {
	r.t.Helper()
	synctest.Wait()
	select {
	case <-f.Done():
	default:
		r.t.Fatalf("%s has not settled", f.ID())
	}
	return f.Wait(context.Background())
}

func (r *rig) fails(f *coop.Future[string], kinds ...error) {
	r.t.Helper()
	_, err := r.settled(f)
	for _, kind := range kinds {
		if !errors.Is(err, kind) {
			r.t.Errorf("%s ended with %v, want %v", f.ID(), err, kind)
		}
	}
}

func (r *rig) works(f *coop.Future[string], want string) {
	r.t.Helper()
	if got, err := r.settled(f); err != nil || got != want {
		r.t.Errorf("%s ended with %q and %v, want %q", f.ID(), got, err, want)
	}
}

func (r *rig) open(f *coop.Future[string]) {
	r.t.Helper()
	synctest.Wait()
	select {
	case <-f.Done():
		_, err := f.Wait(context.Background())
		r.t.Errorf("%s has settled, with %v", f.ID(), err)
	default:
	}
}

func (r *rig) ran(want ...string) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.started, want) {
		r.t.Errorf("started %v, want %v", r.started, want)
	}
}

func (r *rig) told(want ...string) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.events, want) {
		r.t.Errorf("told %q, want %q", r.events, want)
	}
}

// echo gives the value back.
func echo(_ context.Context, t coop.Task[string]) (string, error) { return t.Value, nil }

// takes works for a time, or until the context ends.
func takes(d time.Duration) script {
	return func(ctx context.Context, t coop.Task[string]) (string, error) {
		select {
		case <-time.After(d):
			return t.Value, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// deaf works for a time, whatever happens.
func deaf(d time.Duration) script {
	return func(_ context.Context, t coop.Task[string]) (string, error) {
		time.Sleep(d)
		return t.Value, nil
	}
}

// failing fails so many attempts of each entry, then works.
func failing(n int) script {
	return func(_ context.Context, t coop.Task[string]) (string, error) {
		if t.Attempt <= n {
			return "", errBroken
		}
		return t.Value, nil
	}
}

// faulty is a store that fails when told to.
type faulty struct {
	coop.Memory
	mu                        sync.Mutex
	save, remove, load, clear error
	saving                    func() // called before a save
}

func (f *faulty) set(change func(*faulty)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *faulty) get(what func(*faulty) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return what(f)
}

func (f *faulty) Save(ctx context.Context, r coop.Row) error {
	f.mu.Lock()
	hook := f.saving
	f.mu.Unlock()
	if hook != nil {
		hook()
	}
	if err := f.get(func(f *faulty) error { return f.save }); err != nil {
		return err
	}
	return f.Memory.Save(ctx, r)
}

func (f *faulty) Remove(ctx context.Context, ids ...string) error {
	if err := f.get(func(f *faulty) error { return f.remove }); err != nil {
		return err
	}
	return f.Memory.Remove(ctx, ids...)
}

func (f *faulty) Load(ctx context.Context) ([]coop.Row, error) {
	if err := f.get(func(f *faulty) error { return f.load }); err != nil {
		return nil, err
	}
	return f.Memory.Load(ctx)
}

func (f *faulty) Clear(ctx context.Context, keep ...string) error {
	if err := f.get(func(f *faulty) error { return f.clear }); err != nil {
		return err
	}
	return f.Memory.Clear(ctx, keep...)
}

// rows gives the ids of a store's rows.
func rows(t testing.TB, s coop.Store) []string {
	t.Helper()
	all, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	return ids
}

func holds(t testing.TB, s coop.Store, want ...string) {
	t.Helper()
	if got := rows(t, s); !slices.Equal(got, want) {
		t.Errorf("the store holds %v, want %v", got, want)
	}
}
