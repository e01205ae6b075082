package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"signalbox/engine/export"
	"signalbox/store"
)

// ExportJob is an export that the engine makes by itself, into an attachment of
// its job.
type ExportJob struct {
	ExportRequest
	Name string `json:"name,omitempty"` // of the attachment; "" = the queue's with the format's ending
	Part int    `json:"part,omitempty"` // item numbers in one part; 0 = 10,000
}

const (
	exportPart    = 10_000
	maxExportPart = 1_000_000
	// maxExportParts bounds what one change adds; where parts would be more, they
	// are larger.
	maxExportParts = 10_000
	partChunks     = 1 << 32 // a part's chunks have indexes of their own
)

// exportItem is the work of one item: without a part to plan the parts, else to
// lay out those items whose numbers are in it.
type exportItem struct {
	ExportJob
	Number uint64 `json:"number,omitempty"` // of the part, from 1
	First  uint64 `json:"first,omitempty"`
	Last   uint64 `json:"last,omitempty"`
}

// surveyName is under what name an export keeps its survey.
const surveyName = ".survey"

var endings = map[export.Format]string{export.CSV: "text/csv", export.JSONL: "application/jsonl", export.XML: "application/xml"}

func (e *Engine) newExport(ctx context.Context, raw json.RawMessage) (b builtinJob, err error) {
	x, err := strict[ExportJob](raw)
	if err != nil {
		return b, err
	}
	if x.Format == "" {
		x.Format = export.CSV
	}
	if endings[x.Format] == "" {
		return b, store.Invalid(fmt.Sprintf("format %q", x.Format), "a job exports csv, jsonl or xml", "use one of these, or `signalbox export`")
	}
	if x.Name == "" {
		x.Name = x.Queue + "." + string(x.Format)
	}
	if x.Part == 0 {
		x.Part = exportPart
	}
	if x.Part < 1 || x.Part > maxExportPart {
		return b, store.Invalid(fmt.Sprintf("part %d", x.Part), fmt.Sprintf("a part is of 1 to %d numbers", maxExportPart), "leave it out")
	}
	if err := validateFileName(x.Name); err != nil {
		return b, err
	}
	if _, err := e.exporter(ctx, x.ExportRequest); err != nil {
		return b, err
	}
	return builtinJob{queue: ExportQueue, fill: func(t *tx, q *store.Queue, j *store.Job, _ int) ([]AddResult, error) {
		return t.addBuiltin(q, j.ID, "plan", 1, exportItem{ExportJob: x})
	}}, nil
}

func (e *Engine) workExport(ctx context.Context, r Record) (json.RawMessage, error) {
	x, err := loose[exportItem](&r)
	switch {
	case err != nil:
		return nil, err
	case x.Number == 0:
		return e.planExport(ctx, &r, x)
	}
	return e.exportPart(ctx, &r, x)
}

// planExport freezes the range of numbers, surveys the rows where the format needs
// it, and adds an item for each part. What an attempt that died has planned stands: its
// parts may have been made.
func (e *Engine) planExport(ctx context.Context, r *Record, x exportItem) (json.RawMessage, error) {
	switch planned, err := e.plannedExport(ctx, r); {
	case err != nil:
		return nil, err
	case planned:
		return output(map[string]bool{"planned_before": true}), nil
	}
	from, err := e.exporter(ctx, x.ExportRequest)
	if err != nil {
		return nil, err
	}
	size := max(uint64(x.Part), (from.last+maxExportParts-1)/maxExportParts)
	survey, rows, err := from.survey(ctx, x.Format, size)
	if err != nil {
		return nil, err
	}
	kept, err := store.Encode(&survey)
	if err != nil {
		return nil, err
	}
	layout, err := export.New(x.Format, &survey)
	if err != nil {
		return nil, err
	}
	// The plan itself counts for nothing: the job is as large as its rows.
	err = e.tallied(ctx, r, func(t *tx, q *store.Queue) (done, failed int, err error) {
		for n, rows := range rows {
			part := x
			part.Number, part.First, part.Last = uint64(n)+1, uint64(n)*size+1, min(uint64(n+1)*size, from.last)
			if rows == 0 {
				continue
			}
			if _, err := t.addBuiltin(q, r.Job, fmt.Sprint("part/", part.Number), rows, part); err != nil {
				return 0, 0, err
			}
		}
		if err := t.Tx.PutChunk(r.Job, surveyName, 0, kept); err != nil {
			return 0, 0, err
		}
		if head := layout.Header(nil); len(head) > 0 {
			if err := t.Tx.PutChunk(r.Job, x.Name, 0, head); err != nil {
				return 0, 0, err
			}
		}
		if foot := layout.Footer(nil); len(foot) > 0 {
			err = t.Tx.PutChunk(r.Job, x.Name, uint64(len(rows)+1)*partChunks, foot)
		}
		return 0, 0, err
	})
	return output(map[string]int{"parts": len(rows)}), err
}

// plannedExport says that the export's plan was made: the survey is kept in that change.
func (e *Engine) plannedExport(ctx context.Context, r *Record) (planned bool, err error) {
	err = e.store.View(ctx, func(rd store.Reader) error {
		chunks, err := rd.Chunks(r.Job, surveyName)
		planned = len(chunks) > 0
		return err
	})
	return planned, err
}

