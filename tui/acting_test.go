package tui

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/internal/fake"
	"signalbox/tui/screen"
)

// group opens the first group of the review: five orders without a postal code.
func group(t *testing.T, change ...func(*Options)) *console {
	c := open(t, fake.Lifelike(), 120, 40, change...)
	c.press("5", "enter")
	c.shows("no postal code", "INV-10251")
	return c
}

func TestRetryOfOneRowActsAtOnce(t *testing.T) {
	c := group(t)
	c.press("r")
	c.feed()
	if n := len(c.engine.Retries); n != 1 {
		t.Fatalf("%d retries", n)
	}
	got := c.engine.Retries[0].Targets
	want := engine.Target{Item: store.ID{Queue: "finance.orders", Number: 4}, Revision: 1}
	if len(got) != 1 || got[0] != want {
		t.Fatalf("retried %v, want %v", got, want)
	}
	c.shows("Retried finance.orders/4: pending again", "4 items")
	c.hides("INV-10251")
	c.shows("▌         13")
}

func TestMoreThanOneAsksAndNoIsTheDefault(t *testing.T) {
	c := group(t)
	c.press("space", "space", "r")
	c.shows("Retry 2 marked items?", "finance.orders/4", "finance.orders/13", "▸ No")
	c.press("enter")
	c.hides("Retry 2 marked items?")
	if len(c.engine.Retries) != 0 {
		t.Fatal("enter on the default answer acted")
	}
	c.press("r", "y")
	c.shows("Retried 2")
	if n := len(c.engine.Retries[0].Targets); n != 2 {
		t.Fatalf("retried %d", n)
	}
}

func TestFooterSaysWhatEnterMeans(t *testing.T) {
	c := group(t)
	c.press("space", "space", "r")
	c.shows("Retry 2 marked items?", "They go back", "↵ no")
	c.hides("↵ apply")
	c.press("right")
	c.shows("↵ retry")
}

func TestQuestionAboutOneIsInTheSingular(t *testing.T) {
	c := group(t)
	c.press("/").text("INV-10251").press("enter", "a", "r")
	c.shows("Retry 1 matching item?", "It goes back", "Exactly this one, as it stands now")
	c.hides("They go")
}

// All that match are acted on, whatever the order in which they are looked at.
func TestAllOfASortedListAreActedOn(t *testing.T) {
	c := group(t)
	c.press("s", "down", "enter", "a", "r")
	c.shows("Retry 5 matching items?")
}

func TestManyMustBeCounted(t *testing.T) {
	e := fake.Lifelike()
	for range 1200 {
		e.Put(engine.Record{Item: store.Item{
			Queue: "finance.orders", Family: store.Transactions, Status: store.Abandoned, Group: "worker died",
			Error: &store.Failure{Kind: "system", Reason: "worker died"},
		}})
	}
	e.Change(nil)
	c := open(t, e, 120, 40)
	c.press("4", "r").wait(time.Second).text("y")
	c.shows("Retry 1,200 matching items?", "Type 1200 to go ahead")
	c.press("enter")
	if len(e.Retries) != 0 {
		t.Fatal("acted before the count was typed")
	}
	c.press("backspace").text("1200").press("enter")
	if len(e.Retries) != 1 || len(e.Retries[0].Targets) != 1200 {
		t.Fatal("did not act after the count was typed")
	}
}

func TestWholeGroupIsFrozenWhenAsked(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "v")
	c.shows("Verify 5 matching items?", "later arrivals stay untouched")
	late := c.engine.Put(engine.Record{Item: store.Item{
		Queue: "finance.orders", Status: store.BusinessException, Group: "no postal code",
		Error: &store.Failure{Kind: engine.Business, Reason: "no postal code"},
	}})
	c.wait(time.Second).press("y")
	targets := c.engine.Reviews[0].Targets
	if len(targets) != 5 {
		t.Fatalf("verified %d", len(targets))
	}
	for _, target := range targets {
		if target.Item == late {
			t.Fatal("a later arrival was verified")
		}
	}
	c.shows("Verified 5; 1 arrived since and is untouched")
}

func TestActsOnWhatWasSeen(t *testing.T) {
	c := group(t)
	id := store.ID{Queue: "finance.orders", Number: 13}
	c.press("space", "space", "r")
	c.engine.Before(func() {
		c.engine.Edit(id, func(r *engine.Record) { r.Review.Note = "mine" })
	})
	c.press("y")
	c.shows("Retried 1 of 2, 1 changed since you looked", "finance.orders/13: changed since you looked")
	r, err := c.engine.Item(t.Context(), id)
	if err != nil || r.Status != store.BusinessException {
		t.Fatalf("the changed item was touched: %v %v", r.Status, err)
	}
	c.wait(time.Hour)
	c.send(tickMsg{})
	c.shows("Retried 1 of 2")
	c.press("esc")
	c.hides("Retried 1 of 2")
}

