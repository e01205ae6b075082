package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// draw picks a number from 0 to n-1; rapid's draws shrink, a seed's repeat.
type draw func(n int, what string) int

// life drives an engine and the model through the same random steps.
type life struct {
	e    *engine.Engine
	m    model
	draw draw
	ctx  context.Context
	log  []string
	last *modelItem // picked
}

// live runs one random life on a store and gives the first difference from the
// model, with the steps that led to it.
func live(t *testing.T, s store.Store, d draw, steps int) error {
	e, err := engine.Open(t.Context(), s, engine.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	l := &life{e: e, draw: d, ctx: engine.WithActor(context.Background(), "anna")}
	l.m.queue = l.settings()
	if _, err := e.AddQueue(l.ctx, l.m.queue); err != nil {
		return err
	}
	for range steps {
		if err := l.step(); err != nil {
			return fmt.Errorf("%w after:%s", err, "\n  "+fmt.Sprint(l.log))
		}
	}
	if problems, err := e.Check(l.ctx); err != nil || len(problems) > 0 {
		return fmt.Errorf("check found %q (%v) after:%s", problems, err, "\n  "+fmt.Sprint(l.log))
	}
	return nil
}

func (l *life) settings() store.Queue {
	q := engine.DefaultQueue("q", []store.Family{store.Jobs, store.Transactions}[l.draw(2, "family")])
	q.Retries = l.draw(3, "retries")
	q.RetryWindow = store.Duration(time.Duration(l.draw(3, "window")) * 10 * time.Second)
	q.RetryFloor = store.Duration(time.Duration(l.draw(2, "floor")) * time.Second)
	q.OnExpiry = []string{engine.Reclaim, engine.Abandon}[l.draw(2, "on_expiry")]
	q.MaxReclaims = l.draw(3, "max_reclaims")
	q.RetryAbandoned = l.draw(2, "retry_abandoned") == 1
	q.Lease = store.Duration(time.Duration(l.draw(4, "lease")) * 5 * time.Second)
	q.UniqueReferences = l.draw(3, "unique") > 0
	q.Schemas.Payload = `{"properties":{"bad":false}}`
	q.RetainSettled, q.RetainExcepted = store.Duration(l.draw(4, "settled"))*store.Duration(4*time.Second), store.Duration(l.draw(3, "excepted"))*store.Duration(15*time.Second)
	then := []string{engine.ThenKeep, engine.ThenDelete, engine.ThenDelete}
	q.RetainSettledThen, q.RetainExceptedThen = then[l.draw(3, "settled then")], then[l.draw(3, "excepted then")]
	return q
}

func (l *life) now() store.Time { return store.At(time.Now()) }

func (l *life) step() error {
	steps := []func() error{
		l.add, l.add, l.claim, l.claim, l.settle, l.settle, l.settle, l.sleep, l.sleep, l.retry, l.verify, l.giveBack, l.renew, l.pause, l.remove, l.undo, l.undo,
		l.bulk, l.pauseJob, l.cancelJob, l.edit, l.edit, l.postpone, l.addNamed, l.addNamed, l.imports, l.unique, l.addBad,
	}
	if err := steps[l.draw(len(steps), "step")](); err != nil {
		return err
	}
	l.m.end(l.now())
	return errors.Join(l.compare(), l.compareJobs())
}

func (l *life) say(format string, args ...any) { l.log = append(l.log, fmt.Sprintf(format, args...)) }

func (l *life) add() error {
	n := 1 + l.draw(3, "items")
	items := make([]engine.NewItem, n)
	job := []string{"", "j1", "j2"}[l.draw(3, "job")]
	if job != "" && !l.m.join(job) {
		_, err := l.e.Add(l.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Job: job}}})
		return wantCode("add to a cancelled job", err, store.CodeConflict)
	}
	for i := range items {
		items[i] = engine.NewItem{Payload: object(), Priority: store.Priority(l.draw(3, "priority") - 1)}
		if l.draw(3, "due") == 0 {
			items[i].DueAt = l.now().Add(time.Duration(l.draw(5, "due in")) * time.Minute)
		}
		if l.draw(4, "defer") == 0 {
			items[i].DeferUntil = l.now().Add(time.Duration(1+l.draw(10, "defer by")) * time.Second)
		}
		added := l.m.add(modelItem{due: items[i].DueAt, priority: items[i].Priority, deferred: items[i].DeferUntil})
		if job != "" {
			items[i].Job, items[i].Weight = job, l.draw(4, "weight")
			added.job, added.weight = job, int64(max(1, items[i].Weight))
		}
	}
	l.say("add %d to job %q", n, job)
	_, err := l.e.Add(l.ctx, engine.AddRequest{Queue: "q", Items: items})
	return err
}

