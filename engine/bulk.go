package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"signalbox/store"
)

// What a bulk act does, besides the review actions assign, verify, note and
// clear.
const (
	BulkRetry  = "retry"
	BulkDelete = "delete"
	BulkDefer  = "defer" // waiting items; without Until they may be claimed now
	BulkUndo   = "undo"  // the last operator's act on each is taken back
)

// BulkRequest is one act on many items.
type BulkRequest struct {
	Verb string `json:"verb"`
	// Targets are the items, as they were seen. Without any, they are all that
	// Select selects, frozen when the act is asked for; beside Targets, Select
	// says what those matched, so that later arrivals can be reported.
	Targets []Target      `json:"targets,omitempty"`
	Select  []ListRequest `json:"select,omitempty"`
	Of      uint64        `json:"of,omitempty"`    // undo: all that this bulk act did
	First   int           `json:"first,omitempty"` // only the first of them; 0 = all
	Rate    Rate          `json:"rate,omitzero"`   // at most so many in a time

	Note     string     `json:"note,omitempty"`
	Reviewer string     `json:"reviewer,omitempty"` // assign, verify; "" = who acts
	Until    store.Time `json:"until,omitzero"`     // defer
}

// Where a bulk act stands.
const (
	BulkRunning   = "running"
	BulkDone      = "done"
	BulkCancelled = "cancelled" // what was done stays done
	BulkFailed    = "failed"    // the store gave way; what was done stays done
)

// BulkState is a bulk act as it stands. Outcomes are counted as they come; Of
// less those is what is left.
type BulkState struct {
	ID       uint64     `json:"id"`       // grows with every bulk act on the store
	Revision uint64     `json:"revision"` // grows with every change of the state
	Verb     string     `json:"verb"`
	Undoes   uint64     `json:"undoes,omitempty"` // the bulk act that it takes back
	By       string     `json:"by"`
	State    string     `json:"state"`
	Selected int        `json:"selected"` // frozen
	Of       int        `json:"of"`       // the first of them that are acted on
	Done     int        `json:"done"`
	Stale    int        `json:"stale"`
	Gone     int        `json:"gone"`
	Refused  int        `json:"refused"`
	Rate     Rate       `json:"rate,omitzero"`
	Speed    float64    `json:"speed"` // items a second since it began
	Began    store.Time `json:"began_at"`
	Ended    store.Time `json:"ended_at,omitzero"`
	// Arrived counts what matches at the end and was not frozen; -1 while it is
	// not known.
	Arrived int    `json:"arrived"`
	EndedBy string `json:"ended_by,omitempty"` // who cancelled it
	Error   string `json:"error,omitempty"`
	// Trouble is the first few that were not done, and why.
	Trouble []Outcome `json:"trouble,omitempty"`
	// Undoable says that its items are still kept, so that it can be taken back
	// as a whole.
	Undoable bool `json:"undoable,omitempty"`
}

// Tried is how many items it has come to.
func (b *BulkState) Tried() int { return b.Done + b.Stale + b.Gone + b.Refused }

// Running says that it goes on.
func (b *BulkState) Running() bool { return b.State == BulkRunning }

// Limits of bulk acts.
const (
	bulkBatch    = 250 // items in one commit, so that others' never wait long
	bulksAtOnce  = 8
	bulksTold    = 20        // finished ones that are still listed
	bulksKept    = 1_000_000 // items of finished ones of which each result is kept
	troubleKept  = 1_000     // refusals of one act whose words are kept
	troubleShown = 5         // of them in its state
)

// bulk is a bulk act under way, or one that was.
type bulk struct {
	request BulkRequest // without its targets
	act     func(*tx, *store.Queue, *store.Item) (store.ID, error)
	cancel  context.CancelFunc
	ended   chan struct{}

	mu      sync.Mutex
	state   BulkState
	set     *frozen // nil once its results are kept no more
	trouble map[int]Outcome
	changed chan struct{} // closed at the next change of the state
}

