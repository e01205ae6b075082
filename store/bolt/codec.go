package bolt

import (
	"encoding/binary"
	"errors"

	"signalbox/store"
)

// errDamaged is the cause in every error about a record that cannot be read.
var errDamaged = errors.New("damaged record")

// A coder writes a record's fields to buf, or reads them from it. One
// function describes a record for both directions, so they cannot drift
// apart. Each field is a tag and a value; zero values are left out. Tags must
// rise within a record, so a field added later gets a higher tag.
//
// Reading is total: whatever the bytes, it ends with fields set or bad set.
type coder struct {
	buf     []byte
	reading bool
	bad     bool
}

// field says whether the field with this tag is to be read or written now,
// given whether its value is zero.
func (c *coder) field(tag byte, zero bool) bool {
	if !c.reading {
		if !zero {
			c.buf = append(c.buf, tag)
		}
		return !zero
	}
	if c.bad || len(c.buf) == 0 || c.buf[0] != tag {
		return false
	}
	c.buf = c.buf[1:]
	return true
}

func (c *coder) uint(tag byte, v *uint64) {
	if !c.field(tag, *v == 0) {
		return
	}
	if c.reading {
		*v = c.readUint()
	} else {
		c.buf = binary.AppendUvarint(c.buf, *v)
	}
}

func (c *coder) int64(tag byte, v *int64) {
	if !c.field(tag, *v == 0) {
		return
	}
	if c.reading {
		*v = c.readInt()
	} else {
		c.buf = binary.AppendVarint(c.buf, *v)
	}
}

func (c *coder) int(tag byte, v *int) {
	n := int64(*v)
	c.int64(tag, &n)
	*v = int(n)
}

func (c *coder) time(tag byte, v *store.Time)         { c.int64(tag, (*int64)(v)) }
func (c *coder) duration(tag byte, v *store.Duration) { c.int64(tag, (*int64)(v)) }

func (c *coder) bool(tag byte, v *bool) {
	if c.field(tag, !*v) {
		*v = true
	}
}

func (c *coder) str(tag byte, v *string) {
	if !c.field(tag, *v == "") {
		return
	}
	if c.reading {
		*v = string(c.readBytes())
	} else {
		c.buf = appendString(c.buf, *v)
	}
}

func (c *coder) bytes(tag byte, v *[]byte) {
	if !c.field(tag, len(*v) == 0) {
		return
	}
	if c.reading {
		*v = append([]byte(nil), c.readBytes()...)
	} else {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*v)))
		c.buf = append(c.buf, *v...)
	}
}

func (c *coder) strs(tag byte, v *[]string) {
	if !c.field(tag, len(*v) == 0) {
		return
	}
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*v)))
		for _, s := range *v {
			c.buf = appendString(c.buf, s)
		}
		return
	}
	n := c.readUint()
	if n > uint64(len(c.buf)) {
		c.bad = true
		return
	}
	list := make([]string, 0, n)
	for range n {
		list = append(list, string(c.readBytes()))
	}
	*v = list
}

// id leaves out the queue of an id in the queue home.
func (c *coder) id(tag byte, v *store.ID, home string) {
	if !c.field(tag, v.IsZero()) {
		return
	}
	if !c.reading {
		queue := v.Queue
		if queue == home {
			queue = ""
		}
		c.buf = appendString(c.buf, queue)
		c.buf = binary.AppendUvarint(c.buf, v.Number)
		return
	}
	v.Queue = string(c.readBytes())
	if v.Queue == "" {
		v.Queue = home
	}
	v.Number = c.readUint()
}

// end reports a record that was not read to its last byte.
func (c *coder) end() error {
	if c.bad || len(c.buf) > 0 {
		return errDamaged
	}
	return nil
}

func (c *coder) readUint() uint64 {
	v, n := binary.Uvarint(c.buf)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.buf = c.buf[n:]
	return v
}

func (c *coder) readInt() int64 {
	v, n := binary.Varint(c.buf)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.buf = c.buf[n:]
	return v
}

// readBytes gives bytes that still belong to the record.
func (c *coder) readBytes() []byte {
	n := c.readUint()
	if c.bad || n > uint64(len(c.buf)) {
		c.bad = true
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

func (c *coder) readByte() byte {
	if len(c.buf) == 0 {
		c.bad = true
		return 0
	}
	b := c.buf[0]
	c.buf = c.buf[1:]
	return b
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// versioned strips the version byte every record starts with.
func versioned(record []byte) (coder, error) {
	if len(record) == 0 || record[0] != recordVersion {
		return coder{}, errDamaged
	}
	return coder{buf: record[1:], reading: true}, nil
}
