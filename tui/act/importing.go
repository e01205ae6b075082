package act

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Importing is an import of this console that is under way.
type Importing struct {
	File, Queue string
	Rows        int64 // brought to the engine so far
	Stop        func()
}

// imports are those under way.
type imports struct {
	sync.Mutex
	all []*importing
}

type importing struct {
	file, queue string
	rows        atomic.Int64
	stop        context.CancelFunc
}

func (i *imports) begin(ctx context.Context, im *Import) (context.Context, *importing) {
	ctx, stop := context.WithCancel(ctx)
	r := &importing{file: im.File, queue: im.Queue.Name, stop: stop}
	i.Lock()
	defer i.Unlock()
	i.all = append(i.all, r)
	return ctx, r
}

func (i *imports) end(r *importing) {
	r.stop()
	i.Lock()
	defer i.Unlock()
	i.all = slices.DeleteFunc(i.all, func(other *importing) bool { return other == r })
}

// Importing tells of the imports under way, the newest last.
func (d Desk) Importing() []Importing {
	d.imports.Lock()
	defer d.imports.Unlock()
	all := make([]Importing, len(d.imports.all))
	for i, r := range d.imports.all {
		all[i] = Importing{r.file, r.queue, r.rows.Load(), r.stop}
	}
	return all
}
