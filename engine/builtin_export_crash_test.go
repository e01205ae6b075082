package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/store"
	"signalbox/store/bolt"
)

// exportChild names the store in which a child process of the test works an export,
// and exportKill in or after which change it kills itself of the second attempt at a
// part whose first one has failed halfway.
const (
	exportChild = "SIGNALBOX_EXPORT_CHILD"
	exportKill  = "SIGNALBOX_EXPORT_KILL"
	exportRows  = 4400 // of more than one chunk a part
)

func exportUntilKilled(path string) {
	at, when, _ := strings.Cut(os.Getenv(exportKill), " ")
	kill, err := strconv.Atoi(at)
	if err != nil {
		panic(err)
	}
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	act := cancel
	ending := breaking{s, never(), when == "in", func() { act() }}
	e, err := engine.Open(context.Background(), ending, engine.Options{})
	if err != nil {
		panic(err)
	}
	work := func(ctx context.Context) (engine.Record, error) {
		got, err := e.Claim(context.Background(), engine.ClaimRequest{Queue: engine.ExportQueue, Robot: engine.DrainPrefix + e.Incarnation() + "/x"})
		if err != nil {
			panic(err)
		}
		if got[0].Attempts == 2 {
			act = die
			ending.left.Store(int64(kill))
		}
		_, err = e.Builtins()[engine.ExportQueue](ctx, got[0])
		return got[0], err
	}
	settle := func(r engine.Record, status, reason string) {
		out, err := e.Settle(context.Background(), []engine.Settlement{{Item: r.ID(), Fence: r.Fence, Status: status, Reason: reason}})
		if err != nil || out[0].Err != nil {
			panic(fmt.Sprint(err, out))
		}
	}
	plan, err := work(context.Background())
	if err != nil {
		panic(err)
	}
	settle(plan, engine.Success, "")
	ending.left.Store(2) // behind the claim: the part's second chunk is not put
	part, err := work(ctx)
	if err == nil {
		panic("the first attempt did not fail")
	}
	settle(part, engine.Business, err.Error())
	if out, err := e.Retry(context.Background(), engine.RetryRequest{Targets: []engine.Target{{Item: part.ID()}}}); err != nil || out[0].Err != nil {
		panic(fmt.Sprint(err, out))
	}
	if again, _ := work(context.Background()); again.ID() != part.ID() {
		panic("another part was worked")
	}
	die()
}

// An engine that is killed in the midst of an export's part that is tried again leaves
// the next one to make the same bytes of it, and to complete the job once.
func TestRetriedExportPartOfAKilledEngine(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kill := range []string{"0 in", "0 after", "1 in", "2 after"} {
		path := filepath.Join(t.TempDir(), "s.db")
		r := start(t, openBolt(t, path))
		r.queue("q", store.Jobs, nil)
		items := make([]engine.NewItem, exportRows)
		for n := range items {
			items[n].Payload = json.RawMessage(fmt.Sprintf(`{"n":%d,"text":%q}`, n, strings.Repeat("x", 1000)))
		}
		r.add("q", items...)
		j := r.builtin(engine.ExportKind, `{"queue":"q","format":"jsonl","name":"all","part":2200}`)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), exportChild+"="+path, exportKill+"="+kill)
		if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
			t.Fatalf("killed at %s it said %s, %v", kill, out, err)
		}

		r = start(t, openBolt(t, path))
		if i := r.item(store.ID{Queue: engine.ExportQueue, Number: 2}); i.Attempts != 2 || i.Status != store.Queued {
			t.Errorf("killed at %s its part is %s after %d attempts", kill, i.Status, i.Attempts)
		}
		r.workExport(nil)
		stop, err := r.RunHooks(r.BuiltinHooks())
		if err != nil {
			t.Fatal(err)
		}
		for after := uint64(0); r.job(j.ID).EndedAt == 0; {
			s, err := r.Watch(r.ctx, after)
			if err != nil {
				t.Fatal(err)
			}
			after = s.Revision
		}
		stop()
		var want bytes.Buffer
		if _, err := r.Export(r.ctx, engine.ExportRequest{Queue: "q", Format: export.JSONL}, &want); err != nil {
			t.Fatal(err)
		}
		if got := r.attached(j.ID, "all"); got != want.String() {
			t.Errorf("killed at %s it made %d bytes, want %d", kill, len(got), want.Len())
		}
		r.wantJob(j.ID, store.JobDone, store.JobCounts{Done: exportRows, Total: exportRows})
		if lines, err := r.JobLog(r.ctx, j.ID, 0, 10); err != nil || len(lines) != 1 {
			t.Errorf("the hook's log is %+v, %v", lines, err)
		}
		r.sound()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
