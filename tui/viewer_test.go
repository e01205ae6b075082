package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// page opens the item INV-10251.
func page(t *testing.T, w, h int) *console {
	c := open(t, fake.Lifelike(), w, h)
	c.press(":").text("finance.orders/4").press("enter")
	c.shows("INV-10251")
	return c
}

func TestFolding(t *testing.T) {
	c := page(t, 120, 40)
	c.shows(`"city": "Reims"`, "▌Error")
	c.press("tab")
	c.shows("▌Payload")
	c.press("down", "down", "down", "space")
	c.hides(`"city": "Reims"`)
	c.shows("▌{ 7 fields }")
	c.press("space")
	c.shows(`"city": "Reims"`)
	for range 20 {
		c.press("down")
		if strings.Contains(c.picture(), `▌    "city"`) {
			break
		}
	}
	c.press("enter")
	c.shows(`▌  "ship": { 3 fields },`, `"lines": [`)
	c.engine.Edit(store.ID{Queue: "finance.orders", Number: 4}, func(r *engine.Record) { r.Review.Note = "seen" })
	c.feed()
	c.shows(`▌  "ship": { 3 fields },`) // new rows leave the hand and the folds alone
}

func TestSearchInAPage(t *testing.T) {
	c := page(t, 120, 40)
	c.press("tab", "down", "space") // all folded away
	c.hides("Reims")
	c.press("/").text("sku")
	c.shows("1 of 2 lines", `▌      "sku": "A-11"`)
	c.press("enter", "n")
	c.shows("2 of 2 lines", `▌      "sku": "B-42"`)
	c.press("n")
	c.shows("1 of 2 lines")
	c.press("N")
	c.shows("2 of 2 lines")
	c.press("esc")
	c.hides("of 2 lines")
	c.press("/").text("nowhere").press("enter")
	c.shows("nothing found")
	c.press("n")
	c.shows("Nothing matches nowhere")
}

func TestMaskedFieldsAreShownOnlyWhenRecorded(t *testing.T) {
	c := page(t, 120, 40)
	c.hides("DE8937")
	c.shows("M show masked")
	c.press("M")
	c.shows("DE8937", "the history says that you looked")
	if len(c.engine.Revealed) != 1 {
		t.Fatal("nothing was recorded")
	}
	c.press("M")
	c.hides("DE8937")
	c.press("M", "esc", "5", "enter", "enter", "n", "N")
	c.hides("DE8937")
	c.engine.Fail = store.Unavailable("the store", fmt.Errorf("disk full"), "")
	c.press("M")
	c.hides("DE8937")
	c.shows("Could not show masked fields")
	ro := open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.ReadOnly = true })
	ro.press(":").text("finance.orders/4").press("enter", "M")
	ro.hides("DE8937")
	ro.shows("it could not be recorded")
}

func TestLargeDocuments(t *testing.T) {
	e := fake.Lifelike()
	rows := make([]map[string]any, 9000)
	for i := range rows {
		rows[i] = map[string]any{"sku": fmt.Sprint("S-", i), "n": i}
	}
	big, _ := json.Marshal(map[string]any{"rows": rows, "text": strings.Repeat("long ", 40_000)})
	e.Edit(store.ID{Queue: "finance.orders", Number: 60}, func(r *engine.Record) { r.Payload = big })
	c := open(t, e, 80, 24)
	c.press("2", "down", "enter", "enter", "/").text("S-8999").press("enter")
	c.shows("1 of 1 lines", `▌      "sku": "S-8999"`)
	c.press("g", "down", "space")
	c.shows("{ 2 fields }")
	for _, key := range []string{"space", "G", "pgup", "pgup", "tab", "shift+tab"} {
		c.press(key)
		exact(t, c.picture(), 80, 24)
	}
}

func BenchmarkLargePage(b *testing.B) {
	e := fake.Lifelike()
	big, _ := json.Marshal(map[string]any{"text": strings.Repeat("long words ", 37_000)})
	e.Edit(store.ID{Queue: "finance.orders", Number: 60}, func(r *engine.Record) { r.Payload = big })
	c := open(b, e, 200, 60)
	c.press("2", "down", "enter", "enter")
	b.ReportAllocs()
	for b.Loop() {
		c.press("down")
		c.app.View()
	}
}
