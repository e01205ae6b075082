package bolt

import (
	"bytes"
	"iter"
	"math"

	"signalbox/store"
)

// Jobs implements store.Reader, by the table of live jobs, of a queue's, or of
// all.
func (r *reader) Jobs(by store.JobQuery) iter.Seq2[store.Job, error] {
	return func(yield func(store.Job, error) bool) {
		h := r.top(jobsBucket)
		if h.bucket == nil {
			return
		}
		prefix := keyOf(jobRecord)
		switch {
		case by.Live:
			prefix = keyOf(jobLive)
		case by.Queue != "":
			prefix = jobQueueKey(by.Queue, 0)
			prefix = prefix[:len(prefix)-numberLen]
		}
		before := by.Before
		if before == 0 {
			before = math.MaxUint64
		}
		walk := &run{cursor: h.bucket.Cursor(), prefix: prefix, desc: true}
		walk.startAfter(appendNumber(bytes.Clone(prefix), before))
		for ; walk.key != nil; walk.next() {
			j, err := r.jobRecord(numberOf(walk.key))
			if err == nil && by.Queue != "" && j.Queue != by.Queue {
				continue
			}
			if !yield(j, err) {
				return
			}
		}
	}
}

func (r *reader) jobRecord(number uint64) (store.Job, error) {
	j := store.Job{Number: number}
	if err := decode(r.value(jobsBucket, keyOf(jobRecord, number)), jobFields, &j); err != nil {
		return store.Job{}, damaged("a job", err)
	}
	return j, nil
}

// byJob yields the items that count for a job.
func (q *queue) byJob(r *reader, by *store.Query, after uint64, yield func(store.Item, error) bool) bool {
	j, err := r.job(by.Job)
	if err != nil {
		return yield(store.Item{}, err)
	}
	if j == nil {
		return true
	}
	if record, err := r.jobRecord(j.number); err != nil || record.Queue != q.name {
		return err == nil || yield(store.Item{}, err)
	}
	walk := &run{cursor: r.top(jobsBucket).bucket.Cursor(), prefix: keyOf(jobItem, j.number), desc: by.Desc}
	for walk.start(after); walk.key != nil; walk.next() {
		if !q.pick(numberOf(walk.key), by, yield) {
			return false
		}
	}
	return true
}
