package bolt

import (
	"bytes"
	"encoding/binary"
	"iter"
	"time"

	"signalbox/store"
)

// Stretches in which slots were held are kept in blocks, each under the end of
// its last one, so that a day of them is few records and old ones go whole.
// Names stand once in a block.

var (
	slotsBucket = []byte("slots")
	openKey     = []byte{0xff} // behind every time
)

// holdBytes is the size up to which a block is added to.
const holdBytes = 4096

// Flags of a stretch.
const (
	holdSlow   = 1 << iota // its lane
	holdCut                // Cut
	holdNumber             // its item is one of its queue
	holdTimes              // Times is not 1
)

// Holds implements store.Reader.
func (r *reader) Holds(since store.Time) iter.Seq2[store.Hold, error] {
	return func(yield func(store.Hold, error) bool) {
		b := r.bolt.Bucket(slotsBucket)
		if b == nil { // a file from before there was one
			return
		}
		c := b.Cursor()
		for k, v := c.Seek(appendTime(nil, since)); len(k) > len(openKey); k, v = c.Next() {
			holds, err := readHolds(v)
			if err != nil && !yield(store.Hold{}, store.Unavailable("history of slots", err, mendDamage)) {
				return
			}
			for _, h := range holds {
				if h.To >= since && !yield(h, nil) {
					return
				}
			}
		}
	}
}

// OpenHolds implements store.Reader.
func (r *reader) OpenHolds() ([]store.Hold, store.Time, error) {
	b := r.bolt.Bucket(slotsBucket)
	if b == nil {
		return nil, 0, nil
	}
	v := b.Get(openKey)
	if len(v) < 8 {
		return nil, 0, nil
	}
	open, err := readHolds(v[8:])
	for i := range open { // what has not ended has neither
		open[i].To, open[i].Held = 0, 0
	}
	if err != nil {
		err = store.Unavailable("history of slots", err, mendDamage)
	}
	return open, timeOf(v), err
}

// PutHolds implements store.Tx.
func (t *tx) PutHolds(ended, open []store.Hold, at store.Time) error {
	if len(ended) > 0 {
		t.addHolds(ended)
	}
	t.set(slotsBucket, openKey, writeHolds(appendTime(nil, at), open))
	return t.broken
}

// addHolds adds to the newest block while there is room in it.
func (t *tx) addHolds(ended []store.Hold) {
	if k, v := t.lastHolds(); k != nil && len(v) < holdBytes {
		if last, err := readHolds(v); err == nil {
			ended = append(last, ended...)
			t.unset(slotsBucket, bytes.Clone(k))
		}
	}
	var end store.Time
	for i := range ended {
		end = max(end, ended[i].To)
	}
	key := appendTime(nil, end)
	for n := uint32(0); ; n++ {
		whole := binary.BigEndian.AppendUint32(key, n)
		if t.value(slotsBucket, whole) == nil {
			t.set(slotsBucket, whole, writeHolds(nil, ended))
			return
		}
	}
}

// lastHolds gives the newest block.
func (t *tx) lastHolds() (k, v []byte) {
	b := t.bolt.Bucket(slotsBucket)
	if b == nil {
		return nil, nil
	}
	c := b.Cursor()
	if k, _ := c.Seek(openKey); k == nil {
		return c.Last()
	}
	return c.Prev()
}

// ForgetHolds implements store.Tx.
func (t *tx) ForgetHolds(before store.Time) error {
	b := t.bolt.Bucket(slotsBucket)
	if b == nil {
		return nil
	}
	var old [][]byte
	c := b.Cursor()
	for k, _ := c.First(); len(k) > len(openKey) && timeOf(k) < before; k, _ = c.Next() {
		old = append(old, bytes.Clone(k))
	}
	for _, k := range old {
		t.unset(slotsBucket, k)
	}
	return t.broken
}

// writeHolds appends a block: names, then stretches as differences.
func writeHolds(b []byte, holds []store.Hold) []byte {
	names, order := map[string]uint64{}, []string{}
	index := func(name string) uint64 {
		n, ok := names[name]
		if !ok {
			n = uint64(len(order))
			names[name], order = n, append(order, name)
		}
		return n
	}
	var body []byte
	last := store.Time(0)
	for i := range holds {
		h := &holds[i]
		flags, item := byte(0), uint64(0)
		if h.Lane == "slow" {
			flags |= holdSlow
		}
		if h.Cut {
			flags |= holdCut
		}
		if id, err := store.ParseID(h.Item); err == nil && id.Queue == h.Queue {
			flags, item = flags|holdNumber, id.Number
		} else {
			item = index(h.Item)
		}
		if h.Times != 1 {
			flags |= holdTimes
		}
		body = append(body, flags)
		for _, n := range []uint64{uint64(h.Slot), index(h.Queue), index(h.Job), index(h.Robot), item} {
			body = binary.AppendUvarint(body, n)
		}
		body = binary.AppendVarint(body, int64(h.From-last))
		body = binary.AppendVarint(body, int64(h.To-h.From))
		if h.Times != 1 {
			body = binary.AppendVarint(body, int64(h.Times))
			body = binary.AppendVarint(body, time.Duration(h.Held).Milliseconds())
		}
		last = h.From
	}
	b = append(b, recordVersion)
	b = binary.AppendUvarint(b, uint64(len(order)))
	for _, name := range order {
		b = appendString(b, name)
	}
	return append(b, body...)
}

// readHolds reads a block, as far as it can be read.
func readHolds(v []byte) (holds []store.Hold, err error) {
	c, err := versioned(v)
	if err != nil {
		return nil, err
	}
	count := min(c.readUint(), uint64(len(c.buf)))
	names := make([]string, 0, count)
	for range count {
		names = append(names, string(c.readBytes()))
	}
	name := func() string {
		n := c.readUint()
		if n >= uint64(len(names)) {
			c.bad = true
			return ""
		}
		return names[n]
	}
	last := store.Time(0)
	for len(c.buf) > 0 && !c.bad {
		flags := c.readByte()
		h := store.Hold{Lane: "fast", Slot: int(c.readUint()), Queue: name(), Job: name(), Robot: name(), Cut: flags&holdCut != 0, Times: 1}
		if flags&holdSlow != 0 {
			h.Lane = "slow"
		}
		if flags&holdNumber != 0 {
			h.Item = store.ID{Queue: h.Queue, Number: c.readUint()}.String()
		} else {
			h.Item = name()
		}
		h.From = last + store.Time(c.readInt())
		h.To = h.From + store.Time(c.readInt())
		h.Held = store.Duration(h.To.Sub(h.From))
		if flags&holdTimes != 0 {
			h.Times, h.Held = int(c.readInt()), store.Duration(time.Duration(c.readInt())*time.Millisecond)
		}
		if last = h.From; !c.bad {
			holds = append(holds, h)
		}
	}
	return holds, c.end()
}