func (l *life) claim() error {
	n, robot := 1+l.draw(3, "wave"), fmt.Sprintf("robot-%d", l.draw(2, "robot"))
	l.say("claim %d by %s", n, robot)
	recs, err := l.e.Claim(l.ctx, engine.ClaimRequest{Queue: "q", Robot: robot, N: n})
	if l.m.paused {
		if store.CodeOf(err) != store.CodeConflict {
			return fmt.Errorf("claim of a paused queue: %v", err)
		}
		return nil
	}
	want := l.m.claim(robot, n, l.now())
	if len(want) == 0 && store.CodeOf(err) == store.CodeEmpty {
		return nil
	}
	var got []uint64
	for _, r := range recs {
		got = append(got, r.Number)
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("claimed %v (%v), want %v", got, err, want)
	}
	return nil
}

// any picks an item, often the same again, and the fence of one of its claims, past
// or present, or one that was never given.
func (l *life) any() (i *modelItem, fence uint64) {
	if len(l.m.items) == 0 {
		return nil, 0
	}
	i = l.m.items[l.draw(len(l.m.items), "item")]
	if l.last != nil && l.draw(2, "again") == 0 {
		i = l.last
	}
	l.last = i
	if l.draw(4, "which fence") > 0 {
		return i, i.fence
	}
	return i, uint64(l.draw(int(i.fence)+2, "fence"))
}

func (l *life) id(i *modelItem) store.ID { return store.ID{Queue: "q", Number: i.number} }

func (l *life) settle() error {
	i, fence := l.any()
	if i == nil || fence == 0 {
		return nil
	}
	status := []string{engine.Success, engine.Business, engine.System}[l.draw(3, "status")]
	l.say("settle %d fence %d %s", i.number, fence, status)
	out, err := l.e.Settle(l.ctx, []engine.Settlement{{Item: l.id(i), Fence: fence, Status: status, Reason: "because"}})
	return l.answered("settle", out, err, l.m.settle(i, fence, status, l.now()))
}

func (l *life) answered(what string, out []engine.Outcome, err error, want string) error {
	if err != nil || out[0].Result != want {
		return fmt.Errorf("%s answered %+v (%v), want %s", what, out, err, want)
	}
	return nil
}

func (l *life) sleep() error {
	d := time.Duration(1+l.draw(20, "sleep")) * 700 * time.Millisecond
	l.say("sleep %s", d)
	for end := time.Now().Add(d); time.Now().Before(end); { // one lease after the other, as the timer does
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		l.m.tick(l.now())
		l.m.end(l.now())
		l.m.note(l.now())
	}
	return nil
}

func (l *life) retry() error {
	i, _ := l.any()
	if i == nil {
		return nil
	}
	l.say("retry %d", i.number)
	out, err := l.e.Retry(l.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: l.id(i)}}})
	return l.answered("retry", out, err, l.m.retry(i))
}

func (l *life) verify() error {
	i, _ := l.any()
	if i == nil {
		return nil
	}
	l.say("verify %d", i.number)
	out, err := l.e.Review(l.ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: l.id(i)}}, Action: engine.Verify})
	return l.answered("verify", out, err, l.m.verify(i))
}

func (l *life) giveBack() error {
	i, fence := l.any()
	if i == nil || i.status != store.Claimed && i.status != store.Processing {
		return nil
	}
	l.say("release %d fence %d", i.number, fence)
	out, err := l.e.Release(l.ctx, []engine.Holding{{Item: l.id(i), Fence: fence}})
	return l.answered("release", out, err, l.m.giveBack(i, fence, 0))
}

func (l *life) renew() error {
	i, fence := l.any()
	if i == nil {
		return nil
	}
	l.say("renew %d fence %d", i.number, fence)
	out, err := l.e.Renew(l.ctx, []engine.Holding{{Item: l.id(i), Fence: fence}})
	if err != nil || (out[0].Result == engine.OK) != (i.held() && i.fence == fence) {
		return fmt.Errorf("renew answered %+v (%v)", out, err)
	}
	if out[0].Result == engine.OK && l.m.queue.Lease > 0 {
		i.leaseEnd = l.now().Add(time.Duration(l.m.queue.Lease))
	}
	return nil
}

