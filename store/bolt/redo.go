package bolt

import (
	"bytes"
	"encoding/binary"
	"slices"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

// A record's body is the wave's writes, one after the other. The first byte of
// each says what it does and where, in three bits and five:
//
//	select  family, name  makes a queue the one that the following are about
//	put     key, value
//	remove  key
//	drop                  deletes the selected queue with all it has
//
// Names, keys and values have their length before them. Buckets are made as
// puts need them.
const (
	doSelect byte = iota << 5
	doPut    byte = iota << 5
	doRemove byte = iota << 5
	doDrop   byte = iota << 5

	doMask byte = 7 << 5
)

// Where a write goes: a space of the selected queue, or one of these. Those
// from inMeta on are no queue's; topNames has their buckets. The numbers stay
// when spaces are added, so that a log from before is read as it was meant.
const (
	inQueue = 24 + byte(iota) // the queue's own bucket
	inMeta
	inDue
	inHistory
	inJobs
	inAttachments
	inChunks
	inSlots
)

var topNames = [][]byte{metaBucket, dueBucket, historyBucket, jobsBucket, attachmentsBucket, chunksBucket, slotsBucket}

// whereOf gives a bucket's place. A new bucket gets one at the end, where it
// stays: logs name it so.
func whereOf(name []byte) byte {
	at := slices.IndexFunc(topNames, func(n []byte) bool { return bytes.Equal(n, name) })
	if at < 0 {
		panic("bucket " + string(name) + " has no place in the log, see topNames")
	}
	return inMeta + byte(at)
}

// recording gathers a wave's writes for its record.
type recording struct {
	buf      []byte // with room for what stands before the body
	selected *queue
	over     bool // it got too long and was dropped
}

// begin starts a wave's record.
func (r *recording) begin() {
	if cap(r.buf) > maxRecord {
		r.buf = nil
	}
	r.buf = append(r.buf[:0], make([]byte, recordLen)...)
	r.selected, r.over = nil, false
}

// note adds a write to a queue, or with q nil to a bucket that is no queue's.
func (r *recording) note(q *queue, do, where byte, key, value []byte) {
	if r.over {
		return
	}
	if len(r.buf)+len(key)+len(value) > maxRecord {
		r.over = true
		return
	}
	if q != nil && q != r.selected {
		r.selected = q
		r.buf = append(r.buf, doSelect, byte(q.family))
		r.buf = appendString(r.buf, q.name)
	}
	r.buf = append(r.buf, do|where)
	if do == doDrop {
		r.selected = nil
		return
	}
	r.buf = binary.AppendUvarint(r.buf, uint64(len(key)))
	r.buf = append(r.buf, key...)
	if do == doPut {
		r.buf = binary.AppendUvarint(r.buf, uint64(len(value)))
		r.buf = append(r.buf, value...)
	}
}

// A replay does recorded writes again in a bbolt transaction.
type replay struct {
	bolt    *bbolt.Tx
	touched map[string]bool // queues that may need their due entries made anew

	name    string
	family  store.Family
	buckets [int(inQueue) + 1]*bbolt.Bucket // of the selected queue
}

// do does what a record's body says. It ends with an error, or with all of it
// done, whatever the bytes.
func (r *replay) do(body []byte) error {
	c := coder{buf: body, reading: true}
	r.choose("", 0)
	for len(c.buf) > 0 {
		op := c.readByte()
		do, where := op&doMask, op&^doMask
		if do == doSelect {
			family := store.Family(c.readByte())
			r.choose(string(c.readBytes()), family)
			if family != store.Jobs && family != store.Transactions {
				return errDamagedLog
			}
			continue
		}
		if do == doDrop {
			if err := r.drop(); err != nil {
				return err
			}
			continue
		}
		key := c.readBytes()
		var value []byte
		if do == doPut {
			value = c.readBytes()
		}
		if c.bad || len(key) == 0 || do > doDrop {
			return errDamagedLog
		}
		if err := r.write(do, where, key, value); err != nil {
			return err
		}
	}
	if c.bad {
		return errDamagedLog
	}
	return nil
}

func (r *replay) choose(name string, family store.Family) {
	r.name, r.family = name, family
	clear(r.buckets[:])
}

func (r *replay) drop() error {
	if r.name == "" {
		return errDamagedLog
	}
	delete(r.touched, r.name)
	err := r.bolt.Bucket(familyBucket(r.family)).DeleteBucket([]byte(r.name))
	r.choose("", 0)
	return err
}

func (r *replay) write(do, where byte, key, value []byte) error {
	b, err := r.bucket(where)
	if err != nil {
		return err
	}
	if do == doRemove {
		return b.Delete(key)
	}
	return b.Put(key, value)
}

// bucket gives the bucket a write goes to, made if need be.
func (r *replay) bucket(where byte) (*bbolt.Bucket, error) {
	if where > inQueue {
		if int(where-inMeta) >= len(topNames) {
			return nil, errDamagedLog
		}
		b, err := r.bolt.CreateBucketIfNotExists(topNames[where-inMeta])
		if err == nil && where == inHistory {
			b.FillPercent = appendFill
		}
		return b, err
	}
	if r.name == "" {
		return nil, errDamagedLog
	}
	if b := r.buckets[where]; b != nil {
		return b, nil
	}
	if where >= byte(spaces) && where < inQueue {
		return nil, errDamagedLog
	}
	root, err := r.bolt.Bucket(familyBucket(r.family)).CreateBucketIfNotExists([]byte(r.name))
	if err != nil {
		return nil, err
	}
	r.touched[r.name] = true
	b := root
	if where < inQueue {
		if b, err = root.CreateBucketIfNotExists([]byte(spaceNames[where])); err != nil {
			return nil, err
		}
		b.FillPercent = space(where).fillPercent()
	}
	r.buckets[where] = b
	return b, nil
}
