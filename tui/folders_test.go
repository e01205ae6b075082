package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// folders is an engine with queues in folders, n in each of some.
func folders(queues ...store.Queue) *fake.Engine {
	e := fake.New()
	e.Change(func(s *engine.Snapshot) {
		for i, q := range queues {
			state := engine.QueueState{Queue: q}
			state.Counts[store.Pending], state.Counts[store.Successful] = int64(i+1), 100
			state.Family, state.Lane = store.Transactions, "fast"
			s.Queues = append(s.Queues, state)
		}
	})
	return e
}

func filed() *fake.Engine {
	return folders(
		store.Queue{Name: "a.top", Folder: "/"},
		store.Queue{Name: "b.ap", Folder: "/finance/ap", Links: []string{"/audit", "/finance"}},
		store.Queue{Name: "c.ar", Folder: "/finance/ar"},
		store.Queue{Name: "d.ap", Folder: "/finance/ap", Paused: true},
	)
}

// names are the first words of the rows of a list, as they are indented.
func names(picture string) string {
	var all []string
	for _, line := range strings.Split(picture, "\n")[4:] {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "▌"), " ")
		if strings.TrimSpace(line) == "" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimLeft(line, " "), "   ")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		all = append(all, fmt.Sprintf("%d%s", (indent-1)/2, strings.TrimSpace(name)))
	}
	return strings.Join(all, "|")
}

func TestQueuesByFolder(t *testing.T) {
	c := open(t, filed(), 120, 40)
	c.press("2", "down", "F")
	want := "0▾ audit|2b.ap link|0▾ finance|1▾ ap|3b.ap|3d.ap|1▾ ar|3c.ar|2b.ap link|1a.top"
	if got := names(c.picture()); got != want {
		t.Fatalf("the list is\n%s\nwant\n%s\n%s", got, want, c.picture())
	}
	// The sums count a queue once, wherever it is linked.
	if line := lineOf(c.picture(), "finance"); !strings.Contains(line, " 9 ") || !strings.Contains(line, "300") || !strings.Contains(line, "paused") {
		t.Fatalf("finance has no sum of three queues:\n%s", c.picture())
	}
	c.press("g", "down", "down", "down", "enter")
	if got := names(c.picture()); !strings.Contains(got, "|1▸ ap|1▾ ar|") {
		t.Fatalf("ap is not closed: %s", got)
	}
	c.shows("/finance/ap: 2 queues", "1 paused")
	c.press("p", "O")
	c.shows("this is a folder")
	if len(c.engine.Patches) > 0 {
		t.Fatal("a folder was changed")
	}
	// What is closed stays so, also while other screens are shown.
	c.press("1", "2", "right")
	if got := names(c.picture()); got != want {
		t.Fatalf("opened again it is %s", got)
	}
	c.press("down", "left")
	if row := lineOf(c.picture(), "▌"); !strings.Contains(row, "▸ ap") {
		t.Fatalf("closed from a queue, the hand is on %q", row)
	}
	c.press("/").text("d.ap").press("enter") // what is looked for is shown
	if got := names(c.picture()); got != "0▾ finance|1▾ ap|3d.ap" {
		t.Fatalf("filtered it is %s", got)
	}
	c.press("esc")
}

// Where rows stand in their folders no column says it once more.
func TestNoFolderColumnAmongFolders(t *testing.T) {
	c := open(t, filed(), 200, 40)
	c.press("2").shows("family        folder ")
	c.press("F").hides("family        folder ")
	c.press("o").shows("folder       not in this view")
	c.press("esc", "F").shows("family        folder ")
}

// The hand stays on its queue from one list to the other, and when numbers move
// rows about; the order is within each folder.
func TestTheHandStaysAmongFolders(t *testing.T) {
	c := open(t, filed(), 120, 40)
	hand := func(want string) {
		t.Helper()
		if row := lineOf(c.picture(), "▌"); !strings.Contains(row, want) {
			t.Fatalf("the hand is on %q, want %s\n%s", row, want, c.picture())
		}
	}
	c.press("2", "down", "down", "F")
	hand("c.ar")
	c.press("s", "down", "enter", "s") // by another column, and what follows
	c.press("esc")
	hand("c.ar")
	c.wait(3 * time.Second)
	c.engine.Change(func(s *engine.Snapshot) {
		queues := append([]engine.QueueState(nil), s.Queues...)
		queues[1].Counts[store.Pending] = 99
		s.Queues = append(queues, engine.QueueState{Queue: store.Queue{Name: "0new", Folder: "/finance/ap", Lane: "fast"}})
		s.QueuesRevision++
	})
	c.feed()
	hand("c.ar")
	if got := names(c.picture()); !strings.Contains(got, "0new") {
		t.Fatal(got)
	}
	c.press("F")
	hand("c.ar")
	c.press("F", "up", "left", "F")
	c.shows("c.ar")
}

func BenchmarkQueuesByFolder(b *testing.B) {
	var many []store.Queue
	for i := range 2000 {
		many = append(many, store.Queue{Name: fmt.Sprintf("q%04d", i), Folder: fmt.Sprintf("/f%d/g%d", i%20, i%200), Links: []string{fmt.Sprintf("/l%d", i%50)}})
	}
	e := folders(many...)
	c := open(b, e, 120, 40)
	c.press("2", "F")
	b.ReportAllocs()
	for b.Loop() {
		e.Change(func(s *engine.Snapshot) { s.QueuesRevision++ })
		c.feed()
		_ = c.picture()
	}
}
