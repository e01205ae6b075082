package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

// robotTally counts what became of a robot's items. Safe for concurrent use.
type robotTally struct {
	mu        sync.Mutex
	settled   int
	failed    int // of these
	stale     int // whose report came too late
	lost      int // taken away while they were worked
	givenBack int
	kept      int // to be given back, but no engine answered
}

func (t *robotTally) count(add func(*robotTally)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add(t)
}

// tells prints what became of one item.
func (r *robot) tells(report engine.Settlement, o engine.Outcome) error {
	r.tally.count(func(t *robotTally) {
		switch {
		case o.Result != engine.OK:
			t.stale++
		case report.Status == engine.Success:
			t.settled++
		default:
			t.settled++
			t.failed++
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines != asTable {
		b, err := store.Encode(o)
		if err == nil {
			_, err = r.app.Stdout.Write(append(b, '\n'))
		}
		return err
	}
	words := statusName(o.Status)
	if o.Result != engine.OK {
		words = o.Error
	} else if report.Reason != "" {
		words += ": " + report.Reason
	}
	_, err := fmt.Fprintf(r.app.Stdout, "%s  %s\n", o.Item, text.Clean(words))
	return err
}

// verdict says at the end what was done and what was left, and what the robot
// ended by.
func (r *robot) verdict(err error, stopped bool) error {
	t := &r.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	said := []string{counted(t.settled, "item") + " settled"}
	for _, more := range []struct {
		n    int
		what string
	}{
		{t.failed, "failed"}, {t.givenBack, "given back"}, {t.stale, "reported too late"}, {t.lost, "taken away"},
		{t.kept, "not given back, held until their leases end"}, {len(r.unsaid), "not reported, held until their leases end"},
	} {
		if more.n > 0 {
			said = append(said, fmt.Sprintf("%d %s", more.n, more.what))
		}
	}
	all := t.settled + t.givenBack + t.stale + t.lost + t.kept + len(r.unsaid)
	if all > 0 && (err == nil || stopped) {
		fmt.Fprintln(r.app.Stderr, "signalbox: robot "+r.ask.Robot+": "+strings.Join(said, ", "))
	}
	switch {
	case stopped && len(r.unsaid)+t.kept == 0 && (errors.Is(err, context.Canceled) || store.CodeOf(err) == store.CodeUnavailable):
		return nil // it was told to
	case err == nil && !stopped && all == 0:
		r.ask.Wait = r.wait
		return engine.NothingToClaim(&r.ask)
	}
	return err
}
