package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// The queues of the made-up company.
const (
	invoices = "finance.invoices"
	exports  = "reports.exports"
	mails    = "mail.outbox"
)

// Three queues of agents share the slow lane.
var agents = []string{"agents.support", "agents.research", "agents.coding"}

func queues(d *Demo) []store.Queue {
	inv := engine.DefaultQueue(invoices, store.Transactions)
	inv.Folder, inv.Description = "/finance", "supplier invoices, worked by four robots that pull"
	inv.Lease, inv.Retries = store.Duration(max(d.lasting(20*time.Second), time.Second)), 1
	inv.RetryWindow, inv.RetryFloor = store.Duration(d.lasting(time.Minute)), 0
	inv.SLA, inv.SLARisk = store.Duration(d.lasting(10*time.Minute)), store.Duration(d.lasting(7*time.Minute))
	inv.Mask = []string{"iban"}

	fast := engine.DefaultQueue(exports, store.Jobs)
	fast.Folder, fast.Description = "/reports", "monthly and daily exports"
	mail := engine.DefaultQueue(mails, store.Transactions)
	mail.Folder, mail.Description, mail.OnExpiry = "/mail", "letters and reminders", engine.Reclaim
	made := []store.Queue{fast, mail}
	for _, name := range agents {
		q := engine.DefaultQueue(name, store.Jobs)
		q.Folder, q.Description, q.Lane = "/agents", "agent turns, one model request each", "slow"
		made = append(made, q)
	}
	for i := range made {
		made[i].Consumer.Kind = engine.Handler
	}
	made = append(made, inv)
	for i := range made {
		d.forgetting(&made[i])
	}
	return made
}

// forgetting has a queue delete what ended a while ago: a demo may run for a day,
// in memory.
func (d *Demo) forgetting(q *store.Queue) {
	q.RetainSettled = store.Duration(max(d.lasting(20*time.Minute), 30*time.Second))
	q.RetainExcepted = store.Duration(max(d.lasting(2*time.Hour), 2*time.Minute))
	q.RetainSettledThen, q.RetainExceptedThen = engine.ThenDelete, engine.ThenDelete
}

// stream adds one item after another, at irregular intervals around a mean.
func (d *Demo) stream(ctx context.Context, mean time.Duration, next func() (string, engine.NewItem)) {
	for sleep(ctx, d.between(mean/5, mean*9/5)) {
		queue, item := next()
		d.add(ctx, queue, item)
	}
}

// add tolerates refusals: a visitor may have deleted the queue.
func (d *Demo) add(ctx context.Context, queue string, items ...engine.NewItem) {
	_, _ = d.e.Add(ctx, engine.AddRequest{Queue: queue, Items: items})
}

// waves adds agent turns in bursts that the slow lane can't take at once.
func (d *Demo) waves(ctx context.Context) {
	for n := 1; ; n++ {
		byQueue := map[string][]engine.NewItem{}
		for i := range d.scenario.turns + int(d.draw()*8) {
			queue := d.pick(agents)
			byQueue[queue] = append(byQueue[queue], engine.NewItem{
				Payload:   payload(map[string]any{"turn": i + 1, "prompt": d.pick(prompts), "tokens": 400 + int(d.draw()*7600)}),
				Reference: fmt.Sprintf("conv-%d-%02d", n, i+1),
			})
		}
		for _, queue := range agents {
			if items := byQueue[queue]; len(items) > 0 {
				d.add(ctx, queue, items...)
			}
		}
		if !sleep(ctx, d.between(d.scenario.every*3/4, d.scenario.every*5/4)) {
			return
		}
	}
}

func (d *Demo) invoice() (string, engine.NewItem) {
	number := 1000 + int(d.draw()*9000)
	item := engine.NewItem{
		Reference: fmt.Sprintf("INV-%d", number),
		Payload: payload(map[string]any{
			"invoice": number, "supplier": d.pick(suppliers), "amount": fmt.Sprintf("%.2f", 20+d.draw()*4000),
			"currency": "EUR", "iban": fmt.Sprintf("DE%020d", int64(d.draw()*1e18)),
		}),
	}
	if d.chance(0.08) {
		item.Priority = store.High
	}
	return invoices, item
}

func (d *Demo) export() (string, engine.NewItem) {
	return exports, engine.NewItem{Payload: payload(map[string]any{"report": d.pick(reports), "rows": int(d.draw() * 200_000), "format": d.pick([]string{"csv", "xml", "jsonl"})})}
}

func (d *Demo) mail() (string, engine.NewItem) {
	return mails, engine.NewItem{Payload: payload(map[string]any{"to": d.pick(people) + "@example.com", "template": d.pick(templates)})}
}

func payload(fields map[string]any) json.RawMessage {
	b, _ := store.Encode(fields) // strings and numbers always marshal
	return b
}

