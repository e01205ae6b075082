package bolt

import (
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// maxMapped is how much of the mapped file the process may have in its own
// tables before it gives that back to the system's cache, and reliefEvery how many
// views, or items of one, pass between two looks. Replaced in tests.
var (
	maxMapped   int64  = 24 << 20
	reliefEvery uint32 = 512
)

// relief keeps small what a process shows as its memory: all pages of the mapped
// file that it ever read count until the system needs the room. They stay in the
// system's cache, so reading one again costs a fault and no disk.
type relief struct {
	base  int64 // mapped bytes before the store was read
	count atomic.Uint32
}

// look gives the pages back if they have become many. It must be called where
// the file can't be mapped anew: in a reading transaction or by who writes. All
// that a transaction counts as the file's size is mapped.
func (r *relief) look(b *bbolt.Tx) {
	if resident() > r.base+maxMapped {
		drop(b.DB().Info().Data, b.Size())
	}
}

// viewed counts a view or an item, and looks now and then.
func (r *relief) viewed(b *bbolt.Tx) {
	if r.count.Add(1)%reliefEvery == 0 {
		r.look(b)
	}
}
