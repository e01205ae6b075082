package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/memory"
)

// open starts an engine that keeps nothing; a durable one is on bolt.Open.
func open(ctx context.Context, queues ...store.Queue) *engine.Engine {
	e, err := engine.Open(ctx, memory.New(), engine.Options{})
	if err != nil {
		panic(err)
	}
	for _, q := range queues {
		if _, err := e.AddQueue(ctx, q); err != nil {
			panic(err)
		}
	}
	return e
}

// Adding items: each is checked, stored and can be claimed when Add returns.
func Example_enqueue() {
	ctx := context.Background()
	q := engine.DefaultQueue("invoices", store.Transactions)
	q.UniqueReferences = true
	e := open(ctx, q)
	defer e.Close()

	invoice := engine.NewItem{Reference: "INV-1042", Payload: json.RawMessage(`{"total": 99.90}`), Priority: store.High}
	results, err := e.Add(ctx, engine.AddRequest{Queue: "invoices", Items: []engine.NewItem{invoice}})
	fmt.Println(results[0].Item.ID(), results[0].Item.Status, err)

	_, err = e.Add(ctx, engine.AddRequest{Queue: "invoices", Items: []engine.NewItem{invoice}})
	fmt.Println(err)
	fmt.Println(store.CodeOf(err) == store.CodeConflict)
	// Output:
	// invoices/1 pending <nil>
	// reference "INV-1042": it is already in queue invoices; use another reference, or retry invoices/1
	// true
}

// A handler is a Go function that works a queue's items inside slots of the
// engine's pool.
func Example_handler() {
	ctx := context.Background()
	q := engine.DefaultQueue("greetings", store.Jobs)
	q.Consumer.Kind = engine.Handler
	e := open(ctx, q)
	defer e.Close()

	done := make(chan string)
	drains := drain.Start(ctx, e, drain.Options{Handlers: map[string]drain.Handler{
		"greetings": func(_ context.Context, r engine.Record) (json.RawMessage, error) {
			done <- string(r.Payload)
			return json.RawMessage(`{"said": true}`), nil
		},
	}})
	_, err := e.Add(ctx, engine.AddRequest{Queue: "greetings", Items: []engine.NewItem{{Payload: json.RawMessage(`"hello"`)}}})
	fmt.Println(<-done, err)
	drains.Stop(ctx)
	// Output:
	// "hello" <nil>
}

// A robot claims a wave, works it, and reports all of it at once. Each claim
// has a fence; a report that carries an old one changes nothing.
func Example_wave() {
	ctx := context.Background()
	e := open(ctx, engine.DefaultQueue("visits", store.Transactions))
	defer e.Close()
	var items []engine.NewItem
	for n := range 3 {
		items = append(items, engine.NewItem{Payload: json.RawMessage(fmt.Sprintf(`{"site": %d}`, n))})
	}
	if _, err := e.Add(ctx, engine.AddRequest{Queue: "visits", Items: items}); err != nil {
		panic(err)
	}

	wave, err := e.Claim(ctx, engine.ClaimRequest{Queue: "visits", Robot: "robot-1", N: 10, Wait: store.Duration(time.Minute)})
	fmt.Println(len(wave), "claimed", err)
	var report []engine.Settlement
	for _, rec := range wave {
		report = append(report, engine.Settlement{Item: rec.ID(), Fence: rec.Fence, Status: engine.Success})
	}
	report[1].Status, report[1].Reason = engine.Business, "the gate is closed"
	report[2].Fence++
	outcomes, err := e.Settle(ctx, report)
	for _, o := range outcomes {
		fmt.Println(o.Item, o.Result, o.Status)
	}
	fmt.Println(err)
	// Output:
	// 3 claimed <nil>
	// visits/1 ok successful
	// visits/2 ok business-exception
	// visits/3 stale claimed
	// <nil>
}

// What broke a business rule waits for a person, grouped by reason.
func Example_review() {
	ctx := engine.WithActor(context.Background(), "anna")
	e := open(ctx, engine.DefaultQueue("orders", store.Transactions))
	defer e.Close()
	items := make([]engine.NewItem, 2)
	for n := range items {
		items[n].Payload = json.RawMessage(`{}`)
	}
	if _, err := e.Add(ctx, engine.AddRequest{Queue: "orders", Items: items}); err != nil {
		panic(err)
	}
	for n := range items {
		recs, err := e.Claim(ctx, engine.ClaimRequest{Queue: "orders", Robot: "robot-1"})
		if err != nil {
			panic(err)
		}
		reason := fmt.Sprintf("order %d has no postal code", 10248+n)
		if _, err := e.Settle(ctx, []engine.Settlement{{Item: recs[0].ID(), Fence: recs[0].Fence, Status: engine.Business, Reason: reason}}); err != nil {
			panic(err)
		}
	}

	groups, _ := e.Groups(ctx, "orders")
	fmt.Println(groups[0].Count, groups[0].Text)
	all, _ := e.Select(ctx, engine.ListRequest{Queue: "orders", Group: groups[0].Text})
	outcomes, _ := e.Review(ctx, engine.ReviewRequest{Targets: all, Action: engine.Verify, Note: "Ireland has none"})
	fmt.Println(len(outcomes), outcomes[0].Result)
	rec, _ := e.Item(ctx, all[0].Item)
	fmt.Println(rec.Review.Status, rec.Review.Reviewer, rec.Review.Note)
	_, err := e.Retry(ctx, engine.RetryRequest{Targets: all[:1]})
	outcomes, _ = e.Retry(ctx, engine.RetryRequest{Targets: []engine.Target{{Item: all[0].Item}}})
	fmt.Println(err, outcomes[0].Error)
	// Output:
	// 2 order # has no postal code
	// 2 ok
	// verified anna Ireland has none
	// <nil> item "orders/1": verified by anna, so it is not to be retried any more; clear its review first
}
