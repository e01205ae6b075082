// Package fake is an engine for the console's tests: lifelike records in
// memory, every change under the test's hand, and every act written down.
package fake

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
)

// Epoch is the moment at which the fake's records stand.
func Epoch() time.Time { return time.Date(2026, 3, 2, 14, 3, 9, 0, time.UTC) }

// Engine holds what the console may see. Use it through its methods.
type Engine struct {
	mu      sync.Mutex
	news    chan struct{} // closed when the revision grows
	snap    engine.Snapshot
	items   map[string][]engine.Record // by queue, in order of number
	history map[store.ID][]store.Change
	was     map[store.ID]engine.Record // before the act that came last
	bulks   []*bulk

	stream []store.Change

	Crew     []engine.Robot // who claims
	Retries  []engine.RetryRequest
	Reviews  []engine.ReviewRequest
	Deletes  []engine.DeleteRequest
	Splits   []engine.SplitRequest
	Revealed []store.ID
	Bulks    []engine.BulkRequest
	Undos    []engine.UndoRequest
	Patches  []string                   // of queues' settings
	Steered  []string                   // what was done to jobs
	Logs     map[string][]store.LogLine // by job, as the next three
	Files    map[string][]store.Attachment
	Metadata map[string]string
	Closed   map[string]bool // whose details are not for who asks
	Slow     bool            // bulk acts wait for Advance
	Fail     error           // answers every read of items, when set
	before   func()
}

// New makes an engine with nothing in it.
func New() *Engine {
	e := &Engine{news: make(chan struct{}), items: map[string][]engine.Record{}, history: map[store.ID][]store.Change{}, was: map[store.ID]engine.Record{}}
	e.snap = engine.Snapshot{Revision: 1, SlotsRevision: 1, QueuesRevision: 1, At: store.At(Epoch()), Store: "memory:", Slots: Pool(lane.Auto(25))}
	return e
}

// Pool is an idle pool.
func Pool(s lane.Split) lane.State {
	st := lane.State{Pool: s.Size, Auto: true}
	set := func(l *lane.LaneState, which lane.Lane, reserve int) {
		l.Reserve = reserve
		l.First, l.Last = s.Range(which)
	}
	set(&st.Fast, lane.Fast, s.Fast)
	set(&st.Slow, lane.Slow, s.Slow)
	st.Commons.Size = s.Common()
	st.Commons.First, st.Commons.Last = s.Range(lane.Commons)
	for n := 1; n <= s.Size; n++ {
		st.Slots = append(st.Slots, lane.SlotState{Number: n, Lane: s.Of(n), State: lane.Free})
	}
	return st
}

// Change alters the picture, and lets who watches know.
func (e *Engine) Change(fn func(*engine.Snapshot)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.change(fn)
}

func (e *Engine) change(fn func(*engine.Snapshot)) {
	next := e.snap
	next.Revision++
	next.SlotsRevision++
	next.QueuesRevision++
	next.JobsRevision++
	if fn != nil {
		fn(&next)
	}
	e.snap = next
	e.recount()
	close(e.news)
	e.news = make(chan struct{})
}

// recount brings counts and groups up to the items.
func (e *Engine) recount() {
	e.snap.Queues = slices.Clone(e.snap.Queues)
	e.snap.Groups = nil
	for i := range e.snap.Queues {
		q := &e.snap.Queues[i]
		records, ok := e.items[q.Name]
		if !ok {
			continue
		}
		q.Counts = store.Counts{}
		for j := range records {
			r := &records[j]
			q.Counts[r.Status]++
			if r.Group != "" {
				e.group(r)
			}
		}
	}
}

func (e *Engine) group(r *engine.Record) {
	for i := range e.snap.Groups {
		if g := &e.snap.Groups[i]; g.Queue == r.Queue && g.Status == r.Status && g.Kind == r.ErrorKind() && g.Text == r.Group {
			g.Count++
			return
		}
	}
	e.snap.Groups = append(e.snap.Groups, store.Group{Queue: r.Queue, Status: r.Status, Kind: r.ErrorKind(), Text: r.Group, Count: 1})
}

// Before runs fn ahead of the next act, as another operator would come first.
func (e *Engine) Before(fn func()) { e.before = fn }

// Hang runs fn while the engine answers nobody.
func (e *Engine) Hang(fn func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fn()
}

