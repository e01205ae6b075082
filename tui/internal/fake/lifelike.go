package fake

import (
	"encoding/json"
	"fmt"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
)

// ago is a moment before the records stand.
func ago(d time.Duration) store.Time { return store.At(Epoch().Add(-d)) }

// Lifelike makes an engine in the middle of a working day: both lanes busy, a
// line waiting, robots dead, business rules broken.
func Lifelike() *Engine {
	e := New()
	e.Change(func(s *engine.Snapshot) {
		s.Store = "bolt:/home/ada/.local/share/signalbox/signalbox.db"
		s.Queues = queues()
		s.Utilisation = []int{12, 20, 28, 44, 40, 52, 60, 58, 66, 72, 80, 76, 84, 92, 76}
		s.Slots = busy()
		s.Jobs = jobs()
	})
	for i := range 60 {
		e.Put(order(i))
	}
	for i := range 12 {
		e.Put(turn(i))
	}
	e.Crew = crew()
	e.details()
	e.Log(day()...)
	return e
}

// crew are the robots of the day: at work, silent, and gone.
func crew() []engine.Robot {
	drain := func(n, held int, queue string, done int) engine.Robot {
		return engine.Robot{
			Name: fmt.Sprintf("%sab12cd34/%s/%d", engine.DrainPrefix, queue, n), Queues: []string{queue}, Held: held,
			Oldest: store.ID{Queue: queue, Number: uint64(30 + n)}, OldestAt: ago(time.Duration(9*n) * time.Second),
			LeaseUntil: store.At(Epoch().Add(9 * time.Minute)), SeenAt: ago(time.Duration(n) * time.Second),
			Claims: done + held, Done: done, Window: store.Duration(15 * time.Minute),
		}
	}
	silent := engine.Robot{
		Name: "claims-desk-2", Queues: []string{"insurance.claims", "finance.orders"}, Held: 4,
		Oldest: store.ID{Queue: "insurance.claims", Number: 12}, OldestAt: ago(14 * time.Minute), LeaseUntil: ago(-20 * time.Second),
		SeenAt: ago(6 * time.Minute), Claims: 12, Done: 7, Failed: 1, Window: store.Duration(15 * time.Minute),
	}
	gone := engine.Robot{Name: "night-shift", Queues: []string{"mail.outgoing"}, SeenAt: ago(13 * time.Minute), Claims: 31, Done: 29, Failed: 2, Window: store.Duration(15 * time.Minute)}
	return []engine.Robot{drain(1, 1, "agents.triage", 44), drain(2, 1, "agents.triage", 39), drain(1, 4, "finance.orders", 310), silent, gone}
}

// day is what has happened lately.
func day() []store.Change {
	var all []store.Change
	add := func(back time.Duration, actor, queue string, number uint64, event string, from, to store.Status, why string) {
		all = append(all, store.Change{At: ago(back), Actor: actor, Queue: queue, Number: number, Event: event, From: from, To: to, Why: why})
	}
	add(26*time.Hour, "ada", "", 0, "split", 0, 0, "25 slots, fast 6, slow 6")
	add(3*time.Hour, "ada", "insurance.claims", 0, "pause", 0, 0, "")
	for i := range uint64(60) {
		back := time.Duration(60-i) * 7 * time.Second
		drain := fmt.Sprintf("%sab12cd34/finance.orders/%d", engine.DrainPrefix, 1+i%3)
		add(back, "ada", "finance.orders", i+1, "add", 0, store.Pending, "")
		add(back-2*time.Second, drain, "finance.orders", i+1, "claim+start", store.Pending, store.Processing, "")
		switch {
		case i%9 == 3:
			add(back-3*time.Second, drain, "finance.orders", i+1, "business-exception", store.Processing, store.BusinessException, "no postal code")
		case i%13 == 2:
			add(back-4*time.Second, "engine", "finance.orders", i+1, "lease-expired", store.Processing, store.Abandoned, "")
		default:
			add(back-3*time.Second, drain, "finance.orders", i+1, "complete", store.Processing, store.Successful, "")
		}
	}
	return all
}

func queues() []engine.QueueState {
	q := func(name string, f store.Family, folder, l, consumer string) engine.QueueState {
		return engine.QueueState{Queue: store.Queue{
			Name: name, Family: f, Folder: folder, Lane: l, Consumer: store.Consumer{Kind: consumer}, Mask: []string{"iban"},
		}}
	}
	agents := q("agents.triage", store.Jobs, "/support", "slow", "command")
	agents.Description = "Reads tickets, proposes an answer"
	agents.In, agents.Out = []int{3, 4, 6, 5, 7, 8, 6, 5, 9, 8, 7, 8, 9, 6, 2}, []int{2, 3, 5, 5, 6, 6, 5, 5, 7, 6, 7, 6, 7, 6, 1}
	agents.OldestWaitingAt = ago(4*time.Minute + 12*time.Second)
	orders := q("finance.orders", store.Transactions, "/finance/ap", "fast", "command")
	orders.Description = "Orders from the web shop, booked one by one"
	orders.In, orders.Out = []int{0, 0, 120, 88, 10, 4, 4, 8, 12, 60, 40, 12, 6, 5, 1}, []int{0, 0, 40, 60, 62, 58, 30, 8, 12, 44, 50, 18, 6, 5, 2}
	orders.OldestWaitingAt = ago(38 * time.Second)
	exports := q("signalbox.export", store.Jobs, "/", "fast", "handler")
	exports.Counts[store.Completed] = 48
	exports.Out = []int{1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 3, 1, 0, 0, 0}
	mail := q("mail.outgoing", store.Jobs, "/support", "fast", "command")
	mail.ConsumerError, mail.ConsumerErrorAt = "exec: \"./sendmail.sh\": no such file or directory", ago(90*time.Second)
	mail.Counts[store.Queued] = 214
	mail.OldestWaitingAt = ago(2*time.Hour + 14*time.Minute)
	claims := q("insurance.claims", store.Transactions, "/claims", "slow", "manual")
	claims.Paused, claims.PausedBy = true, "ada"
	claims.Counts[store.Pending], claims.Counts[store.Successful] = 1_048_576, 12403
	claims.OldestWaitingAt = ago(30 * time.Hour)
	return []engine.QueueState{agents, orders, claims, mail, exports}
}

