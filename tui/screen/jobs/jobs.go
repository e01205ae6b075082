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
	"signalbox/tui/text"
	"signalbox/tui/widget/filterbar"
	"signalbox/tui/widget/list"
	"signalbox/tui/widget/progress"
	"signalbox/tui/widget/table"
)

// Jobs is the screen.
type Jobs struct {
	id       int
	gen      uint64
	desk     act.Desk
	revision uint64
	table    table.Table[engine.JobState, string]
	filter   filterbar.Bar
	speeds   *progress.Speeds
}

// New makes the screen, which shows speeds that somebody keeps up.
func New(d act.Desk, speeds *progress.Speeds) *Jobs {
	s := &Jobs{id: d.Number(), desk: d, speeds: speeds}
	s.table = table.New(s.columns(), func(j *engine.JobState) string { return j.ID }, nil)
	return s
}

// ID implements screen.Screen.
func (s *Jobs) ID() int { return s.id }

// Title implements screen.Screen.
func (s *Jobs) Title() text.Safe { return "Jobs" }

// Scope implements screen.Screen.
func (s *Jobs) Scope() keymap.Scope {
	if s.filter.Typing() {
		return keymap.Command
	}
	return keymap.Table
}

// Answers implements screen.Screen.
func (s *Jobs) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown,
		keymap.Open, keymap.Filter, keymap.Pause, keymap.Verbs, keymap.Cancel, keymap.Delete, keymap.Explain, keymap.CopyIDs:
		return true
	}
	return list.Answers(a)
}

// Word implements screen.Wording.
func (s *Jobs) Word(a keymap.Action) text.Safe {
	switch {
	case a == keymap.CopyIDs:
		return "copy id"
	case a == keymap.Pause && act.JobVerbOf(a, s.table.Row()) == act.ResumeJob:
		return "resume"
	}
	return ""
}

// Footer implements screen.Footing.
func (s *Jobs) Footer(e env.Env) []keymap.Action {
	if s.filter.Typing() {
		return []keymap.Action{keymap.Apply, keymap.Back}
	}
	actions := []keymap.Action{keymap.Open}
	if !e.ReadOnly {
		actions = append(actions, keymap.Pause, keymap.Verbs)
	}
	return append(actions, keymap.Explain, keymap.Filter, keymap.Sort, keymap.Freeze)
}

// Ticks implements screen.Ticking: ages and the time left run.
func (s *Jobs) Ticks(env.Env) bool {
	return slices.ContainsFunc(s.table.Rows(), func(j engine.JobState) bool { return j.EndedAt.IsZero() })
}

// Holding implements screen.Settling.
func (s *Jobs) Holding(e env.Env) bool { return s.table.Holding(e.Now) }

// Focused implements screen.Progressing: the terminal's own bar follows the job
// in hand while it goes on.
func (s *Jobs) Focused(e env.Env) (engine.JobState, bool) {
	row := s.table.Row()
	if row == nil || !row.EndedAt.IsZero() {
		return engine.JobState{}, false
	}
	return *row, true
}

// Update implements screen.Screen.
func (s *Jobs) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Fed, screen.Shown:
		if e.Snap != nil && (e.Snap.JobsRevision != s.revision || s.table.Held()) {
			s.take(e)
		}
	case screen.Typed, screen.Pasted:
		if s.filter.Edit(msg) {
			s.take(e)
		}
	case act.JobDone:
		return msg.Tell()
	case act.JobExplained:
		return msg.Show(e)
	case act.Exported:
		return msg.Tell()
	case screen.Click:
		return s.click(e, msg)
	case screen.Wheel:
		s.table.Wheel(msg.By, height(e), e.Now)
	case screen.Key:
		return s.key(e, msg.Action)
	}
	return screen.Effects{}
}

// take shows the jobs that the filter lets through.
func (s *Jobs) take(e env.Env) {
	if e.Snap == nil {
		return
	}
	s.revision = e.Snap.JobsRevision
	s.filter.Check("job", "queue", "status", "by", "kind")
	var rows []engine.JobState
	for _, j := range e.Snap.Jobs {
		if s.filter.Matches(filterbar.Fields{"job", j.ID, "queue", j.Queue, "status", status(&j), "by", j.Initiator, "kind", j.Kind}) {
			rows = append(rows, j)
		}
	}
	slices.SortStableFunc(rows, inOrder)
	s.table.SetRows(rows, height(e), e.Now)
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

func (s *Jobs) address() screen.Addr { return screen.Addr{Screen: s.id, Gen: s.gen} }

func (s *Jobs) key(e env.Env, a keymap.Action) screen.Effects {
	if s.filter.Key(a) {
		s.take(e)
		return screen.Effects{}
	}
	row := s.table.Row()
	switch a {
	case keymap.Back:
		return screen.Want(screen.Leave{})
	case keymap.Open:
		return s.open()
	case keymap.CopyIDs:
		if row != nil {
			return act.Copy(row.ID, row.ID)
		}
	case keymap.Pause, keymap.Cancel, keymap.Delete:
		if row != nil {
			return s.desk.BeginJob(e, s.address(), a, row)
		}
	case keymap.Verbs:
		return s.desk.JobMenu(e, s.address(), row)
	case keymap.Explain:
		if row != nil {
			return screen.Do(s.desk.ExplainJob(s.address(), row.ID))
		}
	case keymap.Sort:
		return list.Sort(e, &s.table, s.sort)
	case keymap.Columns:
		return list.Columns(&s.table)
	case keymap.Export:
		titles, rows := s.table.Shown(e)
		return s.desk.AskExport(e, s.address(), "jobs", act.Sheet{Titles: titles, Rows: rows})
	default:
		s.table.Move(a, height(e), e.Now)
	}
	return screen.Effects{}
}

// open shows the job in hand.
func (s *Jobs) open() screen.Effects {
	row := s.table.Row()
	if row == nil {
		return screen.Effects{}
	}
	return screen.Want(screen.Push{Screen: job.New(s.desk, s.speeds, row.ID)})
}

// sort puts the jobs in order of a column.
func (s *Jobs) sort(e env.Env, title text.Safe) screen.Effects {
	s.table.Sort(title)
	s.take(e)
	return screen.Effects{}
}

// click takes a click of the mouse. Above the table stands the filter's line.
func (s *Jobs) click(e env.Env, msg screen.Click) screen.Effects {
	switch hit := s.table.Click(msg.X, msg.Y-1, e.Now); {
	case hit.Row && msg.Twice:
		return s.open()
	case hit.Title != "":
		return s.sort(e, hit.Title)
	}
	return screen.Effects{}
}

// Narrow implements screen.Filtering.
func (s *Jobs) Narrow(e env.Env, filter string) screen.Effects {
	s.filter.Set(filter)
	s.take(e)
	return screen.Effects{}
}

// Refuses implements screen.Refusing.
func (s *Jobs) Refuses(e env.Env, a keymap.Action) text.Safe {
	row := s.table.Row()
	switch a {
	case keymap.Open, keymap.CopyIDs, keymap.Explain, keymap.Verbs, keymap.Pause, keymap.Cancel, keymap.Delete:
		if row == nil {
			return "there is no row"
		}
	}
	return act.JobRefusal(e, a, row)
}
