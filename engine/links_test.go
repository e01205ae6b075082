package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/engine/intake"
	"signalbox/store"
)

// lived gives a queue of transactions that were retried by robots and persons,
// taken back and deleted.
func (r *rig) lived(queue string, pick *rand.Rand) {
	r.queue(queue, store.Transactions, func(q *store.Queue) { q.Retries, q.RetryFloor, q.RetryWindow = 2, 0, 0 })
	r.addN(queue, 2+pick.IntN(6))
	for range pick.IntN(40) {
		var err error
		target := []engine.Target{{Item: store.ID{Queue: queue, Number: 1 + pick.Uint64N(12)}}} // of which some are not there
		switch pick.IntN(6) {
		case 0, 1, 2:
			if got, err := r.Claim(r.ctx, engine.ClaimRequest{Queue: queue, Robot: "r"}); err == nil {
				r.settle(got[0], []string{engine.Success, engine.System, engine.System, engine.Business}[pick.IntN(4)], "broken")
			}
		case 3:
			_, err = r.Retry(r.ctx, engine.RetryRequest{Targets: target})
		case 4:
			_, err = r.Undo(r.ctx, engine.UndoRequest{Targets: target})
		case 5:
			_, err = r.Delete(r.ctx, engine.DeleteRequest{Targets: target})
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// rowsOf are the rows of a queue's export.
func (r *rig) rowsOf(queue string, format export.Format) (items []engine.NewItem) {
	r.t.Helper()
	var b bytes.Buffer
	all := "status:pending,successful,failed,abandoned,retried,cancelled,deleted"
	if _, err := r.Export(r.ctx, engine.ExportRequest{Queue: queue, Format: format, Filter: all}, &b); err != nil {
		r.t.Fatal(err)
	}
	file, err := intake.Open(&b, intake.Options{States: intake.KeepStates})
	if err != nil {
		r.t.Fatal(err)
	}
	for row, err := range file.Rows() {
		if err != nil || row.Err != nil {
			r.t.Fatal(err, row.Err)
		}
		items = append(items, row.Item)
	}
	return items
}

// importWays are all ways to import rows; each gives how many links it dropped.
var importWays = map[string]func(r *rig, queue string, rows []engine.NewItem, pick *rand.Rand) (int, error){
	"one change": func(r *rig, queue string, rows []engine.NewItem, _ *rand.Rand) (int, error) {
		var links engine.Links
		results, err := r.Add(r.ctx, engine.AddRequest{Queue: queue, Items: rows})
		return links.Took(rows, results), err
	},
	"staged": func(r *rig, queue string, rows []engine.NewItem, _ *rand.Rand) (int, error) {
		done, err := r.Import(r.ctx, engine.ImportRequest{Queue: queue}, func(yield func(engine.NewItem, error) bool) {
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		})
		return int(done.Lacking), err
	},
	"batches": func(r *rig, queue string, rows []engine.NewItem, pick *rand.Rand) (dropped int, err error) {
		var links engine.Links
		for len(rows) > 0 && err == nil {
			n := 1 + pick.IntN(len(rows))
			links.Fill(queue, rows[:n])
			var results []engine.AddResult
			results, err = r.Add(r.ctx, engine.AddRequest{Queue: queue, Items: rows[:n], Mode: engine.Independent})
			dropped += links.Took(rows[:n], results)
			rows = rows[n:]
		}
		return dropped, err
	},
}

// Items that were each other's retries are so where they are imported, in whatever
// order, and links to what is not among them are dropped and counted.
func TestImportsKeepChains(t *testing.T) {
	formats := []export.Format{export.JSONL, export.Orchestrator, export.CSV}
	eachStore(t, func(r *rig) {
		linked := 0
		for seed := range uint64(20) {
			pick := rand.New(rand.NewPCG(seed, 0))
			from := fmt.Sprintf("from%d", seed)
			r.lived(from, pick)
			for way, into := range importWays {
				queue := fmt.Sprintf("to%d.%c", seed, way[0])
				r.queue(queue, store.Transactions, nil)
				r.addN(queue, 3)
				rows := r.rowsOf(from, formats[pick.IntN(3)])
				if pick.IntN(2) == 0 {
					pick.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
				}
				if pick.IntN(2) == 0 {
					rows = rows[pick.IntN(len(rows)):]
				}
				dropped, err := into(r, queue, rows, pick)
				if err != nil {
					t.Fatal(err)
				}
				linked += r.wantChains(fmt.Sprintf("%s, seed %d", way, seed), queue, rows, dropped)
				again := r.rowsOf(queue, export.JSONL)[3:]
				r.queue(queue+"x", store.Transactions, nil)
				if dropped, err := into(r, queue+"x", again, pick); err != nil || dropped != 0 {
					t.Errorf("%s, seed %d: exported again and imported %d links are dropped, %v", way, seed, dropped, err)
				}
			}
		}
		if linked < 100 {
			t.Errorf("only %d links", linked)
		}
		r.sound()
	})
}

// wantChains holds the items from number 4 on against the rows they were.
func (r *rig) wantChains(name, queue string, rows []engine.NewItem, dropped int) (linked int) {
	r.t.Helper()
	at := map[string]int{}
	for n, row := range rows {
		at[row.Past.ID] = n
	}
	lacking, chains := 0, map[string]store.ID{}
	for n, row := range rows {
		got := r.item(store.ID{Queue: queue, Number: uint64(n + 4)})
		end := func(named string, back func(*engine.Past) string, is store.ID) {
			other, here := at[named]
			want := store.ID{}
			if here && back(rows[other].Past) == row.Past.ID {
				want, linked = store.ID{Queue: queue, Number: uint64(other + 4)}, linked+1
			} else if named != "" {
				lacking++
			}
			if is != want {
				r.t.Errorf("%s: %s, which was %s, is linked to %q, not %q (was %s)", name, got.ID(), row.Past.ID, is, want, named)
			}
		}
		end(row.Past.Previous, func(p *engine.Past) string { return p.Next }, got.Previous)
		end(row.Past.Next, func(p *engine.Past) string { return p.Previous }, got.Next)
		if got.RetryNo != row.Past.RetryNo {
			r.t.Errorf("%s: %s is retry %d, not %d", name, got.ID(), got.RetryNo, row.Past.RetryNo)
		}
		if chain := row.Past.Chain; row.Past.Linked() && chain != "" {
			if is, met := chains[chain]; met && is != got.Chain {
				r.t.Errorf("%s: %s is of chain %s, others of it of %s", name, got.ID(), got.Chain, is)
			}
			chains[chain] = got.Chain
		}
	}
	if dropped != lacking {
		r.t.Errorf("%s: %d links are said to be dropped, not %d", name, dropped, lacking)
	}
	return linked
}

// What comes back from its queue's archive is linked to what is still there, also
// where contents are sealed to their chain.
func TestArchivedRetriesComeBack(t *testing.T) {
	for _, encrypted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			e, err := engine.Open(t.Context(), openBolt(t, filepath.Join(dir, "s.db")), engine.Options{Archive: filepath.Join(dir, "archive"), Key: keyOne})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			r := &rig{e, t, engine.WithActor(t.Context(), "anna")}
			r.queue("q", store.Transactions, func(q *store.Queue) {
				retain(days, days, engine.ThenArchive)(q)
				q.Encrypted, q.Retries, q.RetryFloor, q.RetryWindow, q.RetainExceptedThen = encrypted, 2, 0, 0, engine.ThenKeep
			})
			r.add("q", engine.NewItem{Payload: []byte(`{"a": 1}`), Reference: "R"})
			for range 3 {
				r.settle(r.claim("q", "robot", 1)[0], engine.System, "broken")
			}
			before := r.item(store.ID{Queue: "q", Number: 3}) // the others are retried, so settled
			time.Sleep(time.Duration(days) + time.Hour)
			synctest.Wait()
			if got := r.left("q"); got != "3" {
				t.Fatalf("%q are left", got)
			}
			r.set("q", `{"retain_settled_then":"keep"}`)
			if _, err := r.unarchive(dir, "q"); err != nil {
				t.Fatal(err)
			}
			first, second, last := r.item(store.ID{Queue: "q", Number: 4}), r.item(store.ID{Queue: "q", Number: 5}), r.item(before.ID())
			if first.Next != second.ID() || second.Previous != first.ID() || second.Next != last.ID() || last.Previous != second.ID() {
				t.Errorf("linked are %s→%s, %s←%s→%s, %s←%s", first.ID(), first.Next, second.Previous, second.ID(), second.Next, last.Previous, last.ID())
			}
			if first.Chain != before.Chain || second.Chain != before.Chain || last.Chain != before.Chain || string(second.Payload) != `{"a": 1}` || second.RetryNo != 1 {
				t.Errorf("of chain %s are %+v, %+v, %+v", before.Chain, first, second, last)
			}
			if h, err := r.History(r.ctx, last.ID(), 1); err != nil || h[0].Event != "relink" || h[0].Why != "q/2 is back as q/5" {
				t.Errorf("its history: %+v, %v", h, err)
			}
			r.sound()
		})
	}
}
