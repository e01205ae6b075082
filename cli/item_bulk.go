package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

const (
	// lull is the least time between two looks at a bulk act that runs.
	lull = 100 * time.Millisecond
	// lineGap is the time between two lines about it, where there is no terminal
	// for a bar.
	lineGap = 10 * time.Second
	// leave is how long a bulk act that is cancelled has to say where it stands.
	leave = 10 * time.Second
	// named refusals of a summary for a person.
	summed = 20
)

// runBulk has the engine act on items that are named, or on all that are
// selected, frozen with the revision each has now.
func (d *decision) runBulk(ctx context.Context, s Service, ids []store.ID, r engine.BulkRequest) (err error) {
	asks := !d.yes
	if len(ids) > 0 {
		r.Targets, asks = named(ids), d.asks
	} else {
		list, err := d.sel.request()
		if err != nil {
			return err
		}
		r.Select = []engine.ListRequest{list}
		if asks {
			if r.Targets, err = s.Select(ctx, list); err != nil {
				return err
			}
			if len(r.Targets) == 0 {
				return d.report(ctx, s, engine.BulkState{State: engine.BulkDone, Verb: r.Verb}, true)
			}
		}
	}
	if asks {
		if err := d.consent(ctx, s, r); err != nil {
			return err
		}
	}
	return d.start(ctx, s, r)
}

// start sets a bulk act going that needs no consent, and sees it to its end.
func (d *decision) start(ctx context.Context, s Service, r engine.BulkRequest) (err error) {
	r.First = d.first
	if r.Rate, err = engine.ParseRate(d.rate); err != nil {
		return err
	}
	state, err := s.StartBulk(ctx, r)
	if err != nil {
		return err
	}
	return d.report(ctx, s, state, true)
}

// report watches a bulk act to its end, printing what becomes of each item, or
// for a person how it went in all. An interrupt cancels the person's own.
func (d *decision) report(ctx context.Context, s Service, state engine.BulkState, own bool) error {
	w := bulkWatch{decision: d, s: s, own: own, progress: newProgress(d.app, own)}
	if !d.app.IsTerminal(d.app.Stdout) || d.app.output != "" {
		p, err := printing(d.app, outcomeColumns(), asJSON)
		if err != nil {
			return err
		}
		w.rows = p
	}
	state, err := w.follow(ctx, state)
	w.progress.clear()
	if w.rows != nil {
		err = errors.Join(err, w.rows.end()) // what came is whole whatever happened
	} else if err == nil {
		err = w.summary(ctx, state)
	}
	if err != nil {
		return brokenOff(&state, err)
	}
	if state.Arrived > 0 {
		fmt.Fprintf(d.app.Stderr, "%s arrived since and untouched\n", counted(state.Arrived, "item"))
	}
	return w.verdict(ctx, state)
}

// brokenOff says where a bulk act was when its engine went away, which ends it.
func brokenOff(b *engine.BulkState, err error) error {
	if store.CodeOf(err) != store.CodeUnavailable {
		return err
	}
	return &store.Error{
		Code: store.CodeUnavailable, Thing: b.Verb, Err: err,
		Rule: fmt.Sprintf("its engine is gone, and had come to at least %s of %s", text.Count(int64(b.Tried())), counted(b.Of, "item")),
		Mend: "what is done stays done; run it again for the rest",
	}
}

// bulkWatch follows one bulk act.
type bulkWatch struct {
	*decision
	s        Service
	own      bool           // an interrupt cancels it
	rows     printer[acted] // nil: only a summary
	progress *progress
	printed  int // items whose results are
}

func (w *bulkWatch) follow(ctx context.Context, state engine.BulkState) (engine.BulkState, error) {
	for {
		w.progress.show(&state)
		if err := w.print(ctx, &state); err != nil || !state.Running() {
			return state, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(lull):
		}
		next, err := w.s.WatchBulk(ctx, state.ID, state.Revision)
		if ctx.Err() != nil && !w.own {
			return state, &store.Error{Code: store.CodeFailed, Thing: fmt.Sprintf("bulk act %d", state.ID), Rule: "it goes on", Mend: fmt.Sprintf("end it with `signalbox item bulk cancel %d`", state.ID)}
		}
		if ctx.Err() != nil {
			next, err = w.cancel(ctx, state.ID)
			ctx = context.WithoutCancel(ctx)
		}
		if err != nil {
			return state, err
		}
		state = next
	}
}

