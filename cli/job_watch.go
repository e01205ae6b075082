package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
	monitor "signalbox/tui/widget/progress"
)

const (
	// refresh is the shortest time between two pictures in a terminal, linePace
	// between two lines in a pipe.
	refresh  = 250 * time.Millisecond
	linePace = time.Second
	// lookAgain is how long a watch waits for word of a change.
	lookAgain = 10 * time.Second
)

func (a *app) jobWatch() *cobra.Command {
	return &cobra.Command{
		Use: "watch JOB", Short: "Follow a job until it has ended", Args: takes("JOB"),
		Long: "Follow a job until it has ended: in a terminal as a live bar of what is done, failed, in flight, retrying and available, with its rate and the time left; in a pipe as plain lines.\n\n" +
			"Exit code 0 when it is done and nothing failed, 1 when something failed or it was cancelled.",
		Example: "signalbox job watch invoices-7",
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.wordsOnly("how far the job is, which `job show` prints once"); err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				return a.answering(ctx, s, func() error { return a.watchJob(ctx, s, args[0]) })
			})
		},
	}
}

// watchJob shows a job until it has ended, and says how it did.
func (a *app) watchJob(ctx context.Context, s Service, id string) error {
	w := watch{app: a, live: a.IsTerminal(a.Stdout), pace: linePace}
	if w.live {
		w.pace = refresh
	}
	defer w.clear()
	var revision uint64
	for {
		j, err := s.Job(ctx, id)
		if err != nil {
			return err
		}
		w.show(&j, time.Now())
		if j.EndedAt != 0 {
			return verdictOf(&j)
		}
		if revision, err = news(ctx, s, revision, w.pace); err != nil {
			return err
		}
	}
}

// news waits until something has changed, but looks again now and then.
func news(ctx context.Context, s Service, revision uint64, pace time.Duration) (uint64, error) {
	rest := time.NewTimer(pace)
	defer rest.Stop()
	soon, cancel := context.WithTimeout(ctx, lookAgain)
	defer cancel()
	snapshot, err := s.Watch(soon, revision)
	switch {
	case err == nil:
		revision = snapshot.Revision
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case !errors.Is(err, context.DeadlineExceeded):
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-rest.C:
	}
	return revision, nil
}

// verdictOf is the error of a job that did not end well.
func verdictOf(j *engine.JobState) error {
	thing := "job " + j.ID
	switch {
	case j.Status == store.JobCancelled:
		return &store.Error{Code: store.CodeFailed, Thing: thing, Rule: "it was cancelled"}
	case j.Failed > 0 && engine.Builtin(j.Queue):
		return &store.Error{Code: store.CodeFailed, Thing: thing, Rule: text.Count(j.Failed) + " failed", Mend: "see `signalbox job log " + j.ID + "`"}
	case j.Failed > 0:
		return &store.Error{Code: store.CodeFailed, Thing: thing, Rule: text.Count(j.Failed) + " failed", Mend: "see `signalbox item list --filter job:" + j.ID + "`"}
	}
	return nil
}

// watch is a job as it is shown.
type watch struct {
	app   *app
	live  bool
	pace  time.Duration
	last  string
	speed monitor.Speed
}

func (w *watch) show(j *engine.JobState, now time.Time) {
	w.speed.Note(now, monitor.Worked(j))
	line := w.words(j)
	if w.live {
		fmt.Fprintf(w.app.Stdout, "\r\x1b[K%s %s\x1b]9;4;%s\x07", fiveParts(j), line, progressCode(j))
		if j.EndedAt != 0 {
			fmt.Fprintln(w.app.Stdout)
		}
		return
	}
	if line != w.last {
		fmt.Fprintln(w.app.Stdout, line)
	}
	w.last = line
}

// clear takes the terminal's own progress bar away.
func (w *watch) clear() {
	if w.live {
		fmt.Fprint(w.app.Stdout, "\x1b]9;4;0;\x07")
	}
}

// words are a job's numbers in one line.
func (w *watch) words(j *engine.JobState) string {
	line := fmt.Sprintf("%s %s: %s of %s done", text.Clean(j.ID), j.Status, text.Count(j.Done), text.Count(j.Total))
	for _, part := range []struct {
		n    int64
		word string
	}{{j.Failed, "failed"}, {j.Cancelled, "cancelled"}, {j.InFlight, "in flight"}, {j.Delayed, "retrying"}, {j.Available - j.Delayed, "available"}} {
		if part.n > 0 {
			line += ", " + text.Count(part.n) + " " + part.word
		}
	}
	if j.EndedAt != 0 {
		return line + " in " + text.Duration(j.EndedAt.Sub(j.CreatedAt))
	}
	if note := jobNote(*j); note != "" {
		line += ", " + string(text.Clean(note))
	}
	if rate, ok := w.speed.PerSecond(time.Now()); ok && j.Status == store.JobRunning && w.live {
		line += ", " + text.Rate(rate)
		if !j.Filling && rate > 0 {
			line += ", " + text.Duration(time.Duration(float64(j.Left())/rate*float64(time.Second)).Round(time.Second)) + " left"
		}
	}
	return line
}

// fiveParts is the bar: done, failed or cancelled, in flight, retrying, available.
func fiveParts(j *engine.JobState) string {
	const width = 30
	parts := []struct {
		n    int64
		mark string
	}{{j.Done, "█"}, {j.Failed + j.Cancelled, "✗"}, {j.InFlight, "▒"}, {j.Delayed, "↻"}, {j.Available - j.Delayed, "·"}}
	var bar strings.Builder
	drawn, sum := 0, int64(0)
	for _, p := range parts {
		if p.n <= 0 || j.Total == 0 {
			continue
		}
		sum += p.n
		end := int(sum * width / j.Total)
		if end == drawn && sum < j.Total { // what is there is seen
			end++
		}
		end = min(end, width)
		bar.WriteString(strings.Repeat(p.mark, max(0, end-drawn)))
		drawn = max(drawn, end)
	}
	return bar.String() + strings.Repeat("·", width-drawn)
}

// progressCode is what the terminal's own progress bar is told: its state and the
// share that is done.
func progressCode(j *engine.JobState) string {
	state := 1
	switch {
	case j.Status == store.JobPaused:
		state = 4
	case j.Failed > 0:
		state = 2
	}
	share := int64(0)
	if j.Total > 0 {
		share = (j.Total - j.Left()) * 100 / j.Total
	}
	return fmt.Sprintf("%d;%d", state, share)
}

// existing prints the job that is open with the singleton key asked for, beside
// which nothing was started.
func (a *app) existing(j engine.JobState, err error) error {
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "signalbox: nothing was added: job %s with this key is open\n", text.Clean(j.ID))
	return a.printOne(j)
}
