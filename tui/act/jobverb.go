package act

import (
	"fmt"
	"slices"
	"strconv"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// JobVerb is what can be done to a job.
type JobVerb uint8

// The verbs, in the order of the menu.
const (
	NoJobVerb JobVerb = iota
	PauseJob
	ResumeJob
	CancelJob
	DeleteJob
	jobVerbs
)

// Name is the verb as a menu has it.
func (v JobVerb) Name() string {
	return [jobVerbs]string{PauseJob: "Pause", ResumeJob: "Resume", CancelJob: "Cancel", DeleteJob: "Delete"}[v]
}

func (v JobVerb) means() text.Safe {
	return [jobVerbs]text.Safe{
		PauseJob:  "hand out no more of its items; those in flight go on",
		ResumeJob: "hand out its items again",
		CancelJob: "cancel what waits and stop what runs; what is done stays",
		DeleteJob: "remove it with its log and files; its items stay",
	}[v]
}

// action is the key action that means the verb; one key pauses and resumes.
func (v JobVerb) action() keymap.Action {
	return [jobVerbs]keymap.Action{
		PauseJob: keymap.Pause, ResumeJob: keymap.Pause, CancelJob: keymap.Cancel, DeleteJob: keymap.Delete,
	}[v]
}

// JobVerbOf is what an action means to a job as it stands; none for others.
func JobVerbOf(a keymap.Action, j *engine.JobState) JobVerb {
	switch {
	case a == keymap.Pause && j != nil && j.Status == store.JobPaused:
		return ResumeJob
	case a == keymap.Pause:
		return PauseJob
	case a == keymap.Cancel:
		return CancelJob
	case a == keymap.Delete:
		return DeleteJob
	}
	return NoJobVerb
}

// wants says that a job stands already as the verb would leave it.
func (v JobVerb) wants(j *engine.JobState) bool {
	switch v {
	case PauseJob:
		return j.Status == store.JobPaused
	case ResumeJob:
		return j.Status == store.JobRunning
	case CancelJob:
		return j.Status == store.JobCancelled
	}
	return false
}

// Refusal says why the verb can't be used on a job, "" when it can.
func (v JobVerb) Refusal(j *engine.JobState) string {
	switch {
	case j == nil:
		return "there is no job"
	case v == DeleteJob && j.EndedAt.IsZero() && j.Status == store.JobCancelled:
		return "its last items are still being cancelled"
	case v == DeleteJob && j.EndedAt.IsZero():
		return "it has not ended; cancel it first"
	case v != DeleteJob && !j.Status.Open():
		return "it is " + j.Status.String()
	}
	return ""
}

// JobRefusal says why an action can't be used on a job now, "" when it can, or
// is none of its verbs.
func JobRefusal(e env.Env, a keymap.Action, j *engine.JobState) text.Safe {
	v := JobVerbOf(a, j)
	if v == NoJobVerb {
		return ""
	}
	var queues []string
	if j != nil {
		queues = append(queues, j.Queue)
	}
	if why := Barred(e, a, queues...); why != "" {
		return text.Clean(why)
	}
	return text.Clean(v.Refusal(j))
}

// JobMenu asks for a verb on a job as it is seen now.
func (d Desk) JobMenu(e env.Env, to screen.Addr, j *engine.JobState) screen.Effects {
	if j == nil {
		return screen.Effects{}
	}
	seen := *j
	var choices []dialog.Choice
	for v := PauseJob; v < jobVerbs; v++ {
		if a := v.action(); JobVerbOf(a, j) == v {
			choices = append(choices, dialog.Choice{Action: a, Name: text.Safe(v.Name()), What: v.means(), Refuse: JobRefusal(e, a, j)})
		}
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewMenu("Verbs for job "+text.Clean(j.ID), choices,
		func(e env.Env, a keymap.Action) screen.Effects { return d.BeginJob(e, to, a, &seen) })})
}

// BeginJob carries out what an action means to a job as it is seen: a pause or
// its end at once, what can't be taken back after what it takes has been typed.
func (d Desk) BeginJob(e env.Env, to screen.Addr, a keymap.Action, j *engine.JobState) screen.Effects {
	v := JobVerbOf(a, j)
	if v == NoJobVerb {
		return screen.Effects{}
	}
	if why := JobRefusal(e, a, j); why != "" {
		return screen.Want(screen.Say{Toast: screen.Toast{
			Level: screen.Warning, Text: text.Clean("Can't " + lowerFirst(v.Name()) + " the job: " + string(why)),
		}})
	}
	seen := *j
	if v == PauseJob || v == ResumeJob {
		return d.steer(to, v, seen, "")
	}
	question := dialog.Confirm{
		Title: text.Clean(v.Name() + " job " + j.ID + "?"), Yes: text.Safe(v.Name() + " it"), Type: "1",
		Then: func(_ env.Env, a dialog.Answer) screen.Effects { return d.steer(to, v, seen, a.Note) },
	}
	if v == CancelJob {
		question.Lines, question.Noted = cancelLines(&seen), true
		question.Type = strconv.FormatInt(max(seen.Left(), 1), 10)
	} else {
		question.Lines = []text.Safe{
			"Its record, its log and its attachments are removed for good.",
			text.Safe("Its " + text.Plural(seen.Total, "work unit") + " in " + string(text.Clean(seen.Queue)) + " stay, as items of no job.")}
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewConfirm(e, question)})
}

