package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/internal/fake"
	"signalbox/tui/screen"
)

func TestSplitIsTriedOutThenApplied(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("S", "right", "right", "shift+left", "+")
	c.shows("The pool grows by 1", "2 more kept free for fast work")
	if len(c.engine.Splits) != 0 {
		t.Fatal("applied before enter")
	}
	c.press("enter")
	c.feed()
	want := engine.SplitRequest{Size: 26, Fast: 8, Slow: 5}
	if got := c.engine.Splits; len(got) != 1 || got[0] != want {
		t.Fatalf("applied %+v, want %+v", got, want)
	}
	c.shows("fast 1–21", "slow 9–26")
}

func TestImpossibleSplitIsRefusedWithItsReason(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("S")
	for range 8 {
		c.press("left")
	}
	c.shows("each lane keeps at least 1 slot for itself")
	c.press("esc")
	if len(c.engine.Splits) != 0 {
		t.Fatal("applied")
	}
}

func TestPauseAndResume(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "p")
	c.feed()
	c.shows("Paused agents.triage", "‖ paused")
	c.wait(time.Second).press("p")
	c.feed()
	c.shows("Resumed agents.triage")
}

func TestFilterErrorStandsAtTheBar(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", "/")
	c.send(tea.PasteMsg{Content: "age:soon"})
	c.shows("an age is a duration", "INV-10307")
	c.press("esc")
	c.hides("an age is a duration")
	c.press("/").text("INV-1025").press("enter")
	c.shows("INV-10250", "10 items")
	c.press("/").text("zzz").press("enter")
	c.shows("Nothing matches INV-1025zzz")
	c.press("esc")
	c.shows("60 items")
}

func TestHiddenMarksAreCounted(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", "left", "left")
	c.shows("abandoned 3")
	c.press("space", "/").text("INV-10263").press("enter")
	c.press("g", "space", "r")
	c.shows("Retry 2 marked items?", "1 of the marks is hidden by the filter.")
}

func TestScreensOfNothing(t *testing.T) {
	e := fake.New()
	e.Change(func(s *engine.Snapshot) {
		s.Queues = []engine.QueueState{{Queue: store.Queue{Name: "orders", Lane: "fast"}}}
	})
	c := open(t, e, 80, 24)
	c.press("4")
	c.shows("Nothing is abandoned.")
	c.press("5")
	c.shows("Nothing waits for review.")
	c.press("2", "enter")
	c.shows("This queue has no items.", "item import --queue orders")
	c.press("right")
	c.shows("No item is waiting.")
	e.Fail = store.Unavailable("the store", fmt.Errorf("disk gone"), "")
	c.press("left")
	c.shows("This could not be read.", "disk gone")
}

func TestLoadingIsNotEmpty(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	c.app.env.Snap = nil
	c.app.dirty = true
	c.shows("Opening the store…")
	for _, key := range []string{"2", "4", "5"} {
		c.press(key)
		if !strings.Contains(c.picture(), "Opening the store…") {
			t.Fatalf("screen %s:\n%s", key, c.picture())
		}
	}
}

func TestRowThatGoesUnderTheHandIsTold(t *testing.T) {
	c := group(t)
	c.engine.Edit(store.ID{Queue: "finance.orders", Number: 4}, func(r *engine.Record) { r.Group = "" })
	c.feed()
	c.shows("The row in hand has gone; the next one took its place", "▌         13")
}

// Marks on rows that went elsewhere are counted, in a list that is shown whole
// and in one that is longer than what is read of it; rows that a filter hides
// keep theirs.
func TestVanishedMarksAreCounted(t *testing.T) {
	for _, n := range []int{8, 3000} {
		e := fake.Lifelike()
		for range n {
			e.Put(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.Abandoned, Group: "worker died", Error: &store.Failure{Kind: "system", Reason: "worker died"}}})
		}
		e.Change(nil)
		c := open(t, e, 120, 40)
		c.press("4", "/").text("worker").press("enter", "enter", "space", "space", "space", "/").text("zzz").press("enter")
		c.shows("3 marked, 3 of them hidden by the filter")
		c.hides("vanished")
		c.press("esc")
		e.Edit(store.ID{Queue: "finance.orders", Number: 61}, func(r *engine.Record) { r.Group, r.Status = "", store.Deleted })
		e.Edit(store.ID{Queue: "finance.orders", Number: 63}, func(r *engine.Record) { r.Group, r.Status = "", store.Deleted })
		c.wait(time.Minute).feed()
		c.shows("1 marked", "2 marks vanished")
	}
}

