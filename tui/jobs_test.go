package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// jobList opens the list of jobs.
func jobList(t *testing.T, change ...func(*Options)) *console {
	c := open(t, fake.Lifelike(), 120, 40, change...)
	c.press("3")
	c.shows("3 Jobs 4", "triage-0302")
	return c
}

func TestJobsThatGoOnComeFirst(t *testing.T) {
	c := jobList(t)
	last := -1
	for _, id := range []string{"triage-0302", "signalbox.export-7", "orders-march", "insurance.claims-3", "triage-0301", "mail-campaign"} {
		at := strings.Index(c.picture(), id)
		if at < last {
			t.Fatalf("%s stands too high:\n%s", id, c.picture())
		}
		last = at
	}
}

func TestJobsAreFiltered(t *testing.T) {
	c := jobList(t)
	c.press("/").text("status:failed by:ada").press("enter")
	c.shows("triage-0302", "triage-0301")
	c.hides("orders-march", "signalbox.export-7")
	c.press("esc", "/").text("owner:ada").press("enter")
	c.shows("rows here have no such field")
}

func TestRateAndTimeLeftOnceThereIsEnoughToTell(t *testing.T) {
	c := jobList(t)
	c.press("enter")
	c.shows("too early to tell")
	for range 5 {
		c.wait(time.Second)
		c.engine.Progress("triage-0302", 10)
		c.feed()
	}
	c.shows("10.0/s", "18s left", "done 202")
	c.wait(time.Minute)
	c.send(tickMsg{})
	c.hides("10.0/s", "18s left")
	c.press("p")
	c.hides("0/s", "s left")
}

func TestTimeLeftIsNotToldWhileItIsFilled(t *testing.T) {
	c := jobList(t)
	c.press("down", "down", "enter")
	for range 5 {
		c.wait(time.Second)
		c.engine.Progress("orders-march", 10)
		c.feed()
	}
	c.shows("10.0/s", "the time left is not known")
}

func TestPauseAndResumeOfAJob(t *testing.T) {
	c := jobList(t)
	c.press("p")
	c.feed()
	c.shows("Paused job triage-0302", "‖ paused", "paused by ada", "p resume")
	c.press("u")
	c.feed()
	c.shows("Taken back: paused job triage-0302", "● running")
	c.press("p").wait(time.Second).press("p")
	want := []string{"triage-0302 pause true", "triage-0302 pause false", "triage-0302 pause true"}
	if !slices.Equal(c.engine.Steered, want) { // the last p found the picture it was pressed on out of date
		t.Fatalf("steered %q", c.engine.Steered)
	}
	c.shows("has been paused already, by ada")
}

func TestActsOnJobsAsTheyWereSeen(t *testing.T) {
	for _, change := range []func(*engine.JobState){
		func(j *engine.JobState) { j.Status, j.PausedBy = store.JobPaused, "grace" },
		func(j *engine.JobState) { j.Number++ }, // another of this name
		func(j *engine.JobState) { j.EndedAt = 1 },
	} {
		c := jobList(t)
		c.press("x", "down", "enter")
		c.shows("Cancel job triage-0302?")
		c.engine.EditJob("triage-0302", change)
		c.text("232").press("enter")
		c.shows("Could not cancel the job", "changed since")
		if len(c.engine.Steered) > 0 {
			t.Fatalf("steered %q", c.engine.Steered)
		}
	}
}

