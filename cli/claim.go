package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
)

func (a *app) claimCommand() *cobra.Command {
	var r engine.ClaimRequest
	var item, wait string
	var unmask bool
	c := &cobra.Command{
		Use: "claim", Short: "Take items to work on", Args: takes(),
		Long: "Take waiting items for a robot, atomically, each with a lease and a fence. What the robot says of an item later carries its fence. " +
			"Nothing to claim is exit code 4.",
		Example: "signalbox claim --queue invoices --robot r1\nsignalbox claim --queue invoices --robot r1 --n 10 --wait 30s",
	}
	f := c.Flags()
	f.StringVar(&r.Queue, "queue", "", "the queue")
	f.StringVar(&r.Robot, "robot", "", "who works the items")
	f.IntVar(&r.N, "n", 1, "at most this many items")
	f.StringVar(&wait, "wait", "", "how long to wait when there is nothing, as in 30s")
	f.StringVar(&r.Reference, "reference", "", "only items whose reference begins so")
	f.BoolVar(&r.Exact, "exact", false, "the reference must be equal")
	f.StringVar(&r.Job, "job", "", "only items of this job")
	f.StringVar(&r.Filter, "filter", "", "only items that match, as in 'priority:high' or 'jq:\".total > 100\"'")
	f.StringVar(&item, "item", "", "exactly this item")
	f.BoolVar(&r.NoStart, "no-start", false, "do not start a single item at once")
	unmaskFlag(c, &unmask)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := r.Item.UnmarshalText([]byte(item)); err != nil {
			return err
		}
		if r.Queue == "" && r.Item.IsZero() {
			return needsQueue(c)
		}
		if r.Robot == "" {
			return usage("`signalbox claim`", "it needs --robot", "say who works the items, as in --robot r1")
		}
		if r.N < 1 {
			return usage("--n "+strconv.Itoa(r.N), "a claim takes at least 1 item", "use 1 or more")
		}
		if wait != "" {
			d, err := duration("wait", wait)
			if err != nil {
				return err
			}
			r.Wait = d
		}
		outlivesReaders()
		records, err := a.claim(c.Context(), r, unmask)
		if err != nil {
			return err
		}
		if err := printAll(a, recordColumns(a.itemColumns()), asJSON, records); err != nil {
			return a.unclaims(c.Context(), records, err)
		}
		return nil
	}
	return c
}

// claim claims, and goes on waiting where the engine it waited at goes away or
// lets nobody wait as long.
func (a *app) claim(ctx context.Context, r engine.ClaimRequest, unmask bool) (records []engine.Record, err error) {
	end := time.Now().Add(time.Duration(r.Wait))
	for {
		err := a.do(ctx, func(ctx context.Context, s Service) (err error) {
			if records, err = a.claimAt(ctx, s, r); err == nil {
				records = a.veiled(ctx, s, records, unmask)
			}
			return err
		})
		r.Wait = store.Duration(time.Until(end).Round(time.Millisecond))
		_, gone := errors.AsType[left](err)
		if r.Wait <= 0 || store.CodeOf(err) != store.CodeEmpty && !gone {
			return records, err
		}
	}
}

// unclaims gives back what was claimed and could not be told to its robot: the
// items would be held, by nobody who knows of them, until their leases end.
func (a *app) unclaims(ctx context.Context, records []engine.Record, cause error) error {
	given := 0
	_ = a.do(context.WithoutCancel(ctx), func(ctx context.Context, s Service) error {
		outcomes, err := s.Release(ctx, held(records))
		for _, o := range outcomes {
			if o.Result == engine.OK {
				given++
			}
		}
		return err
	})
	mend := counted(given, "claimed item") + " given back; make room there or print elsewhere, and claim again"
	if given < len(records) {
		mend = fmt.Sprintf("%s given back, %d held until their leases end", counted(given, "claimed item"), len(records)-given)
	}
	return unprinted(reasonOf(cause), mend)
}

// left is an error of an engine that went away which had answered before.
type left struct{ error }

func (l left) Unwrap() error { return l.error }

// claimAt claims at a service. One that waits on an engine of its own keeps the
// store to itself, so it answers others on the socket meanwhile; else nobody
// could add what it waits for.
func (a *app) claimAt(ctx context.Context, s Service, r engine.ClaimRequest) ([]engine.Record, error) {
	if _, own := s.(*engine.Engine); !own || r.Wait == 0 {
		records, err := s.Claim(ctx, r)
		if _, own := s.(*engine.Engine); !own && store.CodeOf(err) == store.CodeUnavailable {
			err = left{err}
		}
		return records, err
	}
	var records []engine.Record
	err := a.answering(ctx, s, func() (err error) {
		records, err = s.Claim(ctx, r)
		return err
	})
	return records, err
}

// answering does what may take long. An engine of our own answers others on the
// socket meanwhile.
func (a *app) answering(ctx context.Context, s Service, do func() error) error {
	e, own := s.(*engine.Engine)
	if !own || a.readOnly {
		return do()
	}
	h := &host{engine: e}
	var err error
	if h.where, err = a.where(); err == nil && !h.where.memory {
		err = h.serve(ctx, nil)
	}
	err = errors.Join(do(), err)
	if h.served != nil {
		h.stop()
		<-h.served // requests under way are answered before the store is closed
	}
	return err
}

// recordColumns shows records as their items.
func recordColumns(c columns[store.Item]) columns[engine.Record] {
	of := func(items []column[store.Item]) []column[engine.Record] {
		records := make([]column[engine.Record], len(items))
		for i, item := range items {
			records[i] = column[engine.Record]{item.name, func(r engine.Record) string { return item.value(r.Item) }, item.right}
		}
		return records
	}
	fence := column[engine.Record]{"fence", func(r engine.Record) string { return strconv.FormatUint(r.Fence, 10) }, true}
	payload := column[engine.Record]{"payload", func(r engine.Record) string { return string(r.Payload) }, false}
	return columns[engine.Record]{table: append(of(c.table[:4]), fence, payload), csv: append(of(c.csv), payload)}
}