func (w *bulkWatch) cancel(ctx context.Context, id uint64) (engine.BulkState, error) {
	soon, done := context.WithTimeout(context.WithoutCancel(ctx), leave)
	defer done()
	return w.s.CancelBulk(soon, id)
}

// print prints the results that have come since.
func (w *bulkWatch) print(ctx context.Context, state *engine.BulkState) error {
	if w.rows == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	for w.printed < state.Tried() {
		page, err := w.s.BulkResults(ctx, engine.ResultsRequest{ID: state.ID, After: w.printed, Limit: chunk})
		if err != nil {
			return err
		}
		rows := asOutcomes(page.Results)
		if state.Verb == engine.BulkRetry && w.app.output != asTable && w.app.output != asCSV {
			if rows, err = withItems(ctx, w.s, page.Results); err != nil {
				return err
			}
		}
		for _, row := range rows {
			if err := w.rows.row(row); err != nil {
				return err
			}
		}
		w.printed = page.Next
	}
	return nil
}

// summary says in words how it went, and names some that were not done.
func (w *bulkWatch) summary(ctx context.Context, state engine.BulkState) error {
	out := w.app.Stdout
	fmt.Fprintf(out, "%s\n", bulkWords(&state))
	if state.Undoable && outlives(w.s) {
		fmt.Fprintf(out, "take it back with `signalbox item undo --bulk %d`\n", state.ID)
	}
	bad := state.Tried() - state.Done
	if bad == 0 {
		return nil
	}
	page, err := w.s.BulkResults(context.WithoutCancel(ctx), engine.ResultsRequest{ID: state.ID, Failed: true, Limit: summed})
	if err != nil {
		return err
	}
	for _, o := range page.Results {
		fmt.Fprintf(out, "  %s\n", text.Truncate(text.Clean(o.Error), 2*widest, text.Ellipsis))
	}
	if more := bad - len(page.Results); more > 0 {
		fmt.Fprintf(out, "  and %s more; -o json prints all\n", text.Count(int64(more)))
	}
	return nil
}

// bulkWords words how far a bulk act has come: "retry: 37 of 40 done, 2 changed
// since they were seen, 1 gone".
func bulkWords(b *engine.BulkState) string {
	var words strings.Builder
	fmt.Fprintf(&words, "%s: %s of %s done", b.Verb, text.Count(int64(b.Done)), text.Count(int64(b.Of)))
	for _, part := range []struct {
		n    int
		what string
	}{{b.Stale, "changed since they were seen"}, {b.Gone, "gone"}, {b.Refused, "refused"}} {
		if part.n > 0 {
			fmt.Fprintf(&words, ", %s %s", text.Count(int64(part.n)), part.what)
		}
	}
	return words.String()
}

// outlives says that the service's engine goes on when the command ends, and so
// still knows what its bulk acts did.
func outlives(s Service) bool {
	_, own := s.(*engine.Engine)
	return !own
}

// verdict is nil when all went well; else it has the code of what went wrong.
func (w *bulkWatch) verdict(ctx context.Context, state engine.BulkState) error {
	switch state.State {
	case engine.BulkCancelled:
		rule := fmt.Sprintf("cancelled after %s of %s; what is done stays done", text.Count(int64(state.Tried())), counted(state.Of, "item"))
		mend := "run it again for the rest"
		if state.Undoable && outlives(w.s) {
			mend += fmt.Sprintf(", or take it back with `signalbox item undo --bulk %d`", state.ID)
		}
		return &store.Error{Code: store.CodeFailed, Thing: state.Verb, Rule: rule, Mend: mend}
	case engine.BulkFailed:
		return &store.Error{Code: store.CodeFailed, Thing: state.Verb, Rule: fmt.Sprintf("broke off after %s of %s", text.Count(int64(state.Tried())), counted(state.Of, "item")), Err: errors.New(state.Error)}
	}
	t := tally{verb: state.Verb, of: state.Of, bad: state.Tried() - state.Done}
	if t.bad == 0 {
		return nil
	}
	page, err := w.s.BulkResults(context.WithoutCancel(ctx), engine.ResultsRequest{ID: state.ID, Failed: true, Limit: 1})
	if err != nil || len(page.Results) == 0 {
		return err
	}
	t.first = page.Results[0]
	return t.verdict()
}