func TestKeysTypedAheadDoNotAnswer(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "r")
	c.shows("Retry 5 matching items?")
	for range 5 { // a burst: each key within the quiet time of the one before
		c.wait(200 * time.Millisecond).press("y")
		if len(c.engine.Retries) != 0 {
			t.Fatal("a key typed ahead answered the question")
		}
	}
	c.wait(500 * time.Millisecond).press("y")
	if len(c.engine.Retries) != 1 {
		t.Fatal("the answer after the quiet time was not taken")
	}
}

func TestKeysTypedAheadHoldADialogUpOnlySoLong(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "r")
	for i := 0; i < 20 && len(c.engine.Retries) == 0; i++ {
		c.wait(100 * time.Millisecond).press("y")
		if early := i < 14; early && len(c.engine.Retries) > 0 {
			t.Fatalf("answered after %d00 ms", i+1)
		}
	}
	if len(c.engine.Retries) == 0 {
		t.Fatal("a key held down locks the dialog for ever")
	}
}

func TestPasteNeverAnswers(t *testing.T) {
	c := group(t)
	c.press("a", "r")
	c.send(tea.PasteMsg{Content: "y\ny\n\n"})
	c.shows("Retry 5 matching items?")
	c.press("esc")
	c.send(tea.PasteMsg{Content: "ry\n5q"})
	if len(c.engine.Retries) != 0 || c.quit {
		t.Fatal("a paste acted")
	}
}

func TestPasteGoesIntoAField(t *testing.T) {
	c := group(t)
	c.press("c")
	c.shows("Note on finance.orders/4")
	c.send(tea.PasteMsg{Content: "asked\nthe customer\x1b[31m"})
	c.press("enter")
	if got := c.engine.Reviews[0].Note; got != "asked the customer[31m" {
		t.Fatalf("note %q", got)
	}
}

func TestVerifiedCannotBeRetried(t *testing.T) {
	c := group(t)
	c.engine.Edit(store.ID{Queue: "finance.orders", Number: 4}, func(r *engine.Record) { r.Review.Status = store.Verified })
	c.feed()
	c.press("r")
	c.shows("Can't retry: verified, so it can no longer be retried")
	c.press("x")
	c.shows("verified, so it can no longer be retried", "it is verified already")
	if len(c.engine.Retries) != 0 {
		t.Fatal("retried")
	}
}

func TestReadOnlyDisablesEveryVerb(t *testing.T) {
	for _, key := range []string{"r", "v", "A", "c"} {
		c := group(t, func(o *Options) { o.ReadOnly = true })
		c.shows("READ-ONLY")
		c.press(key)
		c.shows("this console is read-only")
		c.press("a", key, "y")
		c.press("5", key).wait(time.Second).press("y", "enter")
		if len(c.engine.Retries)+len(c.engine.Reviews) != 0 {
			t.Fatalf("%s acted", key)
		}
	}
	c := open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.ReadOnly = true })
	c.press("S", "+", "enter", "2", "p")
	c.shows("read-only")
	if len(c.engine.Splits) != 0 {
		t.Fatal("the split was changed")
	}
}

func TestNextItemComesByItself(t *testing.T) {
	c := group(t)
	c.press("enter")
	c.shows("finance.orders/4", "5 left in this group")
	c.press("v")
	c.feed()
	c.shows("Verified finance.orders/4", "INV-10260", "4 left in this group")
	c.wait(time.Second).press("r")
	c.feed()
	c.shows("INV-10269", "3 left in this group")
	for range 3 {
		c.wait(time.Second).press("v")
		c.feed()
	}
	c.shows("Nothing is left in this group")
}

// The last decision leaves the item's page, even when the person has gone
// elsewhere before the answer came; what they look at stays.
func TestLateOutcomeLeavesOnlyItsOwnPage(t *testing.T) {
	c := group(t)
	c.press("enter")
	page := c.app.top().ID()
	c.press("2", "down", "enter")
	done := act.Done{Addr: screen.Addr{Screen: page}, Order: act.Order{Verb: act.Verify}}
	for i := range 5 {
		id := store.ID{Queue: "finance.orders", Number: uint64(4 + 9*i)}
		done.Outcomes = append(done.Outcomes, engine.Outcome{Item: id, Result: engine.OK})
	}
	c.send(done)
	c.shows("Verified 5", "Queues ▸ finance.orders", "60 items")
	c.press("5")
	c.shows("Review 14 ▸ finance.orders")
	c.hides("left in this group")
}

