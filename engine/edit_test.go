package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

func ptr[T any](v T) *T { return &v }

func TestEditWaitingItem(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.UniqueReferences = true })
		ids := r.add("q", engine.NewItem{Payload: object(), Reference: "A"}, engine.NewItem{Payload: object(), Reference: "B"})
		until := store.At(time.Now().Add(time.Hour))
		got, err := r.Edit(r.ctx, engine.EditRequest{
			Target: engine.Target{Item: ids[1], Revision: 1}, Payload: json.RawMessage(`{"a":2}`),
			Priority: ptr(store.High), DeferUntil: &until, Reference: ptr("C"),
		})
		if err != nil || string(got.Payload) != `{"a":2}` || got.Priority != store.High || got.DeferUntil != until || got.Reference != "C" {
			t.Fatalf("%v %+v", err, got)
		}
		h, err := r.History(r.ctx, ids[1], 1)
		if err != nil || h[0].Why != "edited a: 1 → 2; reference: B → C; priority: normal → high; deferred until:  → "+until.String() {
			t.Errorf("%v %+v", err, h)
		}
		if rec := r.claim("q", "r", 2); len(rec) != 1 || rec[0].ID() != ids[0] {
			t.Errorf("the deferred one was claimed: %+v", rec)
		}
		for name, c := range map[string]struct {
			req  engine.EditRequest
			want store.Code
		}{
			"held":        {engine.EditRequest{Target: engine.Target{Item: ids[0]}, Priority: ptr(store.Low)}, store.CodeConflict},
			"changed":     {engine.EditRequest{Target: engine.Target{Item: ids[1], Revision: 1}, Priority: ptr(store.Low)}, store.CodeConflict},
			"taken":       {engine.EditRequest{Target: engine.Target{Item: ids[1]}, Reference: ptr("A")}, store.CodeConflict},
			"no object":   {engine.EditRequest{Target: engine.Target{Item: ids[1]}, Payload: json.RawMessage(`1`)}, store.CodeInvalid},
			"not JSON":    {engine.EditRequest{Target: engine.Target{Item: ids[1]}, Payload: json.RawMessage(`{`)}, store.CodeInvalid},
			"not there":   {engine.EditRequest{Target: engine.Target{Item: store.ID{Queue: "q", Number: 9}}}, store.CodeNotFound},
			"bad quoting": {engine.EditRequest{Target: engine.Target{Item: ids[1]}, Reference: ptr(`"`)}, store.CodeInvalid},
		} {
			if _, err := r.Edit(r.ctx, c.req); store.CodeOf(err) != c.want {
				t.Errorf("%s: %v, want code %d", name, err, c.want)
			}
		}
		if i := r.item(ids[1]); i.Revision != 2 || string(i.Payload) != `{"a":2}` {
			t.Errorf("a refused edit was kept: %+v", i.Item)
		}
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		if rec := r.claim("q", "r", 1); string(rec[0].Payload) != `{"a":2}` {
			t.Errorf("claimed with %s", rec[0].Payload)
		}
	})
}

func TestHistoryOfAnEditKeepsMaskedFieldsMasked(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.Mask = []string{"iban"} })
		id := r.add("q", engine.NewItem{Payload: json.RawMessage(`{"iban":"DE1","zip":"1"}`)})[0]
		if _, err := r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: id}, Payload: json.RawMessage(`{"iban":"DE2","zip":"2"}`)}); err != nil {
			t.Fatal(err)
		}
		r.settle(r.claim("q", "r", 1)[0], engine.Business, "wrong")
		out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: id}}, Payload: json.RawMessage(`{"zip":"3"}`)})
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[store.ID]string{id: "edited iban: •••• → ••••, zip: \"1\" → \"2\"", out[0].Next: "edited zip: \"2\" → \"3\", iban: •••• removed"} {
			h, err := r.History(r.ctx, id, 0)
			if err != nil || !strings.HasSuffix(h[max(0, len(h)-2)].Why, want) {
				t.Errorf("%s: %v %+v, want %q", id, err, h, want)
			}
		}
	})
}

func TestDeleteItems(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) { q.UniqueReferences = true })
		ids := r.add("q", engine.NewItem{Payload: object(), Reference: "A"}, engine.NewItem{Payload: object()}, engine.NewItem{Payload: object()})
		out, err := r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: ids[0]}}, Note: "twice"})
		if err != nil || out[0].Result != engine.OK {
			t.Fatalf("%v %+v", err, out)
		}
		r.wantStatus(ids[0], store.Deleted)
		if page, err := r.List(r.ctx, engine.ListRequest{Queue: "q"}); err != nil || len(page.Items) != 2 || page.Total != 2 {
			t.Errorf("deleted items are not listed: %v %+v", err, page)
		}
		if page, err := r.List(r.ctx, engine.ListRequest{Queue: "q", Filter: "status:deleted"}); err != nil || len(page.Items) != 1 {
			t.Errorf("unless they are asked for: %v %+v", err, page)
		}
		if again := r.add("q", engine.NewItem{Payload: object(), Reference: "A"}); again[0].Number != 4 {
			t.Errorf("its reference is free again, but %v", again)
		}
		held := r.claim("q", "r", 1)[0]
		r.settle(r.claim("q", "r", 1)[0], engine.Business, "wrong")
		out, err = r.Delete(r.ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: held.ID()}, {Item: ids[2]}, {Item: ids[0]}}})
		if err != nil || out[0].Result != engine.Refused || out[1].Result != engine.OK || out[2].Result != engine.Refused {
			t.Errorf("%v %+v", err, out)
		}
		if groups, _ := r.Groups(r.ctx, "q"); len(groups) != 0 {
			t.Errorf("a deleted exception still waits for a person: %+v", groups)
		}
	})
}
