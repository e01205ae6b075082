package storetest

import (
	"errors"

	"pgregory.net/rapid"

	"signalbox/store"
)

// job starts, changes, fills or deletes a job.
func (m *model) job(rt *rapid.T, queue string) op {
	id := rapid.SampledFrom([]string{"j1", "j2", "a-1", "b-1"}).Draw(rt, "job")
	v := store.Job{Queue: queue, Status: store.JobStatus(rapid.IntRange(1, 4).Draw(rt, "job status"))}
	v.SingletonKey = rapid.SampledFrom([]string{"", "k"}).Draw(rt, "singleton")
	v.EndedAt = store.Time(rapid.IntRange(0, 1).Draw(rt, "ended"))
	switch rapid.IntRange(0, 9).Draw(rt, "job op") {
	case 0, 1, 2:
		named := rapid.Bool().Draw(rt, "named")
		return func(tx store.Tx) (any, error) {
			v := v
			if named {
				v.ID = id
			}
			err := tx.PutJob(&v)
			return v, err
		}
	case 3, 4, 5, 6:
		return func(tx store.Tx) (any, error) {
			old, err := tx.Job(id)
			if err != nil {
				return nil, err
			}
			old.Status, old.EndedAt = v.Status, v.EndedAt
			err = tx.PutJob(&old)
			return old, err
		}
	case 7:
		return func(tx store.Tx) (any, error) { return nil, tx.DeleteJob(id) }
	}
	text := rapid.StringN(0, 9, 9).Draw(rt, "text")
	return func(tx store.Tx) (any, error) {
		line := store.LogLine{Text: text}
		a := store.Attachment{Name: "n", Type: text}
		err := errors.Join(tx.AppendLog(id, &line, 3), tx.PutChunk(id, "n", uint64(len(text)), []byte(text)), tx.PutAttachment(id, &a))
		return a.Size, err
	}
}

// dumpJobs notes all that can be read of jobs.
func (m *model) dumpJobs(r store.Reader, note func(any, error)) {
	for j, err := range r.Jobs(store.JobQuery{}) {
		note(j, err)
		note(anyOf(r.JobCounts(j.ID, m.now)))
		note(anyOf(r.OpenJob(j.Queue, j.SingletonKey)))
		note(anyOf(r.JobLog(j.ID, 1, 2)))
		note(anyOf(r.Attachments(j.ID)))
		note(anyOf(r.Chunks(j.ID, "n")))
		for i, err := range r.Items(store.Query{Job: j.ID}) {
			note(i.ID(), err)
		}
	}
	for j, err := range r.Jobs(store.JobQuery{Queue: "a", Live: true, Before: 4}) {
		note(j.ID, err)
	}
}
