package engine_test

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

func TestAddRefusesBadContent(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("tx", store.Transactions, nil)
		r.queue("jobs", store.Jobs, nil)
		for name, c := range map[string]struct {
			queue string
			item  engine.NewItem
			want  string
		}{
			"empty":          {"tx", engine.NewItem{}, "line 1, column 1: empty"},
			"not JSON":       {"jobs", engine.NewItem{Payload: json.RawMessage("{\n  \"é\": x}")}, "line 2, column 8"},
			"cut off":        {"jobs", engine.NewItem{Payload: json.RawMessage(`{"a":1`)}, "column 6"},
			"not UTF-8":      {"jobs", engine.NewItem{Payload: json.RawMessage("\"a\xff\"")}, "column 3: not UTF-8"},
			"no object":      {"tx", engine.NewItem{Payload: json.RawMessage(`[1]`)}, "JSON object"},
			"too many bytes": {"jobs", engine.NewItem{Payload: json.RawMessage(`"` + strings.Repeat("€", 200_000) + `"`)}, "600002 bytes, the limit is 512000"},
			"too long":       {"jobs", engine.NewItem{Payload: json.RawMessage(`"` + strings.Repeat("x", 256_000) + `"`)}, "256002 characters, the limit is 256000"},
			"reference":      {"jobs", engine.NewItem{Payload: object(), Reference: strings.Repeat("r", 129)}, "129 characters, the limit is 128"},
			"quote in it":    {"jobs", engine.NewItem{Payload: object(), Reference: `a"b`}, "double quote"},
			"control in it":  {"jobs", engine.NewItem{Payload: object(), Reference: "a\u009bb"}, "control character"},
		} {
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: c.queue, Items: []engine.NewItem{c.item}})
			if store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
		big := json.RawMessage(`"` + strings.Repeat("x", 255_998) + `"`)
		if got := r.item(r.add("jobs", engine.NewItem{Payload: big})[0]); len(got.Payload) != 256_000 {
			t.Errorf("a payload at the limit: %d bytes", len(got.Payload))
		}
		if c := r.counts("tx"); c.Total() != 0 {
			t.Errorf("stored in spite of it: %v", c)
		}
	})
}

func TestPayloadIsKeptByteExact(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		given := "{ \"b\": 1.50,\n\t\"a\": \"\\u00e9\", \"b\": 2 }"
		id := r.add("q", engine.NewItem{Payload: json.RawMessage(given)})[0]
		if got := string(r.item(id).Payload); got != given {
			t.Errorf("%q", got)
		}
		if got := string(r.claim("q", "r", 1)[0].Payload); got != given {
			t.Errorf("claimed: %q", got)
		}
	})
}

func TestAddModes(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		bad := engine.NewItem{Payload: json.RawMessage(`[]`)}
		good := engine.NewItem{Payload: object()}
		items := []engine.NewItem{good, bad, good, bad, good}
		for mode, want := range map[string]int64{engine.AllOrNothing: 0, engine.StopOnFirstFailure: 1, engine.Independent: 3} {
			before := r.counts("q")
			results, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: items, Mode: mode})
			if (err != nil) != (mode == engine.AllOrNothing) {
				t.Errorf("%s: %v", mode, err)
			}
			after := r.counts("q")
			if got := after.Total() - before.Total(); got != want {
				t.Errorf("%s stored %d, want %d", mode, got, want)
			}
			if results[1].Err == nil {
				t.Errorf("%s: the bad item has no error", mode)
			}
		}
		_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: items, Mode: "some"})
		r.wantCode(err, store.CodeInvalid)
		_, err = r.Add(r.ctx, engine.AddRequest{Queue: "none", Items: items[:1]})
		r.wantCode(err, store.CodeNotFound)
	})
}

func TestIdempotencyKey(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		item := engine.NewItem{Payload: object(), Key: "k-1"}
		results, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{item, item}})
		if err != nil || results[0].Existing || !results[1].Existing || results[0].Item.Number != results[1].Item.Number {
			t.Fatalf("%v %+v", err, results)
		}
		r.settle(r.claim("q", "r", 1)[0], engine.Success, "")
		again, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{item}})
		if err != nil || !again[0].Existing || again[0].Item.Status != store.Completed {
			t.Errorf("%v %+v", err, again)
		}
		if whole, err := r.Item(r.ctx, again[0].Item.ID()); err != nil || again[0].Item.MaxAttempts != whole.Item.MaxAttempts || whole.Item.MaxAttempts != 1 {
			t.Errorf("%v: of %d attempts at most, not of the %d that the item is shown with", err, again[0].Item.MaxAttempts, whole.Item.MaxAttempts)
		}
	})
}

