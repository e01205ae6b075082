package engine

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"

	"signalbox/store"
)

// MaxWave is the largest number of items one claim hands out.
const MaxWave = 1000

// claimScan is how many waiting items a claim looks at for one that suits it,
// so that a picky claim does not hold up everybody's commits.
const claimScan = 10_000

// claimJQ is how long the jq programs of one claim may take in all, for the same
// reason.
const claimJQ = 50 * time.Millisecond

// maxRobot is the longest name of a robot, in bytes.
const maxRobot = 256

// Claim hands waiting items to a robot, atomically and in claim order, each
// with a new fence. CodeEmpty when there is nothing; with Wait it parks until
// something comes, and is then served in the same commit that brought it. One
// with jq programs may be sent away empty before its time, when they take long.
// CodeConflict for a paused queue, or an item claimed by id that can't be.
// The robot must renew each claim within its lease, and name the fence in all
// it says about the item.
func (e *Engine) Claim(ctx context.Context, r ClaimRequest) ([]Record, error) {
	_, got, err := e.Next(ctx, nil, r)
	return got, err
}

// Next settles what a robot has worked and claims what it works next, both in
// one durable change: half the commits of Settle and Claim. The settlements
// are answered as by Settle, whatever comes of the claim; the records and the
// error are those of Claim. No outcomes beside an error say that nothing was
// settled: the request was refused, or the change failed.
func (e *Engine) Next(ctx context.Context, settlements []Settlement, r ClaimRequest) ([]Outcome, []Record, error) {
	if err := validateClaim(&r); err != nil {
		return nil, nil, err
	}
	filter, err := ParseFilter(r.Filter)
	if err != nil {
		return nil, nil, err
	}
	ask := &ask{&r, filter}
	if err := ask.possible(); err != nil {
		return nil, nil, err
	}
	settled := cleanSettlements(settlements)
	var got []Record
	var unclaimed error // why nothing was claimed, though the settlements stand
	var parked *parkedClaim
	if r.Wait > 0 {
		parked = &parkedClaim{ask: ask, got: make(chan []Record, 1)}
	}
	err = e.change(ctx, func(t *tx) (err error) {
		if err := t.settleAll(settled); err != nil {
			return err
		}
		if got, unclaimed = t.claim(ask); unclaimed == nil && len(got) == 0 && r.Wait > 0 {
			t.park(parked)
		}
		if len(got) > 0 && r.Settings != nil {
			if err := t.tellSettings(&r); err != nil {
				return err
			}
		}
		if !answerable(unclaimed) {
			return unclaimed
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if store.CodeOf(unclaimed) != store.CodeNotFound { // of what there is not, nothing is remembered
		e.rates.claimed(r.Queue, e.now())
	}
	if err = unclaimed; err == nil && len(got) == 0 && r.Wait > 0 {
		got, err = e.parking.wait(ctx, e.closed, parked, time.Duration(r.Wait))
	}
	if err == nil && len(got) == 0 {
		err = e.stopped()
	}
	if err == nil && len(got) == 0 {
		err = NothingToClaim(&r)
	}
	return settled.outcomes, got, err
}

// NothingToClaim is the answer to a claim that got nothing: CodeEmpty.
func NothingToClaim(r *ClaimRequest) error {
	empty := store.Error{Code: store.CodeEmpty, Thing: "queue " + cmp.Or(r.Queue, r.Item.Queue), Rule: "nothing to claim", Mend: "wait with --wait 30s"}
	if r.Wait > 0 {
		empty.Rule = "nothing to claim came in " + r.Wait.String()
		empty.Mend = "claim again, or see what holds its items back with `signalbox item explain ITEM`"
	}
	return &empty
}

// tellSettings fills in the settings a claim was served under.
func (t *tx) tellSettings(r *ClaimRequest) error {
	q, err := t.settings(r.Queue)
	if err == nil {
		*r.Settings = *q
	}
	return err
}

// ask is a claim request on its way, its filter read.
type ask struct {
	*ClaimRequest
	filter Filter
}

// answerable errors of a claim were found before anything was written.
func answerable(err error) bool {
	switch store.CodeOf(err) {
	case 0, store.CodeConflict, store.CodeNotFound, store.CodeForbidden:
		return true
	}
	return false
}

func validateClaim(r *ClaimRequest) error {
	if r.N == 0 {
		r.N = 1
	}
	if r.Queue == "" {
		r.Queue = r.Item.Queue
	}
	switch {
	case r.Queue == "":
		return store.Invalid("a claim", "it names no queue", "say which with --queue")
	case r.N < 1 || r.N > MaxWave:
		return store.Invalid("a claim", fmt.Sprintf("%d items: a wave holds 1 to %d", r.N, MaxWave), "claim several waves")
	case r.Robot == "":
		return store.Invalid("a claim", "it names no robot", "say who works the items with --robot")
	case len(r.Robot) > maxRobot:
		return store.Invalid("robot", fmt.Sprintf("%d bytes, the limit is %d", len(r.Robot), maxRobot), "use a shorter name")
	case cleanText(r.Robot, maxRobot) != r.Robot || strings.ContainsFunc(r.Robot, unicode.IsControl):
		return store.Invalid(fmt.Sprintf("robot %q", r.Robot), "a name may hold no control character and is UTF-8", "leave them out")
	case !r.Item.IsZero() && r.Item.Queue != r.Queue:
		return store.Invalid("item "+r.Item.String(), "it is not in queue "+r.Queue, "name its own queue")
	case Builtin(r.Queue) && !strings.HasPrefix(r.Robot, DrainPrefix):
		return reserved(r.Queue)
	}
	return nil
}

func (t *tx) claim(r *ask) ([]Record, error) {
	q, err := t.settings(r.Queue)
	if err != nil {
		return nil, err
	}
	if !r.within(q) {
		return nil, nil
	}
	if q.Paused {
		return nil, store.Conflict("queue "+q.Name, "paused by "+q.PausedBy, "resume it with `signalbox queue resume "+q.Name+"`")
	}
	if err := t.e.vault.locked(q); err != nil {
		return nil, err
	}
	if err := t.claimableJob(r.Job); err != nil {
		return nil, err
	}
	if !r.Item.IsZero() {
		return t.claimByID(q, r)
	}
	return t.claimReady(q, r)
}

func (t *tx) claimReady(q *store.Queue, r *ask) ([]Record, error) {
	ctx := context.Background()
	if len(r.filter.payload) > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, claimJQ)
		defer cancel()
	}
	return t.claimFrom(ctx, q, r, t.candidates(q, r))
}

// claimFrom claims the first candidates that suit, as long as ctx lasts.
func (t *tx) claimFrom(ctx context.Context, q *store.Queue, r *ask, candidates iter.Seq2[store.Item, error]) ([]Record, error) {
	var records []Record
	var locked error // an item that nobody can read was passed over
	seen, hidden := 0, 0
	for i, err := range candidates {
		if seen++; seen > claimScan || ctx.Err() != nil {
			break
		}
		if err == nil && t.e.imports.hides(q.Name, i.Number) {
			if hidden++; hidden > claimHidden {
				break
			}
			continue
		}
		if err != nil { // an unreadable record is set aside; it never stops a queue
			continue
		}
		records = append(records, Record{Item: i})
		fits, err := t.fits(ctx, q, r, &records[len(records)-1].Item)
		if err != nil {
			locked = err
		}
		if !fits {
			records = records[:len(records)-1]
		} else if len(records) == r.N {
			break
		}
	}
	if len(records) == 0 && locked != nil {
		return nil, locked
	}
	for n := range records {
		if err := t.hold(q, r, &records[n]); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// fits says that the claim may have the item and wants it; the error is of one
// that nobody can read.
func (t *tx) fits(ctx context.Context, q *store.Queue, r *ask, i *store.Item) (bool, error) {
	if t.barred(i) != nil || !r.suits(ctx, t, i) {
		return false, nil
	}
	if !q.Encrypted {
		return true, nil
	}
	_, err := t.openPayload(q, i)
	return err == nil, err
}

func (t *tx) claimByID(q *store.Queue, r *ask) ([]Record, error) {
	i, err := t.Item(r.Item)
	if err != nil {
		return nil, err
	}
	thing := fmt.Sprintf("item %q", r.Item.String())
	if i.Status.Waiting() && i.ReadyAt() > t.now {
		return nil, store.Conflict(thing, "claim failure: not before "+i.ReadyAt().String(), "wait until then")
	}
	if i.Status.InFlight() {
		return nil, store.Conflict(thing, "claim failure: held by "+i.ClaimedBy, "wait for it")
	}
	if t.e.imports.hides(q.Name, i.Number) {
		return nil, store.Conflict(thing, "claim failure: the import that brings it is under way", "wait for its end")
	}
	if _, err := t.openPayload(q, &i); err != nil {
		return nil, err
	}
	if i.Status.Waiting() {
		if err := t.barred(&i); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), claimJQ)
		defer cancel()
		if !r.suits(ctx, t, &i) {
			return nil, store.Conflict(thing, "claim failure: it is none of those that the claim is limited to", "claim it by its id alone")
		}
	}
	records := []Record{{Item: i}}
	if err := t.hold(q, r, &records[0]); err != nil {
		return nil, err
	}
	return records, nil
}

// claimableJob says whether a job that a claim is limited to hands out items.
func (t *tx) claimableJob(id string) error {
	if id == "" {
		return nil
	}
	j, err := t.Job(id)
	if err != nil {
		return err
	}
	return jobBars(&j)
}

// candidates yields a queue's ready items in claim order; those of a reference,
// a key, a job or ids by the index, however many others are ahead of them.
func (t *tx) candidates(q *store.Queue, r *ask) iter.Seq2[store.Item, error] {
	switch {
	case r.indexed():
	case r.Job != "":
		return t.ofJob(q, r.Job)
	default:
		return t.Ready(q.Name, t.now)
	}
	found := t.indexed(q, r)
	slices.SortFunc(found, claimOrder)
	return func(yield func(store.Item, error) bool) {
		for _, i := range found {
			if !yield(i, nil) {
				return
			}
		}
	}
}

// claimOrder compares two waiting items: those with a due date first, by
// priority, then the earlier one; then the others by priority; then by number.
func claimOrder(a, b store.Item) int {
	undated := func(i *store.Item) int {
		if i.DueAt == 0 {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(undated(&a), undated(&b)), cmp.Compare(a.Priority, b.Priority),
		cmp.Compare(a.DueAt, b.DueAt), cmp.Compare(a.Number, b.Number),
	)
}

// suits says that the claim wants the item. A jq program that fails on a payload
// or takes too long does not want it: a claim is in everybody's way.
func (a *ask) suits(ctx context.Context, t *tx, i *store.Item) bool {
	wanted := strings.HasPrefix(i.Reference, a.Reference)
	if a.Exact {
		wanted = i.Reference == a.Reference
	}
	if a.Job != "" && (i.Job != a.Job || !inJob(i)) {
		return false
	}
	if !wanted || !a.filter.match(i, t.now) {
		return false
	}
	if len(a.filter.payload) == 0 {
		return true
	}
	fits, err := a.filter.matchPayload(ctx, t, &t.e.vault, i)
	return err == nil && fits
}

// hold gives one waiting item to the robot.
func (t *tx) hold(q *store.Queue, r *ask, rec *Record) error {
	i := &rec.Item
	event := EventClaim
	if r.N == 1 && !r.NoStart {
		event = EventClaimStart
	}
	row, err := next(q, i, event)
	if err != nil {
		return err
	}
	from := i.Status
	i.Status = row.to
	i.Attempts++
	i.Fence = max(i.Fence+1, t.e.firstFence)
	i.ClaimedBy, i.ClaimedAt = r.Robot, t.now
	i.LeaseUntil = leaseEnd(q, t.now)
	i.AvailableAt, i.DeferUntil = 0, 0
	i.StartedAt, i.EndedAt, i.Progress = 0, 0, ""
	if event == EventClaimStart {
		i.StartedAt = t.now
	}
	if err := t.put(i, from, EventClaim, ""); err != nil {
		return err
	}
	rec.Payload, err = t.openPayload(q, i)
	present(q, i)
	return err
}

// leaseEnd is when a claim made or renewed now runs out; 0 = never.
func leaseEnd(q *store.Queue, now store.Time) store.Time {
	if q.Lease == 0 {
		return 0
	}
	return now.Add(time.Duration(q.Lease))
}
