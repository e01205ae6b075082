package storetest

import (
	"bytes"
	"strings"

	"signalbox/store"
)

// fullItem has every field set that a store keeps.
func fullItem(queue string) store.Item {
	return store.Item{
		Queue: queue, Family: store.Transactions, Status: store.Abandoned, Reference: "INV-1", Key: "k1", Priority: store.High,
		Progress: "half\x00way", Attempts: 3, Failures: 2, Spent: 1, Reclaims: 4, MaxAttempts: 17, Retryable: true, RetryNo: 2,
		Chain: id("other", 4), Previous: id(queue, 9), Next: id("else", 1<<40), ClaimedBy: "robot \xff", ClaimedAt: 11,
		LeaseUntil: 12, Fence: 1 << 60, StartedAt: 13, EndedAt: 14, AvailableAt: -15, DeferUntil: 16, DueAt: 17, RiskAt: 18,
		CreatedAt: 19, CreatedBy: "bob", Job: "j1", Weight: 3, Withheld: true, Tally: store.Tally{Known: true, Done: 2, Failed: 1},
		Error:  &store.Failure{Kind: "system", Reason: strings.Repeat("no ", 2000), At: 20},
		Review: store.Review{Status: store.InReview, Reviewer: "ann", Note: "hm", At: 21},
		Group:  strings.Repeat("timeout after # s ", 3000),
		Undo: &store.Undo{
			Event: "retry", Left: 7, Status: store.Failed, Review: store.Review{Status: store.InReview, Reviewer: "bo", Note: "so", At: 22},
			Spent: 3, Reclaims: 2, Retryable: true, EndedAt: 23, AvailableAt: 24, DeferUntil: 25, Payload: []byte("{}"),
		},
	}
}

