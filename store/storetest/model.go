package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"signalbox/store"
	"signalbox/store/memory"
)

// Model does the same random updates to a store and to the plain one of
// store/memory, and wants the same outcomes and the same records after each.
func Model(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{store: open(t), plain: memory.New(), now: 100}
		defer m.store.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"update": m.update,
			"query":  m.query,
			"":       m.compare,
		})
		if !rt.Failed() {
			Recount(t, m.store)
		}
	})
}

type model struct {
	store, plain store.Store
	now          store.Time
	keys         int // idempotency keys given out
}

var modelQueues = []string{"a", "a.b", "b"}

// op is one step of an update: it writes, and says what it saw.
type op func(store.Tx) (any, error)

// update does some ops in one call, which sometimes fails after them. An op's
// error is noted and the next one done: most are about what is missing.
func (m *model) update(rt *rapid.T) {
	ops := rapid.SliceOfN(rapid.Custom(m.op), 1, 5).Draw(rt, "ops")
	fails := rapid.IntRange(0, 5).Draw(rt, "fails") == 0
	do := func(s store.Store) (seen []any, err error) {
		err = s.Update(context.Background(), func(tx store.Tx) error {
			seen = nil
			for _, op := range ops {
				saw, err := op(tx)
				seen = append(seen, saw, store.CodeOf(err))
			}
			if fails {
				return errOurs
			}
			return nil
		})
		return seen, err
	}
	got, gotErr := do(m.store)
	want, wantErr := do(m.plain)
	if !errors.Is(gotErr, wantErr) {
		rt.Fatalf("got error %v, want %v", gotErr, wantErr)
	}
	same(rt, "outcomes", got, want)
}

func (m *model) op(rt *rapid.T) op {
	queue := rapid.SampledFrom(modelQueues).Draw(rt, "queue")
	number := rapid.Uint64Range(1, 12).Draw(rt, "number") // after a deletion they go on
	switch rapid.IntRange(0, 19).Draw(rt, "op") {
	case 0, 1, 2:
		return m.add(rt, queue)
	case 3, 4, 5:
		return m.put(rt, store.ID{Queue: queue, Number: number})
	case 6:
		return m.claim(rt, queue)
	case 7:
		return m.expire(rt)
	case 8:
		m.now += store.Time(rapid.IntRange(0, 30).Draw(rt, "passed"))
		now := m.now
		return func(tx store.Tx) (any, error) { return anyOf(tx.Ripen(now)) }
	case 9, 10:
		family := store.Family(1 + len(queue)%2)
		return func(tx store.Tx) (any, error) {
			q := store.Queue{Name: queue, Family: family, BatchSize: int(number)}
			err := tx.PutQueue(&q)
			return q, err
		}
	case 11:
		if rapid.IntRange(0, 3).Draw(rt, "really") > 0 {
			return func(tx store.Tx) (any, error) {
				due, err := tx.NextDue()
				if err != nil {
					return nil, err
				}
				date, err := tx.NextDate()
				return [2]store.Time{due, date}, err
			}
		}
		return func(tx store.Tx) (any, error) { return nil, tx.DeleteQueue(queue) }
	case 12, 13:
		return m.prune(rt, queue, number)
	case 14:
		details := rapid.SampledFrom([]string{"", "d"}).Draw(rt, "details")
		return func(tx store.Tx) (any, error) {
			of := store.ID{Queue: queue, Number: number}
			return nil, errors.Join(tx.PutPayload(of, []byte("payload"+details)), tx.PutResult(of, store.Result{Details: details}))
		}
	case 15, 16, 17:
		return m.job(rt, queue)
	case 18:
		return m.tell(rt)
	}
	return func(tx store.Tx) (any, error) {
		p := store.Pool{Size: int(number)}
		return p, errors.Join(tx.PutPool(&p), tx.Append(store.Change{Event: "resize", Queue: queue}))
	}
}

// prune removes an item, and some changes that are of none.
func (m *model) prune(rt *rapid.T, queue string, number uint64) op {
	after, mark := rapid.Uint64Range(0, 40).Draw(rt, "after"), rapid.SampledFrom([]string{"", queue}).Draw(rt, "marked")
	return func(tx store.Tx) (any, error) {
		err := tx.Purge([]store.ID{{Queue: queue, Number: number}})
		list, err2 := tx.Changes(after, 10)
		var orphans []uint64
		for _, c := range list {
			if _, err := tx.Item(store.ID{Queue: c.Queue, Number: c.Number}); store.CodeOf(err) == store.CodeNotFound {
				orphans = append(orphans, c.Seq)
			}
		}
		err3 := tx.PutMark(mark, "m", after)
		return list, firstError(err, err2, tx.Forget(orphans), err3)
	}
}

