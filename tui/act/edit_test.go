package act

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
	"signalbox/tui/screen"
)

// The editor is given the strings of a payload as they are, also beside masked
// fields, and what it leaves goes back as it is.
func TestADraftHoldsThePayloadAsItCameIn(t *testing.T) {
	const name, text = `"<a & b>"`, `"Müller & Söhne <x> \u003c \/"`
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if _, err := e.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
		t.Fatal(err)
	}
	payload := json.RawMessage(`{` + name + `:` + text + `,"pin":"1 & 2"}`)
	if _, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: payload}}}); err != nil {
		t.Fatal(err)
	}
	desk := Desk{ctx: context.Background(), engine: e}
	for mask, kept := range map[string]string{"": text, "pin": `"1 & 2"`} {
		o := desk.Draft(screen.Addr{}, engine.Target{Item: store.ID{Queue: "q", Number: 1}}, strings.Fields(mask))().(opened)
		if o.err != nil {
			t.Fatal(o.err)
		}
		content, err := os.ReadFile(o.draft.file)
		if err != nil || !strings.Contains(string(content), name+`: `+text) {
			t.Errorf("masked %q: %v\n%s", mask, err, content)
		}
		edited := strings.Replace(string(content), "{", `{"new": "<&>",`, 1)
		if err := os.WriteFile(o.draft.file, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		done := o.draft.finish()
		if got := string(done.Order.Payload); done.Err != nil || !strings.Contains(got, `"<&>"`) || !strings.Contains(got, kept) || !strings.Contains(got, name) {
			t.Errorf("masked %q: %v\n%s", mask, done.Err, got)
		}
		_ = discard(o.draft.file)
	}
}