// bulks are an engine's bulk acts.
type bulks struct {
	e    *Engine
	ctx  context.Context // ends with the engine
	stop context.CancelFunc
	work sync.WaitGroup

	mu  sync.Mutex
	all []*bulk // oldest first
}

func (b *bulks) init(e *Engine) {
	b.e = e
	b.ctx, b.stop = context.WithCancel(context.Background())
}

// close ends all bulk acts and waits for them.
func (b *bulks) close() {
	b.mu.Lock()
	b.stop() // nobody starts another from here on
	b.mu.Unlock()
	b.work.Wait()
}

// StartBulk freezes the items that a request names or selects, sets the act on
// them going and returns. It goes on in the engine, whoever watches, until all
// have been tried, it is cancelled, or the engine stops. Items are acted on in
// their order, in commits of bounded size; each answers for itself as in Retry.
// CodeInvalid for a request that makes no sense or selects too many;
// CodeConflict when too many bulk acts run.
func (e *Engine) StartBulk(ctx context.Context, r BulkRequest) (BulkState, error) {
	if e.readOnly {
		return BulkState{}, &store.Error{Code: store.CodeForbidden, Thing: e.name, Rule: "opened read-only", Mend: "open it without --read-only"}
	}
	act, err := r.act()
	if err != nil {
		return BulkState{}, err
	}
	set, err := e.freeze(ctx, &r)
	if err != nil {
		return BulkState{}, err
	}
	b := &bulk{request: r, act: act, set: set, trouble: map[int]Outcome{}, ended: make(chan struct{}), changed: make(chan struct{})}
	b.request.Targets = nil
	of := set.first(r.First)
	set.settle(of)
	b.state = BulkState{
		Verb: r.Verb, Undoes: r.Of, By: Actor(ctx), State: BulkRunning, Revision: 1,
		Selected: set.len(), Of: of, Rate: r.Rate, Began: e.now(), Arrived: -1,
	}
	return e.bulks.start(ctx, b)
}

// start gives the act its id and its goroutine.
func (b *bulks) start(ctx context.Context, n *bulk) (BulkState, error) {
	var newest uint64
	err := b.e.store.View(ctx, func(r store.Reader) (err error) {
		newest, err = r.LastChange()
		return err
	})
	if err != nil {
		return BulkState{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return BulkState{}, b.e.stopped()
	}
	running := 0
	for _, other := range b.all {
		newest = max(newest, other.state.ID)
		if s := other.snapshot(); s.Running() {
			running++
		}
	}
	if running >= bulksAtOnce {
		return BulkState{}, store.Conflict("a bulk act", fmt.Sprintf("%d are under way already", running), "wait for one to end, or cancel it")
	}
	n.state.ID = newest + 1
	b.all = append(b.all, n)
	var own context.Context
	own, n.cancel = context.WithCancel(WithActor(b.ctx, n.state.By))
	b.work.Go(func() { b.run(own, n) })
	b.e.feed.touchBulks()
	return n.snapshot(), nil
}

// find gives a bulk act, or CodeNotFound.
func (b *bulks) find(id uint64) (*bulk, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.all {
		if n.state.ID == id {
			return n, nil
		}
	}
	return nil, store.NotFound(fmt.Sprintf("bulk act %d", id), "it ended too long ago, or in an engine before this one")
}

// forget drops the oldest finished acts beyond what is told, and the results of
// those beyond what is kept.
func (b *bulks) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	told, items := 0, 0
	kept := b.all[:0:0]
	for _, n := range slices.Backward(b.all) {
		n.mu.Lock()
		if !n.state.Running() {
			told++
			if n.set != nil {
				items += n.set.len()
			}
			if items > bulksKept && told > 1 && n.set != nil {
				items -= n.set.len()
				n.set, n.state.Undoable = nil, false
			}
		}
		keep := told <= bulksTold
		n.mu.Unlock()
		if keep {
			kept = append(kept, n)
		}
	}
	slices.Reverse(kept)
	b.all = kept
}