// Put adds an item and gives its ID.
func (e *Engine) Put(r engine.Record) store.ID {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.Number = uint64(len(e.items[r.Queue]) + 1)
	r.Revision = max(r.Revision, 1)
	e.items[r.Queue] = append(e.items[r.Queue], r)
	id := r.ID()
	e.history[id] = []store.Change{{Seq: 1, At: r.CreatedAt, Actor: "import", Queue: r.Queue, Number: r.Number, Event: "add", To: store.Pending}}
	return id
}

// Edit alters an item, as work on it does.
func (e *Engine) Edit(id store.ID, fn func(*engine.Record)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.find(id); r != nil {
		fn(r)
		r.Revision++
		e.change(nil)
	}
}

func (e *Engine) find(id store.ID) *engine.Record {
	records := e.items[id.Queue]
	if id.Number == 0 || id.Number > uint64(len(records)) {
		return nil
	}
	return &records[id.Number-1]
}

// Watch implements the console's port.
func (e *Engine) Watch(ctx context.Context, after uint64) (*engine.Snapshot, error) {
	for {
		e.mu.Lock()
		snap, news := e.snap, e.news
		e.mu.Unlock()
		if snap.Revision > after {
			return &snap, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-news:
		}
	}
}

// List implements the console's port.
func (e *Engine) List(_ context.Context, req engine.ListRequest) (engine.Page, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Fail != nil {
		return engine.Page{}, e.Fail
	}
	all, err := e.matching(req)
	if err != nil {
		return engine.Page{}, err
	}
	page := engine.Page{Total: int64(len(all))}
	for _, item := range all {
		passed := req.After.IsZero() || item.Number > req.After.Number
		if req.Desc {
			passed = req.After.IsZero() || item.Number < req.After.Number
		}
		if !passed {
			continue
		}
		if len(page.Items) == req.Limit {
			page.More = true
			break
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

func (e *Engine) matching(req engine.ListRequest) ([]store.Item, error) {
	if strings.HasPrefix(req.Filter, "age:") && !strings.Contains(req.Filter, "h") {
		return nil, store.Invalid("filter "+req.Filter, "an age is a duration", "write age:>2h")
	}
	var all []store.Item
	for i := range e.items[req.Queue] {
		r := &e.items[req.Queue][i]
		if req.Statuses != nil && !slices.Contains(req.Statuses, r.Status) || req.Group != "" && r.Group != req.Group {
			continue
		}
		if req.Kind != "" && r.ErrorKind() != req.Kind {
			continue
		}
		if job, ok := strings.CutPrefix(req.Filter, "job:"); ok {
			if r.Job == job {
				all = append(all, r.Item)
			}
			continue
		}
		if strings.Contains(strings.ToLower(r.Reference+" "+reason(r)), strings.ToLower(req.Filter)) {
			all = append(all, r.Item)
		}
	}
	if req.Desc {
		slices.Reverse(all)
	}
	return all, nil
}

func reason(r *engine.Record) string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Reason
}

// Select implements the console's port.
func (e *Engine) Select(_ context.Context, req engine.ListRequest) ([]engine.Target, error) {
	if req.Limit != 0 || req.Sort != "" {
		return nil, store.Invalid("a limit or sort", "a selection is of all that match", "leave it out")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	all, err := e.matching(req)
	var targets []engine.Target
	for i := range all {
		targets = append(targets, engine.Target{Item: all[i].ID(), Revision: all[i].Revision})
	}
	return targets, err
}

// Item implements the console's port.
func (e *Engine) Item(_ context.Context, id store.ID) (engine.Record, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Fail != nil {
		return engine.Record{}, e.Fail
	}
	if r := e.find(id); r != nil {
		return *r, nil
	}
	return engine.Record{}, store.NoItem(id)
}

// History implements the console's port.
func (e *Engine) History(_ context.Context, id store.ID, limit int) ([]store.Change, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := slices.Clone(e.history[id])
	slices.Reverse(h)
	return h[:min(limit, len(h))], nil
}

// Tell adds a change to an item's history.
func (e *Engine) Tell(id store.ID, c store.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.At, c.Queue, c.Number = store.At(Epoch()), id.Queue, id.Number
	e.history[id] = append(e.history[id], c)
}
