package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) jobCommands() *cobra.Command {
	return group("job", "Follow and steer queue jobs: items grouped under one record", []string{"jobs"},
		a.jobStart(), a.jobList(), a.jobShow(), a.jobWatch(), a.jobPause(), a.jobResume(), a.jobSeal(), a.jobCancel(), a.jobDelete(),
		a.jobLog(), a.jobAttachment())
}

func (a *app) jobList() *cobra.Command {
	var filter, after, queue string
	var limit int
	var live bool
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List jobs with their numbers, newest first", Args: takes(),
		Example: "signalbox job list --live",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			match, err := parseFieldFilter(filter)
			if err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				l := engine.JobList{Queue: queue, Live: live}
				if after != "" {
					last, err := s.Job(ctx, after)
					if err != nil {
						return err
					}
					l.Before = last.Number
				}
				return a.printJobs(ctx, s, l, limit, match)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&queue, "queue", "", "jobs of this queue")
	f.BoolVar(&live, "live", false, "only those that have not ended")
	f.StringVar(&filter, "filter", "", "only those with these words, or terms like status:running")
	limitFlag(c, &limit, 100, "jobs")
	f.StringVar(&after, "after", "", "go on after the job of this id")
	return c
}

// printJobs prints jobs as they are read, page by page.
func (a *app) printJobs(ctx context.Context, s Service, l engine.JobList, limit int, match func(any) bool) error {
	p, err := printing(a, a.jobColumns(), asTable)
	if err != nil {
		return err
	}
	for shown := 0; limit == 0 || shown < limit; {
		jobs, err := s.Jobs(ctx, l)
		if err != nil {
			return err
		}
		if len(jobs) == 0 {
			break
		}
		for _, j := range jobs {
			if l.Before = j.Number; !match(j) || limit > 0 && shown == limit {
				continue
			}
			shown++
			if err := p.row(j); err != nil {
				return err
			}
		}
	}
	return p.end()
}

func (a *app) jobColumns() columns[engine.JobState] {
	type j = engine.JobState
	zone, err := a.location()
	if err != nil {
		zone = a.Zone
	}
	count := func(of func(j) int64) func(j) string { return func(j j) string { return text.Count(of(j)) } }
	number := func(of func(j) int64) func(j) string {
		return func(j j) string { return strconv.FormatInt(of(j), 10) }
	}
	id := column[j]{"job", func(j j) string { return j.ID }, false}
	queue := column[j]{"queue", func(j j) string { return j.Queue }, false}
	status := column[j]{"status", func(j j) string { return j.Status.String() }, false}
	initiator := column[j]{"initiator", func(j j) string { return j.Initiator }, false}
	figures := func(show func(func(j) int64) func(j) string) []column[j] {
		return []column[j]{
			{"available", show(func(j j) int64 { return j.Available }), true},
			{"delayed", show(func(j j) int64 { return j.Delayed }), true},
			{"inflight", show(func(j j) int64 { return j.InFlight }), true},
			{"done", show(func(j j) int64 { return j.Done }), true},
			{"failed", show(func(j j) int64 { return j.Failed }), true},
			{"cancelled", show(func(j j) int64 { return j.Cancelled }), true},
			{"total", show(func(j j) int64 { return j.Total }), true},
		}
	}
	return columns[j]{
		table: append(append([]column[j]{id, queue, status}, figures(count)...), initiator,
			column[j]{"created", func(j j) string { return when(j.CreatedAt, a.Now(), zone) }, false},
			column[j]{"note", jobNote, false}),
		csv: append(append([]column[j]{id, queue, status}, figures(number)...), initiator,
			column[j]{"kind", func(j j) string { return j.Kind }, false},
			column[j]{"singleton_key", func(j j) string { return j.SingletonKey }, false},
			column[j]{"created_at", func(j j) string { return j.CreatedAt.String() }, false},
			column[j]{"ended_at", func(j j) string { return j.EndedAt.String() }, false},
			column[j]{"next_available_at", func(j j) string { return j.NextAvailableAt.String() }, false}),
	}
}