// progress shows how far a bulk act has come: a bar on a terminal, else a line
// now and then.
type progress struct {
	bar
	said time.Time
	hint string
}

func newProgress(a *app, own bool) *progress {
	p := progress{bar: *newBar(a, 0), said: time.Now()}
	p.width = barWidth / 2
	if own {
		p.hint = "  ctrl-c cancels"
	}
	return &p
}

func (p *progress) show(b *engine.BulkState) {
	if p.on && b.Of > 0 {
		p.size, p.read = int64(b.Of), int64(b.Tried())
		p.note = text.Count(p.read) + " of " + text.Count(p.size)
		if bad := b.Tried() - b.Done; bad > 0 {
			p.note += ", " + text.Count(int64(bad)) + " not done"
		}
		p.note += speed(b) + p.hint
		p.draw()
		return
	}
	if now := time.Now(); b.Running() && now.Sub(p.said) >= lineGap {
		p.said = now
		fmt.Fprintln(p.app.Stderr, bulkWords(b)+speed(b))
	}
}

// speed words how fast a bulk act goes and how long it has yet to go.
func speed(b *engine.BulkState) string {
	if b.Speed <= 0 {
		return ""
	}
	rate := text.Count(int64(b.Speed))
	if b.Speed < 10 {
		rate = strconv.FormatFloat(b.Speed, 'f', 1, 64)
	}
	left := time.Duration(float64(b.Of-b.Tried()) / b.Speed * float64(time.Second))
	return ", " + rate + "/s, " + text.Duration(left) + " left"
}

func (a *app) itemBulk() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the bulk acts under way and the newest that ended", Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				bulks, err := s.Bulks(ctx)
				if err != nil {
					return err
				}
				zone, err := a.location()
				if err != nil {
					return err
				}
				return printAll(a, a.bulkColumns(zone), asTable, bulks)
			})
		},
	}
	watch := &cobra.Command{
		Use: "watch BULK", Short: "Follow a bulk act to its end", Args: takes("BULK"),
		RunE: a.onBulk(func(ctx context.Context, s Service, id uint64) error {
			state, err := s.WatchBulk(ctx, id, 0)
			if err != nil {
				return err
			}
			d := decision{app: a, verb: state.Verb}
			return d.report(ctx, s, state, false)
		}),
	}
	cancel := &cobra.Command{
		Use: "cancel BULK", Short: "End a bulk act; what it did stays done", Args: takes("BULK"),
		RunE: a.onBulk(func(ctx context.Context, s Service, id uint64) error {
			state, err := s.CancelBulk(ctx, id)
			if err != nil {
				return err
			}
			return a.printOne(state)
		}),
	}
	return group("bulk", "Look after acts on many items that run in the engine", nil, list, watch, cancel)
}

// onBulk runs a command on the bulk act that its argument names.
func (a *app) onBulk(do func(context.Context, Service, uint64) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		id, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil {
			return usage(fmt.Sprintf("bulk act %q", args[0]), "it is named by its number", "see `signalbox item bulk list`")
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error { return do(ctx, s, id) })
	}
}

func (a *app) bulkColumns(zone *time.Location) columns[engine.BulkState] {
	number := func(of func(*engine.BulkState) int) func(engine.BulkState) string {
		return func(b engine.BulkState) string { return strconv.Itoa(of(&b)) }
	}
	return columns[engine.BulkState]{table: []column[engine.BulkState]{
		{"id", func(b engine.BulkState) string { return strconv.FormatUint(b.ID, 10) }, true},
		{"verb", func(b engine.BulkState) string { return b.Verb }, false},
		{"state", func(b engine.BulkState) string { return b.State }, false},
		{"by", func(b engine.BulkState) string { return b.By }, false},
		{"of", number(func(b *engine.BulkState) int { return b.Of }), true},
		{"done", number(func(b *engine.BulkState) int { return b.Done }), true},
		{"refused", number(func(b *engine.BulkState) int { return b.Tried() - b.Done }), true},
		{"rate", func(b engine.BulkState) string { return b.Rate.String() }, true},
		{"began", func(b engine.BulkState) string { return when(b.Began, a.Now(), zone) }, false},
	}}
}
