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

	// bulkPiece is how many items of the set one change keeps: some 20 KB.
	bulkPiece = 16 * bulkBatch
	// toldTrouble is how many items that an act was not done on its log names, and
	// shareTrouble how many of one share.
	toldTrouble, shareTrouble = 20, 5
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
	// Trouble says of the first that were not done why.
	Trouble []string `json:"trouble,omitempty"`
}

func (c *bulkTally) failed() int { return c.Stale + c.Gone + c.Refused }

func (c *bulkTally) add(o bulkTally) {
	c.OK, c.Stale, c.Gone, c.Refused = c.OK+o.OK, c.Stale+o.Stale, c.Gone+o.Gone, c.Refused+o.Refused
	c.Trouble = append(c.Trouble, o.Trouble[:min(len(o.Trouble), toldTrouble-len(c.Trouble))]...)
}

// note counts what became of an item.
func (c *bulkTally) note(o *Outcome) {
	switch o.Result {
	case OK:
		c.OK++
		return
	case Stale:
		c.Stale++
	case Gone:
		c.Gone++
	default:
		c.Refused++
	}
	if o.Err != nil && len(c.Trouble) < shareTrouble {
		c.Trouble = append(c.Trouble, cleanText(o.Err.Error(), maxReason))
	}
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
	return builtinJob{
		queue: BulkQueue, metadata: about, pieces: (of + bulkPiece - 1) / bulkPiece,
		fill: func(t *tx, q *store.Queue, j *store.Job, piece int) (added []AddResult, err error) {
			for from := piece * bulkPiece; from < min((piece+1)*bulkPiece, of); from += bulkBatch {
				share, err := t.addShare(q, j, &r, set, from, min(from+bulkBatch, of))
				if err != nil {
					return nil, err
				}
				added = append(added, share...)
			}
			return added, nil
		},
	}, nil
}

// addShare gives a bulk job an item for a share of its set, and keeps that.
func (t *tx) addShare(q *store.Queue, j *store.Job, r *BulkRequest, set *frozen, from, to int) ([]AddResult, error) {
	share := uint64(from / bulkBatch)
	data, err := set.share(from, to)
	if err != nil {
		return nil, err
	}
	if err := t.Tx.PutChunk(j.ID, setName, share, data); err != nil {
		return nil, err
	}
	return t.addBuiltin(q, j.ID, fmt.Sprint(share), to-from, bulkItem{*r, share})
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
	err = e.tallied(WithActor(ctx, j.Initiator), &r, func(t *tx, _ *store.Queue) (done, failed int, err error) {
		tally, err = t.actOnShare(&r, b.Share, act)
		return tally.OK, tally.failed(), err
	})
	return output(tally), err
}

func (t *tx) actOnShare(r *Record, share uint64, act func(*tx, *store.Queue, *store.Item) (store.ID, error)) (tally bulkTally, err error) {
	if known, err := t.Tx.Chunk(r.Job, resultsName, share); err == nil {
		return tally, json.Unmarshal(known, &tally)
	}
	targets, err := shareOf(t, r.Job, share)
	if err != nil {
		return tally, err
	}
	for _, target := range targets {
		o, err := t.onTarget(target, act)
		if err != nil {
			return tally, err
		}
		tally.note(&o)
	}
	return tally, t.Tx.PutChunk(r.Job, resultsName, share, output(tally))
}

// endBulk tells in the job's log what became of all items.
func (e *Engine) endBulk(ctx context.Context, j JobState) (func(store.Tx) error, error) {
	arrived, err := e.arrivedSince(ctx, &j)
	if err != nil {
		return nil, err
	}
	return func(tx store.Tx) error {
		all, err := bulkTotal(tx, j.ID)
		if err != nil {
			return err
		}
		over, err := overForGood(tx, &j.Job)
		if err == nil && over {
			err = firstOf(tx.DropChunks(j.ID, setName), tx.DropChunks(j.ID, resultsName))
		}
		for _, text := range all.Trouble {
			err = firstOf(err, e.logged(tx, j.ID, "warn", text))
		}
		all.Trouble = nil
		line := store.LogLine{At: e.now(), Level: "info", Fields: store.JSON(output(all)),
			Text: fmt.Sprintf("%d done, %d changed since, %d gone, %d not allowed", all.OK, all.Stale, all.Gone, all.Refused)}
		if all.failed() > 0 {
			line.Level = "warn"
		}
		if arrived > 0 {
			line.Text += fmt.Sprintf(", %d that match came later and are untouched", arrived)
		}
		return firstOf(err, tx.AppendLog(j.ID, &line, keptLog))
	}, nil
}

// bulkTotal sums what became of a bulk job's shares.
func bulkTotal(r store.Reader, job string) (all bulkTally, err error) {
	chunks, err := r.Chunks(job, resultsName)
	if err != nil {
		return all, err
	}
	for _, c := range chunks {
		data, err := r.Chunk(job, resultsName, c.Index)
		if err != nil {
			return all, err
		}
		var share bulkTally
		if err := json.Unmarshal(data, &share); err != nil {
			return all, err
		}
		all.add(share)
	}
	return all, nil
}

// arrivedSince counts what matches now and is not in a bulk job's set, 0 where that
// tells nothing.
func (e *Engine) arrivedSince(ctx context.Context, j *JobState) (int, error) {
	r, err := strict[BulkRequest](json.RawMessage(j.Metadata))
	if err != nil || len(r.Select) == 0 || r.First > 0 || j.Status == store.JobCancelled {
		return 0, err
	}
	set := &frozen{}
	err = e.store.View(ctx, func(rd store.Reader) error {
		chunks, err := rd.Chunks(j.ID, setName)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			targets, err := shareOf(rd, j.ID, c.Index)
			if err != nil {
				return err
			}
			for _, target := range targets {
				set.add(target.Item, target.Revision)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	n, err := e.arrived(ctx, r.Select, set)
	if store.CodeOf(err) == store.CodeNotFound { // a queue that was deleted
		return 0, nil
	}
	return n, err
}
