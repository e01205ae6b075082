package engine

import (
	"context"
	"runtime"

	"signalbox/engine/coop"
	"signalbox/store"
)

// sideBySide does n pieces of work, as entries of a cooperative queue of as many
// places as there are processors. The first that fails ends the others through their
// contexts, and its error is given; none runs any more when it returns.
func sideBySide(ctx context.Context, n int, work func(ctx context.Context, n int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q, err := coop.New(func(ctx context.Context, t coop.Task[int]) (none struct{}, err error) {
		if err = work(ctx, t.Value); err != nil {
			cancel(err)
		}
		return none, err
	}, coop.Options{Concurrency: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	pieces := make([]*coop.Future[struct{}], n)
	for i := range n {
		if pieces[i], err = q.Enqueue(ctx, i); err != nil {
			break // it has ended
		}
	}
	for _, piece := range pieces {
		if piece == nil {
			break
		}
		if _, failed := piece.Wait(context.WithoutCancel(ctx)); failed != nil {
			cancel(failed) // unless the piece has said so itself; a panic has not
		}
	}
	_ = q.Destroy(context.WithoutCancel(ctx)) // also waits for those that were ended
	return context.Cause(ctx)
}

// ranges visits the numbers up to the last in ranges side by side, one for each
// processor and each with an exporter of its own. A range holds whole parts of so many numbers.
func (x *exporter) ranges(ctx context.Context, size uint64, visit func(context.Context, *exporter) error) error {
	parts := (x.last + size - 1) / size
	n := int(min(uint64(runtime.GOMAXPROCS(0)), parts))
	return sideBySide(ctx, n, func(ctx context.Context, i int) error {
		part, at, of := *x, uint64(i), uint64(n)
		first := at * parts / of * size
		part.last = min((at+1)*parts/of*size, x.last)
		part.list.Order, part.list.After = ByNumber, store.ID{Queue: x.list.Queue, Number: first}
		return visit(ctx, &part)
	})
}
