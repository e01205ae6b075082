package bolt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// TestUnreadableRecord spoils one item's record: it is told, and keeps nobody
// from the others.
func TestUnreadableRecord(t *testing.T) {
	path := filled(t)
	rewrite(t, path, func(b *bbolt.Tx) error {
		items := b.Bucket([]byte("queues")).Bucket([]byte("a")).Bucket([]byte("items"))
		return items.Put(binary.BigEndian.AppendUint64(nil, 2), []byte("garbage"))
	})
	s := open(t, path)
	var read, unread int
	err := s.View(context.Background(), func(r store.Reader) error {
		for i, err := range r.Items(store.Query{Queue: "a"}) {
			switch {
			case err == nil:
				read++
			case store.CodeOf(err) == store.CodeUnavailable && i.Number == 2:
				unread++
			default:
				return err
			}
		}
		_, err := r.Payload(store.ID{Queue: "a", Number: 2})
		if store.CodeOf(err) != store.CodeUnavailable {
			t.Errorf("Payload: got %v, want code 7", err)
		}
		return nil
	})
	if err != nil || read != 2999 || unread != 1 {
		t.Errorf("%v: %d read, %d unreadable; want 2999 and 1", err, read, unread)
	}
	err = s.Update(context.Background(), func(tx store.Tx) error {
		var good []store.Item
		for i, err := range tx.Ready("a", 1) {
			if err == nil {
				good = append(good, i)
			}
			if len(good) == 2 {
				break
			}
		}
		if good[0].Number != 1 || good[1].Number != 3 {
			t.Errorf("ready are %d and %d, want 1 and 3", good[0].Number, good[1].Number)
		}
		good[1].Status = store.Claimed
		return tx.Put(&good[1], &store.Change{Event: "claim"})
	})
	if err != nil {
		t.Errorf("claiming beside it: %v", err)
	}
}

// TestUnreadableRecordsEndNothing spoils what is due in every way: the others
// expire and ripen, and nothing stays due.
func TestUnreadableRecordsEndNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signalbox.db")
	s := open(t, path)
	update(t, s, func(tx store.Tx) error {
		for _, name := range []string{"counters", "good", "items", "settings"} {
			if err := tx.PutQueue(&store.Queue{Name: name, Family: store.Jobs}); err != nil {
				return err
			}
			for n := range 9 {
				i := store.Item{Queue: name, Status: store.Claimed, LeaseUntil: 10}
				if n >= 3 {
					i = store.Item{Queue: name, Status: store.Queued, DeferUntil: 20}
				}
				if err := tx.Add(&i, []byte(`{}`), store.Change{Event: "add"}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	garbage, number := []byte("garbage"), func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	rewrite(t, path, func(b *bbolt.Tx) error {
		queues := b.Bucket([]byte("queues"))
		of := queues.Bucket([]byte("items"))
		delayed := of.Bucket([]byte("delayed"))
		third, _ := delayed.Cursor().First() // of item 4
		state := of.Bucket([]byte("status"))
		return errors.Join(
			queues.Bucket([]byte("settings")).Put([]byte("settings"), garbage),
			queues.Bucket([]byte("counters")).Put([]byte("counters"), garbage),
			of.Bucket([]byte("items")).Put(number(1), garbage),
			state.Put(append([]byte{byte(store.Claimed), 0}, number(2)...), garbage),
			delayed.Put(bytes.Clone(third), nil),
			of.Bucket([]byte("items")).Put(number(5), garbage),
			state.Delete(append([]byte{byte(store.Queued), 0}, number(6)...)),
			b.Bucket([]byte("due")).Put(append(binary.BigEndian.AppendUint64(nil, 5^1<<63), append([]byte{2}, "gone"...)...), nil),
		)
	})

	s = open(t, path)
	var expired []string
	var ripe []string
	var next store.Time
	update(t, s, func(tx store.Tx) error {
		expired = nil
		list, err := tx.Expired(30, 100)
		if err != nil {
			return err
		}
		for n := range list {
			i := &list[n]
			expired = append(expired, i.ID().String())
			i.Status = store.Abandoned
			if err := tx.Put(i, &store.Change{Event: "expire"}); err != nil {
				return err
			}
		}
		if ripe, err = tx.Ripen(30); err != nil {
			return err
		}
		next, err = tx.NextDue()
		return err
	})
	if got := strings.Join(expired, " "); got != "good/1 good/2 good/3 items/3" {
		t.Errorf("expired: %s", got)
	}
	if got := strings.Join(ripe, " "); got != "good items settings" || next != 0 {
		t.Errorf("ripe: %s; next due %d", got, next)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, path) // as it was committed
	if err := s.View(t.Context(), func(r store.Reader) error {
		if next, err := r.NextDue(); next != 0 || err != nil {
			t.Errorf("next due %d, %v", next, err)
		}
		for _, n := range []uint64{1, 2, 5} {
			if _, err := r.Item(store.ID{Queue: "items", Number: n}); store.CodeOf(err) != store.CodeUnavailable {
				t.Errorf("item %d: got %v, want code 7", n, err)
			}
		}
		var ready []uint64
		for i, err := range r.Ready("items", 30) {
			if err == nil {
				ready = append(ready, i.Number)
			}
		}
		if !slices.Equal(ready, []uint64{7, 8, 9}) {
			t.Errorf("ready: %d", ready)
		}
		queues, err := r.Queues()
		for _, q := range queues {
			spoilt := q.Name == "settings" || q.Name == "counters"
			if q.Paused != spoilt || q.Family != store.Jobs || strings.Contains(q.Description, "can't be read: queue \""+q.Name) != spoilt {
				t.Errorf("%+v", q)
			}
		}
		if _, err := r.Queue("settings"); len(queues) != 4 || store.CodeOf(err) != store.CodeUnavailable {
			t.Errorf("%d queues; the damaged one: %v", len(queues), err)
		}
		read := 0
		for _, err := range r.Items(store.Query{}) {
			if err == nil {
				read++
			}
		}
		if read != 9+9-4+9 { // items 1, 2, 5 and 6, and the queue without counters
			t.Errorf("%d items read", read)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx store.Tx) error { return tx.DeleteQueue("settings") })
}
