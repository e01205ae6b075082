package storetest

import (
	"errors"
	"fmt"
	"strings"

	"signalbox/store"
)

// job adds a job and gives it as stored.
func (e env) job(j store.Job) store.Job {
	e.Helper()
	if j.Status == 0 {
		j.Status = store.JobRunning
	}
	e.update(func(tx store.Tx) error {
		j.Number = 0
		return tx.PutJob(&j)
	})
	return j
}

// jobCounts gives a job's counters without those of items.
func (e env) jobCounts(id string, now store.Time) (c store.JobCounts) {
	e.Helper()
	e.view(func(r store.Reader) (err error) {
		c, err = r.JobCounts(id, now)
		return err
	})
	c.Waiting, c.Withheld = 0, 0
	return c
}

// jobs gives the ids a query yields, in its order.
func (e env) jobs(q store.JobQuery) string {
	e.Helper()
	var ids []string
	e.view(func(r store.Reader) error {
		ids = nil
		for j, err := range r.Jobs(q) {
			if err != nil {
				return err
			}
			ids = append(ids, j.ID)
		}
		return nil
	})
	return strings.Join(ids, " ")
}

var jobTests = map[string]func(env){
	"keep every field": func(e env) {
		e.queues("a")
		j := e.job(store.Job{
			ID: "nightly", Queue: "a", Kind: "k", Status: store.JobPaused, PausedBy: "bob", Initiator: "ann", SingletonKey: "s",
			Metadata: `{"a":[1]}`, Filling: true, Feeds: 2, CreatedAt: 5, Hook: store.Hook{Tries: 2, Error: "e", RanAt: 7},
			Final: store.JobCounts{Done: 1, Failed: 2, Cancelled: 3, Total: 6},
			Gone:  store.JobCounts{Done: 4, Failed: 5, Cancelled: 6, Total: 15},
		})
		e.equal("number and revision", [2]uint64{j.Number, j.Revision}, [2]uint64{1, 1})
		read := func() (got store.Job) {
			e.view(func(r store.Reader) (err error) {
				got, err = r.Job("nightly")
				return err
			})
			return got
		}
		e.equal("as added", read(), j)
		j.Status, j.EndedAt, j.Filling, j.PausedBy = store.JobDone, 9, false, ""
		e.update(func(tx store.Tx) error { return tx.PutJob(&j) })
		e.equal("revision", j.Revision, uint64(2))
		e.equal("as changed", read(), j)
	},
	"get ids of their own, and none twice": func(e env) {
		e.queues("a", "b")
		e.equal("named", e.job(store.Job{ID: "a-2", Queue: "a"}).Number, uint64(1))
		e.equal("made", e.job(store.Job{Queue: "b"}).ID, "b-2")
		e.equal("made past a taken one", e.job(store.Job{Queue: "a"}).ID, "a-3")
		e.update(func(tx store.Tx) error { return tx.DeleteJob("a-2") })
		for _, id := range []string{"a-2", "b-2"} {
			e.updateFails(store.CodeConflict, func(tx store.Tx) error {
				return tx.PutJob(&store.Job{ID: id, Queue: "a", Status: store.JobRunning})
			})
		}
		e.updateFails(store.CodeConflict, func(tx store.Tx) error {
			return tx.PutJob(&store.Job{ID: "b-2", Number: 2, Queue: "a", Status: store.JobRunning})
		})
	},
	"that are forgotten leave their ids to others": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a", SingletonKey: "k"})
		e.update(func(tx store.Tx) error { return tx.ForgetJob("j") })
		e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Job("j"); return err })
		e.equal("the next one's number", e.job(store.Job{ID: "j", Queue: "a", SingletonKey: "k"}).Number, uint64(2))
		e.update(func(tx store.Tx) error {
			return errors.Join(tx.ForgetJob("j"), tx.PutJob(&store.Job{ID: "j", Queue: "a", Status: store.JobRunning}))
		})
		e.equal("in one change", e.job(store.Job{ID: "k", Queue: "a"}).Number, uint64(4))
	},
	"that are missing give not found": func(e env) {
		e.queues("a")
		for _, fn := range []func(store.Reader) error{
			func(r store.Reader) error { _, err := r.Job("x"); return err },
			func(r store.Reader) error { _, err := r.JobCounts("x", 1); return err },
			func(r store.Reader) error { _, err := r.JobLog("x", 0, 1); return err },
			func(r store.Reader) error { _, err := r.Attachments("x"); return err },
			func(r store.Reader) error { _, err := r.Chunks("x", "n"); return err },
			func(r store.Reader) error { _, err := r.Chunk("x", "n", 1); return err },
		} {
			e.viewFails(store.CodeNotFound, fn)
		}
		for _, fn := range []func(store.Tx) error{
			func(tx store.Tx) error { return tx.PutJob(&store.Job{ID: "x", Number: 1, Queue: "a"}) },
			func(tx store.Tx) error { return tx.PutJob(&store.Job{ID: "x", Queue: "none"}) },
			func(tx store.Tx) error { return tx.DeleteJob("x") },
			func(tx store.Tx) error { return tx.ForgetJob("x") },
			func(tx store.Tx) error { return tx.AppendLog("x", &store.LogLine{}, 1) },
			func(tx store.Tx) error { return tx.PutChunk("x", "n", 1, nil) },
			func(tx store.Tx) error { return tx.PutAttachment("x", &store.Attachment{Name: "n"}) },
			func(tx store.Tx) error { return tx.DropChunks("x", "n") },
		} {
			e.updateFails(store.CodeNotFound, fn)
		}
	},
	"are listed newest first": func(e env) {
		e.queues("a", "b")
		for n := range 5 {
			e.job(store.Job{ID: fmt.Sprint("j", n+1), Queue: []string{"a", "b"}[n%2], EndedAt: store.Time(n % 3)})
		}
		e.equal("all", e.jobs(store.JobQuery{}), "j5 j4 j3 j2 j1")
		e.equal("of a queue", e.jobs(store.JobQuery{Queue: "a"}), "j5 j3 j1")
		e.equal("live", e.jobs(store.JobQuery{Live: true}), "j4 j1")
		e.equal("live of a queue", e.jobs(store.JobQuery{Queue: "a", Live: true}), "j1")
		e.equal("further", e.jobs(store.JobQuery{Before: 3}), "j2 j1")
		e.equal("further of a queue", e.jobs(store.JobQuery{Queue: "a", Before: 5}), "j3 j1")
		e.equal("of none", e.jobs(store.JobQuery{Queue: "c"}), "")
	},
	"are found by their key while open": func(e env) {
		e.queues("a", "b")
		open := func(queue, key string) (id string) {
			e.view(func(r store.Reader) (err error) {
				id, err = r.OpenJob(queue, key)
				return err
			})
			return id
		}
		j := e.job(store.Job{ID: "one", Queue: "a", SingletonKey: "k"})
		e.job(store.Job{ID: "plain", Queue: "a"})
		e.equal("open", open("a", "k"), "one")
		e.equal("in another queue", open("b", "k"), "")
		e.equal("no key", open("a", ""), "")
		j.Status = store.JobPaused
		e.update(func(tx store.Tx) error { return tx.PutJob(&j) })
		e.equal("paused", open("a", "k"), "one")
		e.updateFails(store.CodeConflict, func(tx store.Tx) error {
			return tx.PutJob(&store.Job{Queue: "a", SingletonKey: "k", Status: store.JobRunning})
		})
		j.Status = store.JobDone
		e.update(func(tx store.Tx) error { return tx.PutJob(&j) })
		e.equal("done", open("a", "k"), "")
		e.job(store.Job{ID: "two", Queue: "a", SingletonKey: "k"})
		e.equal("the next", open("a", "k"), "two")
		e.update(func(tx store.Tx) error { return tx.PutJob(&j) })
		e.equal("after a write of the earlier one", open("a", "k"), "two")
		j.Status = store.JobRunning
		e.updateFails(store.CodeConflict, func(tx store.Tx) error { return tx.PutJob(&j) })
		e.update(func(tx store.Tx) error { return tx.DeleteJob("two") })
		e.equal("deleted", open("a", "k"), "")
	},
	"count their items by weight": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a"})
		e.add(
			store.Item{Queue: "a", Job: "j", Weight: 1},
			store.Item{Queue: "a", Job: "j", Weight: 10, AvailableAt: 50},
			store.Item{Queue: "a", Job: "j", Weight: 100, DeferUntil: 70},
			store.Item{Queue: "a", Job: "j"},
			store.Item{Queue: "a", Job: "none"},
			store.Item{Queue: "a"},
		)
		e.equal("at first", e.jobCounts("j", 40), store.JobCounts{Available: 111, Delayed: 110, NextAvailableAt: 50, Total: 111})
		e.equal("later", e.jobCounts("j", 50), store.JobCounts{Available: 111, Delayed: 100, NextAvailableAt: 70, Total: 111})
		e.update(func(tx store.Tx) error { _, err := tx.Ripen(60); return err })
		e.equal("ripened", e.jobCounts("j", 60), store.JobCounts{Available: 111, Delayed: 100, NextAvailableAt: 70, Total: 111})
		e.change(id("a", 1), func(i *store.Item) { i.Status = store.Claimed })
		e.change(id("a", 2), func(i *store.Item) { i.Status = store.Abandoned })
		e.change(id("a", 3), func(i *store.Item) { i.Status = store.Retried })
		e.equal("on their way", e.jobCounts("j", 60), store.JobCounts{InFlight: 1, Failed: 10, Total: 11})
		e.change(id("a", 1), func(i *store.Item) { i.Status = store.Successful })
		e.change(id("a", 2), func(i *store.Item) { i.Status = store.Cancelled })
		e.change(id("a", 3), func(i *store.Item) { i.Status = store.Pending })
		e.equal("at last", e.jobCounts("j", 80), store.JobCounts{Available: 100, Done: 1, Cancelled: 10, Total: 111})
		e.equal("items", strings.Join(e.ids(store.Query{Job: "j"}), " "), "a/1 a/2 a/3")
		e.equal("of a status", strings.Join(e.ids(store.Query{Queue: "a", Job: "j", Statuses: []store.Status{store.Successful, store.Pending}, Desc: true}), " "), "a/3 a/1")
	},
	"count what they came to": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a"})
		e.add(store.Item{Queue: "a", Job: "j", Weight: 10}, store.Item{Queue: "a", Job: "j", Weight: 10})
		tally := func(i *store.Item) { i.Tally = store.Tally{Known: true, Done: 5, Failed: 2} }
		e.change(id("a", 1), tally)
		e.equal("waiting", e.jobCounts("j", 0), store.JobCounts{Available: 20, Total: 20})
		e.change(id("a", 1), func(i *store.Item) { i.Status = store.Failed })
		e.equal("failed", e.jobCounts("j", 0), store.JobCounts{Available: 10, Failed: 10, Total: 20})
		e.change(id("a", 1), func(i *store.Item) { i.Status = store.Completed })
		e.equal("completed", e.jobCounts("j", 0), store.JobCounts{Available: 10, Done: 5, Failed: 2, Total: 17})
		e.change(id("a", 2), func(i *store.Item) { i.Status = store.Successful })
		e.equal("without one", e.jobCounts("j", 0), store.JobCounts{Done: 15, Failed: 2, Total: 17})
		e.change(id("a", 2), tally)
		e.equal("as it is", e.jobCounts("j", 0), store.JobCounts{Done: 10, Failed: 4, Total: 14})
		e.change(id("a", 2), func(i *store.Item) { i.Tally = store.Tally{Known: true} })
		e.equal("nothing", e.jobCounts("j", 0), store.JobCounts{Done: 5, Failed: 2, Total: 7})
		e.update(func(tx store.Tx) error { return tx.Purge([]store.ID{id("a", 1)}) })
		e.equal("gone", e.jobCounts("j", 0), store.JobCounts{})
	},
	"count only for jobs of their queue": func(e env) {
		e.queues("a", "b")
		e.job(store.Job{ID: "j", Queue: "a"})
		for _, i := range []store.Item{{Queue: "b", Job: "j", Weight: 1}, {Queue: "a", Job: "x", Weight: 1}, {Queue: "a", Weight: 1}} {
			i.Status = store.Pending
			e.updateFails(store.CodeNotFound, func(tx store.Tx) error { return tx.Add(&i, nil, added) })
		}
	},
	"are for life": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a"})
		e.add(store.Item{Queue: "a", Job: "j", Weight: 1})
		for _, fn := range []func(*store.Item){
			func(i *store.Item) { i.Job = "other" },
			func(i *store.Item) { i.Weight = 2 },
		} {
			e.updateFails(store.CodeConflict, func(tx store.Tx) error {
				i, err := tx.Item(id("a", 1))
				fn(&i)
				return errors.Join(err, tx.Put(&i, nil))
			})
		}
	},
	"keep withheld items out of claims": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a"})
		e.add(
			store.Item{Queue: "a", Job: "j", Weight: 3},
			store.Item{Queue: "a", Job: "j", Weight: 3, AvailableAt: 50},
			store.Item{Queue: "a", Job: "j", Weight: 3, DueAt: 50, DueTold: true},
			store.Item{Queue: "a"},
		)
		for n := range uint64(3) {
			e.change(id("a", n+1), func(i *store.Item) { i.Withheld = true })
		}
		e.equal("ready", e.ready("a", 60), []uint64{4})
		s := e.stats("a", 40)
		e.equal("stats", [3]int64{s.Counts.Waiting(), s.Delayed, s.Withheld}, [3]int64{4, 0, 3})
		e.equal("counts", e.jobCounts("j", 40), store.JobCounts{Available: 9, Delayed: 3, NextAvailableAt: 50, Total: 9})
		e.equal("counts later", e.jobCounts("j", 50), store.JobCounts{Available: 9, Total: 9})
		e.equal("nothing is due", e.nextDue(), store.Time(0))
		for n := range uint64(3) {
			e.change(id("a", n+1), func(i *store.Item) { i.Withheld = false })
		}
		e.equal("ready again", e.ready("a", 60), []uint64{3, 1, 2, 4})
		e.equal("due again", e.nextDue(), store.Time(50))
		e.equal("counts again", e.jobCounts("j", 40), store.JobCounts{Available: 9, Delayed: 3, NextAvailableAt: 50, Total: 9})
	},
	"keep the newest lines of their logs": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a"})
		for n := range 5 {
			e.update(func(tx store.Tx) error {
				line := store.LogLine{At: store.Time(n), Level: "info", Text: fmt.Sprint(n), Fields: `{"n":1}`}
				err := tx.AppendLog("j", &line, 3)
				e.equal("seq", line.Seq, uint64(n+1))
				return err
			})
		}
		read := func(after uint64, limit int) (texts string) {
			e.view(func(r store.Reader) error {
				lines, err := r.JobLog("j", after, limit)
				texts = ""
				for _, l := range lines {
					texts += fmt.Sprintf("%d %s%s ", l.Seq, l.Text, l.Fields)
				}
				return err
			})
			return texts
		}
		e.equal("all", read(0, 9), `3 2{"n":1} 4 3{"n":1} 5 4{"n":1} `)
		e.equal("a page", read(3, 1), `4 3{"n":1} `)
	},
	"keep files in chunks": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a"})
		e.job(store.Job{ID: "k", Queue: "a"})
		put := func(job, name string, index uint64, data string) {
			e.update(func(tx store.Tx) error { return tx.PutChunk(job, name, index, []byte(data)) })
		}
		put("j", "out.csv", 300, "c")
		put("j", "out.csv", 2, "old")
		put("j", "out.csv", 2, "bb")
		put("j", "out.csv", 0, "")
		put("j", "out", 1, "x")
		put("k", "out.csv", 1, "y")
		content := func(job, name string) (all string, sizes []store.Chunk) {
			e.view(func(r store.Reader) error {
				all, sizes = "", nil
				chunks, err := r.Chunks(job, name)
				for _, c := range chunks {
					data, err := r.Chunk(job, name, c.Index)
					if err != nil {
						return err
					}
					all += string(data)
				}
				sizes = chunks
				return err
			})
			return all, sizes
		}
		all, sizes := content("j", "out.csv")
		e.equal("content", all, "bbc")
		e.equal("chunks", sizes, []store.Chunk{{Index: 0}, {Index: 2, Size: 2}, {Index: 300, Size: 1}})
		a := store.Attachment{Name: "out.csv", Type: "text/csv", CreatedAt: 4, CreatedBy: "ann"}
		e.update(func(tx store.Tx) error { return tx.PutAttachment("j", &a) })
		e.equal("size", a.Size, int64(3))
		list := func() (list []store.Attachment) {
			e.view(func(r store.Reader) (err error) {
				list, err = r.Attachments("j")
				return err
			})
			return list
		}
		e.equal("listed", list(), []store.Attachment{a})
		e.update(func(tx store.Tx) error { return tx.DropChunk("j", "out.csv", 300) })
		all, _ = content("j", "out.csv")
		e.equal("one dropped", all, "bb")
		e.update(func(tx store.Tx) error { return tx.DropChunks("j", "out.csv") })
		e.equal("dropped", list(), []store.Attachment(nil))
		all, _ = content("j", "out.csv")
		e.equal("nothing left", all, "")
		all, _ = content("j", "out")
		e.equal("the other name", all, "x")
		all, _ = content("k", "out.csv")
		e.equal("the other job", all, "y")
		e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Chunk("j", "out", 2); return err })
	},
	"go with their queue": func(e env) {
		e.queues("a", "a.b")
		e.job(store.Job{ID: "j", Queue: "a", SingletonKey: "k"})
		e.job(store.Job{ID: "k", Queue: "a.b"})
		e.add(store.Item{Queue: "a", Job: "j", Weight: 1, AvailableAt: 50})
		e.update(func(tx store.Tx) error { return tx.PutChunk("j", "n", 1, []byte("x")) })
		e.update(func(tx store.Tx) error { return tx.DeleteQueue("a") })
		e.equal("left", e.jobs(store.JobQuery{}), "k")
		e.queues("a")
		e.equal("of the new one", e.jobs(store.JobQuery{Queue: "a"}), "")
		e.viewFails(store.CodeNotFound, func(r store.Reader) error { _, err := r.Job("j"); return err })
		e.view(func(r store.Reader) error {
			id, err := r.OpenJob("a", "k")
			e.equal("by key", id, "")
			return err
		})
	},
	"are told of by webhooks": func(e env) {
		read := func() (list []store.Webhook) {
			e.view(func(r store.Reader) (err error) {
				list, err = r.Webhooks()
				return err
			})
			return list
		}
		e.equal("at first", len(read()), 0)
		want := []store.Webhook{{Name: "a", URL: "https://x", Events: []string{"job"}, Secret: "s", CreatedAt: 5, CreatedBy: "ann"}, {Name: "b"}}
		e.update(func(tx store.Tx) error { return tx.PutWebhooks(want) })
		e.equal("kept", read(), want)
		e.update(func(tx store.Tx) error { return tx.PutWebhooks(nil) })
		e.equal("taken away", len(read()), 0)
	},
	"leave their items when deleted": func(e env) {
		e.queues("a")
		e.job(store.Job{ID: "j", Queue: "a"})
		e.add(store.Item{Queue: "a", Job: "j", Weight: 1, AvailableAt: 50})
		e.update(func(tx store.Tx) error { return tx.DeleteJob("j") })
		e.change(id("a", 1), func(i *store.Item) { i.Status = store.Claimed })
		e.equal("item", e.item(id("a", 1)).Status, store.Claimed)
		e.equal("by job", len(e.ids(store.Query{Job: "j"})), 0)
	},
}