// A job that gets on, is filled, or tries its completion again stands as it was
// seen: what was decided about it is done.
func TestAJobThatGetsOnIsNotChanged(t *testing.T) {
	for _, change := range []func(*engine.JobState){
		func(j *engine.JobState) { j.Available, j.Done, j.Total = j.Available-9, j.Done+9, j.Total+40 },
		func(j *engine.JobState) { j.Filling = !j.Filling },
		func(j *engine.JobState) { j.Hook.Tries++ },
	} {
		c := jobList(t)
		c.engine.EditJob("triage-0302", change)
		c.press("p")
		c.engine.EditJob("triage-0302", change)
		c.press("u")
		c.feed()
		seen, err := c.engine.Job(t.Context(), "triage-0302")
		if err != nil {
			t.Fatal(err)
		}
		c.press("x", "down", "enter")
		c.engine.EditJob("triage-0302", change)
		c.text(fmt.Sprint(seen.Left())).press("enter")
		want := []string{"triage-0302 pause true", "triage-0302 pause false", "triage-0302 cancel"}
		if !slices.Equal(c.engine.Steered, want) {
			t.Fatalf("steered %q", c.engine.Steered)
		}
	}
}

func TestCancelOfAJobMustBeTyped(t *testing.T) {
	c := jobList(t)
	c.press("x", "down", "enter")
	c.shows("Cancel job triage-0302?", "214 work units wait", "Type 232 to go ahead")
	c.press("enter", "y", "enter")
	c.send(tea.PasteMsg{Content: "232\n"})
	if len(c.engine.Steered) > 0 {
		t.Fatal("cancelled before the number was typed")
	}
	c.press("esc", "x", "down", "enter").wait(time.Second).text("232").press("enter")
	c.feed()
	if want := []string{"triage-0302 cancel"}; !slices.Equal(c.engine.Steered, want) {
		t.Fatalf("steered %q", c.engine.Steered)
	}
	c.shows("Cancelled job triage-0302: 232 of its work units", "– cancelled")
	c.press("u")
	c.shows("This can't be taken back: cancelled job triage-0302")
}

func TestOnlyEndedJobsAreDeleted(t *testing.T) {
	c := jobList(t)
	c.press("x")
	c.shows("it has not ended; cancel it first")
	c.press("esc", "G", "enter")
	c.shows("▸ mail-campaign", "cancelled 214", "15% of 254", "took 10m00s")
	c.press("x", "down", "down", "enter")
	c.shows("Delete job mail-campaign?", "Type 1 to go ahead")
	c.wait(time.Second).text("1").press("enter")
	c.feed()
	c.shows("Deleted job mail-campaign", "3 Jobs 4")
	c.hides("▸ mail-campaign")
}

func TestReadOnlyDisablesVerbsOnJobs(t *testing.T) {
	c := jobList(t, func(o *Options) { o.ReadOnly = true })
	c.press("p")
	c.shows("this console is read-only")
	c.press("x", "enter", "esc", "enter", "p", "x", "down", "enter")
	if len(c.engine.Steered) > 0 {
		t.Fatalf("steered %q", c.engine.Steered)
	}
}

func TestJobPageLeadsToItsItemsAndBack(t *testing.T) {
	c := jobList(t)
	c.press("enter")
	c.shows("Jobs 4 ▸ triage-0302", "slot 7", "item 1", "400 tickets read", "tickets.csv", `"desk": "support"`, "••••")
	c.press("enter")
	c.shows("▸ triage-0302 ▸ items", "/ job:triage-0302")
	c.press("esc", "esc", "esc")
	c.shows("3 Jobs 4", "signalbox.export-7")
}

func TestDetailsOfOthersAreClosed(t *testing.T) {
	c := jobList(t)
	c.press("down", "enter")
	c.shows("▸ signalbox.export-7", "its details are for grace", "179")
	c.press("e")
	c.shows("Could not read its files")
}

func TestAttachmentIsSavedToAFile(t *testing.T) {
	c := jobList(t)
	c.press("enter", "e")
	c.shows("Save which file?", "tickets.csv", "answers.jsonl")
	c.press("down", "enter")
	file := filepath.Join(t.TempDir(), "out.jsonl")
	c.wait(time.Second).text(file).press("enter")
	c.shows("answers.jsonl of triage-0302 written to")
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "contents of triage-0302 answers.jsonl" {
		t.Fatalf("%q %v", got, err)
	}
	c.press("e", "enter").wait(time.Second).text(file).press("enter")
	c.shows("Could not save tickets.csv")
}

