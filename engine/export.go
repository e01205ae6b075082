package engine

import (
	"context"
	"io"
	"sync"

	"signalbox/engine/export"
	"signalbox/store"
)

// exportBuffer is at how many bytes what was laid out is written, in a read of
// the store of its own.
const exportBuffer = 1 << 20

// ExportRequest selects items and says how their file is laid out.
type ExportRequest struct {
	Queue    string         `json:"queue"`
	Statuses []store.Status `json:"statuses,omitempty"`
	Filter   string         `json:"filter,omitempty"` // as of ListRequest
	Format   export.Format  `json:"format"`
	// Masked hides the fields that the queue's mask names.
	Masked bool `json:"masked,omitempty"`
}

// Exported says what a file holds.
type Exported struct {
	Items   int64 `json:"items"`
	Damaged int64 `json:"damaged,omitempty"` // records that can't be read and are left out
}

// Export writes the selected items whole to w, in order of number, in memory
// that does not grow with their count. What is added while it runs is left
// out; each item is as it is when it is reached, so the same items give the
// same bytes. When it fails w may have got a part. CodeInvalid for a bad filter
// or format, CodeNotFound for a queue that is not there.
func (e *Engine) Export(ctx context.Context, r ExportRequest, w io.Writer) (Exported, error) {
	x, err := e.exporter(ctx, r)
	if err != nil {
		return Exported{}, err
	}
	var survey export.Survey
	if r.Format.Surveys() {
		if survey, err = x.columns(ctx, 1, nil); err != nil {
			return Exported{}, err
		}
	}
	layout, err := export.New(r.Format, &survey)
	if err != nil {
		return Exported{}, err
	}
	buf := layout.Header(make([]byte, 0, exportBuffer+exportBuffer/4))
	any := false
	done, err := x.each(ctx, func(row *export.Row) int {
		if any {
			buf = append(buf, layout.Between()...)
		}
		any = true
		buf = layout.Row(buf, row)
		return len(buf)
	}, func() error {
		_, err := w.Write(buf)
		buf = buf[:0]
		return err
	})
	if err != nil {
		return done, err
	}
	_, err = w.Write(layout.Footer(buf))
	return done, err
}

// exporter reads the selected items whole.
type exporter struct {
	e    *Engine
	list ListRequest
	last uint64 // number of the newest item when it began
	mask []string
	// sealed says that contents must be opened.
	sealed bool
}

func (e *Engine) exporter(ctx context.Context, r ExportRequest) (x exporter, err error) {
	if _, err := export.ParseFormat(string(r.Format)); err != nil {
		return x, err
	}
	x = exporter{e: e, list: ListRequest{Queue: r.Queue, Statuses: r.Statuses, Filter: r.Filter}}
	if _, err := e.walk(&x.list); err != nil {
		return x, err
	}
	return x, e.store.View(ctx, func(rd store.Reader) error {
		q, err := rd.Queue(r.Queue)
		if err != nil {
			return err
		}
		if r.Masked {
			x.mask = q.Mask
		}
		x.sealed = q.Encrypted
		if err := e.vault.locked(&q); err != nil { // a file of sealed contents is of no use
			return err
		}
		for i, err := range rd.Items(store.Query{Queue: r.Queue, Desc: true}) {
			if err == nil {
				x.last = i.Number
				break
			}
		}
		return nil
	})
}

// survey counts the rows of each part of so many numbers, and looks at the rows where
// the format needs it. Where every number is of a row nothing is read for the count.
func (x *exporter) survey(ctx context.Context, format export.Format, size uint64) (survey export.Survey, rows []int, err error) {
	rows = make([]int, (x.last+size-1)/size)
	if format.Surveys() {
		survey, err = x.columns(ctx, size, rows)
		return survey, rows, err
	}
	if full, err := x.full(ctx); err != nil || full {
		for n := range rows {
			rows[n] = int(min(size, x.last-uint64(n)*size))
		}
		return survey, rows, err
	}
	return survey, rows, x.ranges(ctx, size, func(ctx context.Context, part *exporter) error {
		w, err := x.e.walk(&part.list)
		if err != nil {
			return err
		}
		return w.run(ctx, func(i store.Item) bool {
			if i.Number > part.last {
				return false
			}
			rows[(i.Number-1)/size]++
			return true
		})
	})
}

