package bolt_test

import (
	"context"
	"encoding/binary"
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
