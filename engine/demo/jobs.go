package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// An export is 400 rows, worked a few at a time.
const (
	exportRows = 400
	chunkRows  = 8
)

// jobs starts an export as a job now and then. Every other one has rows that
// can't be exported, so that a visitor sees a job that fails in parts.
func (d *Demo) jobs(ctx context.Context) {
	for n := 1; ; n++ {
		d.exportJob(ctx, n)
		wait := d.between(45*time.Second, 75*time.Second)
		if n == 1 { // the one that fails in parts is to be seen soon
			wait = d.between(8*time.Second, 12*time.Second)
		}
		if !sleep(ctx, wait) {
			return
		}
	}
}

// exportJob starts a job of 400 rows, and tolerates refusals: a visitor may have
// cancelled it meanwhile.
func (d *Demo) exportJob(ctx context.Context, n int) {
	report := d.pick(reports)
	job, err := d.e.StartJob(ctx, engine.JobRequest{
		Queue: exports, ID: fmt.Sprintf("export-%s-%d", strings.ReplaceAll(report, " ", "-"), n), Filling: true,
		Metadata: payload(map[string]any{"report": report, "rows": exportRows, "format": "csv"}),
	})
	if err != nil {
		return
	}
	say := func(level, words string) { _, _ = d.e.LogJob(ctx, job.ID, store.LogLine{Level: level, Text: words}) }
	say("info", fmt.Sprintf("%d rows of %s to export, %d at a time", exportRows, report, chunkRows))
	var items []engine.NewItem
	for from := 0; from < exportRows; from += chunkRows {
		broken := n%2 == 0 && d.chance(0.12)
		if broken {
			say("warn", fmt.Sprintf("row %d has no cost centre", from+1))
		}
		items = append(items, engine.NewItem{
			Job: job.ID, Weight: chunkRows, Payload: payload(map[string]any{"from": from + 1, "rows": chunkRows, "broken": broken}),
		})
	}
	d.add(ctx, exports, items...)
	_, _ = d.e.SealJob(ctx, job.ID)
	_, _ = d.e.Attach(ctx, job.ID, "columns.csv", "text/csv", strings.NewReader("row,account,cost centre,amount\n"))
}

// chunk works rows of an export.
func (d *Demo) chunk(ctx context.Context, rec engine.Record) error {
	if !sleep(ctx, d.between(4*time.Second, 9*time.Second)) {
		return ctx.Err()
	}
	if strings.Contains(string(rec.Payload), `"broken":true`) {
		return &drain.Business{Reason: "a row has no cost centre"}
	}
	return nil
}