// robot pulls invoices in small waves. Now and then it dies with a wave in its
// hands, and comes back later under its name: the items it held are abandoned
// when their lease ends. One that dies does so in its first wave, so that a
// visitor need not wait for chance.
func (d *Demo) robot(ctx context.Context, name string, dies bool) {
	for ctx.Err() == nil {
		recs, err := d.e.Claim(ctx, engine.ClaimRequest{Queue: invoices, Robot: name, N: 3, Wait: store.Duration(30 * time.Second)})
		if err != nil {
			if !sleep(ctx, d.lasting(2*time.Second)) {
				return
			}
			continue
		}
		for n, rec := range recs {
			if dies || d.chance(0.02) { // the rest of the wave goes down with it
				dies = false
				if !sleep(ctx, d.between(25*time.Second, 40*time.Second)) {
					return
				}
				break
			}
			if !d.workInvoice(ctx, rec, recs[n:]) {
				return
			}
		}
	}
}

// workInvoice works one item and renews those of the wave that are still held.
func (d *Demo) workInvoice(ctx context.Context, rec engine.Record, held []engine.Record) bool {
	h := engine.Holding{Item: rec.ID(), Fence: rec.Fence}
	_, _ = d.e.Start(ctx, h)
	if !sleep(ctx, d.between(600*time.Millisecond, 3*time.Second)) {
		return false
	}
	var renew []engine.Holding
	for _, r := range held {
		renew = append(renew, engine.Holding{Item: r.ID(), Fence: r.Fence})
	}
	_, _ = d.e.Renew(ctx, renew)
	s := engine.Settlement{Item: h.Item, Fence: h.Fence, Status: engine.Success, Output: payload(map[string]any{"booked": true})}
	switch {
	case rec.RetryNo == 0 && d.chance(0.10):
		s = engine.Settlement{Item: h.Item, Fence: h.Fence, Status: engine.Business, Reason: d.objection(rec)}
	case d.chance(0.06):
		s = engine.Settlement{Item: h.Item, Fence: h.Fence, Status: engine.System, Reason: fmt.Sprintf("ERP did not answer within %ds", 20+int(d.draw()*20))}
	}
	_, _ = d.e.Settle(ctx, []engine.Settlement{s})
	return true
}

// objection is what is wrong with an invoice's data.
func (d *Demo) objection(rec engine.Record) string {
	switch int(d.draw() * 4) {
	case 0:
		return fmt.Sprintf("invoice %s has no purchase order", rec.Reference)
	case 1:
		return fmt.Sprintf("supplier '%s' is not on the approved list", d.pick(suppliers))
	case 2:
		return fmt.Sprintf("amount differs from the order by %.2f EUR", 1+d.draw()*80)
	}
	return "VAT number is missing"
}

// Handlers are the Go consumers of the demo's queues, by queue.
func (d *Demo) Handlers() map[string]drain.Handler {
	handlers := map[string]drain.Handler{
		exports: d.works(300*time.Millisecond, 2*time.Second, "disk quota of the report share is used up", 0.03),
		mails:   d.works(100*time.Millisecond, 600*time.Millisecond, "mail server answered 451 try later", 0.02),
	}
	for _, queue := range agents {
		handlers[queue] = d.turn
	}
	return handlers
}

// turn is one model request: seconds long, now and then refused.
func (d *Demo) turn(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
	if !sleep(ctx, d.between(4*time.Second, 14*time.Second)) {
		return nil, ctx.Err()
	}
	switch {
	case d.chance(0.03):
		return nil, fmt.Errorf("model endpoint answered 529 overloaded after %dms", 200+int(d.draw()*3000))
	case d.chance(0.03):
		return nil, &drain.Business{Reason: fmt.Sprintf("conversation %s asks for a refund above the limit", rec.Reference)}
	}
	return payload(map[string]any{"answer": "done", "tokens": int(d.draw() * 900)}), nil
}

// works makes a handler that takes a while and fails in a share of cases.
func (d *Demo) works(from, to time.Duration, failure string, share float64) drain.Handler {
	return func(ctx context.Context, rec engine.Record) (json.RawMessage, error) {
		if rec.Job != "" {
			return nil, d.chunk(ctx, rec)
		}
		if !sleep(ctx, d.between(from, to)) {
			return nil, ctx.Err()
		}
		if d.chance(share) {
			return nil, errors.New(failure)
		}
		return nil, nil
	}
}

var (
	suppliers = []string{"Nordwind GmbH", "Ölmühle Süd", "Café Zürich AG", "Harbour & Sons", "Atelier Łódź", "Verne Logistics", "三和商事", "Quarry Bros."}
	prompts   = []string{"Summarise the claim", "Draft an answer", "Find the contract", "Check the address", "Translate to German"}
	reports   = []string{"open items", "VAT return", "daily sales", "stock", "payroll journal"}
	people    = []string{"anna", "bert", "chidi", "dora", "emil", "fatima"}
	templates = []string{"reminder", "welcome", "invoice copy", "delivery note"}
)
