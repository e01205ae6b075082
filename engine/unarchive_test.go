package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
)

// unarchive adds the items of the only archive under dir to a queue.
func (r *rig) unarchive(dir, queue string) ([]engine.AddResult, error) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "archive", "*", "*.zst"))
	if err != nil || len(files) != 1 {
		r.t.Fatalf("%v %v", files, err)
	}
	in, err := os.Open(files[0])
	if err != nil {
		r.t.Fatal(err)
	}
	defer in.Close()
	file, err := intake.Open(in, intake.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	var items []engine.NewItem
	for row, err := range file.Rows() {
		if err != nil || row.Err != nil {
			r.t.Fatal(err, row.Err)
		}
		items = append(items, row.Item)
	}
	return r.Add(r.ctx, engine.AddRequest{Queue: queue, Items: items, Mode: engine.Independent})
}

// Contents come back byte for byte, those of encrypted queues only to where they
// are sealed again and the key is.
func TestArchivesComeBack(t *testing.T) {
	for _, encrypted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			e, err := engine.Open(t.Context(), openBolt(t, filepath.Join(dir, "s.db")), engine.Options{Archive: filepath.Join(dir, "archive"), Key: keyOne})
			if err != nil {
				t.Fatal(err)
			}
			r := &rig{e, t, engine.WithActor(t.Context(), "anna")}
			r.queue("plain", store.Jobs, nil)
			r.queue("q", store.Jobs, func(q *store.Queue) {
				retain(days, days, engine.ThenArchive)(q)
				q.Encrypted = encrypted
			})
			exact := "{\"a\":  1,\n \"b\": \"<&>\"}"
			r.add("q", engine.NewItem{Payload: []byte(exact), Reference: "R", Job: "nightly"})
			rec := r.claim("q", "robot", 1)[0]
			if out, err := r.Settle(r.ctx, []engine.Settlement{{
				Item: rec.ID(), Fence: rec.Fence, Status: engine.System, Reason: "x", Details: "line 3", Output: []byte(`{ "o": 1 }`),
			}}); err != nil || out[0].Err != nil {
				t.Fatal(out, err)
			}
			want := r.item(rec.ID())
			time.Sleep(2 * days)
			r.wantLeft("q", "")
			r.set("q", `{"retain_excepted_then":"keep"}`)

			results, err := r.unarchive(dir, "plain")
			if refused := err == nil && results[0].Err != nil; refused != encrypted {
				t.Errorf("encrypted=%t, to a plain queue: %+v, %v", encrypted, results, err)
			}
			if results, err = r.unarchive(dir, "q"); err != nil || results[0].Err != nil {
				t.Fatal(results, err)
			}
			got := r.item(results[0].Item.ID())
			if string(got.Payload) != exact || string(got.Output) != string(want.Output) || got.Error.Details != "line 3" || got.Status != want.Status || got.EndedAt != want.EndedAt || got.Group != want.Group || got.Job != "nightly" {
				t.Errorf("it came back as %+v", got)
			}
			time.Sleep(3 * time.Hour)
			r.set("q", `{"retain_excepted_then":"archive"}`)
			r.wantLeft("q", "2") // its time is over only a day after it came back
			time.Sleep(2 * days)
			r.wantLeft("q", "")
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
