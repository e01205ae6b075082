package env

import (
	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/text"
)

// Job finds a job in the picture.
func (e Env) Job(id string) (engine.JobState, bool) {
	if e.Snap == nil || id == "" {
		return engine.JobState{}, false
	}
	for i := range e.Snap.Jobs {
		if e.Snap.Jobs[i].ID == id {
			return e.Snap.Jobs[i], true
		}
	}
	return engine.JobState{}, false
}

// JobStanding is how a job's status looks and reads. A cancelled one is so only
// when its last item is; one of which nothing is left may still be completing.
func (e Env) JobStanding(j *engine.JobState) (themes.Role, text.Safe) {
	g := e.Glyphs
	switch {
	case j.Status == store.JobCancelled && j.EndedAt.IsZero():
		return themes.StateClosing, text.Safe(g.SlotClosing) + " cancelling"
	case j.Status == store.JobCancelled:
		return themes.StateIdle, text.Safe(g.Status(store.Cancelled)) + " cancelled"
	case j.Status == store.JobPaused:
		return themes.Warn, text.Safe(g.Paused) + " paused"
	case j.Status == store.JobDone:
		return themes.StateDone, text.Safe(g.OK) + " done"
	case j.Filling:
		return themes.StateRunning, text.Safe(g.On) + " filling"
	case j.Left() == 0:
		return themes.StateRunning, text.Safe(g.On) + " completing"
	}
	return themes.StateRunning, text.Safe(g.On) + " running"
}
