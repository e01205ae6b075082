package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// crashChild names the store on which a child process of the test works until
// it is killed.
const crashChild = "SIGNALBOX_CRASH_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashChild); path != "" {
		workUntilKilled(path)
		return
	}
	if path := os.Getenv(importChild); path != "" {
		importUntilKilled(path)
		return
	}
	if path := os.Getenv(bulkChild); path != "" {
		startBulkUntilKilled(path)
		return
	}
	if path := os.Getenv(exportChild); path != "" {
		exportUntilKilled(path)
		return
	}
	os.Exit(m.Run())
}

// workUntilKilled keeps an engine at full load and says on stdout, a line each,
// what was acknowledged: "add ID" and "settle ID".
func workUntilKilled(path string) {
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	e, err := engine.Open(ctx, s, engine.Options{})
	if err != nil {
		panic(err)
	}
	if _, err := e.Queue(ctx, "q"); err != nil {
		if _, err := e.AddQueue(ctx, engine.DefaultQueue("q", store.Jobs)); err != nil {
			panic(err)
		}
	}
	var mu sync.Mutex
	say := func(what string, ids ...store.ID) {
		mu.Lock()
		defer mu.Unlock()
		for _, id := range ids {
			fmt.Println(what, id)
		}
	}
	for n := range 16 {
		go produce(ctx, e, say)
		go perform(ctx, e, fmt.Sprintf("%srobots/%d", engine.DrainPrefix, n), say)
	}
	select {}
}

func produce(ctx context.Context, e *engine.Engine, say func(string, ...store.ID)) {
	for {
		items := make([]engine.NewItem, 1+rand.IntN(4))
		for i := range items {
			items[i].Payload = object()
		}
		results, err := e.Add(ctx, engine.AddRequest{Queue: "q", Items: items})
		if err != nil {
			panic(err)
		}
		for _, r := range results {
			say("add", r.Item.ID())
		}
	}
}

func perform(ctx context.Context, e *engine.Engine, robot string, say func(string, ...store.ID)) {
	for {
		recs, err := e.Claim(ctx, engine.ClaimRequest{Queue: "q", Robot: robot, N: 1 + rand.IntN(5), Wait: store.Duration(1e9)})
		if store.CodeOf(err) == store.CodeEmpty {
			continue
		}
		if err != nil {
			panic(err)
		}
		settlements := make([]engine.Settlement, len(recs))
		for i, rec := range recs {
			settlements[i] = engine.Settlement{Item: rec.ID(), Fence: rec.Fence, Status: engine.Success}
		}
		outcomes, err := e.Settle(ctx, settlements)
		if err != nil {
			panic(err)
		}
		for _, o := range outcomes {
			if o.Result == engine.OK {
				say("settle", o.Item)
			}
		}
	}
}

// TestKilledInFullLoad kills the process that holds the engine ten times, and
// holds the file against what had been acknowledged before each death.
func TestKilledInFullLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crash.db")
	added, settled := map[string]bool{}, map[string]bool{}
	for round := range 10 {
		killAfter(t, path, 300+rand.IntN(1500), added, settled)
		s := openBolt(t, path)
		storetest.Recount(t, s)
		checkAcknowledged(t, s, added, settled)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("round %d: %d added, %d settled", round+1, len(added), len(settled))
	}
}

func killAfter(t *testing.T, path string, lines int, added, settled map[string]bool) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashChild+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	scan := bufio.NewScanner(out)
	for n := 0; scan.Scan(); n++ { // what it said before it died is read to the end
		if n == lines {
			_ = child.Process.Kill()
		}
		what, id, whole := strings.Cut(scan.Text(), " ")
		if _, err := store.ParseID(id); !whole || err != nil {
			continue // the line the kill cut off
		}
		if what == "add" {
			added[id] = true
			continue
		}
		if settled[id] {
			t.Errorf("%s was settled twice", id)
		}
		settled[id] = true
	}
	_ = child.Wait()
}

func checkAcknowledged(t *testing.T, s store.Store, added, settled map[string]bool) {
	t.Helper()
	err := s.View(t.Context(), func(r store.Reader) error {
		for id := range added {
			parsed, _ := store.ParseID(id)
			i, err := r.Item(parsed)
			if err != nil {
				return fmt.Errorf("acknowledged item is lost: %w", err)
			}
			if settled[id] && i.Status != store.Completed {
				t.Errorf("%s was settled and is %s", id, i.Status)
			}
		}
		return checkSettledOnce(t, r)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkSettledOnce(t *testing.T, r store.Reader) error {
	completed := map[uint64]int{}
	for after := uint64(0); ; {
		changes, err := r.Changes(after, 10_000)
		if err != nil || len(changes) == 0 {
			return err
		}
		for _, c := range changes {
			after = c.Seq
			if c.Event == string(engine.EventComplete) {
				if completed[c.Number]++; completed[c.Number] > 1 {
					t.Errorf("the history settles item %d %d times", c.Number, completed[c.Number])
				}
			}
		}
	}
}
