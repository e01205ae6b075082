package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// slow begins to retry the five orders without a postal code, which goes on
// until the test has the engine advance.
func slow(t *testing.T, change ...func(*Options)) (*console, chan tea.Msg) {
	c := open(t, fake.Lifelike(), 120, 40, change...)
	c.engine.Slow = true
	c.press("5", "r").wait(time.Second)
	_, cmd := c.app.Update(keyOf("y"))
	answered := make(chan tea.Msg, 1)
	go func() { answered <- leaf(cmd)() }()
	for c.engine.Begun() == 0 {
		if _, err := c.engine.Watch(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	c.engine.Advance(1, 0)
	c.feed()
	return c, answered
}

// leaf finds the one command in a batch.
func leaf(cmd tea.Cmd) tea.Cmd {
	for cmd != nil {
		msg := cmd()
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			return func() tea.Msg { return msg }
		}
		cmd = nil
		for _, each := range batch {
			if each != nil {
				cmd = each
			}
		}
	}
	return nil
}

func TestBulkActShowsItsProgress(t *testing.T) {
	c, answered := slow(t)
	c.shows("Retrying", "0 of 5", "X stops it")
	c.engine.Advance(1, 3)
	c.feed()
	c.shows("3 of 5")
	c.engine.Advance(1, 2)
	c.send(<-answered)
	c.feed()
	c.hides("X stops it")
	c.shows("Retried 5", "u undo")
}

func TestBulkActIsStopped(t *testing.T) {
	c, answered := slow(t)
	c.engine.Advance(1, 2)
	c.feed()
	c.press("X")
	c.shows("Stop retrying 5 items?", "What is done stays done; the rest is left as it is.", "▸ No")
	c.press("enter")
	if got := c.engine.Bulk(1); got != "running 2 of 5" {
		t.Fatal(got)
	}
	c.press("X", "y")
	c.send(<-answered)
	c.feed()
	c.shows("Retried 2 of 5; stopped with 3 left as they were", "u undo")
	if got := c.engine.Bulk(1); got != "cancelled 2 of 5" {
		t.Fatal(got)
	}
	c.press("X")
	c.shows("No act on many items is under way")
}

// An act that ran when its engine died is not dropped without a word: the next
// engine knows nothing of it.
func TestBulkActOfADeadEngineIsTold(t *testing.T) {
	c, _ := slow(t)
	c.engine.Advance(1, 2)
	c.feed()
	c.engine.Forget()
	c.feed()
	c.shows("Retrying 5 items ended with its engine: 2 are done and stay done; the rest is left as it is.")
	c.hides("X stops it")
}

// Another console's act is shown as such, and can be stopped from here.
func TestBulkActsOfOthersAreShown(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	c.engine.Slow = true
	grace := engine.WithActor(t.Context(), "grace\x1b[31m")
	for range 5 {
		req := engine.BulkRequest{Verb: engine.BulkDelete, Targets: []engine.Target{{Item: store.ID{Queue: "finance.orders", Number: 1}}}}
		b, err := c.engine.StartBulk(grace, req)
		if err != nil {
			t.Fatal(err)
		}
		c.engine.Advance(b.ID, 0)
	}
	c.feed()
	c.shows("grace␛[31m: Deleting 0 of 1", "and 2 more", "X stops it")
	c.press("X")
	c.shows("Stop deleting 1 item, which grace")
}

func TestQuitAsksWhileABulkActRuns(t *testing.T) {
	for at, words := range map[EngineAt]string{
		EngineHere: "Retrying 5 items ends with the engine in this console:",
		EngineAway: "It goes on in the engine; its outcome will not be shown here.",
	} {
		c, answered := slow(t, func(o *Options) { o.At = at })
		c.press("q")
		c.shows("Quit while an act is under way?", words)
		c.press("enter")
		if c.quit {
			t.Fatal("enter on the default answer quit")
		}
		c.engine.Advance(1, 5)
		c.send(<-answered)
	}
}

func TestFirstAndRateAreAskedFor(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "r").wait(time.Second)
	c.shows("First  all 5", "Rate   no limit", "tab changes them")
	c.press("tab").text("0").press("tab")
	c.shows("write 1 to 5")
	c.press("backspace").text("3").press("tab").text("50").press("enter")
	c.shows("write it as 50/s")
	c.text("/s").press("tab").text("slowly").press("enter")
	c.shows("First  3", "Rate   50/s", "Note   slowly", "▸ No")
	c.press("y")
	want := engine.Rate{Items: 50, Per: time.Second}
	if got := c.engine.Bulks; len(got) != 1 || got[0].First != 3 || got[0].Rate != want || got[0].Note != "slowly" || len(got[0].Targets) != 5 {
		t.Fatalf("%+v", got)
	}
	c.shows("Retried 3")
}

// A question names items that the verb can be used on, since with these it begins
// where only the first are wanted.
func TestQuestionsNameWhatIsActedOn(t *testing.T) {
	e := fake.Lifelike()
	for n := range 12 {
		i := store.Item{Queue: "agents.triage", Family: store.Transactions, Status: store.Pending}
		if n%2 == 1 {
			i.Status, i.Error = store.BusinessException, &store.Failure{Kind: engine.Business, Reason: "no zip"}
		}
		e.Put(engine.Record{Item: i})
	}
	e.Change(nil)
	c := open(t, e, 120, 40)
	c.press("2", "enter").wait(time.Second)
	c.press("a").wait(time.Second).press("v")
	c.shows("Verify 24 matching items?", "  agents.triage/24", "  agents.triage/22", "  agents.triage/16", "and 19 more")
	c.hides("agents.triage/23", "agents.triage/21")
}

