// Package job is the monitor of one job: how far it has come and how fast it
// goes, who works for it, its log, its files and what is known of it.
package job

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/items"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
	"signalbox/tui/widget/progress"
)

// The job is read a second after the picture changed at the soonest, and ten
// times what reading took. Of its log so many of the newest lines are held.
const (
	gap      = time.Second
	patience = 10
	looks    = 5 * time.Second // while it goes on: its log makes no new picture
	logHeld  = 2_000
)

// Job is the screen.
type Job struct {
	id     int
	gen    uint64
	desk   act.Desk
	speeds *progress.Speeds
	job    string

	state  *engine.JobState // nil until read
	log    []store.LogLine  // oldest first
	files  []store.Attachment
	held   []store.Item // in flight
	closed error        // why log and files are not for who looks
	err    error
	flying bool
	seen   uint64 // the picture's revision when last read
	came   time.Time
	took   time.Duration

	panes [panes]pane
	at    int // the pane in focus
	kept  keptLog
}

// New makes the page of a job, with the speeds that somebody keeps up.
func New(d act.Desk, speeds *progress.Speeds, id string) *Job {
	s := &Job{id: d.Number(), desk: d, speeds: speeds, job: id}
	s.panes[logPane].tail = true
	return s
}

// ID implements screen.Screen.
func (s *Job) ID() int { return s.id }

// Title implements screen.Screen.
func (s *Job) Title() text.Safe { return text.Clean(s.job) }

// Scope implements screen.Screen.
func (s *Job) Scope() keymap.Scope { return keymap.Page }

// Answers implements screen.Screen.
func (s *Job) Answers(a keymap.Action) bool {
	switch a {
	case keymap.Up, keymap.Down, keymap.Top, keymap.Bottom, keymap.PageUp, keymap.PageDown, keymap.NextPane, keymap.PrevPane,
		keymap.Open, keymap.Pause, keymap.Verbs, keymap.Cancel, keymap.Delete, keymap.Explain, keymap.Export, keymap.CopyIDs:
		return true
	}
	return false
}

// Word implements screen.Wording.
func (s *Job) Word(a keymap.Action) text.Safe {
	switch a {
	case keymap.Open:
		return "its items"
	case keymap.CopyIDs:
		return "copy id"
	case keymap.Export:
		return "save a file"
	case keymap.NextPane, keymap.PrevPane:
		return "log, about"
	case keymap.Pause:
		if s.state != nil && s.state.Status == store.JobPaused {
			return "resume"
		}
	}
	return ""
}

// Footer implements screen.Footing.
func (s *Job) Footer(e env.Env) []keymap.Action {
	actions := []keymap.Action{keymap.Open}
	j := s.now(e)
	if !e.ReadOnly && j != nil {
		if j.Status.Open() {
			actions = append(actions, keymap.Pause)
		}
		actions = append(actions, keymap.Verbs)
	}
	actions = append(actions, keymap.Explain)
	if len(s.files) > 0 {
		actions = append(actions, keymap.Export)
	}
	return append(actions, keymap.NextPane, keymap.Back)
}

// Ticks implements screen.Ticking: while it goes on the time left runs.
func (s *Job) Ticks(e env.Env) bool {
	j := s.now(e)
	return j != nil && j.EndedAt.IsZero() || s.Holding(e)
}

// Holding implements screen.Settling: there is news that is yet to be read.
func (s *Job) Holding(e env.Env) bool { return s.stale(e) && !s.due(e) }

// Focused implements screen.Progressing.
func (s *Job) Focused(e env.Env) (engine.JobState, bool) {
	j := s.now(e)
	if j == nil || !j.EndedAt.IsZero() {
		return engine.JobState{}, false
	}
	return *j, true
}

// now is the job as the picture has it, else as it was read; nil before that.
func (s *Job) now(e env.Env) *engine.JobState {
	j, ok := e.Job(s.job)
	switch {
	case !ok || s.state != nil && s.state.Revision > j.Revision:
		return s.state
	case s.state != nil:
		j.Metadata = s.state.Metadata
	}
	return &j
}

// Update implements screen.Screen.
func (s *Job) Update(e env.Env, msg tea.Msg) screen.Effects {
	switch msg := msg.(type) {
	case screen.Shown:
		return s.read(e)
	case screen.Fed:
		if s.due(e) && (s.stale(e) || s.looksAgain(e)) {
			return s.read(e)
		}
	case act.JobLoaded:
		s.loaded(e, msg)
	case act.JobDone:
		effects := msg.Tell()
		if msg.Err == nil && msg.Verb == act.DeleteJob {
			effects.Want(screen.Leave{})
			return effects
		}
		effects.Add(s.read(e))
		return effects
	case act.JobExplained:
		return msg.Show(e)
	case act.Kept:
		return msg.Tell()
	case screen.Wheel:
		s.scroll(e, msg.By)
	case screen.Click:
		s.click(e, msg)
	case screen.Key:
		return s.key(e, msg.Action)
	}
	return screen.Effects{}
}

