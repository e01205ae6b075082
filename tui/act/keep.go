package act

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/engine/intake"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Keeper is an engine whose queues can be added and set up, and filled.
type Keeper interface {
	AddQueue(context.Context, store.Queue) (engine.QueueState, error)
	SetQueue(ctx context.Context, name string, patch json.RawMessage) (engine.QueueState, error)
	Add(context.Context, engine.AddRequest) ([]engine.AddResult, error)
}

// Kept answers what was done to a queue, or with a file. Again asks anew with
// what was typed, where it was refused.
type Kept struct {
	screen.Addr
	Words string // what was done
	Try   string // what could not be done, "" for "do it"
	Err   error
	Again func(error) screen.Dialog
}

// Finishes implements screen.Finisher.
func (Kept) Finishes() {}

// Tell implements screen.Teller.
func (k Kept) Tell() screen.Effects {
	switch {
	case k.Err != nil && k.Again != nil:
		return screen.Want(screen.Ask{Dialog: k.Again(k.Err)})
	case k.Err != nil:
		return Fail(cmp.Or(k.Try, "do it"), k.Err)
	}
	return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Good, Text: text.Clean(k.Words)}})
}

// keep runs what is done to a queue.
func (d Desk) keep(to screen.Addr, again func(error) screen.Dialog, do func(Keeper) (string, error)) screen.Effects {
	effects := screen.Do(func() tea.Msg {
		keeper, ok := d.engine.(Keeper)
		if !ok {
			return Kept{Addr: to, Err: store.Invalid("queues", notThere, "use `signalbox queue add` there")}
		}
		words, err := do(keeper)
		return Kept{Addr: to, Words: words, Err: err, Again: again}
	})
	effects.Want(screen.Started{})
	return effects
}

// AddQueue adds a queue with other settings than its defaults, by their JSON
// names.
func (d Desk) AddQueue(to screen.Addr, q store.Queue, settings map[string]any, again func(error) screen.Dialog) screen.Effects {
	return d.keep(to, again, func(k Keeper) (string, error) {
		raw, err := patchOf(settings)
		if err == nil {
			err = json.Unmarshal(raw, &q)
		}
		if err == nil {
			_, err = k.AddQueue(d.ctx, q)
		}
		return "Added queue " + q.Name + missing(&q), err
	})
}

// SetQueue changes settings of a queue as it was seen, by their JSON names.
func (d Desk) SetQueue(to screen.Addr, seen store.Queue, settings map[string]any, again func(error) screen.Dialog) screen.Effects {
	return d.keep(to, again, func(k Keeper) (string, error) {
		n := count(settings)
		settings["revision"] = seen.Revision
		raw, err := patchOf(settings)
		if err != nil {
			return "", err
		}
		state, err := k.SetQueue(d.ctx, seen.Name, raw)
		return fmt.Sprintf("%s of %s changed%s", text.Plural(n, "setting"), seen.Name, missing(&state.Queue)), err
	})
}

// count counts settings, also those that stand in a group.
func count(settings map[string]any) (n int64) {
	for _, v := range settings {
		if group, ok := v.(map[string]any); ok {
			n += count(group)
		} else {
			n++
		}
	}
	return n
}

// missing tells of a consumer's program that is not there now: it may come
// before the items do.
func missing(q *store.Queue) string {
	c := &q.Consumer
	if c.Kind != engine.Command || c.Shell || len(c.Argv) == 0 {
		return ""
	}
	if _, err := exec.LookPath(c.Argv[0]); err != nil {
		return fmt.Sprintf("; its program %s can't be run now, so items will fail until it can", c.Argv[0])
	}
	return ""
}

// Import is a file to be brought into a queue.
type Import struct {
	Queue     store.Queue // made first where it is New
	New       bool
	File      string
	Reference string // column of the reference, "" as the file says
	Skip      bool   // bad rows are passed over, else one of them stops all
	Zone      *time.Location
	Now       time.Time
}

// imported is how many rows are added at a time where bad ones are passed over.
const imported = 1_000