var itemTests = map[string]func(env){
	"keep every field": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j1", Queue: "a"})
		added := e.add(fullItem("a"))[0]
		want := fullItem("a")
		want.Number, want.Revision, want.LastChange = 1, 1, added.LastChange
		e.equal("given back", added, want)
		e.equal("stored", e.item(id("a", 1)), want)

		bare := e.add(store.Item{Queue: "a", Status: store.Queued})[0]
		want = store.Item{Queue: "a", Number: 2, Status: store.Queued, Revision: 1, Chain: id("a", 2), LastChange: bare.LastChange}
		e.equal("given back", bare, want)
		e.equal("stored", e.item(id("a", 2)), want)

		put := e.change(id("a", 2), func(i *store.Item) {
			full := fullItem("a")
			full.Number, full.Revision, full.LastChange, full.Key = i.Number, 500, 0, "k2"
			full.Job, full.Weight = "", 0 // which are for life
			*i = full
		})
		want = fullItem("a")
		want.Number, want.Revision, want.LastChange, want.Key = 2, 2, put.LastChange, "k2"
		want.Job, want.Weight = "", 0
		e.equal("given back by Put", put, want)
		e.equal("stored by Put", e.item(id("a", 2)), want)

		for range 7 {
			e.add(store.Item{Queue: "a"})
		}
		e.update(func(tx store.Tx) error { return tx.Purge([]store.ID{id("a", 9)}) }) // the one that both name
	},
	"take the next number of their queue": func(e env) {
		e.queues("a", "b")
		var ids []string
		for _, i := range e.add(store.Item{Queue: "a"}, store.Item{Queue: "b"}, store.Item{Queue: "a"}) {
			ids = append(ids, i.ID().String())
		}
		for _, i := range e.add(store.Item{Queue: "b"}, store.Item{Queue: "a"}) {
			ids = append(ids, i.ID().String())
		}
		e.equal("ids", ids, []string{"a/1", "b/1", "a/2", "b/2", "a/3"})
	},
	"keep details apart": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a", Status: store.Failed, Error: &store.Failure{Kind: "system", Reason: "r", Details: "stack"}})
		e.equal("details", e.item(id("a", 1)).Error, &store.Failure{Kind: "system", Reason: "r"})
	},
	"keep payloads byte for byte": func(e env) {
		e.queues("a")
		payloads := [][]byte{nil, []byte(" {\"a\" : 1.0}\n"), {0, 255, 1}, bytes.Repeat([]byte("x"), 512000)}
		e.update(func(tx store.Tx) error {
			for _, p := range payloads {
				if err := tx.Add(&store.Item{Queue: "a", Status: store.Pending}, p, added); err != nil {
					return err
				}
			}
			return nil
		})
		read := func(number uint64) (got []byte) {
			e.view(func(r store.Reader) (err error) {
				got, err = r.Payload(id("a", number))
				return err
			})
			return got
		}
		for n, p := range payloads {
			if !bytes.Equal(read(uint64(n+1)), p) {
				e.Errorf("payload %d differs", n)
			}
		}
		e.update(func(tx store.Tx) error { return tx.PutPayload(id("a", 4), []byte("small")) })
		e.equal("replaced", string(read(4)), "small")
		e.change(id("a", 4), func(i *store.Item) { i.Reference = strings.Repeat("r", 500) })
		e.equal("beside a changed item", string(read(4)), "small")
	},
	"keep results until they are taken away": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a"})
		read := func() (got store.Result) {
			e.view(func(r store.Reader) (err error) {
				got, err = r.Result(id("a", 1))
				return err
			})
			return got
		}
		e.equal("at first", read(), store.Result{})
		for _, v := range []store.Result{{Output: []byte(`{"a":1}`), Analytics: []byte("{}"), Details: "stack\n"}, {Details: "only"}, {}} {
			e.update(func(tx store.Tx) error { return tx.PutResult(id("a", 1), v) })
			e.equal("result", read(), v)
		}
	},
	"that are missing give not found": func(e env) {
		e.queues("a")
		e.add(store.Item{Queue: "a"})
		for _, missing := range []store.ID{id("a", 2), id("a", 0)} {
			e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Item(missing); return err })
			e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Payload(missing); return err })
			e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Result(missing); return err })
			e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.History(missing, 1); return err })
			e.updateFails(store.CodeNotFound, func(tx store.Tx) error { return tx.PutPayload(missing, nil) })
			e.updateFails(store.CodeNotFound, func(tx store.Tx) error { return tx.PutResult(missing, store.Result{}) })
			e.updateFails(store.CodeNotFound, func(tx store.Tx) error {
				return tx.Put(&store.Item{Queue: missing.Queue, Number: missing.Number, Status: store.Pending}, nil)
			})
		}
	},
	"need a status": func(e env) {
		e.queues("a")
		e.updateFails(store.CodeInvalid, func(tx store.Tx) error { return tx.Add(&store.Item{Queue: "a"}, nil, added) })
	},
	"are copies": func(e env) {
		e.queues("a")
		failure := &store.Failure{Kind: "system", Reason: "r"}
		payload := []byte("payload")
		e.update(func(tx store.Tx) error {
			i := store.Item{Queue: "a", Status: store.Failed, Error: failure}
			if err := tx.Add(&i, payload, added); err != nil {
				return err
			}
			return tx.PutResult(i.ID(), store.Result{Output: payload})
		})
		failure.Reason = "spoilt"
		payload[0] = 'X'
		spoil := func(r store.Reader) error {
			i, err := r.Item(id("a", 1))
			e.equal("reason", i.Error.Reason, "r")
			i.Error.Reason = "spoilt"
			p, _ := r.Payload(id("a", 1))
			e.equal("payload", string(p), "payload")
			p[0] = 'X'
			v, _ := r.Result(id("a", 1))
			e.equal("output", string(v.Output), "payload")
			v.Output[0] = 'X'
			return err
		}
		e.view(spoil)
		e.view(spoil)
		e.update(func(tx store.Tx) error { return spoil(tx) })
		e.update(func(tx store.Tx) error { return spoil(tx) })
	},
	"are found by key": func(e env) {
		e.queues("a", "b")
		e.add(store.Item{Queue: "a", Key: "k"}, store.Item{Queue: "b", Key: "k"}, store.Item{Queue: "b"})
		byKey := func(queue, key string) (found store.ID) {
			e.view(func(r store.Reader) (err error) {
				found, err = r.ByKey(queue, key)
				return err
			})
			return found
		}
		e.equal("in a", byKey("a", "k"), id("a", 1))
		e.equal("in b", byKey("b", "k"), id("b", 1))
		e.equal("unknown", byKey("b", "kk"), store.ID{})
		e.equal("empty", byKey("b", ""), store.ID{})
		e.change(id("b", 1), func(i *store.Item) { i.Key = "other" })
		e.equal("old key", byKey("b", "k"), store.ID{})
		e.equal("new key", byKey("b", "other"), id("b", 1))
	},
	"are counted by status and group": func(e env) {
		e.queues("a", "b")
		e.add(
			store.Item{Queue: "a", Status: store.Failed, Group: "timeout"},
			store.Item{Queue: "a", Status: store.Failed, Group: "timeout"},
			store.Item{Queue: "a", Status: store.Abandoned, Group: "timeout"},
			store.Item{Queue: "a", Status: store.Failed, Group: "disk"},
			store.Item{Queue: "b", Status: store.Failed, Group: "timeout"},
			store.Item{Queue: "b"},
		)
		groups := func(queue string) (list []store.Group) {
			e.view(func(r store.Reader) (err error) {
				list, err = r.Groups(queue)
				return err
			})
			return list
		}
		e.equal("of all", groups(""), []store.Group{
			{Queue: "a", Status: store.Failed, Text: "disk", Count: 1},
			{Queue: "a", Status: store.Failed, Text: "timeout", Count: 2},
			{Queue: "a", Status: store.Abandoned, Text: "timeout", Count: 1},
			{Queue: "b", Status: store.Failed, Text: "timeout", Count: 1},
		})
		e.change(id("a", 1), func(i *store.Item) { i.Status, i.Group = store.Retried, "" })
		e.change(id("a", 2), func(i *store.Item) { i.Status = store.Abandoned })
		e.change(id("a", 4), func(i *store.Item) { i.Group = "full disk" })
		e.equal("of a", groups("a"), []store.Group{
			{Queue: "a", Status: store.Failed, Text: "full disk", Count: 1},
			{Queue: "a", Status: store.Abandoned, Text: "timeout", Count: 2},
		})
		counts := e.stats("a", 1).Counts
		e.equal("counts", counts, store.Counts{store.Retried: 1, store.Abandoned: 2, store.Failed: 1})
	},
}