// exportPart lays out one part and keeps it in chunks of a bounded size. A part
// that is made again replaces what an earlier attempt left.
func (e *Engine) exportPart(ctx context.Context, r *Record, x exportItem) (json.RawMessage, error) {
	var kept []byte
	err := e.store.View(ctx, func(rd store.Reader) (err error) {
		kept, err = rd.Chunk(r.Job, surveyName, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	var survey export.Survey
	if err := json.Unmarshal(kept, &survey); err != nil {
		return nil, err
	}
	layout, err := export.New(x.Format, &survey)
	if err != nil {
		return nil, err
	}
	from, err := e.exporter(ctx, x.ExportRequest)
	if err != nil {
		return nil, err
	}
	from.last = min(from.last, x.Last)
	from.list.Order, from.list.After = ByNumber, store.ID{Queue: x.Queue, Number: x.First - 1}
	index := x.Number * partChunks
	buf := make([]byte, 0, exportBuffer+exportBuffer/4)
	put := func() error {
		if len(buf) == 0 {
			return nil
		}
		err := e.PutChunk(ctx, r, x.Name, index, buf)
		buf, index = buf[:0], index+1
		return err
	}
	done, err := from.each(ctx, func(row *export.Row) int {
		buf = layout.Row(buf, row)
		return len(buf)
	}, func() error {
		if len(buf) < exportBuffer {
			return nil
		}
		return put()
	})
	if err == nil {
		err = put()
	}
	if err == nil {
		err = e.dropRest(ctx, r, x.Name, index, (x.Number+1)*partChunks)
	}
	if err == nil && (int(done.Items) != r.Weight || r.Tally.Known) { // it was planned for others, or made of others before
		err = e.tallied(ctx, r, func(*tx, *store.Queue) (int, int, error) { return int(done.Items), 0, nil })
	}
	return output(done), err
}

// dropRest removes the chunks of a name from one index to before another, which a
// longer attempt left.
func (e *Engine) dropRest(ctx context.Context, r *Record, name string, from, to uint64) error {
	var rest []uint64
	err := e.store.View(ctx, func(rd store.Reader) error {
		chunks, err := rd.Chunks(r.Job, name)
		for _, c := range chunks {
			if c.Index >= from && c.Index < to {
				rest = append(rest, c.Index)
			}
		}
		return err
	})
	if err != nil || len(rest) == 0 {
		return err
	}
	return e.built(ctx, r, func(t *tx, _ *store.Queue) error {
		for _, index := range rest {
			if err := t.Tx.DropChunk(r.Job, name, index); err != nil {
				return err
			}
		}
		return nil
	})
}

// joinExport makes the attachment of the parts. When some are not done there is none,
// and those that are stay: once the others have been retried, they are joined.
func (e *Engine) joinExport(_ context.Context, j JobState) (func(store.Tx) error, error) {
	x, err := strict[ExportJob](json.RawMessage(j.Metadata))
	if err != nil {
		return nil, err
	}
	if x.Format == "" {
		x.Format = export.CSV
	}
	if x.Name == "" {
		x.Name = x.Queue + "." + string(x.Format)
	}
	return func(tx store.Tx) error {
		if j.Status == store.JobCancelled {
			err := firstOf(tx.DropChunks(j.ID, surveyName), tx.DropChunks(j.ID, x.Name))
			return firstOf(err, e.logged(tx, j.ID, "error", "no file was made, since the job was cancelled"))
		}
		if whole, err := e.wholeExport(tx, &j.Job); !whole || err != nil {
			return err
		}
		if err := tx.DropChunks(j.ID, surveyName); err != nil {
			return err
		}
		a := store.Attachment{Name: x.Name, Type: endings[x.Format], CreatedAt: e.now(), CreatedBy: j.Initiator}
		if err := tx.PutAttachment(j.ID, &a); err != nil {
			return err
		}
		return e.logged(tx, j.ID, "info", fmt.Sprintf("%s: %d bytes", a.Name, a.Size))
	}, nil
}

// toldParts is how many parts that are not done the log names.
const toldParts = 20

// wholeExport says whether all parts are done. If not, the log tells which are not
// and why, and how to have them made.
func (e *Engine) wholeExport(tx store.Tx, j *store.Job) (bool, error) {
	all, missing, first := 0, 0, store.Item{}
	for i, err := range tx.Items(store.Query{Queue: j.Queue, Job: j.ID}) {
		if err != nil {
			return false, err
		}
		all++
		if i.Status == store.Completed {
			continue
		}
		if missing++; missing == 1 {
			first = i
		}
		if missing > toldParts {
			continue
		}
		text, err := partText(tx, &i)
		if err == nil {
			err = e.logged(tx, j.ID, "error", text)
		}
		if err != nil {
			return false, err
		}
	}
	if missing == 0 {
		return true, nil
	}
	text := fmt.Sprintf("no file was made: %d of its %d items not done, the first %s; retry them with `signalbox item retry --queue %s --filter job:%s --all`, and it is made",
		missing, all, why(&first), j.Queue, j.ID)
	return false, e.logged(tx, j.ID, "error", text)
}

// partText says of an item of an export which numbers it is for and why it is not
// done.
func partText(r store.Reader, i *store.Item) (string, error) {
	payload, err := r.Payload(i.ID())
	if err != nil {
		return "", err
	}
	x, err := loose[exportItem](&Record{Item: *i, Payload: payload})
	if err != nil {
		return "", err
	}
	part := "the plan"
	if x.Number > 0 {
		part = fmt.Sprintf("part %d, of %s/%d to %d,", x.Number, x.Queue, x.First, x.Last)
	}
	return part + " is not done: " + why(i), nil
}

// why words how an item ended.
func why(i *store.Item) string {
	text := i.ID().String() + " is " + i.Status.String()
	if i.Error != nil {
		text += ": " + i.Error.Reason
	}
	return cleanText(text, MaxLogText/2)
}

// output words what a built-in's item gave.
func output(v any) json.RawMessage {
	b, _ := store.Encode(v) // plain numbers always marshal
	return b
}
