package bolt_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// lived makes a store whose items have been through all that can be.
func lived(t testing.TB, path string, seed int) {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	do := func(fn func(store.Tx) error) {
		t.Helper()
		if err := s.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	do(func(tx store.Tx) error {
		return errors.Join(tx.PutQueue(&store.Queue{Name: "a", Family: store.Jobs}), tx.PutQueue(&store.Queue{Name: "b", Family: store.Transactions}),
			tx.PutPool(&store.Pool{Size: 9}), tx.PutMark("a", "m", 7))
	})
	do(func(tx store.Tx) error {
		for n, queue := range []string{"a", "b", "a"} {
			j := store.Job{Queue: queue, ID: fmt.Sprint("j", n), Status: store.JobStatus(1 + n), SingletonKey: "only", EndedAt: store.Time(n / 2)}
			line, file := store.LogLine{Text: "began"}, store.Attachment{Name: "f"}
			if err := errors.Join(tx.PutJob(&j), tx.AppendLog(j.ID, &line, 5), tx.PutChunk(j.ID, "f", 0, []byte("x")), tx.PutAttachment(j.ID, &file)); err != nil {
				return err
			}
		}
		return nil
	})
	for n := range 40 {
		do(func(tx store.Tx) error {
			k := n*7 + seed
			i := store.Item{
				Queue: []string{"a", "b"}[k%2], Status: store.Status(1 + k%13), Reference: []string{"", "r", fmt.Sprint("r", n)}[k%3],
				Priority: store.Priority(k%3 - 1), DueAt: store.Time(k % 4 * 100), DeferUntil: store.Time(k % 5 * 50),
				LeaseUntil: store.Time(k % 2 * 500), CreatedAt: store.Time(n),
			}
			if k%3 > 0 {
				i.Job, i.Weight, i.Withheld = fmt.Sprint("j", k%2), 1+k%3, k%7 == 0
			}
			if k%4 == 0 {
				i.Key = fmt.Sprint("key", n)
			}
			if k%3 == 0 {
				i.Group, i.Error = fmt.Sprint("g", k%2), &store.Failure{Kind: "system", Reason: "r"}
			}
			if err := tx.Add(&i, fmt.Appendf(nil, `{"n":%d}`, n), store.Change{Event: "add", To: i.Status}); err != nil {
				return err
			}
			if k%5 == 0 {
				if err := tx.PutResult(i.ID(), store.Result{Output: []byte(`{}`), Details: "d"}); err != nil {
					return err
				}
			}
			from := i.Status
			i.Attempts++
			if n%2 == 0 {
				i.Status = store.Status(1 + (k+seed)%13)
			}
			return tx.Put(&i, &store.Change{Event: "put", From: from, To: i.Status, Why: strings.Repeat("w", 60)})
		})
	}
	do(func(tx store.Tx) error {
		_, err := tx.Ripen(100)
		return errors.Join(err, tx.Purge([]store.ID{{Queue: "a", Number: 3}, {Queue: "b", Number: 5}}))
	})
	storetest.Recount(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// truth is what the records say: each item with its contents. Where it stands in
// the history is left out.
func truth(t testing.TB, path string) map[string]string {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[string]string{}
	if err := s.View(t.Context(), func(r store.Reader) error {
		for i, err := range r.Items(store.Query{}) {
			if err != nil {
				continue
			}
			payload, _ := r.Payload(i.ID())
			result, err := r.Result(i.ID())
			failure, _ := json.Marshal(i.Error)
			i.LastChange, i.Error = 0, nil
			all[i.ID().String()] = fmt.Sprintf("%+v %s %s %+v %v", i, failure, payload, result, store.CodeOf(err))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// spoiler damages a store's file in random ways, and notes whose records it
// damaged.
type spoiler struct {
	draw func(n int, what string) int
	hurt map[string]bool
}

var indexes = []string{"dated", "delayed", "leases", "references", "keys", "group", "groups", "sla", "untold"}

func (s *spoiler) spoil(b *bbolt.Tx) (string, error) {
	queue := []string{"a", "b"}[s.draw(2, "queue")]
	root := b.Bucket([]byte("queues")).Bucket([]byte("a"))
	if queue == "b" {
		root = b.Bucket([]byte("transactions")).Bucket([]byte("b"))
	}
	garbage := [][]byte{[]byte("garbage"), {}, {1}, {1, 200, 3}}[s.draw(4, "garbage")]
	index := indexes[s.draw(len(indexes), "index")]
	switch s.draw(19, "damage") {
	case 15, 16:
		bucket := b.Bucket([][]byte{[]byte("jobs"), []byte("jobs"), []byte("attachments"), []byte("chunks")}[s.draw(4, "bucket")])
		return "lose something of jobs", s.at(bucket, func(c *bbolt.Cursor, k, _ []byte) error {
			if k[0] == 'r' {
				return nil // who loses a job's record loses the job
			}
			return c.Delete()
		})
	case 17:
		bucket := b.Bucket([]byte("jobs"))
		return "spoil something of jobs", s.at(bucket, func(_ *bbolt.Cursor, k, _ []byte) error { return bucket.Put(bytes.Clone(k), garbage) })

	case 0:
		return "lose an entry of " + index, s.at(root.Bucket([]byte(index)), func(c *bbolt.Cursor, _, _ []byte) error { return c.Delete() })
	case 1:
		key := binary.BigEndian.AppendUint64(bytes.Repeat([]byte{byte(s.draw(9, "byte"))}, s.draw(12, "long")), uint64(s.draw(25, "number")))
		return "stray entry in " + index, root.Bucket([]byte(index)).Put(key, garbage)
	case 2:
		return "spoilt entry of " + index, s.at(root.Bucket([]byte(index)), func(_ *bbolt.Cursor, k, _ []byte) error {
			return root.Bucket([]byte(index)).Put(bytes.Clone(k), garbage)
		})
	case 3:
		return "lose all of " + index, root.DeleteBucket([]byte(index))
	case 4:
		return "spoilt counters", root.Put([]byte("counters"), garbage)
	case 5:
		return "counters of another queue", root.Put([]byte("counters"), bytes.Clone(b.Bucket([]byte("queues")).Bucket([]byte("a")).Get([]byte("counters"))))
	case 6:
		return "spoilt settings", root.Put([]byte("settings"), garbage)
	case 7, 8:
		space := []string{"items", "status", "results"}[s.draw(3, "space")]
		return "spoilt " + space, s.at(root.Bucket([]byte(space)), func(_ *bbolt.Cursor, k, _ []byte) error {
			s.hurt[fmt.Sprint(queue, "/", binary.BigEndian.Uint64(k[len(k)-8:]))] = true
			return root.Bucket([]byte(space)).Put(bytes.Clone(k), garbage)
		})
	case 9:
		space := []string{"items", "status"}[s.draw(2, "space")]
		return "lose one of " + space, s.at(root.Bucket([]byte(space)), func(c *bbolt.Cursor, k, _ []byte) error {
			s.hurt[fmt.Sprint(queue, "/", binary.BigEndian.Uint64(k[len(k)-8:]))] = true
			return c.Delete()
		})
	case 10:
		return "two statuses", s.at(root.Bucket([]byte("status")), func(_ *bbolt.Cursor, k, v []byte) error {
			key := bytes.Clone(k)
			s.hurt[fmt.Sprint(queue, "/", binary.BigEndian.Uint64(k[len(k)-8:]))] = true
			key[0] = byte(1 + s.draw(13, "status"))
			return root.Bucket([]byte("status")).Put(key, bytes.Clone(v))
		})
	case 11:
		return "spoilt history", s.at(b.Bucket([]byte("history")), func(_ *bbolt.Cursor, k, v []byte) error {
			return b.Bucket([]byte("history")).Put(bytes.Clone(k), append(bytes.Clone(v[:s.draw(len(v), "cut")]), garbage...))
		})
	case 12:
		return "lose history", s.at(b.Bucket([]byte("history")), func(c *bbolt.Cursor, _, _ []byte) error { return c.Delete() })
	case 13:
		return "lose what is due", s.at(b.Bucket([]byte("due")), func(c *bbolt.Cursor, _, _ []byte) error { return c.Delete() })
	case 14:
		return "stray due", b.Bucket([]byte("due")).Put(append(binary.BigEndian.AppendUint64(nil, 1<<63+uint64(s.draw(400, "at"))), append([]byte{byte(1 + s.draw(3, "kind"))}, queue...)...), nil)
	}
	return "spoilt meta", errors.Join(b.Bucket([]byte("meta")).Put([]byte("pool"), garbage), root.Put([]byte("mark/m"), garbage))
}

// damage damages a closed store in some ways, and says which.
func damage(rt *rapid.T, t *testing.T, path string) (s *spoiler, did []string) {
	s = &spoiler{draw: func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(rt, what) }, hurt: map[string]bool{}}
	rewrite(t, path, func(b *bbolt.Tx) error {
		for range rapid.IntRange(1, 6).Draw(rt, "damages") {
			if err := indexed(b); err != nil {
				return err
			}
			what, err := s.spoil(b)
			if did = append(did, what); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		return nil
	})
	return s, did
}

// indexed gives both queues all indexes, should they be empty.
func indexed(b *bbolt.Tx) error {
	for _, index := range indexes {
		for _, of := range []*bbolt.Bucket{b.Bucket([]byte("queues")).Bucket([]byte("a")), b.Bucket([]byte("transactions")).Bucket([]byte("b"))} {
			if _, err := of.CreateBucketIfNotExists([]byte(index)); err != nil {
				return err
			}
		}
	}
	return nil
}

// at does something at a random place of a bucket that has any.
func (s *spoiler) at(b *bbolt.Bucket, fn func(c *bbolt.Cursor, k, v []byte) error) error {
	if b == nil {
		return nil
	}
	n := 0
	_ = b.ForEach(func(_, _ []byte) error { n++; return nil })
	if n == 0 {
		return nil
	}
	c := b.Cursor()
	k, v := c.First()
	for range s.draw(n, "place") {
		k, v = c.Next()
	}
	return fn(c, k, v)
}

func repair(t testing.TB, path string) bolt.Repaired {
	t.Helper()
	done, err := bolt.Repair(t.Context(), path, bolt.RepairOptions{
		Options: bolt.Options{NoSync: true}, At: 1234, Actor: "kim",
		Queue: func(name string, f store.Family) store.Queue { return store.Queue{Lane: "slow"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// However a store is damaged, a repair leaves one in which nothing is wrong, and
// which has every record that could be read, unchanged.
func TestRepairLeavesNothingWrong(t *testing.T) {
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		path := filepath.Join(dir, fmt.Sprint(run, ".db"))
		lived(t, path, rapid.IntRange(0, 50).Draw(rt, "seed"))
		before := truth(t, path)
		s, did := damage(rt, t, path)
		done := repair(t, path)
		after := open(t, path)
		problems, err := after.Check(t.Context())
		if err != nil || len(problems) > 0 {
			rt.Fatalf("after %q were mended %q, and there are still %q, %v", did, done.Mended, problems, err)
		}
		generic(rt, after)
		if err := after.Close(); err != nil {
			rt.Fatal(err)
		}
		now := truth(t, path)
		for id, is := range before {
			if now[id] != is && !s.hurt[id] {
				rt.Fatalf("after %q, %q: %s differs: %s", did, done.Mended, id, cmp.Diff(is, now[id]))
			}
		}
		for id := range now {
			if before[id] == "" {
				rt.Fatalf("after %q: %s was never there", did, id)
			}
		}
		if again := repair(t, path); len(again.Mended) > 0 || again.Backup != "" {
			rt.Fatalf("a second repair mended %q", again.Mended)
		}
		if old, err := os.ReadFile(done.Backup); len(done.Mended) > 0 && (err != nil || len(old) == 0) {
			rt.Fatalf("the copy of before: %v", err)
		}
		works(rt, t, path)
	})
}

// generic holds the store against the check that knows no file.
func generic(rt *rapid.T, s *bolt.Store) {
	if err := s.View(rt.Context(), func(r store.Reader) error {
		problems, err := store.Check(r)
		if len(problems) > 0 {
			rt.Fatalf("the check of any store finds %q", problems)
		}
		return err
	}); err != nil {
		rt.Fatal(err)
	}
}

// works adds, changes and removes in a repaired store.
func works(rt *rapid.T, t *testing.T, path string) {
	s := open(t, path)
	if err := s.Update(t.Context(), func(tx store.Tx) error {
		for _, name := range []string{"a", "b"} {
			before, err := tx.Stats(name, 0)
			if err != nil {
				return err
			}
			i := store.Item{Queue: name, Status: store.Pending, Reference: "r", Key: "new", LeaseUntil: 9}
			if err := tx.Add(&i, nil, store.Change{Event: "add", To: i.Status}); err != nil {
				return err
			}
			if i.Number != before.Last+1 || i.Number < 20 {
				return fmt.Errorf("the next item of %s got number %d", name, i.Number)
			}
			if err := tx.Purge([]store.ID{i.ID()}); err != nil {
				return err
			}
		}
		_, err := tx.Expired(1000, 100)
		_, err2 := tx.Ripen(1000)
		return errors.Join(err, err2)
	}); err != nil {
		rt.Fatal(err)
	}
	if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
		rt.Fatalf("after it was worked on: %q, %v", problems, err)
	}
	if err := s.Close(); err != nil {
		rt.Fatal(err)
	}
}

// What a repair takes out is in a file, with the payload where it can be read.
func TestRepairSetsAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	fill(t, s, "q", 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, func(b *bbolt.Tx) error {
		q := b.Bucket([]byte("queues")).Bucket([]byte("q"))
		k, _ := q.Bucket([]byte("status")).Cursor().First()
		return q.Bucket([]byte("status")).Put(bytes.Clone(k), []byte("garbage"))
	})
	done := repair(t, path)
	if want := "item q/1: its state can't be read"; len(done.Mended) == 0 || done.Mended[0] != want || done.Damaged != path+".damaged.jsonl" {
		t.Errorf("%+v", done)
	}
	text, err := os.ReadFile(done.Damaged)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for line := range bytes.Lines(text) {
		var v struct {
			Item, Place string
			Value       []byte `json:"value_base64"`
			Payload     json.RawMessage
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		places = append(places, fmt.Sprintf("%s %s %d %s", v.Place, v.Item, min(len(v.Value), 7), v.Payload))
	}
	if got := strings.Join(places, "|"); got != `status q/1 7 |items q/1 7 {"a":1}` {
		t.Errorf("set aside: %s", got)
	}
	s = open(t, path)
	if err := s.View(t.Context(), func(r store.Reader) error {
		list, err := r.Changes(0, 10)
		if n := len(list); n != 4 || list[3].Event != "repair" || list[3].Actor != "kim" || list[3].At != 1234 {
			t.Errorf("the history ends with %+v", list)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Repair(t.Context(), path, bolt.RepairOptions{Options: bolt.Options{Timeout: 1}}); !errors.Is(err, bolt.ErrHeld) {
		t.Errorf("of a store that is held: %v", err)
	}
}
