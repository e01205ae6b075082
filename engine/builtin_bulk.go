package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"signalbox/store"
)

const (
	setName     = ".set"     // the frozen items of a bulk job, a chunk for each of its items
	resultsName = ".results" // what became of them
	requeue     = "requeue"  // waiting items may be claimed now
)

// BulkJobVerbs are what a bulk job does: all bulk acts, and requeue.
var BulkJobVerbs = append(slices.Clone(bulkVerbs), requeue)

// bulkItem is the work of one item of a bulk job: its share of the frozen set.
type bulkItem struct {
	BulkRequest
	Share uint64 `json:"share"`
}

// bulkTally counts what became of a share.
type bulkTally struct {
	OK      int `json:"ok"`
	Stale   int `json:"stale"`
	Gone    int `json:"gone"`
	Refused int `json:"refused"`
}

func (c *bulkTally) add(o bulkTally) {
	c.OK, c.Stale, c.Gone, c.Refused = c.OK+o.OK, c.Stale+o.Stale, c.Gone+o.Gone, c.Refused+o.Refused
}

func (e *Engine) newBulk(ctx context.Context, raw json.RawMessage) (b builtinJob, err error) {
	r, err := strict[BulkRequest](raw)
	if err != nil {
		return b, err
	}
	switch {
	case !slices.Contains(BulkJobVerbs, r.Verb):
		return b, noVerb(r.Verb, BulkJobVerbs)
	case r.Verb == BulkDefer && r.Until == 0:
		return b, store.Invalid("bulk job defer", "it needs a time to wait for", "give --until, or use requeue for now")
	case r.Verb == requeue:
		r.Verb, r.Until = BulkDefer, 0
	}
	if r.Of != 0 || r.Rate != (Rate{}) {
		return b, store.Invalid("a bulk job", "it takes no rate, and undoes no other", "use a bulk act")
	}
	if _, err := r.act(); err != nil {
		return b, err
	}
	set, err := e.freeze(ctx, &r)
	if err != nil {
		return b, err
	}
	of := set.first(r.First)
	r.Targets = nil
	about, err := store.Encode(r)
	if err != nil {
		return b, err
	}
	return builtinJob{queue: BulkQueue, metadata: about, fill: func(t *tx, q *store.Queue, j *store.Job) error {
		for from := 0; from < of; from += bulkBatch {
			share := uint64(from / bulkBatch)
			targets := make([]Target, 0, bulkBatch)
			for n := from; n < min(from+bulkBatch, of); n++ {
				targets = append(targets, set.target(n))
			}
			data, err := store.Encode(targets)
			if err != nil {
				return err
			}
			if err := t.Tx.PutChunk(j.ID, setName, share, data); err != nil {
				return err
			}
			if err := t.addBuiltin(q, j.ID, fmt.Sprint(share), len(targets), bulkItem{r, share}); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// workBulk acts on a share of the set, and keeps in the same change what became of
// it: an attempt after a crash finds that and acts no second time.
func (e *Engine) workBulk(ctx context.Context, r Record) (json.RawMessage, error) {
	b, err := loose[bulkItem](&r)
	if err != nil {
		return nil, err
	}
	j, err := e.Job(ctx, r.Job)
	if err != nil {
		return nil, err
	}
	b.Select = []ListRequest{{Queue: BulkQueue}} // frozen long ago; only its being there is asked
	act, err := b.act()
	if err != nil {
		return nil, err
	}
	var tally bulkTally
	err = e.built(WithActor(ctx, j.Initiator), &r, func(t *tx, _ *store.Queue) error {
		tally = bulkTally{}
		if known, err := t.Tx.Chunk(r.Job, resultsName, b.Share); err == nil {
			return json.Unmarshal(known, &tally)
		}
		data, err := t.Tx.Chunk(r.Job, setName, b.Share)
		if err != nil {
			return err
		}
		var targets []Target
		if err := json.Unmarshal(data, &targets); err != nil {
			return err
		}
		for _, target := range targets {
			o, err := t.onTarget(target, act)
			if err != nil {
				return err
			}
			switch o.Result {
			case OK:
				tally.OK++
			case Stale:
				tally.Stale++
			case Gone:
				tally.Gone++
			default:
				tally.Refused++
			}
		}
		return t.Tx.PutChunk(r.Job, resultsName, b.Share, output(tally))
	})
	return output(tally), err
}

// endBulk tells in the job's log what became of all items.
func (e *Engine) endBulk(ctx context.Context, j JobState) (func(store.Tx) error, error) {
	return func(tx store.Tx) error {
		chunks, err := tx.Chunks(j.ID, resultsName)
		if err != nil {
			return err
		}
		var all bulkTally
		for _, c := range chunks {
			data, err := tx.Chunk(j.ID, resultsName, c.Index)
			if err != nil {
				return err
			}
			var share bulkTally
			if err := json.Unmarshal(data, &share); err != nil {
				return err
			}
			all.add(share)
		}
		if j.Failed == 0 { // else what failed may be retried
			if err := firstOf(tx.DropChunks(j.ID, setName), tx.DropChunks(j.ID, resultsName)); err != nil {
				return err
			}
		}
		line := store.LogLine{At: e.now(), Level: "info", Fields: store.JSON(output(all)),
			Text: fmt.Sprintf("%d done, %d changed since, %d gone, %d not allowed", all.OK, all.Stale, all.Gone, all.Refused)}
		return tx.AppendLog(j.ID, &line, keptLog)
	}, nil
}