func TestLogStaysAtItsEndUnlessScrolled(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	add := func(words string) {
		n := uint64(len(c.engine.Logs["triage-0302"]) + 1)
		c.engine.Change(func(*engine.Snapshot) {
			c.engine.Logs["triage-0302"] = append(c.engine.Logs["triage-0302"], store.LogLine{Seq: n, At: store.At(c.now), Level: "info", Text: words})
		})
		c.wait(2 * time.Second)
		c.feed()
	}
	c.press("3", "enter")
	add("line five")
	c.shows("line five", "Log 5")
	c.press("g")
	c.shows("400 tickets read")
	add("line six")
	c.shows("400 tickets read", "more")
	c.hides("line six")
	c.press("G")
	c.shows("line six")
}

// News that came too soon after a read is read when the time has come, also
// when nothing else happens.
func TestLateNewsOfAJobIsRead(t *testing.T) {
	c := jobList(t)
	c.press("enter")
	c.engine.Change(func(*engine.Snapshot) { c.engine.Files["triage-0302"] = c.engine.Files["triage-0302"][:1] })
	c.feed()
	c.shows("answers.jsonl")
	c.wait(2 * time.Second)
	c.send(tickMsg{})
	c.hides("answers.jsonl")
}

// A line of the log alone makes no new picture.
func TestLogIsLookedForByItself(t *testing.T) {
	c := jobList(t)
	c.press("enter")
	c.engine.Logs["triage-0302"] = append(c.engine.Logs["triage-0302"], store.LogLine{Seq: 5, Level: "info", Text: "quietly logged"})
	c.wait(2 * time.Second).send(tickMsg{})
	c.hides("quietly logged")
	c.wait(4 * time.Second).send(tickMsg{})
	c.shows("quietly logged")
}

func TestExplainOfAJob(t *testing.T) {
	c := jobList(t)
	c.press("down", "down", "down", "w")
	c.shows("Why job insurance.claims-3", "paused by grace", "resume it with p")
	c.press("esc", "down", "w")
	c.shows("it is done: 388 done, 12 failed")
}

func TestEndOfAJobIsToldToWhoStartedIt(t *testing.T) {
	c := jobList(t)
	tell := func(seq uint64, who string) tea.Cmd {
		snap, _ := c.port.Watch(t.Context(), 0)
		next := *snap
		next.Revision += seq
		next.Notices = []engine.Notice{{Seq: seq, Level: "info", Text: "job for " + who + " is done", Job: "x", For: who}}
		return c.app.announce(next.Notices, false)
	}
	if ring := tell(1, "grace"); ring != nil {
		t.Error("it rang for another's job")
	}
	c.app.dirty = true
	c.hides("job for grace")
	ring := tell(2, "ada")
	c.app.dirty = true
	c.shows("job for ada is done")
	if ring == nil {
		t.Fatal("no bell")
	}
	if raw, ok := ring().(tea.RawMsg); !ok || raw.Msg != "\a" {
		t.Errorf("it rings %v", ring())
	}
}

func TestTerminalsOwnBarFollowsTheJobInHand(t *testing.T) {
	c := jobList(t)
	if bar := c.app.View().ProgressBar; bar == nil || bar.State != tea.ProgressBarError || bar.Value != 42 {
		t.Errorf("in hand %+v", bar)
	}
	c.press("down", "enter")
	if bar := c.app.View().ProgressBar; bar == nil || bar.State != tea.ProgressBarDefault || bar.Value != 44 {
		t.Errorf("open %+v", bar)
	}
	c.press("1")
	if bar := c.app.View().ProgressBar; bar != nil {
		t.Errorf("elsewhere %+v", bar)
	}
}

func TestPaletteGoesToAJob(t *testing.T) {
	c := jobList(t)
	c.press("1", ":").text("job triage-0301").press("enter")
	c.shows("Jobs 4 ▸ triage-0301", "failed 12")
	c.press(":").text("job long-ago").press("enter")
	c.shows("▸ long-ago", "This could not be read")
}
