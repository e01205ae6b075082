package engine_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
)

// A robot that goes on over a restore holds nothing: neither its item, which the
// backup knows as waiting, nor another that has got the number since.
func TestFencesGoOnOverARestore(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "s.db"), filepath.Join(dir, "backup.db")
	r := start(t, openBolt(t, path))
	r.queue("q", store.Jobs, nil)
	r.addN("q", 1)
	var b bytes.Buffer
	if err := r.Backup(r.ctx, &b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(backup, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	r.addN("q", 1)
	lost := r.claim("q", "before", 2)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second restore makes the claims of the first void too
		if err := bolt.Restore(path, backup); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path + ".old"); err != nil {
			t.Fatal(err)
		}
		r = start(t, openBolt(t, path))
		r.addN("q", 1)
		held := r.claim("q", "after", 2)
		for _, rec := range lost {
			if out := r.settle(rec, engine.Success, ""); out.Result != engine.Stale {
				t.Errorf("%s was settled by a claim of before the restore: %+v", rec.ID(), out)
			}
		}
		lost = append(lost, held...)
		if out := r.settle(held[0], engine.Success, ""); out.Result != engine.OK {
			t.Errorf("its holder settles %s: %+v", held[0].ID(), out)
		}
		r.sound()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A fence from elsewhere leaves room to grow.
func TestImportedFencesAreBounded(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		for fence, code := range map[uint64]store.Code{math.MaxUint64: store.CodeInvalid, 1 << 40: 0} {
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: object(), Past: &engine.Past{State: "new", Fence: fence}}}})
			r.wantCode(err, code)
		}
		if rec := r.claim("q", "r", 1)[0]; rec.Fence != 1<<40+1 {
			r.t.Errorf("fence %d", rec.Fence)
		}
	})
}

// What limits a claim limits one by id too.
func TestClaimByIDWithinItsLimits(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		id := r.add("q", engine.NewItem{Payload: object(), Reference: "INV-10", Job: "j"}, engine.NewItem{Payload: object(), Job: "other"})[0]
		for _, c := range []engine.ClaimRequest{
			{Reference: "PO-"}, {Reference: "INV-1", Exact: true}, {Exact: true}, {Job: "other"}, {Filter: "jq:.a==2"}, {Filter: "reference:PO-"},
		} {
			c.Item, c.Robot = id, "r"
			_, err := r.Claim(r.ctx, c)
			r.wantCode(err, store.CodeConflict)
		}
		got, err := r.Claim(r.ctx, engine.ClaimRequest{Item: id, Robot: "r", Reference: "INV-1", Job: "j", Filter: "jq:.a==1"})
		if err != nil || len(got) != 1 {
			r.t.Errorf("%+v (%v)", got, err)
		}
	})
}