// Import brings in a file.
func (d Desk) Import(to screen.Addr, im Import, again func(error) screen.Dialog) screen.Effects {
	return d.keep(to, again, func(k Keeper) (string, error) { return d.bringIn(k, im) })
}

// BringIn brings in a file at once, and says what came of it.
func (d Desk) BringIn(im Import) (string, error) {
	keeper, ok := d.engine.(Keeper)
	if !ok {
		return "", store.Invalid("queues", notThere, "use `signalbox item import` there")
	}
	return d.bringIn(keeper, im)
}

func (d Desk) bringIn(k Keeper, im Import) (string, error) {
	f, err := os.Open(im.File)
	if err != nil {
		return "", store.Invalid("file "+im.File, "it can't be read: "+unwrapped(err), "give a file that is there")
	}
	defer f.Close()
	file, err := intake.Open(f, intake.Options{Columns: intake.Columns{Reference: im.Reference}, Now: im.Now, Zone: im.Zone})
	if err != nil {
		return "", fmt.Errorf("%s: %w", im.File, err)
	}
	b := bringing{desk: d, keeper: k, Import: im, made: !im.New}
	for row, err := range file.Rows() {
		if err == nil {
			err = d.ctx.Err()
		}
		if err == nil {
			err = b.take(row)
		}
		if err != nil {
			return "", err
		}
	}
	return b.end()
}

// bringing is an import under way.
type bringing struct {
	Import
	desk   Desk
	keeper Keeper
	made   bool // the queue is there
	rows   []intake.Row
	stored int
	bad    int
	first  error // of the bad rows
}

func (b *bringing) take(row intake.Row) error {
	if row.Err != nil {
		if !b.Skip {
			return store.Invalid(fmt.Sprintf("%s line %d", filepath.Base(b.File), row.Line), row.Err.Error(), "mend the file, or pass over bad rows")
		}
		b.reject(row.Line, row.Err)
		return nil
	}
	b.rows = append(b.rows, row)
	if b.Skip && len(b.rows) == imported {
		return b.flush()
	}
	return nil
}

func (b *bringing) reject(line int, err error) {
	if b.bad++; b.first == nil {
		b.first = fmt.Errorf("line %d: %w", line, err)
	}
}

// flush adds the rows that wait.
func (b *bringing) flush() error {
	if !b.made {
		if _, err := b.keeper.AddQueue(b.desk.ctx, b.Queue); err != nil {
			return err
		}
		b.made = true
	}
	req := engine.AddRequest{Queue: b.Queue.Name, From: filepath.Base(b.File), Mode: engine.AllOrNothing}
	if b.Skip {
		req.Mode = engine.Independent
	}
	for i := range b.rows {
		req.Items = append(req.Items, b.rows[i].Item)
	}
	rows := b.rows
	b.rows = nil
	results, err := b.keeper.Add(b.desk.ctx, req)
	for i := range results {
		switch {
		case results[i].Err == nil:
			b.stored++
		case b.Skip:
			b.reject(rows[i].Line, results[i].Err)
		case err != nil:
			return store.Invalid(fmt.Sprintf("%s line %d", filepath.Base(b.File), rows[i].Line), results[i].Err.Error(), "nothing was stored")
		}
	}
	return err
}

func (b *bringing) end() (string, error) {
	if err := b.flush(); err != nil {
		return "", err
	}
	words := fmt.Sprintf("%s of %s in %s", text.Plural(int64(b.stored), "row"), filepath.Base(b.File), b.Queue.Name)
	if b.bad > 0 {
		words += fmt.Sprintf("; %s passed over, the first at %v", text.Plural(int64(b.bad), "bad row"), b.first)
	}
	if b.stored == 0 && b.bad > 0 {
		return "", errors.New(words)
	}
	return words, nil
}

// Demo hands the terminal to the demo until it is left.
func (d Desk) Demo(to screen.Addr) screen.Effects {
	self, err := os.Executable()
	if err != nil {
		return Fail("start the demo", err)
	}
	return screen.Do(d.exec(exec.Command(self, "demo"), func(err error) tea.Msg {
		return Kept{Addr: to, Words: "Back from the demo; this is your own store", Err: err}
	}))
}