func (s *Job) address() screen.Addr { return screen.Addr{Screen: s.id, Gen: s.gen} }

// stale says that something has changed since the last read, due that another
// may begin.
func (s *Job) stale(e env.Env) bool { return e.Snap != nil && e.Snap.Revision != s.seen }

// looksAgain says that lines may have been logged meanwhile.
func (s *Job) looksAgain(e env.Env) bool {
	return s.state != nil && s.state.EndedAt.IsZero() && e.Now.Sub(s.came) >= looks
}

func (s *Job) due(e env.Env) bool {
	return !s.flying && e.Now.Sub(s.came) >= max(gap, patience*s.took)
}

func (s *Job) read(e env.Env) screen.Effects {
	if s.flying {
		return screen.Effects{}
	}
	s.flying = true
	s.gen++
	if e.Snap != nil {
		s.seen = e.Snap.Revision
	}
	after := uint64(0)
	if n := len(s.log); n > 0 {
		after = s.log[n-1].Seq
	}
	return screen.Do(s.desk.LoadJob(s.address(), s.job, after))
}

func (s *Job) loaded(e env.Env, msg act.JobLoaded) {
	s.flying = false
	s.came, s.took, s.err = e.Now, msg.Took, msg.Err
	if msg.Err != nil && msg.Job.ID == "" {
		if store.CodeOf(msg.Err) == store.CodeNotFound {
			s.state = nil
		}
		return
	}
	state := msg.Job
	s.state, s.files, s.held, s.closed = &state, msg.Files, msg.Held, msg.Closed
	s.log = append(s.log, msg.Log...)
	if over := len(s.log) - logHeld; over > 0 {
		s.log = append([]store.LogLine(nil), s.log[over:]...)
	}
}

func (s *Job) key(e env.Env, a keymap.Action) screen.Effects {
	j := s.now(e)
	if a == keymap.Back {
		return screen.Want(screen.Leave{})
	}
	if j == nil {
		return screen.Effects{}
	}
	switch a {
	case keymap.Open:
		return screen.Want(screen.Push{Screen: items.New(s.desk, items.Job(j.Queue, j.ID))})
	case keymap.Pause, keymap.Cancel, keymap.Delete:
		return s.desk.BeginJob(e, s.address(), a, j)
	case keymap.Verbs:
		return s.desk.JobMenu(e, s.address(), j)
	case keymap.Explain:
		return screen.Do(s.desk.ExplainJob(s.address(), s.job))
	case keymap.CopyIDs:
		return act.Copy(s.job, s.job)
	case keymap.Export:
		return s.chooseFile(e)
	case keymap.NextPane, keymap.PrevPane:
		s.at = (s.at + 1) % panes
	default:
		s.move(e, a)
	}
	return screen.Effects{}
}

// Refuses implements screen.Refusing.
func (s *Job) Refuses(e env.Env, a keymap.Action) text.Safe {
	if a == keymap.Export && len(s.files) == 0 {
		return "it has no files"
	}
	return act.JobRefusal(e, a, s.now(e))
}

// chooseFile asks which of the files is to be saved, and where.
func (s *Job) chooseFile(e env.Env) screen.Effects {
	switch {
	case s.closed != nil:
		return act.Fail("read its files", s.closed)
	case len(s.files) == 0:
		return screen.Want(screen.Say{Toast: screen.Toast{Text: "The job has no files", Brief: true}})
	case len(s.files) == 1:
		return s.saveFile(e, s.files[0])
	}
	files := s.files // others may come while the list is open
	pick := dialog.Pick{Title: "Save which file?", Then: func(e env.Env, at int, _ bool) screen.Effects { return s.saveFile(e, files[at]) }}
	for _, f := range files {
		pick.Options = append(pick.Options, dialog.Option{Name: text.Clean(f.Name), What: text.Safe(text.Bytes(f.Size))})
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewPick(pick)})
}

func (s *Job) saveFile(e env.Env, f store.Attachment) screen.Effects {
	return screen.Want(screen.Ask{Dialog: dialog.NewPrompt(e, dialog.Prompt{
		Title: text.Clean(fmt.Sprintf("Save %s, %s", f.Name, text.Bytes(f.Size))), Label: "To file", Default: f.Name,
		Then: func(_ env.Env, file string) screen.Effects {
			return s.desk.SaveAttachment(s.address(), s.job, f.Name, file)
		},
	})})
}
