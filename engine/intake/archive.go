package intake

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"io"

	"github.com/klauspost/compress/zstd"

	"signalbox/engine"
	"signalbox/engine/archive"
	"signalbox/engine/object"
	"signalbox/store"
)

// unpacked gives what a file compressed with zstd holds; any other as it is.
func unpacked(r *bufio.Reader) (*bufio.Reader, error) {
	head, _ := r.Peek(4)
	frame := bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd})
	skippable := len(head) == 4 && binary.LittleEndian.Uint32(head)&^0xf == 0x184d2a50
	if !frame && !skippable {
		return r, nil
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, unreadable(err)
	}
	return bufio.NewReaderSize(io.Reader(z), 64<<10), nil
}

// isArchived says that a row is a line of an archive.
func isArchived(list []object.Field) bool {
	return lookUp(list, "archived_at") != nil && lookUp(list, "history") != nil
}

var seed = maphash.MakeSeed()

// archived makes an item of a line of an archive. It keeps its state unless all
// are to be new work.
func (f *File) archived(raw []byte) (engine.NewItem, error) {
	l, ok := archive.Decode(raw)
	if !ok {
		return engine.NewItem{}, store.Invalid("the row", "it is no line of an archive as it was written", "leave it as retention wrote it")
	}
	i := &l.Item
	f.identity = maphash.Comparable(seed, [2]any{i.ID(), i.Revision})
	item := engine.NewItem{
		Payload: l.Payload, Reference: i.Reference, Key: i.Key, Priority: i.Priority, DeferUntil: i.DeferUntil,
		DueAt: i.DueAt, RiskAt: i.RiskAt, MaxAttempts: i.MaxAttempts, Job: i.Job,
	}
	if f.opt.States == NewStates {
		return item, nil
	}
	item.Past = &engine.Past{
		ID: i.ID().String(), State: i.Status.String(), Archived: true, Chain: i.Chain.String(), Previous: i.Previous.String(), Next: i.Next.String(),
		Attempts: i.Attempts, Failures: i.Failures, Reclaims: i.Reclaims, RetryNo: i.RetryNo, NoRetry: !i.Retryable, Fence: i.Fence,
		Progress: i.Progress, ClaimedBy: i.ClaimedBy, ClaimedAt: i.ClaimedAt, StartedAt: i.StartedAt, EndedAt: i.EndedAt,
		AvailableAt: i.AvailableAt, CreatedAt: i.CreatedAt, CreatedBy: i.CreatedBy,
		Error: i.Error, Review: i.Review, Output: l.Output, Analytics: l.Analytics,
	}
	return item, nil
}

// repeats says that the row read last is an archived item that the file had
// before: a crash between archiving and removing leaves a line that stands twice.
func (f *File) repeats() bool {
	is := f.identity
	if f.identity = 0; is == 0 {
		return false
	}
	if f.seen == nil {
		f.seen = map[uint64]bool{}
	}
	before := f.seen[is]
	f.seen[is] = true
	return before
}
