package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

var (
	keyOne = bytes.Repeat([]byte{1}, engine.KeySize)
	keyTwo = bytes.Repeat([]byte{2}, engine.KeySize)
)

// lending lets several engines run on one store, one after the other.
type lending struct{ store.Store }

func (lending) Close() error { return nil }

// keyed starts an engine with a key on a store that others have after it.
func keyed(t *testing.T, s store.Store, key []byte) *rig {
	t.Helper()
	e, err := engine.Open(t.Context(), lending{s}, engine.Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{e, t, engine.WithActor(t.Context(), "anna")}
}

func secretQueue(r *rig, f store.Family) {
	r.queue("q", f, func(q *store.Queue) {
		q.Encrypted, q.Retries, q.RetryWindow, q.RetryFloor = true, 1, 0, 0
		q.OnExpiry, q.RetryAbandoned = engine.Abandon, true
		q.Schemas.Payload = `{"properties":{"zip":{"pattern":"^[0-9]+$"}},"additionalProperties":true}`
	})
}

const secret = "XYZZY"

func secretItem() engine.NewItem {
	return engine.NewItem{Payload: []byte(`{"name":"` + secret + `","zip":"1"}`), Reference: "R-1"}
}

// secretLife does to items what can be done to them.
func secretLife(r *rig) {
	settle := func(rec engine.Record, status string) {
		out, err := r.Settle(r.ctx, []engine.Settlement{{Item: rec.ID(), Fence: rec.Fence, Status: status, Reason: "because", Details: secret,
			Output: []byte(`{"o":"` + secret + `"}`), Analytics: []byte(`{"a":"` + secret + `"}`)}})
		if err != nil || out[0].Result != engine.OK {
			r.t.Fatal(err, out)
		}
	}
	ids := r.add("q", secretItem(), secretItem(), secretItem(), engine.NewItem{Payload: []byte(`{"zip":"` + secret + `"}`)})
	for _, status := range []string{engine.Success, engine.Business, engine.System} {
		settle(r.claim("q", "r", 1)[0], status)
	}
	for _, rec := range r.claim("q", "r", 1) { // the retry of the third
		if !strings.Contains(string(rec.Payload), secret) {
			r.t.Errorf("the robot got %s", rec.Payload)
		}
		settle(rec, engine.System)
	}
	bad := r.item(ids[3])
	if bad.Error == nil || !strings.Contains(bad.Error.Reason, "rule /properties/zip/pattern") {
		r.t.Errorf("the schema's word is %+v", bad.Error)
	}
	edited := []byte(`{"name":"` + secret + ` again","zip":"2"}`)
	out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: []engine.Target{{Item: ids[1]}}, Payload: edited})
	if err != nil || out[0].Result != engine.OK {
		r.t.Fatal(err, out)
	}
	id := ids[1]
	if !out[0].Next.IsZero() {
		id = out[0].Next
	}
	if _, err := r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: id}, Payload: []byte(`{"name":"` + secret + ` thrice"}`)}); err != nil {
		r.t.Fatal(err)
	}
	page, err := r.List(r.ctx, engine.ListRequest{Filter: `jq:'.name == "` + secret + ` thrice"'`})
	if err != nil || len(page.Items) != 1 {
		r.t.Errorf("jq finds %v (%v)", page.Items, err)
	}
	rec := r.item(ids[0])
	if !strings.Contains(string(rec.Output), secret) || !strings.Contains(string(rec.Analytics), secret) {
		r.t.Errorf("shown as %+v", rec)
	}
}

// tellsNothing looks for the secret in all that an engine without the key tells.
func tellsNothing(t *testing.T, r *rig, why string) {
	t.Helper()
	page, err := r.List(r.ctx, engine.ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range page.Items {
		rec := r.item(i.ID())
		text := fmt.Sprintf("%s %s %s %+v", rec.Payload, rec.Output, rec.Analytics, rec.Error)
		if strings.Contains(text, secret) || !strings.Contains(string(rec.Payload), why) {
			t.Errorf("%s shows %s", i.ID(), text)
		}
	}
	changes, err := r.Changes(r.ctx, 0, 1000)
	if err != nil || len(changes) == 0 || strings.Contains(fmt.Sprint(changes), secret) {
		t.Errorf("history tells %v (%v)", changes, err)
	}
}

func TestEncryptedQueue(t *testing.T) {
	for _, family := range []store.Family{store.Jobs, store.Transactions} {
		t.Run(family.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "secret.db")
				for name, s := range map[string]store.Store{"memory": memory.New(), "bolt": openBolt(t, path)} {
					r := keyed(t, s, keyOne)
					secretQueue(r, family)
					secretLife(r)
					r.Close()

					blind := keyed(t, s, nil)
					withoutKey(blind)
					tellsNothing(t, blind, "no key")
					blind.Close()

					wrong := keyed(t, s, keyTwo)
					tellsNothing(t, wrong, "this engine has key")
					withoutItsKey(wrong)
					wrong.Close()

					again := keyed(t, s, keyOne)
					if recs := again.claim("q", "r", 10); len(recs) == 0 || !strings.Contains(string(recs[0].Payload), secret) {
						t.Errorf("%s: with the key again %v", name, recs)
					}
					again.Close()
					s.Close()
				}
				holdsNot(t, filepath.Dir(path), secret)
			})
		})
	}
}

