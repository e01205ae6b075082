package bolt

import (
	"encoding/binary"

	"signalbox/store"
)

// blockBytes is where a block of history is closed. Four blocks fill a page;
// a longer block would make each step of History dearer.
const blockBytes = 900

// How a change differs from the one before it in its block.
const (
	sameActor = 1 << iota
	sameQueue
	sameEvent // with From and To
	sameTime
	nextNumber // one more than before
	hasPrev
	hasFence
	hasWhy
)

// gappedVersion is the first byte of a block from which changes were removed:
// before each of its changes stands how many Seqs are missing.
const gappedVersion = 2

// A packer writes changes, which must follow each other in Seq unless it is
// gapped, into blocks.
type packer struct {
	gapped bool
	first  uint64 // Seq of the block's first change
	count  uint64
	body   []byte
	before store.Change
}

func (p *packer) add(c *store.Change) {
	if p.count == 0 {
		p.first, p.before = c.Seq, store.Change{Seq: c.Seq - 1}
	}
	if p.gapped {
		p.body = binary.AppendUvarint(p.body, c.Seq-p.before.Seq-1)
	}
	flags := p.flags(c)
	p.body = append(p.body, flags)
	if flags&sameActor == 0 {
		p.body = appendString(p.body, c.Actor)
	}
	if flags&sameQueue == 0 {
		p.body = appendString(p.body, c.Queue)
	}
	if flags&sameEvent == 0 {
		p.body = appendString(p.body, c.Event)
		p.body = append(p.body, byte(c.From), byte(c.To))
	}
	if flags&sameTime == 0 {
		p.body = binary.AppendVarint(p.body, int64(c.At-p.before.At))
	}
	if flags&nextNumber == 0 {
		p.body = binary.AppendVarint(p.body, int64(c.Number-p.before.Number))
	}
	if flags&hasPrev != 0 {
		p.body = binary.AppendUvarint(p.body, c.Seq-c.Prev)
	}
	if flags&hasFence != 0 {
		p.body = binary.AppendUvarint(p.body, c.Fence)
	}
	if flags&hasWhy != 0 {
		p.body = appendString(p.body, c.Why)
	}
	p.before = *c
	p.count++
}

func (p *packer) flags(c *store.Change) (f byte) {
	set := func(flag byte, on bool) {
		if on {
			f |= flag
		}
	}
	b := &p.before
	set(sameActor, c.Actor == b.Actor)
	set(sameQueue, c.Queue == b.Queue)
	set(sameEvent, c.Event == b.Event && c.From == b.From && c.To == b.To)
	set(sameTime, c.At == b.At)
	set(nextNumber, c.Number == b.Number+1)
	set(hasPrev, c.Prev != 0)
	set(hasFence, c.Fence != 0)
	set(hasWhy, c.Why != "")
	return f
}

// reset drops what was added but not taken.
func (p *packer) reset() { p.count, p.body = 0, p.body[:0] }

func (p *packer) full() bool { return len(p.body) >= blockBytes }

// take gives the block's value and starts the next block.
func (p *packer) take(b []byte) []byte {
	version := byte(recordVersion)
	if p.gapped {
		version = gappedVersion
	}
	b = binary.AppendUvarint(append(b, version), p.count)
	b = append(b, p.body...)
	p.reset()
	return b
}

// A block is a stored block being read.
type block struct {
	coder
	gapped bool
	left   uint64
	at     store.Change // the change read last
}

func openBlock(first uint64, value []byte) (block, error) {
	if len(value) == 0 || value[0] != recordVersion && value[0] != gappedVersion {
		return block{}, errDamaged
	}
	b := block{coder: coder{buf: value[1:], reading: true}, gapped: value[0] == gappedVersion, at: store.Change{Seq: first - 1}}
	if b.left = b.readUint(); b.bad || b.left == 0 {
		return block{}, errDamaged
	}
	return b, nil
}

// next reads the next change into at; false with bad set on damage, false
// without at the end.
func (b *block) next() bool {
	if b.left == 0 {
		b.bad = b.bad || len(b.buf) > 0
		return false
	}
	b.left--
	c := &b.at
	if b.gapped {
		c.Seq += b.readUint()
	}
	flags := b.readByte()
	c.Seq++
	if flags&sameActor == 0 {
		c.Actor = string(b.readBytes())
	}
	if flags&sameQueue == 0 {
		c.Queue = string(b.readBytes())
	}
	if flags&sameEvent == 0 {
		c.Event = string(b.readBytes())
		c.From, c.To = store.Status(b.readByte()), store.Status(b.readByte())
	}
	if flags&sameTime == 0 {
		c.At += store.Time(b.readInt())
	}
	if flags&nextNumber != 0 {
		c.Number++
	} else {
		c.Number += uint64(b.readInt())
	}
	c.Prev, c.Fence, c.Why = 0, 0, ""
	if flags&hasPrev != 0 {
		c.Prev = c.Seq - b.readUint()
	}
	if flags&hasFence != 0 {
		c.Fence = b.readUint()
	}
	if flags&hasWhy != 0 {
		c.Why = string(b.readBytes())
	}
	return !b.bad
}
