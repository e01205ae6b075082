package bolt

import (
	"crypto/sha256"
	"encoding/binary"

	"signalbox/store"
)

// Index keys end in the item's number, so that its 8 last bytes name it and
// order within equal keys is by number.
const numberLen = 8

func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// numberOf reads the number at a key's end; 0 when there is no room for one.
func numberOf(key []byte) uint64 {
	if len(key) < numberLen {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-numberLen:])
}

func appendNumber(b []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(b, n) }

// appendTime writes t so that bytes order as times do, also before 1970.
func appendTime(b []byte, t store.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t)^1<<63)
}

// timeOf reads the time at a key's start.
func timeOf(key []byte) store.Time {
	if len(key) < 8 {
		return 0
	}
	return store.Time(binary.BigEndian.Uint64(key) ^ 1<<63)
}

// appendOrder writes an item's place in claim order, without its number:
// those with a due date first, by priority and date; then the others, by
// priority.
func appendOrder(b []byte, i *store.Item) []byte {
	priority := byte(int(i.Priority) + 0x80)
	if i.DueAt == 0 {
		return append(b, 1, priority)
	}
	return appendTime(append(b, 0, priority), i.DueAt)
}

func appendStatus(b []byte, s store.Status, n uint64) []byte {
	return appendNumber(append(b, byte(s)), n)
}

func appendReference(b []byte, reference string, n uint64) []byte {
	return appendNumber(append(append(b, reference...), 0), n)
}

// groupHash stands for a group's text in keys: texts may be longer than keys
// can be, and they are only ever looked for whole.
func groupHash(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}
