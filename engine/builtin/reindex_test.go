package builtin_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
)

// A reindex puts right what is wrong while the engine works, and says what it was
// in the job's log and attachments; one of a store in order says that.
func TestReindexMends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	withEngine(t, path, func(e *engine.Engine) {
		if _, err := e.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
			t.Fatal(err)
		}
		var items []engine.NewItem
		for n := range 300 {
			items = append(items, engine.NewItem{Payload: json.RawMessage(`{}`), Reference: fmt.Sprint("r", n)})
		}
		if _, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: items}); err != nil {
			t.Fatal(err)
		}
	})
	db, err := bbolt.Open(path, 0o600, nil)
	if err == nil {
		err = db.Update(func(b *bbolt.Tx) error {
			q := b.Bucket([]byte("queues")).Bucket([]byte("q"))
			k, _ := q.Bucket([]byte("items")).Cursor().First()
			if err := q.Bucket([]byte("items")).Put(append([]byte(nil), k...), []byte("garbage")); err != nil {
				return err
			}
			return q.DeleteBucket([]byte("references"))
		})
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	withEngine(t, path, func(e *engine.Engine) {
		first := reindex(t, e)
		log := logOf(t, e, first)
		if first.Done != 1 || !strings.Contains(log, "put right: item q/2 is not found by its reference") || !strings.Contains(log, "things were put right, see the attachment mended.txt") {
			t.Errorf("%+v: %s", first.JobCounts, log)
		}
		var mended, aside strings.Builder
		if err := e.ReadAttachment(t.Context(), first.ID, "mended.txt", &mended); err != nil || strings.Count(mended.String(), "\n") < 300 {
			t.Errorf("mended.txt: %q, %v", mended.String(), err)
		}
		if err := e.ReadAttachment(t.Context(), first.ID, "aside.jsonl", &aside); err != nil || !strings.Contains(aside.String(), `"item":"q/1"`) {
			t.Errorf("aside.jsonl: %q, %v", aside.String(), err)
		}
		if problems, err := e.Check(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("afterwards: %q, %v", problems, err)
		}
		list, err := e.Claim(t.Context(), engine.ClaimRequest{Queue: "q", Robot: "r", Reference: "r250"})
		if err != nil || len(list) != 1 {
			t.Errorf("claimed %d by reference, %v", len(list), err)
		}
		again := reindex(t, e)
		if log := logOf(t, e, again); again.Done != 1 || !strings.Contains(log, "nothing is wrong") {
			t.Errorf("a second one: %+v, %s", again.JobCounts, log)
		}
	})
}

// withEngine runs an engine with its drains on the store in a file.
func withEngine(t *testing.T, path string, fn func(*engine.Engine)) {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	e, stop := runningOn(t, s)
	defer stop()
	fn(e)
}

// reindex runs a reindex to its end.
func reindex(t *testing.T, e *engine.Engine) engine.JobState {
	t.Helper()
	j, err := e.StartBuiltin(t.Context(), engine.BuiltinRequest{Kind: engine.ReindexKind})
	for after := uint64(0); err == nil && j.EndedAt == 0; {
		s, failed := e.Watch(t.Context(), after)
		if failed != nil {
			t.Fatal(failed)
		}
		after = s.Revision
		j, err = e.Job(t.Context(), j.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func logOf(t *testing.T, e *engine.Engine, j engine.JobState) (text string) {
	t.Helper()
	lines, err := e.JobLog(t.Context(), j.ID, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		text += line.Text + "\n"
	}
	return text
}
