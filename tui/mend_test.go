package tui

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/internal/fake"
	"signalbox/tui/screen"
)

// failing adds items of a jobs queue whose data broke a rule, or which failed.
func failing(e *fake.Engine, kind string, n int) {
	for range n {
		e.Add(engine.Record{Item: store.Item{
			Queue: "agents.triage", Family: store.Jobs, Status: store.Failed, Group: "no such ticket",
			Error: &store.Failure{Kind: kind, Reason: "no such ticket"},
		}})
	}
	e.Change(nil)
}

// In a jobs queue the status is failed whatever went wrong; the kind of the
// error says whether a person must look.
func TestBusinessExceptionsOfJobsAreNoFaults(t *testing.T) {
	e := fake.Lifelike()
	failing(e, engine.Business, 7)
	failing(e, engine.System, 2)
	c := open(t, e, 120, 40)
	c.press("5")
	c.shows("7  ◆ business    no such ticket", "2  ✗ fault       no such ticket")
	c.press("/").text("kind:business ticket").press("enter")
	c.shows("◆ failed, business", "A person must look")
	c.hides("✗ fault")
	c.press("enter")
	c.shows("7 items", "◆ failed, business")
	c.press("2", "2")
	for _, line := range strings.Split(c.picture(), "\n") {
		if strings.Contains(line, "agents.triage") && !strings.Contains(line, " 7       2 ") {
			t.Fatalf("excepted and failed are not told apart: %q", line)
		}
	}
	c.press("enter", "left", "left", "left")
	c.shows("failed 2", "2 items")
	c.press("left")
	c.shows("excepted 7", "7 items")
}

func TestVerdictsCanBeTakenBack(t *testing.T) {
	c := group(t)
	c.press("v")
	c.feed()
	c.shows("Verified finance.orders/4", "u undo")
	c.press("u")
	c.feed()
	c.shows("Taken back: Verified finance.orders/4", "INV-10251")
	r, err := c.engine.Item(t.Context(), store.ID{Queue: "finance.orders", Number: 4})
	if err != nil || r.Review != (store.Review{}) {
		t.Fatalf("%+v %v", r.Review, err)
	}
	c.press("u")
	c.shows("There is nothing to take back")
	c.press("down")
	c.hides("There is nothing to take back")
}

// Undo brings the review back that was there before, not only none.
func TestUndoRestoresTheReviewBefore(t *testing.T) {
	c := group(t)
	c.press("A").text("grace").press("enter")
	c.feed()
	c.press("v")
	c.feed()
	c.press("u")
	r, _ := c.engine.Item(t.Context(), store.ID{Queue: "finance.orders", Number: 4})
	if r.Review.Status != store.InReview || r.Review.Reviewer != "grace" {
		t.Fatalf("%+v", r.Review)
	}
}

func TestWhatCannotBeTakenBackSaysSo(t *testing.T) {
	c := group(t)
	c.press("v")
	c.feed()
	c.press("r")
	c.hides("u undo")
	c.press("u")
	c.shows("This can't be taken back: Retried")
	if n := len(c.engine.Reviews); n != 1 {
		t.Fatal("an older act was taken back in its place")
	}
}

func TestPauseAndSplitCanBeTakenBack(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "p", "u")
	c.feed()
	c.shows("Taken back: paused agents.triage")
	c.press("1", "S", "right", "enter")
	c.feed()
	c.press("u")
	want := engine.SplitRequest{Size: 25, Fast: 6, Slow: 6, Auto: true}
	if got := c.engine.Splits; len(got) != 2 || got[1] != want {
		t.Fatalf("%+v", got)
	}
}

func TestReviewIsClearedFromTheMenu(t *testing.T) {
	c := group(t)
	c.press("A", "enter")
	c.feed()
	c.press("x")
	c.shows("Clear review", "Delete")
	c.press("down", "down", "down", "down", "down", "enter")
	c.shows("Cleared the review of finance.orders/4")
	if got := c.engine.Reviews[1].Action; got != engine.Clear {
		t.Fatal(got)
	}
}

func TestDeleteAsksForTheCount(t *testing.T) {
	c := group(t)
	c.press("space", "x", "G", "enter")
	c.shows("Delete 1 marked item?", "can't be taken back", "Type 1 to go ahead")
	c.press("enter")
	if len(c.engine.Deletes) != 0 {
		t.Fatal("deleted without the count")
	}
	c.text("1").press("enter")
	if len(c.engine.Deletes) != 1 {
		t.Fatal("not deleted")
	}
	c.shows("Deleted finance.orders/4")
}

