package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/internal/fake"
)

func TestFirstStepsFromKeys(t *testing.T) {
	c := open(t, fake.New(), 80, 24)
	c.shows("This store has no queue yet", "Add a queue", "Import a file", "See the demo")
	c.press("enter")
	c.shows("Add a queue", "Small letters")
	c.press("enter")
	c.shows("a queue needs one") // nothing is lost, nothing done
	c.text("Orders").press("enter")
	c.shows("it has capitals", "▌ name", "Orders")
	for range 6 {
		c.press("backspace")
	}
	c.text("orders").press("tab").press("right")
	for range 5 {
		c.press("down")
	}
	c.text("s").press("pgdown", "pgdown")
	c.shows("lease                10m", "on expiry            reclaim")
	c.press("enter")
	c.feed()
	c.shows("Added queue orders")
	q, ok := c.app.env.Queue("orders")
	if !ok || q.Family.String() != "jobs" || q.Lane != "slow" || q.Consumer.Kind != "manual" || q.OnExpiry != "reclaim" {
		t.Fatalf("%+v", q.Queue)
	}
}

func TestImportFromTheConsole(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "orders.csv")
	if err := os.WriteFile(file, []byte("Reference,total\nINV-1,10\nINV-2,20\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "other.jsonl")
	if err := os.WriteFile(bad, []byte("{\"a\":1}\n{\"a\":\n{\"a\":3}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := open(t, fake.New(), 120, 40)
	c.press("I").text(filepath.Join(dir, "ord"))
	c.press("tab")
	c.shows("orders.csv")
	c.press("down").text("shop").press("enter")
	c.feed()
	c.shows("2 rows of orders.csv in shop")
	if _, ok := c.app.env.Queue("shop"); !ok {
		t.Fatal("the queue was not added")
	}
	c.press("2", "I")
	c.shows("shop") // the queue in hand
	c.text(bad).press("enter")
	c.shows("other.jsonl line 2", "mend the file, whose bad", "001/other.jsonl")
	c.press("down", "down", "down", "right", "right", "enter")
	c.shows("2 rows of other.jsonl in shop; 1 rejected, the first at line 2", "other.jsonl.rejects")
	c.press("I").text(filepath.Join(dir, "none.csv")).press("enter")
	c.shows("give a file that is there")
}

func TestSettingsOfAQueue(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "O")
	c.shows("Settings of agents.triage", "Reads tickets")
	c.press("enter")
	c.shows("Nothing was changed")
	c.press("O")
	c.send(tea.PasteMsg{Content: " now\nand more"}) // a paste never applies
	c.shows("Settings of agents.triage")
	c.press("pgdown", "pgdown", "pgdown")
	c.press("backspace").text("99").press("enter")
	c.shows("99 is not from 0 to 16", "✗ retries", "Settings of agents.triage")
	c.press("backspace", "backspace").text("3").press("enter")
	c.shows("2 settings of agents.triage changed")
	if got := c.engine.Patches[1]; !strings.Contains(got, `"retries":3`) || !strings.Contains(got, "now and more") || strings.Contains(got, "lease") {
		t.Fatal(got)
	}
	ro := open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.ReadOnly = true })
	for _, key := range []string{"O", "N", "I"} {
		ro.press("2", key)
		ro.shows("this console is read-only")
	}
}

// What is wrong can be read to its end, however long it is.
func TestLongErrorOfAFormCanBeReadWhole(t *testing.T) {
	for _, size := range [][2]int{{50, 15}, {80, 24}} {
		c := open(t, fake.New(), size[0], size[1])
		c.press("enter").text(strings.Repeat("Orders", 400)).press("enter")
		c.shows("Add a queue", "↵ tells it all")
		c.press("enter")
		c.shows("What is wrong")
		c.press("G")
		c.shows("write it small")
		c.press("esc").press("down", "up").text("a")
		c.hides("tells it all")
	}
}
