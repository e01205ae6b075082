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

// place is where an item's changing part stands in the status bucket. Among
// the items of one status those of one rank are in order of number.
//
// Rank 0 holds all items but those that are ready to be claimed and have no
// due date: these, nearly all that ever wait, are ranked by priority, so that
// the status bucket is their claim order too and no other index need be kept.
type place struct {
	status store.Status
	rank   byte
}

func (p place) key(b []byte, number uint64) []byte {
	return appendNumber(append(b, byte(p.status), p.rank), number)
}

// rankOf gives the rank of a ready item without a due date.
func rankOf(p store.Priority) byte { return byte(int(p) + 2) }

var (
	onlyUnranked = []byte{0}
	allRanks     = []byte{rankOf(store.Normal), 0, rankOf(store.High), rankOf(store.Low)}
)

// ranksOf gives the ranks a status can have, the likeliest first.
func ranksOf(s store.Status) []byte {
	if s.Waiting() {
		return allRanks
	}
	return onlyUnranked
}

// appendOrder writes an item's place in claim order, without its number:
// those with a due date first, by priority and date; then the others, by
// rank. For these it is what their key in the status bucket has after the
// status.
func appendOrder(b []byte, i *store.Item) []byte {
	if i.DueAt == 0 {
		return append(b, rankOf(i.Priority))
	}
	return appendTime(append(b, 0, byte(int(i.Priority)+0x80)), i.DueAt)
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