func TestDeadEngineStopsTheWholePicture(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.wait(time.Second)
	c.send(fedMsg{err: errors.New("connection refused")})
	c.shows("no engine since 14:03:10", "picture as of 14:03:10")
	c.hides("live")
	c.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	theme := c.app.env.Theme
	for _, r := range []themes.Role{themes.LaneFast, themes.LaneSlow, themes.SlowRipe, themes.StateStuck} {
		if strings.Contains(c.picture(), theme.Prefix(r)) {
			t.Fatalf("%s is in colour in a picture that is not live", r)
		}
	}
	c.send(tea.ColorProfileMsg{Profile: colorprofile.NoTTY})
	held := c.picture()
	c.wait(2 * time.Minute)
	c.app.dirty = true
	if now := strings.ReplaceAll(c.picture(), "14:05 UTC", "14:03 UTC"); now != held {
		t.Fatal("durations go on")
	}
	c.app.still, c.app.minutes = false, true
	if c.app.tick() != nil {
		t.Fatal("a dead picture ticks")
	}
	c.app.still = true
	c.press("5", "enter", "v")
	c.shows("Can't verify: no engine answers since 14:03:10")
	c.press("2", "p")
	c.shows("Can't pause or resume: no engine answers")
	c.engine.Change(nil)
	c.feed()
	c.shows("The engine answers again", "● live")
	c.hides("picture as of")
}

func TestFrozenIsNotLive(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("f")
	c.shows("FROZEN at 14:03:09")
	c.hides("live")
}

func TestErrorsOfTheSocketAreWords(t *testing.T) {
	c := group(t)
	msg := actDone(c.app.top().ID())
	msg.Err = store.Unavailable("socket /run/user/1000/signalbox/a-rather-long-name/signalbox.sock", errors.New("dial unix: connect: connection refused"), "start the engine with `signalbox serve`")
	c.send(msg)
	c.shows("no engine answered, so it may or may not have been done. Look before you try", "What helps: start the engine with `signalbox serve`", "connection refused")
}

func TestQuitAsksWhileTheEngineHereWorks(t *testing.T) {
	working := func(o *Options) { o.At = EngineHere }
	e := fake.Lifelike()
	e.Change(func(s *engine.Snapshot) {
		s.Slots = fake.Pool(lane.Auto(25))
		s.Slots.Slots[0].Holder = &lane.Holder{Lane: lane.Fast, Queue: "q", Robot: engine.DrainPrefix + "ab12/q/3"}
	})
	c := open(t, e, 120, 40, working)
	c.shows("live · engine here", "drain 3")
	c.press("q")
	c.shows("Quit, and stop the engine?", "1 slot holds work", "25 s to finish")
	c.press("n")
	if c.quit {
		t.Fatal("quit")
	}
	c.press("q", "y")
	if !c.quit {
		t.Fatal("did not quit")
	}
	c = open(t, e, 120, 40, func(o *Options) { o.At = EngineAway })
	c.shows("attached")
	if c.press("q"); !c.quit {
		t.Fatal("asked although the engine goes on")
	}
	c = open(t, fake.Lifelike(), 120, 40, working)
	if c.press("q"); !c.quit {
		t.Fatal("asked although no drain is at work")
	}
}

func TestNotBuiltIsSaidAndGoesWithTheNextKey(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("6")
	c.shows("Not built yet: timeline")
	c.press("down")
	c.hides("Not built yet")
	c.press("?")
	c.hides("palette", "mouse", "Export", "Choose the columns")
}

func TestExplain(t *testing.T) {
	c := group(t)
	c.press("w")
	c.shows("Why finance.orders/4 stands where it does", "queue finance.orders is paused by grace", "what helps: signalbox queue resume", "until 14:15:09, in 12m00s")
	c.press("esc", "enter", "w")
	c.shows("Why finance.orders/4")
}

func TestCopyHidesMaskedFields(t *testing.T) {
	c := group(t)
	c.press("y")
	c.shows("Sent finance.orders/4 to the clipboard")
	effects := c.app.desk.CopyJSON(screen.Addr{}, []store.ID{{Queue: "finance.orders", Number: 4}}, c.app.env.Mask)
	told := effects.Cmds[0]()
	words, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(words), "DE89") || !strings.Contains(string(words), "10251") {
		t.Fatalf("%s", words)
	}
}

// The editor is a program of the test's; what it leaves becomes the payload,
// with the masked fields as they were.
func TestEditAndRetry(t *testing.T) {
	c := group(t, inPlace)
	script := filepath.Join(t.TempDir(), "edit.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsed -i 's/VINET/TOMSP/' \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	c.press("E")
	if len(c.engine.Retries) != 1 {
		t.Fatalf("%d retries\n%s", len(c.engine.Retries), c.picture())
	}
	payload := string(c.engine.Retries[0].Payload)
	if !strings.Contains(payload, "TOMSP") || !strings.Contains(payload, "DE89370400440532013000") {
		t.Fatal(payload)
	}
}

func TestRefusedEditIsKept(t *testing.T) {
	c := group(t, inPlace)
	script := filepath.Join(t.TempDir(), "break.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho '{\"order\":' > \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	c.press("E")
	c.shows("Could not retry with another payload", "Your edit is kept in")
	if len(c.engine.Retries) != 0 {
		t.Fatal("retried")
	}
}

func TestVerifyWithANoteTakesFewKeys(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "v").wait(time.Second).press("c").text("asked, yes").press("enter", "y")
	if got := c.engine.Reviews; len(got) != 1 || got[0].Note != "asked, yes" || len(got[0].Targets) != 5 {
		t.Fatalf("%+v\n%s", got, c.picture())
	}
}

func TestVerbsActOnAllMarkedGroups(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "space", "space")
	c.shows("2 groups marked")
	c.press("v").wait(time.Second)
	c.shows("Verify 10 matching items?", "no postal code", "not shipped yet")
	c.press("y")
	if got := c.engine.Reviews; len(got) != 1 || len(got[0].Targets) != 10 {
		t.Fatalf("%+v", got)
	}
	c.feed()
	c.hides("marked")
}

