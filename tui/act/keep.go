package act

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// Keeper is an engine whose queues can be added and set up, and filled.
type Keeper interface {
	AddQueue(context.Context, store.Queue) (engine.QueueState, error)
	SetQueue(ctx context.Context, name string, patch json.RawMessage) (engine.QueueState, error)
	Add(context.Context, engine.AddRequest) ([]engine.AddResult, error)
	// Import stores all items that rows yields, or none.
	Import(ctx context.Context, r engine.ImportRequest, rows iter.Seq2[engine.NewItem, error]) (engine.ImportResult, error)
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
		kept := Kept{Addr: to, Words: words, Err: err, Again: again}
		if _, ok := errors.AsType[partly](err); ok {
			kept.Try, kept.Again = "import it all", nil
		}
		return kept
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