// withoutItsKey asks an engine with another key than the queue's for what needs
// it; a queue says why it stands still, and nothing is offered to drains.
func withoutItsKey(r *rig) {
	r.t.Helper()
	const why = "another key than SIGNALBOX_KEY_FILE gives"
	refused := func(err error) {
		r.t.Helper()
		r.wantCode(err, store.CodeForbidden)
		if !strings.Contains(fmt.Sprint(err), why) {
			r.t.Errorf("refused with %v", err)
		}
	}
	_, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r"})
	refused(err)
	_, err = r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: []byte(`{}`)}}})
	refused(err)
	waiting, err := r.Select(r.ctx, engine.ListRequest{Filter: "status:waiting"})
	if err != nil || len(waiting) == 0 {
		r.t.Fatal(err, waiting)
	}
	_, err = r.Edit(r.ctx, engine.EditRequest{Target: waiting[0], Payload: []byte(`{}`)})
	refused(err)
	if q, err := r.Queue(r.ctx, "q"); err != nil || !strings.Contains(q.Locked, why) {
		r.t.Errorf("the queue says %q (%v)", q.Locked, err)
	}
	if x, err := r.Explain(r.ctx, waiting[0].Item); err != nil || x.Reasons[0].Code != "encrypted" || !strings.Contains(x.Reasons[0].Text, why) {
		r.t.Errorf("explained as %+v (%v)", x, err)
	}
	r.set("q", `{"consumer":{"kind":"command","argv":["true"]}}`)
	if queues, err := r.Available(r.ctx); err != nil || len(queues) > 0 {
		r.t.Errorf("drains are offered %v (%v)", queues, err)
	}
	r.set("q", `{"consumer":{"kind":"manual"}}`)
}

// Queues from before they kept whose key they are under learn it from their oldest
// item, or from who adds the first.
func TestOldQueuesLearnTheirKey(t *testing.T) {
	for name, items := range map[string]int{"with an item": 1, "empty": 0} {
		t.Run(name, func(t *testing.T) {
			s := memory.New()
			r := keyed(t, s, keyOne)
			secretQueue(r, store.Jobs)
			for range items {
				r.add("q", secretItem())
			}
			r.Close()
			err := s.Update(t.Context(), func(t store.Tx) error {
				q, err := t.Queue("q")
				if err != nil {
					return err
				}
				q.KeyID = ""
				return t.PutQueue(&q)
			})
			if err != nil {
				t.Fatal(err)
			}
			if items == 0 {
				first := keyed(t, s, keyOne)
				first.add("q", secretItem())
				first.Close()
			}
			wrong := keyed(t, s, keyTwo)
			withoutItsKey(wrong)
			wrong.Close()
			right := keyed(t, s, keyOne)
			right.add("q", secretItem())
			if recs := right.claim("q", "r", 10); len(recs) != 2 {
				t.Errorf("claimed %v", recs)
			}
		})
	}
}

// holdsNot looks for words in all files of a folder.
func holdsNot(t *testing.T, dir, words string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || bytes.Contains(b, []byte(words)) {
			t.Errorf("%s holds %q (%v)", f.Name(), words, err)
		}
	}
}