// busy is a pool of 25 at work.
func busy() lane.State {
	st := Pool(lane.Auto(25))
	hold := func(n int, l lane.Lane, queue string, item int, since time.Duration) {
		s := &st.Slots[n-1]
		s.State = lane.Busy
		s.Holder = &lane.Holder{Lane: l, Queue: queue, Item: fmt.Sprintf("%s/%d", queue, item), Robot: "drain-7f3a", Since: ago(since)}
		if queue == "agents.triage" {
			s.Holder.Job = "triage-0302"
		}
		st.Busy++
	}
	for i, since := range []int{2, 14, 0, 41} {
		hold(i+1, lane.Fast, "finance.orders", 30+i, time.Duration(since)*time.Second)
	}
	hold(9, lane.Fast, "signalbox.export", 49, 75*time.Second)
	for i, n := range []int{7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25} {
		hold(n, lane.Slow, "agents.triage", 1+i%12, time.Duration(12+i*i)*time.Second)
	}
	st.Slots[23].Holder.Since = ago(7*time.Minute + 20*time.Second)
	for i := range 5 {
		st.Waiting = append(st.Waiting, lane.Waiter{Lane: lane.Slow, Queue: "agents.triage", Item: fmt.Sprintf("agents.triage/%d", 88+i), Place: i + 1, Since: ago(time.Duration(130-20*i) * time.Second)})
	}
	st.Slow.Waiting = 5
	return st
}

// order is an order of the web shop, in one of the states of its life.
func order(i int) engine.Record {
	created := ago(time.Duration(90-i) * time.Minute)
	r := engine.Record{Item: store.Item{
		Queue: "finance.orders", Family: store.Transactions, Status: store.Successful,
		Reference: fmt.Sprintf("INV-%d", 10248+i), CreatedAt: created, CreatedBy: "ada", MaxAttempts: 3,
		Attempts: 1, Retryable: true, DueAt: created.Add(48 * time.Hour),
	}}
	r.Payload = json.RawMessage(fmt.Sprintf(`{"order":%d,"customer":"VINET","freight":%d.38,"iban":"DE89370400440532013000","paid":%t,"ship":{"city":"Reims","country":"France","postalCode":null},"lines":[{"sku":"A-11","n":12},{"sku":"B-42","n":10}]}`, 10248+i, 20+i, i%2 == 0))
	r.StartedAt, r.EndedAt = created.Add(30*time.Second), created.Add(40*time.Second)
	r.ClaimedAt, r.ClaimedBy, r.Fence = created.Add(29*time.Second), "drain-7f3a", 1
	settleOrder(i, &r)
	r.Chain = store.ID{Queue: r.Queue, Number: uint64(i + 1)}
	return r
}

func settleOrder(i int, r *engine.Record) {
	except := func(s store.Status, kind, reason string) {
		r.Status, r.Group = s, reason
		r.Error = &store.Failure{Kind: kind, Reason: reason, At: r.EndedAt}
	}
	switch {
	case i >= 50:
		r.Status, r.Attempts, r.EndedAt, r.StartedAt, r.ClaimedAt, r.ClaimedBy = store.Pending, 0, 0, 0, 0, ""
		if i == 55 {
			r.AvailableAt = store.At(Epoch().Add(12 * time.Minute))
		}
	case i >= 46:
		r.Status, r.EndedAt = store.Processing, 0
		r.LeaseUntil, r.Progress = store.At(Epoch().Add(4*time.Minute)), "2 of 5 lines booked"
	case i%9 == 3:
		except(store.BusinessException, "business", "no postal code")
	case i%9 == 5:
		except(store.BusinessException, "business", "not shipped yet, although the order was paid and the customer has asked for it twice")
	case i%11 == 7:
		except(store.SystemException, "system", "timeout after 30s waiting for erp.example.com")
		r.Failures = 3
	case i%13 == 2:
		except(store.Abandoned, "system", "lease ran out, robot drain-7f3a fell silent")
	default:
		r.Output = json.RawMessage(`{"booked":true,"document":"4900012345"}`)
	}
}

// turn is one request to a model.
func turn(i int) engine.Record {
	created := ago(time.Duration(20-i) * time.Minute)
	r := engine.Record{Item: store.Item{
		Queue: "agents.triage", Family: store.Jobs, Status: store.Processing, Job: "triage-0302",
		CreatedAt: created, ClaimedAt: created, ClaimedBy: "drain-7f3a", Attempts: 1, MaxAttempts: 1, Fence: 1,
		LeaseUntil: store.At(Epoch().Add(8 * time.Minute)),
	}}
	r.Payload = json.RawMessage(`{"ticket":4711,"text":"Where is my order? 我的订单在哪里 🙂"}`)
	return r
}