func TestSlowListsAreReadLessOften(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter")
	msg := act.Windowed{Addr: screen.Addr{Screen: c.app.top().ID(), Gen: 1}, Took: 2 * time.Second}
	msg.Window.Total = 4711
	c.send(msg)
	c.engine.Change(nil)
	c.wait(5 * time.Second)
	c.feed()
	c.shows("4,711 items")
	c.engine.Change(nil)
	c.wait(20 * time.Second)
	c.feed()
	c.shows("60 items")
}

// A search that takes long keeps the rows that were there, says how far it is,
// and shows what it finds as it finds it.
func TestSearchShowsWhatItFindsSoFar(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter")
	c.shows("60 items")
	part := act.Windowed{Addr: screen.Addr{Screen: c.app.top().ID(), Gen: 1}, Took: time.Second}
	part.Window = act.Window{Partial: true, Looked: 300_000, Total: -1}
	c.app.Update(part)
	c.app.dirty = true
	c.shows("searching… 300,000 items looked at", "finance.orders")
	part.Window.Rows, part.Window.Looked = []store.Item{{Queue: "q", Number: 4711, Status: store.Pending}}, 600_000
	c.app.Update(part)
	c.shows("600,000 items looked at", "4711")
}

func TestNoticesAreShownOnce(t *testing.T) {
	e := fake.Lifelike()
	tell := func(seq uint64, words string) {
		e.Change(func(s *engine.Snapshot) {
			s.Notices = append(append([]engine.Notice(nil), s.Notices...), engine.Notice{Seq: seq, Level: "warn", Text: words})
		})
	}
	tell(1, "old news")
	c := open(t, e, 120, 40)
	c.hides("old news")
	tell(2, "3 abandoned in finance.orders")
	c.feed()
	c.shows("3 abandoned in finance.orders")
	c.wait(6 * time.Second)
	c.send(tickMsg{})
	c.hides("3 abandoned")
	e.Change(nil)
	c.feed()
	c.hides("3 abandoned")
}

// Of many notices at once the newest is shown, and how many there are besides,
// be they still known to the engine or not.
func TestNoticesNotShownAreCounted(t *testing.T) {
	e := fake.Lifelike()
	c := open(t, e, 120, 40)
	for _, test := range []struct {
		from, to uint64
		more     string
	}{{1, 1, ""}, {1, 3, "and 1 more notice;"}, {4, 103, "and 99 more notices;"}, {1301, 1400, "and 1,296 more notices;"}} {
		e.Change(func(s *engine.Snapshot) {
			s.Notices = nil
			for seq := test.from; seq <= test.to; seq++ {
				s.Notices = append(s.Notices, engine.Notice{Seq: seq, Level: "info", Text: fmt.Sprint("notice no. ", seq)})
			}
		})
		c.feed()
		c.shows(fmt.Sprint("notice no. ", test.to), test.more)
		if test.more == "" {
			c.hides("more notice")
		}
	}
}

// A group's rows tell what is their own, not the reason that stands above.
func TestRowsOfAGroupTellWhatDiffers(t *testing.T) {
	e := fake.New()
	e.Change(func(s *engine.Snapshot) {
		s.Queues = []engine.QueueState{{Queue: store.Queue{Name: "orders", Family: store.Transactions}}}
	})
	for _, amount := range []string{"70.25", "3.50"} {
		e.Put(engine.Record{Item: store.Item{
			Queue: "orders", Family: store.Transactions, Status: store.BusinessException, Group: "the amount differs from the order by # EUR",
			Error: &store.Failure{Kind: "business", Reason: "the amount differs from the order by " + amount + " EUR"},
		}})
	}
	e.Change(nil)
	c := open(t, e, 80, 24)
	c.press("5", "enter")
	c.shows("… 70.25 EUR", "… 3.50 EUR", "by # EUR")
}
