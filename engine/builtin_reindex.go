package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"signalbox/store"
)

// ReindexJob holds the store's indexes, counters and histories against its
// records, and puts right what differs, while work goes on.
type ReindexJob struct{}

const (
	mendBatch   = 100 // things put right in one change
	mendRounds  = 100 // without fewer being wrong
	reportEvery = time.Second

	mendedName = "mended.txt"  // what was put right, a line each
	asideName  = "aside.jsonl" // records that were taken out
)

func (e *Engine) newReindex(_ context.Context, raw json.RawMessage) (b builtinJob, err error) {
	if _, err := strict[ReindexJob](raw); err != nil {
		return b, err
	}
	return builtinJob{queue: ReindexQueue, fill: func(t *tx, q *store.Queue, j *store.Job, _ int) ([]AddResult, error) {
		return t.addBuiltin(q, j.ID, "check", 1, ReindexJob{})
	}}, nil
}

// reindexed is what a reindex did.
type reindexed struct {
	Mended   int `json:"mended"`
	Problems int `json:"problems"` // left
}

// workReindex examines the store and mends, in rounds, until nothing is wrong. An
// attempt after a crash examines anew.
func (e *Engine) workReindex(ctx context.Context, r Record) (json.RawMessage, error) {
	x, ok := e.store.(store.Examiner)
	if !ok {
		return e.lookThrough(ctx, &r)
	}
	var sum reindexed
	for left, stale := -1, 0; ; {
		wrong, err := e.examine(ctx, &r, x)
		if err != nil {
			return nil, err
		}
		if sum.Problems = len(wrong); len(wrong) == 0 {
			return output(sum), nil
		}
		if stale++; left < 0 || len(wrong) < left {
			left, stale = len(wrong), 0
		}
		if stale > mendRounds {
			return nil, store.Invalid("the store", fmt.Sprintf("%d things can't be put right while work goes on, the first: %s", len(wrong), wrong[0].Text),
				"stop the engine and use `signalbox check --repair`")
		}
		if err := e.mend(ctx, &r, wrong, &sum); err != nil {
			return nil, err
		}
	}
}

// examine examines the store, and tells meanwhile how far it is.
func (e *Engine) examine(ctx context.Context, r *Record, x store.Examiner) ([]store.Wrong, error) {
	var seen atomic.Int64
	ended, reported := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reported)
		for {
			due := make(chan struct{})
			timer := e.clock.AfterFunc(reportEvery, func() { close(due) })
			select {
			case <-due: // a holder whose lease was lost learns it elsewhere
				_ = e.Progress(ctx, Holding{r.ID(), r.Fence}, fmt.Sprintf("looked at %d items", seen.Load()))
			case <-ended:
				timer.Stop()
				return
			}
		}
	}()
	wrong, err := x.Examine(ctx, store.Examination{Queue: DefaultQueue, Seen: func(items int) { seen.Store(int64(items)) }})
	close(ended)
	<-reported
	return wrong, err
}

// mend puts right what is wrong, in changes of bounded size, each of which also
// keeps with the job what it did.
func (e *Engine) mend(ctx context.Context, r *Record, wrong []store.Wrong, sum *reindexed) error {
	for len(wrong) > 0 {
		batch := wrong[:min(mendBatch, len(wrong))]
		wrong = wrong[len(batch):]
		var done []string
		err := e.built(ctx, r, func(t *tx, _ *store.Queue) error {
			done = done[:0]
			var aside []byte
			for n := range batch {
				m, err := batch[n].Mend(t.own(), t.now, t.actor)
				if err != nil {
					return err
				}
				if !m.Done {
					continue
				}
				done, aside = append(done, cleanText(batch[n].Text, MaxLogText)), append(aside, m.Aside...)
				if m.Queue != "" {
					t.gain(m.Queue).whole = true
				}
			}
			return t.noteMends(r, done, aside)
		})
		if err != nil {
			return err
		}
		sum.Mended += len(done)
	}
	return nil
}

// noteMends keeps what was put right, with the job and in the history.
func (t *tx) noteMends(r *Record, done []string, aside []byte) error {
	if len(done) == 0 {
		return nil
	}
	at, date, err := nextDue(t.Tx)
	if err != nil {
		return err
	}
	t.remind(at)
	t.remind(date)
	for _, text := range done {
		if err := t.e.logged(t.Tx, r.Job, "warn", "put right: "+text); err != nil {
			return err
		}
	}
	if err := t.addToFile(r.Job, mendedName, []byte(strings.Join(done, "\n")+"\n")); err != nil {
		return err
	}
	if err := t.addToFile(r.Job, asideName, aside); err != nil {
		return err
	}
	return t.Append(store.Change{At: t.now, Actor: t.actor, Event: "reindex", Why: fmt.Sprintf("%d things were put right by job %s", len(done), r.Job)})
}

// addToFile adds to what will be a job's attachment.
func (t *tx) addToFile(job, name string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	chunks, err := t.Tx.Chunks(job, name)
	if err != nil {
		return err
	}
	index := uint64(0)
	if len(chunks) > 0 {
		index = chunks[len(chunks)-1].Index + 1
	}
	return t.Tx.PutChunk(job, name, index, data)
}

// lookThrough says what is wrong in a store that can't be mended while it is open.
func (e *Engine) lookThrough(ctx context.Context, r *Record) (json.RawMessage, error) {
	problems, err := e.Check(ctx)
	if err != nil {
		return nil, err
	}
	if err := e.built(ctx, r, func(t *tx, _ *store.Queue) error {
		for _, p := range problems {
			if err := e.logged(t.Tx, r.Job, "error", cleanText(p, MaxLogText)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, store.Invalid("the store", fmt.Sprintf("%d problems, the first: %s", len(problems), problems[0]), "see the job's log, and put a backup in its place")
	}
	return output(reindexed{}), nil
}

// endReindex makes attachments of what was put right and taken out, and says in
// the job's log how it ended.
func (e *Engine) endReindex(_ context.Context, j JobState) (func(store.Tx) error, error) {
	return func(tx store.Tx) error {
		mended := 0
		for name, kind := range map[string]string{mendedName: "text/plain", asideName: "application/jsonl"} {
			chunks, err := tx.Chunks(j.ID, name)
			if err != nil {
				return err
			}
			for _, c := range chunks {
				data, err := tx.Chunk(j.ID, name, c.Index)
				if err != nil {
					return err
				}
				if name == mendedName {
					mended += strings.Count(string(data), "\n")
				}
			}
			if len(chunks) == 0 {
				continue
			}
			a := store.Attachment{Name: name, Type: kind, CreatedAt: e.now(), CreatedBy: j.Initiator}
			if err := tx.PutAttachment(j.ID, &a); err != nil {
				return err
			}
		}
		switch {
		case mended > 0:
			return e.logged(tx, j.ID, "info", fmt.Sprintf("%d things were put right, see the attachment %s", mended, mendedName))
		case j.Failed > 0:
			return nil
		}
		return e.logged(tx, j.ID, "info", "nothing is wrong with the indexes, the counters and the histories")
	}, nil
}