// columns surveys the rows, in ranges side by side, and counts those of each part of so
// many numbers into rows where it is given.
func (x *exporter) columns(ctx context.Context, size uint64, rows []int) (all export.Survey, err error) {
	var merging sync.Mutex
	err = x.ranges(ctx, size, func(ctx context.Context, part *exporter) error {
		var survey export.Survey
		_, err := part.each(ctx, func(row *export.Row) int {
			survey.Add(row)
			if rows != nil {
				rows[(row.Number-1)/size]++
			}
			return 0
		}, nil)
		merging.Lock()
		defer merging.Unlock()
		all.Merge(&survey)
		return err
	})
	return all, err
}

// full says that each number up to the last is of a selected item.
func (x *exporter) full(ctx context.Context) (full bool, err error) {
	if x.list.Filter != "" {
		return false, nil
	}
	w, err := x.e.walk(&x.list)
	if err != nil {
		return false, err
	}
	err = x.e.store.View(ctx, func(r store.Reader) error {
		if err := w.choose(r); err != nil {
			return err
		}
		n, err := countIn(r, []string{x.list.Queue}, w.path.statuses)
		full = uint64(n) == x.last
		return err
	})
	return full, err
}

// each visits the selected items in short reads of the store; between them it
// calls pause. visit gives how much it holds; at exportBuffer a read ends.
func (x *exporter) each(ctx context.Context, visit func(*export.Row) int, pause func() error) (done Exported, err error) {
	w, err := x.e.walk(&x.list)
	if err != nil {
		return done, err
	}
	for more := true; more; {
		err = x.e.store.View(ctx, func(r store.Reader) error {
			if !w.chosen {
				if err := w.choose(r); err != nil {
					return err
				}
			}
			more, err = x.chunk(ctx, r, w, &done, visit)
			return err
		})
		if err == nil && pause != nil {
			err = pause()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// chunk visits one read's share; more says that it was not the last.
func (x *exporter) chunk(ctx context.Context, r store.Reader, w *walk, done *Exported, visit func(*export.Row) int) (more bool, err error) {
	now, end := x.e.now(), w.looked+scanChunk
	var row export.Row
	for i, err := range w.items(r) {
		if i.Number > x.last {
			return false, nil
		}
		if err != nil {
			done.Damaged++
			continue
		}
		w.looked++
		w.at = i.ID()
		fits, err := w.wanted(ctx, r, &i, now)
		if err == nil && fits {
			err = x.whole(r, i, &row)
		}
		switch {
		case store.CodeOf(err) == store.CodeUnavailable:
			done.Damaged++
		case err != nil:
			return false, err
		case fits:
			done.Items++
			if visit(&row) >= exportBuffer {
				return true, nil
			}
		}
		if w.looked == end {
			return true, nil
		}
	}
	return false, nil
}

// whole reads an item's contents beside it.
func (x *exporter) whole(r store.Reader, i store.Item, row *export.Row) (err error) {
	row.Item = i
	if row.Payload, err = r.Payload(i.ID()); err != nil {
		return err
	}
	res, err := r.Result(i.ID())
	if err != nil {
		return err
	}
	row.Output, row.Analytics = res.Output, res.Analytics
	if i.Error != nil && res.Details != "" {
		failure := *i.Error
		failure.Details = res.Details
		row.Error = &failure
	}
	if x.sealed {
		if err := x.open(row); err != nil {
			return err
		}
	}
	row.Payload, row.Output, row.Analytics = Mask(row.Payload, x.mask), Mask(row.Output, x.mask), Mask(row.Analytics, x.mask)
	return nil
}

// open opens a row's contents.
func (x *exporter) open(row *export.Row) (err error) {
	v := &x.e.vault
	for field, content := range map[string]*[]byte{fieldPayload: &row.Payload, fieldOutput: &row.Output, fieldAnalytics: &row.Analytics} {
		if *content, err = v.open(row.Chain, field, *content); err != nil {
			return err
		}
	}
	if row.Error == nil || row.Error.Details == "" {
		return nil
	}
	details, err := v.open(row.Chain, fieldDetails, []byte(row.Error.Details))
	failure := *row.Error
	failure.Details = string(details)
	row.Error = &failure
	return err
}
