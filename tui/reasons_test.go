package tui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// failing adds items of a jobs queue whose data broke a rule, or which failed.
func failing(e *fake.Engine, kind string, n int) {
	for range n {
		e.Put(engine.Record{Item: store.Item{
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
	row := regexp.MustCompile(`.* agents\.triage .*`).FindString(c.picture())
	if !strings.Contains(row, " 7       2 ") {
		t.Fatalf("excepted and failed are not told apart: %q", row)
	}
	told := regexp.MustCompile(`◆ failed, business +7 (.|\n)*✗ failed +2 `)
	if !told.MatchString(c.picture()) {
		t.Fatalf("nor are they below:\n%s", c.picture())
	}
	c.press("enter", "left", "left", "left")
	c.shows("failed 2", "2 items")
	c.press("left")
	c.shows("excepted 7", "7 items")
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
	e.Put(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.BusinessException, Group: `amount # of "…"`, Error: &store.Failure{Kind: "business", Reason: "x"}}})
	e.Change(nil)
	c := open(t, e, 120, 40)
	c.press("5", "/").text("amount").press("enter")
	c.shows(`# any number, "…" any quoted text`)
}

// A list and the question about its row word a hostile reason alike.
func TestOneEscapingEverywhere(t *testing.T) {
	e := fake.Lifelike()
	reason := "bad \x1b[31m name \u202egnp"
	e.Put(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.BusinessException, Group: reason, Error: &store.Failure{Kind: "business", Reason: reason}}})
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
