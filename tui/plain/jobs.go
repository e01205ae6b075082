package plain

import (
	"fmt"
	"strconv"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/progress"
)

// watched is a job whose progress is told.
type watched struct {
	id   string
	told string // last, but for what moves with the clock alone
}

func onJobs() []command {
	return []command{
		{"jobs", "", "the jobs, those that go on first", 0, false, func(s *session, _ []string) { s.jobs() }},
		{"job", "JOB", "a job with its numbers, its files and the end of its log", 1, false, func(s *session, a []string) { s.withJob(a[0], s.job) }},
		{"watch", "JOB", "tell how a job gets on until it ends, in at most a line a second", 1, false, func(s *session, a []string) { s.withJob(a[0], s.watchJob) }},
		{"unwatch", "", "tell no more of it", 0, false, func(s *session, _ []string) { s.watched = watched{}; s.say("No job is watched.") }},
		{"why-job", "JOB", "why a job does not get on", 1, false, func(s *session, a []string) { s.withJob(a[0], s.whyJob) }},
		{"pause-job", "JOB", "hand out no more of a job's items", 1, true, func(s *session, a []string) { s.steer(a[0], true) }},
		{"resume-job", "JOB", "hand them out again", 1, true, func(s *session, a []string) { s.steer(a[0], false) }},
		{"cancel-job", "JOB [NOTE]", "cancel what waits and stop what runs of a job; asks", 1, true, (*session).cancelJob},
		{"delete-job", "JOB", "remove a job that has ended, with its log and files; asks", 1, true, (*session).deleteJob},
	}
}

// jobber is the engine where its jobs can be steered.
func (s *session) jobber() (act.Jobber, bool) {
	jobber, ok := s.Engine.(act.Jobber)
	if !ok {
		s.say("The engine at the other end does not tell of jobs.")
	}
	return jobber, ok
}

// withJob does something with the job that was named, as it is now.
func (s *session) withJob(id string, do func(act.Jobber, engine.JobState)) {
	jobber, ok := s.jobber()
	if !ok {
		return
	}
	j, err := jobber.Job(s.ctx, id)
	if err != nil {
		s.say("%v.", err)
		return
	}
	do(jobber, j)
}

func (s *session) jobs() {
	for i := range s.snap.Jobs {
		j := &s.snap.Jobs[i]
		s.say("Job %s of %s, %s: %s.", j.ID, j.Queue, j.Status, numbers(j))
	}
	if len(s.snap.Jobs) == 0 {
		s.say("There is no job.")
	}
}

// numbers words how far a job is.
func numbers(j *engine.JobState) string {
	parts := []string{string(progress.Share(j)), text.Count(j.Done) + " done", text.Count(j.Failed) + " failed", text.Count(j.InFlight) + " in flight"}
	if j.Delayed > 0 {
		parts = append(parts, text.Count(j.Delayed)+" retrying")
	}
	parts = append(parts, text.Count(max(j.Available-j.Delayed, 0))+" available")
	if j.Cancelled > 0 {
		parts = append(parts, text.Count(j.Cancelled)+" cancelled")
	}
	words := strings.Join(parts, ", ") + " of " + text.Count(j.Total)
	if j.Filling {
		words += ", more are to come"
	}
	return words
}

// loggedLines is how much of a log a job tells.
const loggedLines = 10

func (s *session) job(jobber act.Jobber, j engine.JobState) {
	s.say("Job %s of %s, %s, by %s, begun %s: %s.", j.ID, j.Queue, j.Status, or(j.Initiator, "nobody named"), s.clock(j.CreatedAt), numbers(&j))
	if j.Status == store.JobPaused {
		s.say("Paused by %s.", or(j.PausedBy, "somebody"))
	}
	files, err := jobber.Attachments(s.ctx, j.ID)
	for _, f := range files {
		s.say("File %s, %s.", f.Name, text.Plural(f.Size, "byte"))
	}
	var lines []store.LogLine
	for after := uint64(0); err == nil; after = lines[len(lines)-1].Seq {
		var page []store.LogLine
		if page, err = jobber.JobLog(s.ctx, j.ID, after, 1_000); len(page) == 0 {
			break
		}
		lines = page
	}
	for _, l := range lines[max(len(lines)-loggedLines, 0):] {
		s.say("Log %s %s: %s.", s.clock(l.At), l.Level, l.Text)
	}
	if err != nil {
		s.say("%v.", err)
	}
}

