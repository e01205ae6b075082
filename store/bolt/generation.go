package bolt

import (
	"crypto/rand"
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// A generation is the waves that one opening of a store for writing made. Its
// random number is in the file from its first commit on, and in the head of its
// log. Only one process ever makes the waves of a generation, one after the
// other, so it and a wave's number name one state of one store: copies of a file
// that were worked on apart are told apart, whatever their waves' numbers.
type generation struct {
	id     generationID
	parent generationID // the one it follows
	from   uint64       // and that one's last wave
	logged bool         // acknowledged waves may be in the log alone, which must be there
	first  uint64       // the wave at the start of the log when the file was committed, 0 if that is not known
}

// generationID is zero for what was written before there were any.
type generationID [16]byte

var generationKey = []byte("generation")

// nextGeneration is the one of a new opening of a file that has another one's
// waves up to a number.
func nextGeneration(of generation, wave uint64) generation {
	g := generation{parent: of.id, from: wave}
	_, _ = rand.Read(g.id[:]) // never fails
	return g
}

func (g *generation) encode() []byte {
	b := append(append([]byte(nil), g.id[:]...), g.parent[:]...)
	b = binary.BigEndian.AppendUint64(b, g.from)
	b = binary.BigEndian.AppendUint64(b, g.first)
	if g.logged {
		return append(b, 1)
	}
	return append(b, 0)
}

// generationOf reads a file's generation, the zero one where it has none.
func generationOf(b *bbolt.Bucket) (g generation, err error) {
	v := b.Get(generationKey)
	if v == nil {
		return g, nil
	}
	if len(v) != len(g.encode()) {
		return g, errDamaged
	}
	n := copy(g.id[:], v)
	n += copy(g.parent[:], v[n:])
	g.from = binary.BigEndian.Uint64(v[n:])
	g.first = binary.BigEndian.Uint64(v[n+8:])
	g.logged = v[n+16] != 0
	return g, nil
}

// missing looks through a log that an earlier process left beside a file, for
// what the file lacks, and gives the last wave. A log whose waves do not follow
// the file's is refused, unless the file has them all.
func (l *redoLog) missing(m meta) (last uint64, err error) {
	first, _, _, whole := l.read(logStart)
	switch {
	case l.store == m.store && l.generation == m.of.id:
		if whole && first <= m.wave && m.of.first != 0 && first != m.of.first {
			return 0, errForeignLog // of an earlier round: what came after this commit was in another
		}
		return l.find(m.wave)
	case l.store == m.store && l.generation == m.of.parent && !m.of.logged:
		if last, err = l.find(m.of.from); err == nil && last == m.of.from {
			return m.wave, nil
		}
	case !whole:
		return m.wave, nil
	}
	return 0, errForeignLog
}