// Of many, the number that must be typed is that of those asked for.
func TestFirstOfManyNeedNotBeCounted(t *testing.T) {
	e := fake.Lifelike()
	for range 1200 {
		e.Put(engine.Record{Item: store.Item{
			Queue: "finance.orders", Family: store.Transactions, Status: store.Abandoned, Group: "worker died",
			Error: &store.Failure{Kind: "system", Reason: "worker died"},
		}})
	}
	e.Change(nil)
	c := open(t, e, 80, 24)
	c.press("4", "r").wait(time.Second)
	c.shows("Type 1200 to go ahead")
	c.press("tab").text("1100").press("enter")
	c.shows("Type 1100 to go ahead")
	c.press("tab", "backspace", "backspace", "enter")
	c.shows("First  11", "▸ No")
	c.press("y")
	if got := e.Bulks; len(got) != 1 || got[0].First != 11 {
		t.Fatalf("%+v", got)
	}
}

// A group of 50 is verified with a note in eight keys at most.
func TestGroupOfFiftyIsVerifiedInEightKeys(t *testing.T) {
	e := realEngine(t, map[string]int{"no postal code": 50})
	c := openOn(t, e, 120, 40)
	c.now = time.Now()
	keys := []string{"5", "v", "c", "d", "u", "p", "enter", "y"}
	for _, key := range keys {
		c.press(key).wait(time.Second)
	}
	if len(keys) > 8 {
		t.Fatalf("%d keys", len(keys))
	}
	c.shows("Verified 50")
	page, err := e.List(t.Context(), engine.ListRequest{Queue: "orders", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i := range page.Items {
		if r := page.Items[i].Review; r.Status != store.Verified || r.Note != "dup" || r.Reviewer != "ada" {
			t.Fatalf("%+v", r)
		}
	}
	c.press("u").wait(time.Second)
	c.feed()
	c.shows("Taken back: Verified 50", "50 left")
}

// A verb held down on a list decides the row that was seen, not those that
// slide up into its place.
func TestHeldVerbDecidesOneRow(t *testing.T) {
	c := group(t)
	for range 40 {
		c.press("v").wait(33 * time.Millisecond)
		c.feed()
	}
	if n := len(c.engine.Reviews); n != 1 {
		t.Fatalf("%d rows were verified", n)
	}
	c.wait(700 * time.Millisecond).press("v") // let go, and pressed again
	c.feed()
	c.wait(100*time.Millisecond).press("down", "v") // a row that was chosen is seen
	if n := len(c.engine.Reviews); n != 3 {
		t.Fatalf("%d rows were verified", n)
	}
}

// A key that is held down begins to repeat after a while that every system sets
// for itself, on the list as on the item's page.
func TestHeldVerbDecidesOneItemWhateverTheDelay(t *testing.T) {
	for _, first := range []time.Duration{250, 375, 500, 600, 660} {
		for _, verb := range []string{"v", "r"} {
			for place, keys := range map[string][]string{"list": nil, "page": {"enter"}} {
				c := group(t)
				c.press(keys...).press(verb)
				c.feed()
				c.wait(first * time.Millisecond)
				for range 60 {
					c.press(verb)
					c.feed()
					c.wait(33 * time.Millisecond)
				}
				if n := len(c.engine.Reviews) + len(c.engine.Retries); n != 1 {
					t.Errorf("%s held on the %s, repeating after %d ms, decided %d items", verb, place, first, n)
				}
			}
		}
	}
}

// A row that stays where it is takes the next verb at once.
func TestRowThatStaysTakesTheNextVerb(t *testing.T) {
	c := group(t)
	c.press("A", "enter", "c").text("asked").press("enter")
	if n := len(c.engine.Reviews); n != 2 {
		t.Fatalf("%d reviews", n)
	}
}

// An act that is never answered does not swallow verbs for ever.
func TestUnansweredVerbIsTold(t *testing.T) {
	for _, keys := range [][]string{{}, {"enter"}} {
		c := group(t)
		c.press(keys...)
		if _, cmd := c.app.Update(keyOf("v")); cmd == nil { // its answer never comes
			t.Fatal("no verb was begun")
		}
		c.wait(5 * time.Second).press("v")
		c.hides("never answered")
		c.wait(6 * time.Second).press("v")
		c.shows("The verb before this one was never answered")
		c.wait(time.Second).press("v")
		if n := len(c.engine.Reviews); n != 1 {
			t.Fatalf("%d verified", n)
		}
	}
}

func TestPauseOfAPausedQueueIsNotTakenBack(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "p", "u")
	c.feed()
	grace := engine.WithActor(t.Context(), "grace")
	if _, err := c.engine.PauseQueue(grace, "agents.triage", true); err != nil {
		t.Fatal(err)
	}
	c.press("p") // on a picture from before
	c.shows("agents.triage has been paused already, by grace")
	c.hides("u undo")
	c.press("u")
	if snap, _ := c.engine.Watch(t.Context(), 0); !snap.Queues[0].Paused {
		t.Fatal("the pause of another was taken back")
	}
}