func TestUniqueReferencesUnderConcurrency(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.UniqueReferences = true })
		var won, lost atomic.Int32
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Reference: "INV-1"}}})
				switch store.CodeOf(err) {
				case 0:
					won.Add(1)
				case store.CodeConflict:
					lost.Add(1)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || lost.Load() != 199 {
			t.Fatalf("%d won, %d lost", won.Load(), lost.Load())
		}
		item := engine.NewItem{Payload: object(), Reference: "INV-2"}
		_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{item, item}})
		r.wantCode(err, store.CodeConflict)
		if c := r.counts("q"); c.Total() != 1 {
			t.Errorf("a refused pair left %v", c)
		}
		// A retried item no longer keeps its reference, but its copy does.
		rec := r.claim("q", "r", 1)[0]
		r.settle(rec, engine.System, "broken")
		if _, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: rec.ID()}}}); err != nil {
			t.Fatal(err)
		}
		_, err = r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Reference: "INV-1"}}})
		r.wantCode(err, store.CodeConflict)
	})
}

// Who adds the same again gets the item that is there, whatever has become of the
// settings, of the job and of the reference since.
func TestKnownKeysAreAnsweredBeforeAnythingIsRefused(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.UniqueReferences = true })
		item := engine.NewItem{Payload: object(), Key: "k", Reference: "INV-1", Job: "j"}
		results, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{item, item}})
		if err != nil || results[0].Existing || !results[1].Existing || results[1].Item.Number != 1 {
			r.t.Fatalf("the same twice in one add: %+v (%v)", results, err)
		}
		if _, err := r.CancelJob(r.ctx, "j", ""); err != nil {
			r.t.Fatal(err)
		}
		if _, err := r.SetQueue(r.ctx, "q", []byte(`{"schemas":{"payload":{"properties":{"a":false}}}}`)); err != nil {
			r.t.Fatal(err)
		}
		again := engine.AddRequest{Queue: "q", Items: []engine.NewItem{item}, Strict: true}
		if results, err = r.Add(r.ctx, again); err != nil || !results[0].Existing || results[0].Item.Number != 1 {
			r.t.Errorf("the same again: %+v (%v)", results, err)
		}
		// What is there already takes no reference from the others of its add.
		if out, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: results[0].Item.ID()}}}); err != nil || out[0].Result != engine.OK {
			r.t.Fatal(out, err)
		}
		again.Items = append(again.Items, engine.NewItem{Payload: []byte(`{}`), Reference: "INV-1"})
		if results, err = r.Add(r.ctx, again); err != nil || !results[0].Existing || results[1].Item.Number != 2 {
			r.t.Errorf("beside one that was deleted: %+v (%v)", results, err)
		}
	})
}

func TestSLASetsDates(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.SLA, q.SLARisk = store.Duration(2*time.Hour), store.Duration(time.Hour) })
		own := store.At(time.Now().Add(time.Minute))
		ids := r.add("q", engine.NewItem{Payload: object()}, engine.NewItem{Payload: object(), DueAt: own})
		i := r.item(ids[0])
		if i.DueAt.Sub(i.CreatedAt) != 2*time.Hour || i.RiskAt.Sub(i.CreatedAt) != time.Hour {
			t.Errorf("%+v", i.Item)
		}
		if i := r.item(ids[1]); i.DueAt != own {
			t.Errorf("%+v", i.Item)
		}
	})
}

func TestRecordJSON(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		id := r.add("q", engine.NewItem{Payload: json.RawMessage(`{"b":1,"a":2}`), Reference: "R"})[0]
		b, err := json.Marshal(r.item(id))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"id":"q/1","queue":"q","number":1,"family":"transactions","status":"pending","reference":"R","priority":"normal","attempts":0,"failures":0,"reclaims":0,"max_attempts":1,"retryable":true,"retry_no":0,"chain":"q/1","fence":0,"created_at":"2000-01-01T00:00:00.000Z","created_by":"anna","review":{"status":"none"},"revision":1,"payload":{"b":1,"a":2}}`
		if string(b) != want {
			t.Errorf("got  %s\nwant %s", b, want)
		}
		var back engine.Record
		if err := json.Unmarshal(b, &back); err != nil || back.ID() != id || string(back.Payload) != `{"b":1,"a":2}` {
			t.Errorf("%v %+v", err, back)
		}
	})
}
