package bolt

import (
	"bytes"

	"signalbox/store"
)

// Every write of a transaction goes through these, since each must be in the
// log too: what bypasses them is gone after a crash. The values must stay
// unchanged until the checkpoint; keys are copied.

// note counts a write and records it for the log.
func (t *tx) note(q *queue, do, where byte, key, value []byte) {
	t.writes++
	t.recording.note(q, do, where, key, value)
}

func (t *tx) put(q *queue, s space, key, value []byte) {
	t.note(q, doPut, byte(s), key, value)
	if s.fillPercent() != appendFill {
		t.scattered++
	}
	t.fail(q.enter(s, key, value))
}

func (t *tx) remove(q *queue, s space, key []byte) {
	t.note(q, doRemove, byte(s), key, nil)
	t.fail(q.leave(s, key))
}

// putOwn writes to the queue's own bucket.
func (t *tx) putOwn(q *queue, key, value []byte) {
	t.note(q, doPut, inQueue, key, value)
	t.fail(q.root.Put(key, value))
}

// putTop writes to a bucket that is no queue's.
func (t *tx) putTop(where byte, key, value []byte) {
	t.note(nil, doPut, where, key, value)
	b := t.bolt.Bucket(topNames[where-inMeta])
	if where == inHistory {
		b.FillPercent = appendFill
	}
	t.fail(b.Put(key, value))
}

func (t *tx) removeTop(where byte, key []byte) {
	t.note(nil, doRemove, where, key, nil)
	t.fail(t.bolt.Bucket(topNames[where-inMeta]).Delete(key))
}

// set writes to a bucket of the root that is made when first needed.
func (t *tx) set(name, key, value []byte) {
	t.note(nil, doPut, whereOf(name), key, value)
	t.scattered++
	h := t.top(name)
	if h.bucket == nil {
		b, err := t.bolt.CreateBucketIfNotExists(name)
		if err != nil {
			t.fail(err)
			return
		}
		h.bucket, h.cursor = b, b.Cursor()
	}
	t.fail(h.bucket.Put(key, value))
}

// unset removes a key of a bucket of the root.
func (t *tx) unset(name, key []byte) {
	t.note(nil, doRemove, whereOf(name), key, nil)
	if h := t.top(name); h.bucket != nil {
		t.fail(h.bucket.Delete(key))
	}
}

// makeQueue makes an empty queue's bucket; the log makes it with its settings.
func (t *tx) makeQueue(q *queue) {
	root, err := t.bolt.Bucket(familyBucket(q.family)).CreateBucket([]byte(q.name))
	t.writes++
	t.fail(err)
	q.root = root
}

func (t *tx) dropQueue(q *queue) {
	t.note(q, doDrop, 0, nil, nil)
	t.fail(t.bolt.Bucket(familyBucket(q.family)).DeleteBucket([]byte(q.name)))
}

// noteCounters records a queue's counters for the log. bbolt gets them at the
// checkpoint.
func (t *tx) noteCounters(q *queue) {
	t.note(q, doPut, inQueue, countersKey, q.encodedCounters())
}

func (q *queue) encodedCounters() []byte {
	return encode(nil, func(c *coder, n *counters) { n.code(c) }, &q.counters)
}

// enter puts a value into bbolt.
func (q *queue) enter(s space, key, value []byte) error {
	h := q.space(s)
	if h.bucket == nil {
		b, err := q.root.CreateBucketIfNotExists([]byte(spaceNames[s]))
		if err != nil {
			return err
		}
		h.open(b, s)
	}
	return h.bucket.Put(key, value)
}

// leave takes a key out of bbolt.
func (q *queue) leave(s space, key []byte) error {
	h := q.space(s)
	if h.bucket == nil {
		return nil
	}
	if k, _ := h.cursor.Seek(key); bytes.Equal(k, key) {
		return h.cursor.Delete()
	}
	return nil
}

// flush brings to bbolt all that was held back of the queue.
func (q *queue) flush() error {
	q.flushLate()
	if q.unsaved || q.dirty {
		q.spoil(q.root.Put(countersKey, q.encodedCounters()))
		q.unsaved, q.dirty = false, false
	}
	return q.spoilt
}

// spoil remembers the first write on behalf of a read that failed.
func (q *queue) spoil(err error) {
	if q.spoilt == nil {
		q.spoilt = err
	}
}

// fail remembers the first write that failed. What was written before it
// cannot be taken back alone, so the call counts as failed whatever it
// returns.
func (t *tx) fail(err error) {
	if err == nil || t.broken != nil {
		return
	}
	if t.broken = err; store.CodeOf(err) == store.CodeFailed {
		t.broken = store.Unavailable("store", err, mendDamage)
	}
}