// jobNote is what a person should know of a job besides its numbers.
func jobNote(j engine.JobState) string {
	switch {
	case j.Status == store.JobPaused:
		return "paused by " + j.PausedBy
	case j.Status == store.JobCancelled && j.EndedAt == 0:
		return "cancelling"
	case j.Hook.Error != "" && j.Status.Open():
		return "completion failed, tried again: " + j.Hook.Error
	case j.SlotWait != nil:
		return j.SlotWait.String()
	case j.Filling:
		return "more items are to come"
	case j.Status.Open() && j.Left() == 0:
		return "completing"
	}
	return ""
}

func (a *app) jobShow() *cobra.Command {
	return onOne(a, "show JOB", "Show a job with its numbers", func(ctx context.Context, s Service, id string) (engine.JobState, error) {
		return s.Job(ctx, id)
	}, a.printJob)
}

func (a *app) jobPause() *cobra.Command {
	return onOne(a, "pause JOB", "Hand out no more items of a job; those in flight go on", func(ctx context.Context, s Service, id string) (engine.JobState, error) {
		return s.PauseJob(ctx, id, true)
	}, a.printJob)
}

func (a *app) jobResume() *cobra.Command {
	return onOne(a, "resume JOB", "Hand out items of a paused job again", func(ctx context.Context, s Service, id string) (engine.JobState, error) {
		return s.PauseJob(ctx, id, false)
	}, a.printJob)
}

func (a *app) jobSeal() *cobra.Command {
	return onOne(a, "seal JOB", "Say that no more items are to come for a job, as after an import that was killed", func(ctx context.Context, s Service, id string) (engine.JobState, error) {
		return s.SealJob(ctx, id)
	}, a.printJob)
}

func (a *app) printJob(j engine.JobState) error { return a.printOne(j) }

func (a *app) jobCancel() *cobra.Command {
	var yes bool
	var note string
	c := &cobra.Command{
		Use: "cancel JOB", Short: "Cancel a job: what waits and what runs; what is done stays", Args: takes("JOB"),
		Long: "Cancel a job. Its waiting items are cancelled, running work is stopped, and its items that are done or failed stay as they are. It can't be taken back.",
		RunE: func(c *cobra.Command, args []string) error {
			return a.doOne(c.Context(), func(ctx context.Context, s Service) error {
				j, err := s.Job(ctx, args[0])
				if err != nil {
					return err
				}
				if !yes {
					question := fmt.Sprintf("Cancel job %s, with %s waiting and %s running? This can't be taken back.", text.Clean(j.ID), text.Count(j.Available), text.Count(j.InFlight))
					if err := a.confirmed("`job cancel`", question); err != nil {
						return err
					}
				}
				if j, err = s.CancelJob(ctx, args[0], note); err != nil {
					return err
				}
				return a.printOne(j)
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	c.Flags().StringVar(&note, "note", "", "why, for the history")
	return c
}

func (a *app) jobDelete() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete JOB", Short: "Delete a job that has ended, with its log and attachments", Args: takes("JOB"),
		Long: "Delete a job that has ended, with its log and attachments. Its items stay; its id names no other job ever.",
		RunE: func(c *cobra.Command, args []string) error {
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				j, err := s.Job(ctx, args[0])
				if err != nil {
					return err
				}
				if !yes {
					if err := a.confirmed("`job delete`", fmt.Sprintf("Delete job %s with its log and attachments? This can't be taken back.", text.Clean(j.ID))); err != nil {
						return err
					}
				}
				return s.DeleteJob(ctx, args[0])
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// confirmed asks where somebody can answer, and wants --yes where nobody can.
func (a *app) confirmed(command, question string) error {
	if !a.IsTerminal(a.Stdin) {
		return usage(command, "nobody is there to confirm", "add --yes")
	}
	return a.confirm(question)
}
