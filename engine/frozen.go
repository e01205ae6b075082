package engine

import (
	"math"
	"slices"
	"sort"

	"signalbox/store"
)

// frozen is a set of items in the order they were chosen, each with the
// revision it had then, and what has become of it: 14 bytes an item and 8 more
// where copies are made, so that a million fit anywhere.
type frozen struct {
	able      int   // how many come first because the act is allowed on them; 0 = nobody looked
	runs      []run // stretches of one queue
	numbers   []uint64
	revisions []uint32 // as seen; as the act left it where that was done
	results   []result
	statuses  []store.Status
	next      []uint64 // of the copies that were made; nil while there are none
}

// run is a stretch of a frozen set whose items are of one queue.
type run struct {
	queue string
	from  int
}

// result is an Outcome's Result in a byte.
type result uint8

const (
	untried result = iota
	wasDone
	wasStale
	wasGone
	wasRefused
)

var resultNames = [...]string{"", OK, Stale, Gone, Refused}

func (f *frozen) len() int { return len(f.numbers) }

func (f *frozen) add(id store.ID, revision uint64) {
	if n := len(f.runs); n == 0 || f.runs[n-1].queue != id.Queue {
		f.runs = append(f.runs, run{id.Queue, len(f.numbers)})
	}
	f.numbers = append(f.numbers, id.Number)
	f.revisions = append(f.revisions, short(revision))
}

// first gives how many items are acted on of a set of which only the first so many
// are wanted (0 = all). They are those that the act is allowed on; where it is on
// none, they are any, so that the refusals say why.
func (f *frozen) first(wanted int) int {
	of := f.len()
	if wanted > 0 {
		of = min(of, wanted)
	}
	if f.able > 0 {
		of = min(of, f.able)
	}
	return of
}

// short is a revision in less room. No item is written four billion times; one
// that was would answer as changed.
func short(revision uint64) uint32 { return uint32(min(revision, math.MaxUint32)) }

// settle gives back what growing left over, and makes room for what becomes of
// the first n.
func (f *frozen) settle(n int) {
	f.numbers, f.revisions = slices.Clone(f.numbers), slices.Clone(f.revisions)
	f.results, f.statuses = make([]result, n), make([]store.Status, n)
}

func (f *frozen) queueAt(i int) string {
	return f.runs[sort.Search(len(f.runs), func(r int) bool { return f.runs[r].from > i })-1].queue
}

func (f *frozen) target(i int) Target {
	return Target{store.ID{Queue: f.queueAt(i), Number: f.numbers[i]}, uint64(f.revisions[i])}
}

// note keeps what became of an item.
func (f *frozen) note(i int, o *Outcome) {
	f.results[i] = result(slices.Index(resultNames[:], o.Result))
	f.statuses[i] = o.Status
	if o.Result == OK {
		f.revisions[i] = short(o.Revision)
	}
	if o.Next.Number != 0 {
		if f.next == nil {
			f.next = make([]uint64, len(f.results))
		}
		f.next[i] = o.Next.Number
	}
}

// outcome tells what became of an item; its error in words is kept elsewhere.
func (f *frozen) outcome(i int) Outcome {
	o := Outcome{Item: f.target(i).Item, Result: resultNames[f.results[i]], Status: f.statuses[i]}
	if o.Result == OK {
		o.Revision = uint64(f.revisions[i])
	}
	if f.next != nil && f.next[i] != 0 {
		o.Next = store.ID{Queue: o.Item.Queue, Number: f.next[i]}
	}
	return o
}

// index finds items of the set.
func (f *frozen) index() func(store.ID) bool {
	by := map[string][]uint64{}
	for n, r := range f.runs {
		end := f.len()
		if n+1 < len(f.runs) {
			end = f.runs[n+1].from
		}
		numbers := f.numbers[r.from:end:end] // copied only where it must be put in order
		if before, ok := by[r.queue]; ok {
			numbers = append(before, numbers...)
		}
		by[r.queue] = numbers
	}
	for queue, numbers := range by {
		if !slices.IsSorted(numbers) {
			by[queue] = slices.Sorted(slices.Values(numbers))
		}
	}
	return func(id store.ID) bool {
		_, found := slices.BinarySearch(by[id.Queue], id.Number)
		return found
	}
}