func TestHiddenMarksStandInTheHeader(t *testing.T) {
	c := group(t)
	c.press("space", "space", "/").text("INV-10260").press("enter")
	c.shows("2 marked, 1 of them hidden by the filter")
}

func TestUnknownFilterFieldIsSaidAtTheBar(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "/").text("foldr:x")
	c.shows("rows here have no such field", "did you mean folder:?", "finance.orders")
	c.press("esc", "/").text("lane:slow").press("enter")
	c.shows("agents.triage")
	c.hides("mail.outgoing")
	c.press("5", "/").text("stauts:x")
	c.shows("did you mean status:?")
}

func TestReasonSignsAreExplained(t *testing.T) {
	e := fake.Lifelike()
	e.Add(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.BusinessException, Group: `amount # of "…"`, Error: &store.Failure{Kind: "business", Reason: "x"}}})
	e.Change(nil)
	c := open(t, e, 120, 40)
	c.press("5", "/").text("amount").press("enter")
	c.shows(`# any number, "…" any quoted text`)
}

// inPlace runs the editor where the test stands.
func inPlace(o *Options) {
	o.Exec = func(command *exec.Cmd, then tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return then(command.Run()) }
	}
}

// A list and the question about its row word a hostile reason alike.
func TestOneEscapingEverywhere(t *testing.T) {
	e := fake.Lifelike()
	reason := "bad \x1b[31m name \u202egnp"
	e.Add(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.BusinessException, Group: reason, Error: &store.Failure{Kind: "business", Reason: reason}}})
	e.Change(nil)
	c := open(t, e, 120, 40)
	shown := "bad ␛[31m name ‹U+202E›gnp"
	c.press("5", "/").text("gnp").press("enter")
	c.shows(shown)
	c.press("v").wait(time.Second)
	c.shows("reason: " + shown)
	c.press("esc", "enter")
	c.shows(shown)
	c.press("enter")
	c.shows(shown)
	c.hides("\\x1b")
}

func TestRefusedSplitSaysItsMend(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	c.press("S")
	for range 8 {
		c.press("left")
	}
	split := strings.Join(strings.Fields(c.picture()), " ")
	if !strings.Contains(split, lane.Split{Size: 25, Slow: 6}.Validate().Error()) {
		t.Fatal(c.picture())
	}
}

func TestQuestionIsWholeInASmallTerminal(t *testing.T) {
	c := open(t, fake.Lifelike(), 50, 15)
	c.press("5", "v").wait(time.Second)
	c.shows("queue:finance.orders", "retried.", "c adds a note", "▸ No")
}

func TestHelpIsWholeInASmallTerminal(t *testing.T) {
	c := open(t, fake.Lifelike(), 50, 15)
	c.press("5", "?", "/").text("back").press("enter")
	help := strings.Join(strings.Fields(strings.ReplaceAll(c.picture(), "│", "")), " ")
	if !strings.Contains(help, "never quits") {
		t.Fatal(c.picture())
	}
}

// The history keeps its columns however long its words are, and leaves out
// the reason that stands above.
func TestHistoryKeepsItsColumns(t *testing.T) {
	e := fake.Lifelike()
	id := store.ID{Queue: "finance.orders", Number: 4}
	e.Tell(id, store.Change{Event: "business-exception", From: store.Processing, To: store.BusinessException, Actor: engine.DrainPrefix + "895965dc/finance.orders/7", Why: "no postal code"})
	e.Tell(id, store.Change{Event: "review-note", Actor: "grace", Why: strings.Repeat("asked the customer twice ", 6)})
	c := open(t, e, 120, 60)
	c.press("5", "enter", "enter")
	c.shows("business-exception  by drain 7", "review-note         ")
	if n := strings.Count(c.picture(), "no postal code"); n != 1 {
		t.Fatalf("the reason stands there %d times", n)
	}
	for _, line := range strings.Split(c.picture(), "\n") {
		if strings.Contains(line, "asked the customer") && strings.Index(line, "asked") < 88 && !strings.Contains(line, "by grace") {
			t.Fatalf("out of its column: %q", line)
		}
	}
}

func TestErrorDetailsAreASectionOfTheirOwn(t *testing.T) {
	e := fake.Lifelike()
	e.Edit(store.ID{Queue: "finance.orders", Number: 4}, func(r *engine.Record) {
		r.Error.Details = strings.Repeat("a line of stderr\n", 60) + "the last line"
	})
	c := open(t, e, 80, 24)
	c.press("5", "enter", "enter", "tab")
	c.shows("Details", "a line of stderr")
	for range 60 {
		if strings.Contains(c.picture(), "the last line") {
			return
		}
		c.press("down")
	}
	t.Fatal("the end of the details is out of reach")
}
