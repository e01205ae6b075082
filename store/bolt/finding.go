package bolt

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"
)

// finding is something that is wrong, and how to mend it.
type finding struct {
	text string
	mend func(*mender) error
	once string // findings with the same are mended by the first of them
	// What it rests on. Where others write between the finding and the mending,
	// it holds as long as all of these do.
	still []func() bool
	live  bool   // there are such others
	queue string // of the item it is about
}

func (a *audit) found(mend func(*mender) error, format string, args ...any) *finding {
	if a.limit > 0 && len(a.findings) >= a.limit {
		return &finding{} // the next audit finds it
	}
	f := &finding{text: fmt.Sprintf(format, args...), mend: mend, live: a.live}
	a.findings = append(a.findings, f)
	return f
}

// when adds a condition of any kind.
func (f *finding) when(holds func() bool) *finding {
	if f.live {
		f.still = append(f.still, holds)
	}
	return f
}

// item rests a finding on an item's being as it is, or its not being there.
func (f *finding) item(q *inventory, number uint64) *finding {
	if !f.live || q == nil {
		return f
	}
	f.queue = q.name
	was := q.print(number)
	return f.when(func() bool { return q.root != nil && q.print(number) == was })
}

// entry rests a finding on what stands under a key of a queue.
func (f *finding) entry(q *inventory, s space, key []byte) *finding {
	if !f.live {
		return f
	}
	at := bytes.Clone(key)
	had, was := q.has(s, at), bytes.Clone(q.get(s, at))
	return f.when(func() bool { return q.root != nil && q.has(s, at) == had && bytes.Equal(q.get(s, at), was) })
}

// own rests a finding on what stands under a key of the queue itself.
func (f *finding) own(q *inventory, key []byte) *finding {
	if !f.live {
		return f
	}
	at, was := bytes.Clone(key), bytes.Clone(q.root.Get(key))
	return f.when(func() bool { return q.root != nil && bytes.Equal(q.root.Get(at), was) })
}

// top rests a finding on what stands under a key of a bucket of the root.
func (f *finding) top(a *audit, bucket, key []byte) *finding {
	if !f.live {
		return f
	}
	at := bytes.Clone(key)
	had, was := topValue(a.b, bucket, at)
	was = bytes.Clone(was)
	return f.when(func() bool {
		has, is := topValue(a.b, bucket, at)
		return has == had && bytes.Equal(is, was)
	})
}

func topValue(b *bbolt.Tx, bucket, key []byte) (has bool, value []byte) {
	top := b.Bucket(bucket)
	if top == nil {
		return false, nil
	}
	k, v := top.Cursor().Seek(key)
	if !bytes.Equal(k, key) {
		return false, nil
	}
	return true, v
}

// print is what an item's entries depend on: each of its states with the place
// of it, and whether it waits for an instant. "" when it is not there.
func (q *inventory) print(number uint64) string {
	i, key, state := q.find(number, nil)
	if i == nil {
		return ""
	}
	late := q.has(delayed, appendNumber(appendTime(nil, i.ReadyAt()), number))
	return fmt.Sprint(string(key), string(state), late)
}