func TestAssignAsksForTheReviewer(t *testing.T) {
	c := group(t)
	c.press("A")
	c.shows("Reviewer  ada")
	c.text("grace").press("enter")
	if r := c.engine.Reviews[0]; r.Reviewer != "grace" || r.Action != engine.Assign {
		t.Fatalf("%+v", r)
	}
	c.shows("Assigned finance.orders/4 to grace", "with grace")
}

func TestErrorsOfActsStay(t *testing.T) {
	c := group(t)
	c.app.route(brokenDone(c))
	c.wait(time.Minute)
	c.send(tickMsg{})
	c.shows("Could not retry: the store is gone")
}

func TestQuitAsksWhileAnActRuns(t *testing.T) {
	c := group(t)
	c.app.acts = 1
	c.press("q")
	c.shows("Quit while an act is under way?")
	c.press("n")
	if c.quit {
		t.Fatal("quit")
	}
	c.press("q", "y")
	if !c.quit {
		t.Fatal("did not quit")
	}
}

func TestQuitAsksWhileFrozen(t *testing.T) {
	c := group(t)
	c.app.acts = 1
	c.press("f")
	c.shows("FROZEN")
	c.press("q")
	c.hides("FROZEN")
	c.shows("Quit while an act is under way?")
	c.press("n")
	c.hides("Quit while an act is under way?")
	if c.quit {
		t.Fatal("quit")
	}
	c.app.acts = 0
	c.press("f", "q")
	if !c.quit {
		t.Fatal("did not quit")
	}
}

// A question that comes while frozen leaves the way out open.
func TestFreezeEndsUnderADialog(t *testing.T) {
	c := group(t)
	c.press("f")
	c.run(c.app.apply(screen.Want(screen.Ask{Dialog: quitDialog(c.app.env, "Late question?")})))
	c.press("f")
	c.hides("FROZEN")
	c.shows("Late question?")
}

func TestEscNeverQuits(t *testing.T) {
	c := group(t)
	for range 20 {
		c.press("esc")
	}
	if c.quit {
		t.Fatal("esc quit")
	}
	c.shows("5 Review")
	c.press("q")
	if !c.quit {
		t.Fatal("q did not")
	}
}

// brokenDone is the answer of an engine that lost its store.
func brokenDone(c *console) tea.Msg {
	c.press("space", "space", "r")
	msg := actDone(c.app.top().ID())
	msg.Err = errors.New("the store is gone")
	return msg
}

func actDone(screenID int) act.Done {
	return act.Done{Addr: screen.Addr{Screen: screenID}, Order: act.Order{Verb: act.Retry}}
}

// What was typed before the question about a group came is meant for nothing
// that stands behind it.
func TestKeysTypedBeforeAQuestionGoNowhere(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5")
	held := c.holdBack("v")
	c.press("j", "r", "space", "x", "9", "q", "enter")
	if len(c.app.dialogs) != 0 || c.quit {
		t.Fatal(c.picture())
	}
	c.run(held)
	c.shows("Verify 5 matching items?")
	c.hides("marked", "Retry")
	c.wait(2*time.Second).press("esc", "r")
	c.shows("Retry 5 matching items?") // of the same group

	c = open(t, fake.Lifelike(), 120, 40)
	c.press("5")
	held = c.holdBack("v")
	c.press("esc", "j")
	c.run(held)
	c.hides("Verify 5 matching items?")
}

// holdBack presses a key and gives what it set going, to be run later.
func (c *console) holdBack(name string) tea.Cmd {
	_, cmd := c.app.Update(keyOf(name))
	return cmd
}

func TestTabGoesThroughAQuestionAsItReads(t *testing.T) {
	c := group(t)
	c.press("space", "space", "r", "tab").text("1").press("tab").text("5/s").press("tab").text("seen").press("tab", "y")
	c.feed()
	if n := len(c.engine.Bulks); n != 1 || c.engine.Bulks[0].First != 1 || c.engine.Bulks[0].Note != "seen" || c.engine.Bulks[0].Rate.String() != "5/s" {
		t.Fatalf("%d acts:\n%s", n, c.picture())
	}
	c.shows("Retried 1")
}

// What goes because the operator decided on it has not vanished.
func TestOwnDecisionsDontVanish(t *testing.T) {
	c := group(t)
	c.press("space", "space", "k", "enter", "v") // marked two; the second is decided on its own page
	c.feed()
	c.press("esc")
	c.feed()
	c.shows("1 marked")
	c.hides("vanished")
}
