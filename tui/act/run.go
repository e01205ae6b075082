package act

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/screen"
)

// answerWithin is how long an act on one item may take to be answered. An
// engine that takes longer hangs.
const answerWithin = 10 * time.Second

// Done answers an act on items.
type Done struct {
	screen.Addr
	Order    Order
	Outcomes []engine.Outcome  // of a bulk act those that were not done, as far as they are kept
	Bulk     *engine.BulkState // nil where one was acted on at once
	Err      error
	undo     screen.Undo
	place    *time.Location
}

// Finishes implements screen.Finisher.
func (Done) Finishes() {}

// BulkID is the bulk act that has ended, 0 for none.
func (d Done) BulkID() uint64 {
	if d.Bulk == nil || d.Bulk.Running() {
		return 0
	}
	return d.Bulk.ID
}

// Run carries out an order: on one item at once, on more by a bulk act that the
// engine runs and this command follows.
func (d Desk) Run(to screen.Addr, o Order) tea.Cmd {
	return func() tea.Msg {
		done := Done{Addr: to, Order: o, place: d.place}
		switch {
		case len(o.Targets) == 0:
			done.Err = store.Invalid(o.Verb.Name(), "it names no item", "choose at least one")
		case len(o.Targets) == 1:
			done.Outcomes, done.Err = d.one(o)
		default:
			done.Bulk, done.Outcomes, done.Err = d.many(o)
		}
		if done.Err == nil {
			done.undo = d.undo(&done)
			done.clean()
		}
		return done
	}
}

// one acts on one item, and waits for the answer only so long.
func (d Desk) one(o Order) ([]engine.Outcome, error) {
	ctx, cancel := context.WithTimeout(d.ctx, answerWithin)
	defer cancel()
	outcomes, err := d.direct(ctx, o)
	return outcomes, unanswered(ctx, err)
}

// unanswered words the error of a call whose time was over.
func unanswered(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return store.Unavailable("the engine", errors.New("it did not answer within "+answerWithin.String()), "see whether it is suspended, or its disk is full")
	}
	return err
}

func (d Desk) direct(ctx context.Context, o Order) ([]engine.Outcome, error) {
	switch o.Verb {
	case Retry, Edit:
		return d.engine.Retry(ctx, engine.RetryRequest{Targets: o.Targets, Payload: o.Payload, Note: o.Note})
	case Delete:
		deleter, ok := d.engine.(Deleter)
		if !ok {
			return nil, store.Invalid("delete", notThere, "use `signalbox item delete`")
		}
		return deleter.Delete(ctx, engine.DeleteRequest{Targets: o.Targets, Note: o.Note})
	}
	return d.engine.Review(ctx, engine.ReviewRequest{
		Targets: o.Targets, Action: o.Verb.review(), Reviewer: o.Reviewer, Note: o.Note,
	})
}

// failures is the most outcomes of a bulk act that are read: a list of more
// helps nobody, and their marks go.
const failures = 10_000

// many has the engine act on many items and follows it to its end.
func (d Desk) many(o Order) (*engine.BulkState, []engine.Outcome, error) {
	state, err := d.follow(engine.BulkRequest{
		Verb: o.Verb.bulk(), Targets: o.Targets, Select: o.Requests, First: o.First, Rate: o.Rate,
		Note: o.Note, Reviewer: o.Reviewer,
	})
	if err != nil || state.Done == state.Tried() {
		return &state, nil, err
	}
	page, err := d.engine.BulkResults(d.ctx, engine.ResultsRequest{ID: state.ID, Failed: true, Limit: failures})
	if err != nil {
		return &state, state.Trouble, nil // it is done; this was only to know which were not
	}
	return &state, page.Results, nil
}

// follow starts a bulk act and waits for its end.
func (d Desk) follow(r engine.BulkRequest) (engine.BulkState, error) {
	state, err := d.engine.StartBulk(d.ctx, r)
	for err == nil && state.Running() {
		state, err = d.engine.WatchBulk(d.ctx, state.ID, state.Revision)
	}
	return state, err
}

// Stopped answers Stop.
type Stopped struct {
	screen.Addr
	Err error
}

// Tell implements screen.Teller: who follows the act tells how it ended.
func (s Stopped) Tell() screen.Effects {
	if s.Err != nil {
		return Fail("stop it", s.Err)
	}
	return screen.Effects{}
}

// Stop ends a bulk act; what it did stays done.
func (d Desk) Stop(id uint64) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(d.ctx, answerWithin)
		defer cancel()
		_, err := d.engine.CancelBulk(ctx, id)
		return Stopped{Err: unanswered(ctx, err)}
	}
}

// OK counts the items that were done.
func (d *Done) OK() int {
	if d.Bulk != nil {
		return d.Bulk.Done
	}
	return Count(d.Outcomes, d.place).OK
}

// Over names the items that need nothing more: done, or gone.
func (d *Done) Over() []store.ID {
	var over []store.ID
	still := map[store.ID]bool{}
	for _, o := range d.Outcomes {
		if still[o.Item] = o.Result != engine.OK && o.Result != engine.Gone; !still[o.Item] {
			over = append(over, o.Item)
		}
	}
	if d.Bulk == nil {
		return over
	}
	over = over[:0]
	for _, t := range d.Order.Targets[:min(d.Bulk.Tried(), len(d.Order.Targets))] {
		if !still[t.Item] {
			over = append(over, t.Item)
		}
	}
	return over
}

func (d *Done) tally() Tally {
	if d.Bulk == nil {
		return Count(d.Outcomes, d.place)
	}
	t := Count(d.Outcomes, d.place)
	t.OK, t.Stale, t.Gone, t.Refused = d.Bulk.Done, d.Bulk.Stale, d.Bulk.Gone, d.Bulk.Refused
	return t
}