// watchJob tells of a job from now on.
func (s *session) watchJob(_ act.Jobber, j engine.JobState) {
	s.watched = watched{id: j.ID}
	s.tellJob(&j)
}

// gotOn tells how the watched job has got on since the last look, of which there
// is one a second at most.
func (s *session) gotOn() {
	s.speeds.Take(s.snap, s.Clock())
	if s.watched.id == "" {
		return
	}
	s.withJob(s.watched.id, func(_ act.Jobber, j engine.JobState) { s.tellJob(&j) })
}

func (s *session) tellJob(j *engine.JobState) {
	words := j.Status.String() + ", " + numbers(j)
	if words == s.watched.told {
		return
	}
	s.watched.told = words
	if rate, ok := s.speeds.Rate(j, s.Clock()); ok {
		words += ", " + text.Rate(rate)
	}
	if left, ok := s.speeds.Left(j, s.Clock()); ok {
		words += ", " + string(env.Span(left)) + " left"
	}
	s.say("Job %s: %s.", j.ID, words)
	if !j.EndedAt.IsZero() {
		s.say("It has ended, and is watched no more.")
		s.watched = watched{}
	}
}

// whyJob tells what holds up the next of a job's items.
func (s *session) whyJob(_ act.Jobber, j engine.JobState) {
	s.say("Job %s is %s: %s.", j.ID, j.Status, numbers(&j))
	page, err := s.Engine.List(s.ctx, engine.ListRequest{
		Queue: j.Queue, Statuses: []store.Status{store.Queued, store.Pending}, Filter: act.JobFilter(j.ID), Limit: 1,
	})
	switch {
	case err != nil:
		s.say("%v.", err)
	case len(page.Items) == 0:
		s.say("None of its items waits.")
	default:
		s.say("Of those that wait, %s:", page.Items[0].ID())
		s.why(page.Items[0].ID())
	}
}

func (s *session) steer(id string, paused bool) {
	s.withJob(id, func(jobber act.Jobber, _ engine.JobState) {
		j, err := jobber.PauseJob(s.ctx, id, paused)
		switch {
		case err != nil:
			s.say("%v.", err)
		case paused:
			s.say("Job %s is paused: what runs goes on, nothing new is handed out.", j.ID)
		default:
			s.say("Job %s goes on.", j.ID)
		}
	})
}

func (s *session) cancelJob(args []string) {
	s.withJob(args[0], func(jobber act.Jobber, j engine.JobState) {
		if !j.Status.Open() {
			s.say("Job %s is %s: there is nothing to cancel.", j.ID, j.Status)
			return
		}
		units := max(j.Left(), 1)
		s.ask(strconv.FormatInt(units, 10), fmt.Sprintf("This cancels %s of job %s, and can't be taken back", text.Plural(units, "work unit"), j.ID), func() {
			ended, err := jobber.CancelJob(s.ctx, j.ID, rest(args))
			if err != nil {
				s.say("%v.", err)
				return
			}
			s.say("Cancelled job %s: %s of its work units; what was done or failed stays.", ended.ID, text.Count(ended.Cancelled))
		})
	})
}

func (s *session) deleteJob(args []string) {
	s.withJob(args[0], func(jobber act.Jobber, j engine.JobState) {
		s.ask("1", "This removes job "+j.ID+" with its log and files for good; its items stay", func() {
			if err := jobber.DeleteJob(s.ctx, j.ID); err != nil {
				s.say("%v.", err)
				return
			}
			s.say("Deleted job %s.", j.ID)
		})
	})
}
