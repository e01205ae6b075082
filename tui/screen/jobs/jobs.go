// Package jobs lists the jobs with how far each has come, those that go on
// first.
package jobs

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/job"
	"signalbox/tui/screen/list"
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/progress"
	"signalbox/tui/widget/table"
)

// Jobs is the screen.
type Jobs struct {
	list.List[engine.JobState, string]
	revision uint64
	speeds   *progress.Speeds
}

// words are what rows are filtered by.
var words = filterbar.Words{
	Names:  []string{"job", "queue", "status", "by", "kind"},
	Values: map[string][]string{"status": {"running", "paused", "done", "cancelled"}},
}

// New makes the screen, which shows speeds that somebody keeps up.
func New(d act.Desk, speeds *progress.Speeds) *Jobs {
	s := &Jobs{speeds: speeds}
	rows := table.New(s.columns(), func(j *engine.JobState) string { return j.ID }, nil)
	s.List = list.New(d, rows, list.Own{Height: height, Anew: s.take, Key: s.key, Footer: s.footer, Words: words, Name: list.Named("jobs")})
	return s
}

// Title implements screen.Screen.
func (s *Jobs) Title() text.Safe { return "Jobs" }

// Answers implements screen.Screen.
func (s *Jobs) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Pause, keymap.Verbs, keymap.Cancel, keymap.Delete, keymap.Explain, keymap.CopyIDs:
		return true
	}
	return s.List.Answers(a)
}

// Word implements screen.Wording.
func (s *Jobs) Word(a keymap.Action) text.Safe {
	switch {
	case a == keymap.CopyIDs:
		return "copy id"
	case a == keymap.Pause && act.JobVerbOf(a, s.Table.Row()) == act.ResumeJob:
		return "resume"
	}
	return s.List.Word(a)
}

func (s *Jobs) footer(e env.Env) []keymap.Action {
	actions := []keymap.Action{keymap.Open}
	if !e.ReadOnly && s.Table.Len() > 0 {
		actions = append(actions, keymap.Pause, keymap.Verbs)
	}
	return append(actions, keymap.Explain, keymap.Filter, keymap.Sort, keymap.Freeze)
}

// Ticks implements screen.Ticking: ages and the time left run.
func (s *Jobs) Ticks(env.Env) bool {
	return slices.ContainsFunc(s.Table.Rows(), func(j engine.JobState) bool { return j.EndedAt.IsZero() })
}

// Focused implements screen.Progressing: the terminal's own bar follows the job
// in hand while it goes on.
func (s *Jobs) Focused(e env.Env) (engine.JobState, bool) {
	row := s.Table.Row()
	if row == nil || !row.EndedAt.IsZero() {
		return engine.JobState{}, false
	}
	return *row, true
}

// Update implements screen.Screen.
func (s *Jobs) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Fed, screen.Shown:
		if e.Snap != nil && (e.Snap.JobsRevision != s.revision || s.Table.Held()) {
			return s.take(e)
		}
		return screen.Effects{}
	case act.JobExplained:
		return msg.Show(e)
	}
	return s.List.Update(e, msg)
}

// take shows the jobs that the filter lets through.
func (s *Jobs) take(e env.Env) screen.Effects {
	if e.Snap == nil {
		return screen.Effects{}
	}
	s.revision = e.Snap.JobsRevision
	s.Filter.Check()
	var rows []engine.JobState
	for _, j := range e.Snap.Jobs {
		if s.Filter.Matches(filterbar.Fields{"job", j.ID, "queue", j.Queue, "status", status(&j), "by", j.Initiator, "kind", j.Kind}) {
			rows = append(rows, j)
		}
	}
	slices.SortStableFunc(rows, inOrder)
	s.Show(e, rows)
	return screen.Effects{}
}

// status is what a job can be found by: also by what it is about to become.
func status(j *engine.JobState) string {
	words := j.Status.String()
	switch {
	case j.EndedAt.IsZero() && j.Filling:
		words += " filling"
	case j.Failed > 0:
		words += " failed"
	}
	return words
}

// inOrder puts jobs that go on first, then those that are paused, the newest
// first.
func inOrder(a, b engine.JobState) int {
	return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.Number, a.Number))
}

func rank(j *engine.JobState) int {
	switch {
	case !j.EndedAt.IsZero():
		return 2
	case j.Status == store.JobPaused:
		return 1
	}
	return 0
}

func (s *Jobs) key(e env.Env, a keymap.Action) screen.Effects {
	row := s.Table.Row()
	switch a {
	case keymap.Open:
		return s.open()
	case keymap.CopyIDs:
		if row != nil {
			return act.Copy(row.ID, row.ID)
		}
	case keymap.Pause, keymap.Cancel, keymap.Delete:
		if row != nil {
			return s.Desk.BeginJob(e, s.Address(), a, row)
		}
	case keymap.Verbs:
		return s.Desk.JobMenu(e, s.Address(), row)
	case keymap.Explain:
		if row != nil {
			return screen.Do(s.Desk.ExplainJob(s.Address(), row.ID))
		}
	default:
		return s.Key(e, a)
	}
	return screen.Effects{}
}

// open shows the job in hand.
func (s *Jobs) open() screen.Effects {
	row := s.Table.Row()
	if row == nil {
		return screen.Effects{}
	}
	return screen.Want(screen.Push{Screen: job.New(s.Desk, s.speeds, row.ID)})
}

// Refuses implements screen.Refusing.
func (s *Jobs) Refuses(e env.Env, a keymap.Action) text.Safe {
	row := s.Table.Row()
	switch a {
	case keymap.Open, keymap.CopyIDs, keymap.Explain, keymap.Verbs, keymap.Pause, keymap.Cancel, keymap.Delete:
		if row == nil {
			return "there is no row"
		}
	}
	return act.JobRefusal(e, a, row)
}