// withoutKey does what an engine without the key can do, and asks for the rest.
func withoutKey(r *rig) {
	q, err := r.Queue(r.ctx, "q")
	if err != nil || !strings.Contains(q.Locked, "no key") {
		r.t.Errorf("the queue says %q (%v)", q.Locked, err)
	}
	_, err = r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{secretItem()}})
	r.wantCode(err, store.CodeForbidden)
	_, err = r.Claim(r.ctx, engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(time.Minute)})
	r.wantCode(err, store.CodeForbidden)
	_, err = r.AddQueue(r.ctx, store.Queue{Name: "p", Family: store.Jobs, Folder: "/", Lane: "fast", BatchSize: 1, OnExpiry: engine.Reclaim, Consumer: store.Consumer{Kind: engine.Manual}, Encrypted: true})
	r.wantCode(err, store.CodeForbidden)
	waiting, err := r.Select(r.ctx, engine.ListRequest{Filter: "status:waiting"})
	if err != nil || len(waiting) == 0 {
		r.t.Fatal(err, waiting)
	}
	_, err = r.Edit(r.ctx, engine.EditRequest{Target: waiting[0], Payload: []byte(`{}`)})
	r.wantCode(err, store.CodeForbidden)
	x, err := r.Explain(r.ctx, waiting[0].Item)
	if err != nil || x.Reasons[0].Code != "encrypted" {
		r.t.Errorf("explained as %+v (%v)", x, err)
	}
	// What needs no content goes on: priorities, retries by copy, deletes.
	high := store.High
	if _, err := r.Edit(r.ctx, engine.EditRequest{Target: engine.Target{Item: waiting[0].Item}, Priority: &high}); err != nil {
		r.t.Error(err)
	}
	excepted, err := r.Select(r.ctx, engine.ListRequest{Filter: "status:failed kind:system"})
	if err != nil || len(excepted) == 0 {
		r.t.Fatal(err, excepted)
	}
	out, err := r.Retry(r.ctx, engine.RetryRequest{Targets: excepted[:1]})
	if err != nil || out[0].Result != engine.OK {
		r.t.Error(err, out)
	}
	out, err = r.Delete(r.ctx, engine.DeleteRequest{Targets: waiting[:1]})
	if err != nil || out[0].Result == engine.Gone {
		r.t.Error(err, out)
	}
}

// Sealed contents that are moved to another item, or altered, are told from
// whole ones.
func TestSealsHoldTheirItem(t *testing.T) {
	s := memory.New()
	r := keyed(t, s, keyOne)
	secretQueue(r, store.Jobs)
	ids := r.add("q", secretItem(), secretItem(), secretItem())
	err := s.Update(context.Background(), func(t store.Tx) error {
		one, err := t.Payload(ids[0])
		if err != nil {
			return err
		}
		other, err := t.Payload(ids[2])
		if err != nil {
			return err
		}
		last := &other[len(other)-1]
		*last = map[bool]byte{true: 'Q', false: 'A'}[*last == 'A'] // another digit of base64
		if err := t.PutPayload(ids[1], one); err != nil {
			return err
		}
		return t.PutPayload(ids[2], other)
	})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{secret, "its seal is broken", "its seal is broken"} {
		if rec := r.item(ids[n]); !strings.Contains(string(rec.Payload), want) {
			t.Errorf("item %d shows %s, want %s", n+1, rec.Payload, want)
		}
	}
	if recs := r.claim("q", "r", 3); len(recs) != 1 || recs[0].ID() != ids[0] {
		t.Errorf("claimed %v", recs)
	}
	if _, err := engine.Open(t.Context(), memory.New(), engine.Options{Key: []byte("short")}); store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("a short key: %v", err)
	}
	_, err = r.SetQueue(r.ctx, "q", []byte(`{"encrypted":false}`))
	r.wantCode(err, store.CodeInvalid)
}

// Archives get contents sealed, and undo keeps them so.
func TestArchiveAndUndoKeepSeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e, err := engine.Open(t.Context(), openBolt(t, filepath.Join(dir, "s.db")), engine.Options{Archive: filepath.Join(dir, "archive"), Key: keyOne})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{e, t, engine.WithActor(t.Context(), "anna")}
		secretQueue(r, store.Jobs)
		r.set("q", `{"retain_settled":"24h","retain_settled_then":"archive","retain_excepted":"24h","retain_excepted_then":"archive"}`)
		secretLife(r)
		excepted, err := r.Select(r.ctx, engine.ListRequest{Filter: "status:failed"})
		if err != nil || len(excepted) == 0 {
			t.Fatal(err, excepted)
		}
		before := r.item(excepted[0].Item)
		if _, err := r.Retry(r.ctx, engine.RetryRequest{Targets: excepted[:1], Payload: []byte(`{"other":1}`)}); err != nil {
			t.Fatal(err)
		}
		out, err := r.Undo(r.ctx, engine.UndoRequest{Targets: []engine.Target{{Item: before.ID()}}})
		if err != nil || out[0].Err != nil {
			t.Fatal(err, out)
		}
		if after := r.item(before.ID()); string(after.Payload) != string(before.Payload) {
			t.Errorf("undone to %s, it was %s", after.Payload, before.Payload)
		}
		time.Sleep(50 * time.Hour)
		r.Close()
		days, err := filepath.Glob(filepath.Join(dir, "archive", "q", "*.zst"))
		if err != nil || len(days) == 0 {
			t.Fatal(err, days)
		}
		for _, l := range lines(t, days[0]) {
			if text := fmt.Sprintf("%s %s %s %v %v", l.Payload, l.Output, l.Analytics, l.Item.Error, l.History); strings.Contains(text, secret) || !bytes.HasPrefix(l.Payload, []byte("sealed:1:")) {
				t.Errorf("archived %s", text)
			}
		}
	})
}
