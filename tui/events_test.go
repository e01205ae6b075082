package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

func happened(n uint64) store.Change {
	return store.Change{At: store.At(fake.Epoch()), Actor: "ada", Queue: "finance.orders", Number: n, Event: "edit", To: store.Pending, From: store.Pending}
}

func TestEventsFollowPauseAndFilter(t *testing.T) {
	e := fake.Lifelike()
	c := open(t, e, 120, 40)
	c.press("7")
	c.shows("following", "182 changes in all", "▌  14:03:05.000")
	var log []store.Change
	for i := range uint64(5) {
		log = append(log, happened(i+1))
	}
	e.Log(log...)
	c.feed()
	c.shows("5 changes in all", "edit", "finance.orders/5")
	c.press("p")
	c.shows("paused at 14:03:09", "p go on")
	e.Log(append(log, happened(33))...)
	c.feed()
	c.hides("finance.orders/33")
	c.shows("paused at 14:03:09, 1 newer")
	c.wait(time.Second).press("p")
	c.shows("finance.orders/33", "following")
	c.press("down", "down")
	c.hides("following")
	c.shows("g shows the newest")
	e.Log(append(log, happened(33), happened(34))...)
	c.feed()
	c.shows("▌  14:03:09.000", "7 changes in all")
	c.press("enter")
	c.shows("finance.orders/4")
	c.press("esc", "/").text("colour:red")
	c.shows("changes have no field colour")
	c.press("esc", "/").text("edit").press("enter")
	c.shows("/ edit")
}

// However long the stream, no more than a window of it is held.
func TestEventsHoldAWindow(t *testing.T) {
	e := fake.New()
	log := make([]store.Change, 20_000)
	for i := range log {
		log[i] = happened(uint64(i + 1))
	}
	e.Log(log...)
	c := open(t, e, 80, 24)
	c.press("7")
	c.shows("finance.orders/20000")
	for range 60 {
		c.press("pgdown")
	}
	c.shows("20,000 changes in all")
	c.hides("finance.orders/20000")
	c.press("G")
	c.shows("finance.orders/1 ")
	c.press("g")
	c.shows("finance.orders/20000")
}

func TestRobotsLeadToTheirItems(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("8")
	c.shows("5 robots", "10 items held", "▌  claims-desk-2", "14m00s", "night-shift")
	c.press("enter")
	c.shows("Robots ▸ claims-desk-2", "status:claimed,processing robot:claims-desk-2")
	c.press("esc", "esc", "/").text("night").press("enter")
	c.hides("claims-desk-2")
	c.shows("night-shift")
}

func TestExportWritesWhatIsShown(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	dir := t.TempDir()
	for name, keys := range map[string][]string{"queues.csv": {"2"}, "robots.jsonl": {"8"}, "items.csv": {"2", "down", "enter"}, "events.csv": {"7"}} {
		file := filepath.Join(dir, name)
		c.press("1", "1").press(keys...).press("e").text(file).press("enter")
		c.shows("written to")
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(got), "\n"); lines < 5 {
			t.Errorf("%s has %d lines:\n%s", name, lines, got)
		}
		c.press("e").text(file).press("enter")
		c.shows("Could not export", "name another")
		c.press("esc")
		if again, _ := os.ReadFile(file); string(again) != string(got) {
			t.Errorf("%s was written over", name)
		}
	}
	items, _ := os.ReadFile(filepath.Join(dir, "items.csv"))
	if got := strings.Count(string(items), "\n"); got != 61 {
		t.Errorf("%d lines for 60 items", got)
	}
}

// Robots that live stand before those that are gone, and drains of runs that are
// over are only counted, unless a filter asks for them.
func TestLivingRobotsComeFirst(t *testing.T) {
	e := fake.Lifelike()
	at := func(ago time.Duration) store.Time { return store.At(fake.Epoch().Add(-ago)) }
	e.Crew = []engine.Robot{
		{Name: engine.DrainPrefix + "dead/orders/1", Held: 1, OldestAt: at(9 * time.Hour), LeaseUntil: at(8 * time.Hour), SeenAt: at(9 * time.Hour)},
		{Name: engine.DrainPrefix + "dead/orders/2", SeenAt: at(10 * time.Minute), Done: 5},
		{Name: engine.DrainPrefix + "now/orders/3", SeenAt: at(time.Second), Held: 1, OldestAt: at(time.Minute), LeaseUntil: at(-time.Minute)},
		{Name: "idle-bot", SeenAt: at(30 * time.Second)},
		{Name: "gone-bot", SeenAt: at(10 * time.Minute)},
	}
	c := open(t, e, 120, 40)
	c.press("8")
	c.shows("4 robots", "1 ended drain left out")
	c.hides("drain 2")
	picture, last := c.picture(), 0
	for _, name := range []string{"idle-bot", "drain 3", "gone-bot", "drain 1"} {
		at := strings.Index(picture, name)
		if at < last {
			t.Fatalf("%s is not in its place:\n%s", name, picture)
		}
		last = at
	}
	c.press("/").text("drain")
	c.shows("drain 2")
}