// states lists all that is told of, oldest first.
func (b *bulks) states() []BulkState {
	b.mu.Lock()
	defer b.mu.Unlock()
	states := make([]BulkState, len(b.all))
	for i, n := range b.all {
		states[i] = n.snapshot()
	}
	return states
}

// Bulks lists the bulk acts under way and the newest that have ended, oldest
// first.
func (e *Engine) Bulks(context.Context) ([]BulkState, error) { return e.bulks.states(), nil }

// WatchBulk gives a bulk act's state as soon as its revision is another than
// after (0 = any), and waits while it is that.
func (e *Engine) WatchBulk(ctx context.Context, id, after uint64) (BulkState, error) {
	b, err := e.bulks.find(id)
	if err != nil {
		return BulkState{}, err
	}
	for {
		b.mu.Lock()
		state, changed := b.state, b.changed
		b.mu.Unlock()
		if state.Revision != after || !state.Running() {
			return state, nil
		}
		select {
		case <-ctx.Done():
			return BulkState{}, ctx.Err()
		case <-changed:
		}
	}
}

// CancelBulk ends a bulk act behind the items it is at, and gives the state in
// which that left it: what is done stays done. One that has ended stays as it is.
func (e *Engine) CancelBulk(ctx context.Context, id uint64) (BulkState, error) {
	b, err := e.bulks.find(id)
	if err != nil {
		return BulkState{}, err
	}
	b.mu.Lock()
	if b.state.Running() && b.state.EndedBy == "" {
		b.state.EndedBy = Actor(ctx)
	}
	b.mu.Unlock()
	b.cancel()
	select {
	case <-ctx.Done():
		return BulkState{}, ctx.Err()
	case <-b.ended:
		return b.snapshot(), nil
	}
}

// ResultsRequest asks for what became of a bulk act's items.
type ResultsRequest struct {
	ID     uint64 `json:"id"`
	After  int    `json:"after,omitempty"`  // go on after so many items of it
	Limit  int    `json:"limit,omitempty"`  // 0 = 100
	Failed bool   `json:"failed,omitempty"` // only those that were not done
}

// BulkResults is a page of what became of a bulk act's items, in their order.
type BulkResults struct {
	Results []Outcome `json:"results"`
	Next    int       `json:"next"` // After of the page that follows
	More    bool      `json:"more"` // it is there already
}

// BulkResults tells what has become of each item so far. The words of why one
// was not done are kept for the first thousand. CodeNotFound when the results
// are kept no more.
func (e *Engine) BulkResults(_ context.Context, r ResultsRequest) (BulkResults, error) {
	b, err := e.bulks.find(r.ID)
	if err != nil {
		return BulkResults{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.set == nil {
		return BulkResults{}, store.NotFound(fmt.Sprintf("the results of bulk act %d", r.ID), "they are kept no more; see each item's history")
	}
	page := BulkResults{Results: []Outcome{}, Next: max(r.After, 0)}
	tried := b.state.Tried()
	for limit := pageSize(r.Limit); page.Next < tried && len(page.Results) < limit; page.Next++ {
		if r.Failed && b.set.results[page.Next] == wasDone {
			continue
		}
		page.Results = append(page.Results, b.outcome(page.Next))
	}
	page.More = page.Next < tried
	return page, nil
}

// outcome tells what became of an item, in the words it had if they are kept.
func (b *bulk) outcome(i int) Outcome {
	if o, ok := b.trouble[i]; ok {
		return o
	}
	o := b.set.outcome(i)
	thing := fmt.Sprintf("item %q", o.Item.String())
	switch o.Result {
	case Stale:
		o.Err = store.Conflict(thing, "changed since it was seen", "look at it again")
	case Gone:
		o.Err = store.NoItem(o.Item)
	case Refused:
		o.Err = store.Conflict(thing, "not allowed in its state", "see `signalbox item show "+o.Item.String()+"`")
	}
	if o.Err != nil {
		o.Error = o.Err.Error()
	}
	return o
}

func (b *bulk) snapshot() BulkState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}