func (l *life) pause() error {
	l.m.paused = !l.m.paused
	l.say("pause %v", l.m.paused)
	_, err := l.e.PauseQueue(l.ctx, "q", l.m.paused)
	return err
}

func (l *life) remove() error {
	i, _ := l.any()
	if i == nil || l.draw(3, "really") == 0 {
		return nil
	}
	l.say("delete %d", i.number)
	out, err := l.e.Delete(l.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: l.id(i)}}})
	return l.answered("delete", out, err, l.m.delete(i))
}

func (l *life) undo() error {
	i, _ := l.any()
	if i == nil {
		return nil
	}
	l.say("undo %d", i.number)
	out, err := l.e.Undo(l.ctx, engine.UndoRequest{Targets: []engine.Target{{Item: l.id(i)}}})
	return l.answered("undo", out, err, l.m.undo(i))
}

// bulk acts on all items of a status at once, or on the first of them, and is
// held against acting on one after the other.
func (l *life) bulk() error {
	status := store.Status(1 + l.draw(store.Statuses-1, "status"))
	first := l.draw(4, "first")
	verb := l.m.verbs()[l.draw(4, "verb")]
	l.say("bulk %s of the first %d %s", verb.name, first, status)
	b, err := l.e.StartBulk(l.ctx, engine.BulkRequest{
		Verb: verb.name, First: first, Select: []engine.ListRequest{{Queue: "q", Statuses: []store.Status{status}}},
	})
	for err == nil && b.Running() {
		b, err = l.e.WatchBulk(l.ctx, b.ID, b.Revision)
	}
	if err != nil {
		return err
	}
	want := l.m.bulk(status, first, verb)
	got := map[string]int{engine.OK: b.Done, engine.Stale: b.Stale, engine.Gone: b.Gone, engine.Refused: b.Refused}
	for result, n := range got {
		if want[result] != n {
			return fmt.Errorf("%d %s, want %d: %+v", n, result, want[result], b)
		}
	}
	return nil
}

// compare holds every item and every counter against the model.
func (l *life) compare() error {
	synctest.Wait()
	var every []store.Status // deleted ones too
	for s := range store.Statuses - 1 {
		every = append(every, store.Status(s+1))
	}
	page, err := l.e.List(l.ctx, engine.ListRequest{Queue: "q", Statuses: every, Limit: 10_000})
	if err != nil {
		return err
	}
	l.m.note(l.now())
	var want store.Counts
	for _, i := range l.m.items {
		must, may := l.m.retained(i, l.now())
		if len(page.Items) == 0 || page.Items[0].Number != i.number {
			if must && !i.gone {
				return fmt.Errorf("item %d is gone, %s and touched at %s", i.number, i.status, i.touched)
			}
			i.gone = true
			continue
		}
		if i.gone || may {
			return fmt.Errorf("item %d is still there at %s, %s and touched at %s", i.number, l.now(), i.status, i.touched)
		}
		i.settleOn(page.Items[0].AvailableAt)
		if d := i.differs(&page.Items[0]); d != "" {
			return fmt.Errorf("%s", d)
		}
		want[i.status]++
		page.Items = page.Items[1:]
	}
	if len(page.Items) > 0 {
		return fmt.Errorf("item %d was never added", page.Items[0].Number)
	}
	q, err := l.e.Queue(l.ctx, "q")
	if err == nil && q.Counts != want {
		err = fmt.Errorf("counts %v, want %v", q.Counts, want)
	}
	if delayed, next := l.m.delayed(l.now()); err == nil && (q.Delayed != delayed || q.NextAvailableAt != next) {
		err = fmt.Errorf("%d are delayed until %s, want %d until %s", q.Delayed, q.NextAvailableAt, delayed, next)
	}
	return err
}

func TestLivesFollowTheModel(t *testing.T) {
	opens := map[string]func(t *testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"bolt":   func(t *testing.T) store.Store { return openBolt(t, filepath.Join(t.TempDir(), "life.db")) },
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				steps := rapid.IntRange(1, 60).Draw(rt, "steps")
				tape := rapid.SliceOfN(rapid.IntRange(0, 5040), 6*steps, 12*steps).Draw(rt, "tape") // a bubble is no place for rapid's own draws
				d := func(n int, _ string) int {
					if len(tape) == 0 {
						return 0
					}
					v := tape[0] % n
					tape = tape[1:]
					return v
				}
				var err error
				synctest.Test(t, func(t *testing.T) { err = live(t, open(t), d, steps) })
				if err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}