// cancelLines tell what a cancel does to the parts of a job.
func cancelLines(j *engine.JobState) []text.Safe {
	lines := []text.Safe{text.Safe(text.Plural(j.Available, "work unit")) + number(j.Available == 1, " waits", " wait") + ": cancelled."}
	if j.InFlight > 0 {
		lines = append(lines, text.Safe(text.Count(j.InFlight)+" in flight: programs are stopped at once, robots when they next renew or report."))
	}
	if j.Filling {
		lines = append(lines, "More items were to come: it takes none any more.")
	}
	return append(lines, text.Safe(fmt.Sprintf("%s done and %s failed: they stay as they are.", text.Count(j.Done), text.Count(j.Failed))),
		"", "This can't be taken back.")
}

// Show puts the explanation of a job in front.
func (x JobExplained) Show(e env.Env) screen.Effects {
	if x.Err != nil {
		return Fail("explain the job", x.Err)
	}
	role, status := e.JobStanding(&x.Job)
	lines := []dialog.Line{{Role: role, Text: status}, {}}
	reasons := jobReasons(e, &x.Job)
	var helps []dialog.Help
	if x.Job.Status == store.JobPaused {
		helps = append(helps, dialog.Help{Action: keymap.Pause, Word: "resume the job", Do: func(e env.Env) screen.Effects {
			return x.desk.BeginJob(e, x.Addr, keymap.Pause, &x.Job)
		}})
	}
	for _, r := range append(reasons, x.next(reasons)...) {
		lines = append(lines, reasonLines(e, &r)...)
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewNote(e, "Why job "+text.Clean(x.Job.ID)+" stands where it does", lines, helps...)})
}

// next is what holds up the next of its items, but for what is told of the job.
func (x *JobExplained) next(told []engine.Reason) []engine.Reason {
	reasons := slices.Clone(x.Next.Reasons)
	reasons = slices.DeleteFunc(reasons, func(r engine.Reason) bool {
		return r.Code == "job" || slices.ContainsFunc(told, func(t engine.Reason) bool { return t.Code == r.Code && r.Code == "retry" })
	})
	for i := range reasons {
		if i == 0 {
			reasons[i].Text = "its item " + x.Next.Item.String() + ": " + reasons[i].Text
		}
	}
	return reasons
}

// jobReasons tell what of a job itself holds it up, or that nothing does.
func jobReasons(e env.Env, j *engine.JobState) (reasons []engine.Reason) {
	add := func(code, words, mend string) {
		reasons = append(reasons, engine.Reason{Code: code, Text: words, Mend: mend})
	}
	switch {
	case j.Status == store.JobDone:
		add("final", fmt.Sprintf("it is done: %s done, %s failed", text.Count(j.Done), text.Count(j.Failed)), doneMend(j))
		return reasons
	case j.Status == store.JobCancelled && !j.EndedAt.IsZero():
		add("final", "it was cancelled, and takes no items any more", "start another job")
		return reasons
	case j.Status == store.JobCancelled:
		add("final", "it was cancelled; "+text.Count(j.Left())+" work units are still to be stopped", "")
		return reasons
	case j.Status == store.JobPaused:
		add("paused", "paused by "+j.PausedBy+"; what is in flight goes on", "resume it with "+e.Keys.Label(keymap.Pause))
	}
	if j.InFlight > 0 {
		add("running", text.Count(j.InFlight)+" in flight: it gets on", "")
	}
	switch {
	case j.Available > 0 && j.Delayed >= j.Available:
		reasons = append(reasons, engine.Reason{Code: "retry", Text: "all " + text.Count(j.Available) + " that wait are delayed, by a retry or a date", Until: j.NextAvailableAt})
	case j.Filling && j.Available == 0 && j.InFlight == 0:
		add("filling", "nothing is left of it, but more items are to come", "who fills it says when that is all")
	case j.Hook.Error != "" && j.Left() == 0:
		add("hook", fmt.Sprintf("its completion has failed %s and is tried again: %s", times(j.Hook.Tries), j.Hook.Error), "")
	case j.Left() == 0:
		add("hook", "all is accounted for; it is being completed", "an engine that stays does that: `signalbox serve`, or this console")
	}
	return reasons
}

func doneMend(j *engine.JobState) string {
	if j.Failed > 0 {
		return "look at what failed among its items; a retry takes the job up again"
	}
	return ""
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}