func anyOf[T any](v T, err error) (any, error) { return v, err }

func (m *model) add(rt *rapid.T, queue string) op {
	i := m.item(rt)
	i.Queue = queue
	i.Job = rapid.SampledFrom([]string{"", "j1", "j2", "a-1", "b-1"}).Draw(rt, "job")
	i.Weight = rapid.IntRange(0, 3).Draw(rt, "weight")
	if rapid.Bool().Draw(rt, "keyed") {
		m.keys++
		i.Key = fmt.Sprint("k", m.keys)
	}
	return func(tx store.Tx) (any, error) {
		i := i
		err := tx.Add(&i, []byte("p"), store.Change{Event: "add", At: i.CreatedAt, To: i.Status})
		return i, err
	}
}

// put changes an item's drawn fields; the others stay.
func (m *model) put(rt *rapid.T, of store.ID) op {
	drawn := m.item(rt)
	recorded := rapid.Bool().Draw(rt, "recorded")
	return func(tx store.Tx) (any, error) {
		i, err := tx.Item(of)
		if err != nil {
			return nil, err
		}
		from := i.Status
		i.Reference, i.Group, i.Priority, i.Error = drawn.Reference, drawn.Group, drawn.Priority, drawn.Error
		i.Withheld, i.Tally = drawn.Withheld, drawn.Tally
		i.AvailableAt, i.DeferUntil, i.DueAt, i.LeaseUntil = drawn.AvailableAt, drawn.DeferUntil, drawn.DueAt, drawn.LeaseUntil
		i.RiskAt, i.DueTold, i.RiskTold = drawn.RiskAt, drawn.DueTold, drawn.RiskTold
		if !recorded {
			err := tx.Put(&i, nil)
			return i, err
		}
		i.Status = drawn.Status
		err = tx.Put(&i, &store.Change{Event: "put", From: from, To: i.Status})
		return i, err
	}
}

// item draws the fields that stores index.
func (m *model) item(rt *rapid.T) store.Item {
	at := rapid.OneOf(rapid.Just(store.Time(0)), rapid.Map(rapid.IntRange(-20, 60), func(d int) store.Time { return m.now + store.Time(d) }))
	i := store.Item{
		Status:      store.Status(rapid.IntRange(1, int(store.Failed)).Draw(rt, "status")),
		Reference:   rapid.SampledFrom([]string{"", "r", "r1", "r10", "s"}).Draw(rt, "reference"),
		Group:       rapid.SampledFrom([]string{"", "g", "h"}).Draw(rt, "group"),
		Priority:    store.Priority(rapid.IntRange(-1, 1).Draw(rt, "priority")),
		AvailableAt: at.Draw(rt, "available"),
		DeferUntil:  at.Draw(rt, "deferred"),
		DueAt:       at.Draw(rt, "due"),
		RiskAt:      at.Draw(rt, "risk"),
		DueTold:     rapid.Bool().Draw(rt, "due told"),
		RiskTold:    rapid.Bool().Draw(rt, "risk told"),
		LeaseUntil:  at.Draw(rt, "lease"),
		CreatedAt:   m.now,
		Withheld:    rapid.IntRange(0, 4).Draw(rt, "withheld") == 0,
	}
	if rapid.Bool().Draw(rt, "tally") {
		i.Tally = store.Tally{Known: true, Done: rapid.IntRange(0, 3).Draw(rt, "tally done"), Failed: rapid.IntRange(0, 2).Draw(rt, "tally failed")}
	}
	if rapid.Bool().Draw(rt, "error") {
		i.Error = &store.Failure{Kind: "system", Reason: "r"}
	}
	return i
}

// claim takes the first items that are ready.
func (m *model) claim(rt *rapid.T, queue string) op {
	n, now := rapid.IntRange(1, 3).Draw(rt, "wave"), m.now
	return func(tx store.Tx) (any, error) {
		var got []store.Item
		for i, err := range tx.Ready(queue, now) {
			if err != nil {
				return nil, err
			}
			if got = append(got, i); len(got) == n {
				break
			}
		}
		for k := range got {
			got[k].Status, got[k].LeaseUntil = store.Claimed, now+20
			if err := tx.Put(&got[k], &store.Change{Event: "claim", To: store.Claimed}); err != nil {
				return got, err
			}
		}
		return got, nil
	}
}

