package act

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
	"signalbox/tui/screen"
)

// What is read of payloads for a list is bounded, whatever they hold: the list holds
// it against all it shows, between two frames.
func TestFieldsOfWidePayloads(t *testing.T) {
	wide := []byte(`{"` + strings.Repeat("n", 1000) + `":1,"text":"` + strings.Repeat("t", 1000) + `"`)
	for n := range 5000 {
		wide = fmt.Appendf(wide, `,"k%d":%d`, n, n)
	}
	e := fake.New()
	e.Put(engine.Record{Item: store.Item{Queue: "orders", Number: 1}, Payload: json.RawMessage(append(wide, '}'))})
	item := store.Item{Queue: "orders", Number: 1}
	got := NewDesk(t.Context(), e, "ada", nil).Fields(screen.Addr{}, []store.Item{item}, nil)().(Fielded).Fields[item.ID()]
	if len(got) == 0 || len(got) > 100 || got[0].Name != "text" {
		t.Fatalf("%d fields, %+v", len(got), got[:min(len(got), 1)])
	}
	for _, f := range got {
		if len(f.Name)+len(f.Value) > 200 {
			t.Errorf("a field of %d bytes", len(f.Name)+len(f.Value))
		}
	}
}
