package tui

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/job"
	"signalbox/tui/screen/palette"
	"signalbox/tui/text"
	"signalbox/tui/widget/progress"
)

// jobsPlace is the number of the screen of jobs.
const jobsPlace = 3

// openJobs counts the jobs that go on.
func openJobs(e env.Env) (n int64) {
	if e.Snap == nil {
		return 0
	}
	for i := range e.Snap.Jobs {
		if e.Snap.Jobs[i].EndedAt.IsZero() {
			n++
		}
	}
	return n
}

// progressBar is the terminal's own, which follows the job that the screen in
// front is about.
func (a *app) progressBar() *tea.ProgressBar {
	s, ok := a.top().(screen.Progressing)
	if !ok || a.env.Snap == nil {
		return nil
	}
	j, ok := s.Focused(a.env)
	if !ok {
		return nil
	}
	state := tea.ProgressBarDefault
	switch {
	case j.Status == store.JobPaused || a.env.Lost != nil:
		state = tea.ProgressBarWarning
	case j.Failed > 0:
		state = tea.ProgressBarError
	case j.Total == 0:
		state = tea.ProgressBarIndeterminate
	}
	return tea.NewProgressBar(state, share(&j))
}

// share is how much of a job has been worked, in percent.
func share(j *engine.JobState) int {
	if j.Total <= 0 {
		return 0
	}
	return int(float64(progress.Worked(j)) / float64(j.Total) * 100)
}

// toJob shows the page of a job.
func (a *app) toJob(id string) screen.Effects {
	return screen.Want(screen.Go{Number: jobsPlace, Above: []screen.Screen{job.New(a.desk, a.speeds, id)}})
}

// jobEntries are the jobs of the palette.
func (a *app) jobEntries() []palette.Entry {
	if a.env.Snap == nil {
		return nil
	}
	var all []palette.Entry
	for i := range a.env.Snap.Jobs {
		j := &a.env.Snap.Jobs[i]
		all = append(all, palette.Entry{
			Words: "job " + text.Clean(j.ID), Also: "go to job " + j.Queue + " " + j.Status.String(),
			What: text.Clean(j.Status.String() + ", of " + j.Queue), Do: a.toJob(j.ID),
		})
	}
	return all
}

// concerns says that a notice is for the person at this console.
func (a *app) concerns(n *engine.Notice) bool { return n.For == "" || n.For == a.env.Actor }

// bell rings for what the person has waited for.
func bell() tea.Cmd { return tea.Raw("\a") }