// expire gives back what has run out.
func (m *model) expire(rt *rapid.T) op {
	limit, now := rapid.IntRange(0, 3).Draw(rt, "limit"), m.now
	return func(tx store.Tx) (any, error) {
		list, err := tx.Expired(now, limit)
		for k := range list {
			list[k].Status = store.Pending
			err = errors.Join(err, tx.Put(&list[k], &store.Change{Event: "expire", To: store.Pending}))
		}
		return list, err
	}
}

// tell marks what has passed as told.
func (m *model) tell(rt *rapid.T) op {
	limit, now := rapid.IntRange(0, 3).Draw(rt, "limit"), m.now
	return func(tx store.Tx) (any, error) {
		list, err := tx.Passed(now, limit)
		for k := range list {
			i := &list[k]
			i.DueTold, i.RiskTold = i.DueAt != 0 && i.DueAt <= now, true
			err = errors.Join(err, tx.Put(i, &store.Change{Event: "tell", From: i.Status, To: i.Status}))
		}
		return list, err
	}
}

// query compares the answers to one random query.
func (m *model) query(rt *rapid.T) {
	queue := append([]string{""}, modelQueues...)
	q := store.Query{
		Queue:     rapid.SampledFrom(queue).Draw(rt, "queue"),
		Groups:    rapid.SampledFrom([][]string{nil, nil, {"g"}, {"h", "g"}}).Draw(rt, "groups"),
		Reference: rapid.SampledFrom([]string{"", "", "r", "r1"}).Draw(rt, "reference"),
		Exact:     rapid.Bool().Draw(rt, "exact"),
		Desc:      rapid.Bool().Draw(rt, "desc"),
		Job:       rapid.SampledFrom([]string{"", "", "j1", "a-1"}).Draw(rt, "job"),
	}
	if rapid.Bool().Draw(rt, "by status") {
		q.Statuses = []store.Status{store.Pending, store.Claimed, store.Failed}
	}
	if rapid.Bool().Draw(rt, "after") {
		q.After = store.ID{Queue: rapid.SampledFrom(queue[1:]).Draw(rt, "after queue"), Number: rapid.Uint64Range(1, 9).Draw(rt, "after number")}
		q.AfterReference = rapid.SampledFrom([]string{"", "q", "r", "r1", "s"}).Draw(rt, "after reference")
	}
	ask := func(r store.Reader) any {
		var list []any
		for i, err := range r.Items(q) {
			list = append(list, i, store.CodeOf(err))
		}
		return list
	}
	same(rt, fmt.Sprintf("%+v", q), m.see(rt, m.store, ask), m.see(rt, m.plain, ask))
}

// compare compares all that can be read.
func (m *model) compare(rt *rapid.T) {
	same(rt, "records", m.see(rt, m.store, m.dump), m.see(rt, m.plain, m.dump))
}

func (m *model) see(rt *rapid.T, s store.Store, fn func(store.Reader) any) (seen any) {
	err := s.View(context.Background(), func(r store.Reader) error {
		seen = fn(r)
		return nil
	})
	if err != nil {
		rt.Fatalf("View: %v", err)
	}
	return seen
}

func (m *model) dump(r store.Reader) any {
	var all []any
	note := func(v any, err error) { all = append(all, v, store.CodeOf(err)) }
	queues, err := r.Queues()
	note(queues, err)
	for _, q := range queues {
		note(anyOf(r.Stats(q.Name, m.now)))
		for i, err := range r.Items(store.Query{Queue: q.Name}) {
			note(i, err)
			note(anyOf(r.Payload(i.ID())))
			note(anyOf(r.Result(i.ID())))
			note(anyOf(r.History(i.ID(), 5)))
			note(anyOf(r.ByKey(q.Name, i.Key)))
		}
	}
	m.dumpJobs(r, note)
	note(anyOf(r.Groups("")))
	note(anyOf(r.NextDue()))
	note(anyOf(r.NextDate()))
	note(anyOf(r.Pool()))
	note(anyOf(r.Mark("", "m")))
	note(anyOf(r.Mark("a", "m")))
	last, err := r.LastChange()
	note(last, err)
	note(anyOf(r.Changes(last/2, 20)))
	return all
}

func same(rt *rapid.T, what string, got, want any) {
	if reflect.DeepEqual(got, want) {
		return // cmp is slow, and is only needed to explain a difference
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
