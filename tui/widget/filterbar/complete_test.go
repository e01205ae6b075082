package filterbar_test

import (
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/store/memory"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/widget/filterbar"
)

func snapped(queues ...string) env.Env {
	s := &engine.Snapshot{}
	for _, name := range queues {
		s.Queues = append(s.Queues, engine.QueueState{Queue: store.Queue{Name: name, Folder: "/finance"}})
	}
	return env.Env{Snap: s}
}

// Each tab takes over what all that fits has in common, and then the first.
func TestTabCompletesNamesAndValues(t *testing.T) {
	e := snapped("invoices", "invoices.late", "orders")
	for typed, want := range map[string]string{
		"":                       "",
		"x":                      "x",
		"sta":                    "sta > started: > started:any",
		"st":                     "st > sta > started:",
		"!pri":                   "!pri > !priority: > !priority:high",
		"late queue:i":           "late queue:i > late queue:invoices > late queue:invoices.late",
		"queue:orders,in":        "queue:orders,in > queue:orders,invoices > queue:orders,invoices.late",
		"folder:":                "folder: > folder:/finance",
		"status:failed,aban":     "status:failed,aban > status:failed,abandoned",
		"status:nothing":         "status:nothing",
		"nothing:a":              "nothing:a",
		"reference:INV":          "reference:INV",
		`jq:".total > 100" stat`: `jq:".total > 100" stat > jq:".total > 100" status: > jq:".total > 100" status:queued`,
	} {
		b := filterbar.Bar{Words: filterbar.Words(engine.FilterVocabulary())}
		b.Key(keymap.Filter)
		b.Edit(screen.Pasted{Text: typed})
		steps := []string{typed}
		for len(steps) < 3 && b.Complete(e) {
			b.Key(keymap.Apply)
			steps = append(steps, b.Text())
			b.Key(keymap.Filter)
		}
		if got := strings.Join(steps, " > "); got != want {
			t.Errorf("%q: %s, want %s", typed, got, want)
		}
	}
}

// What is offered can be typed: the engine understands it.
func TestOffersAreUnderstood(t *testing.T) {
	for name, v := range map[string]struct {
		words engine.Vocabulary
		reads func(string) error
	}{
		"items": {engine.FilterVocabulary(), func(s string) error { _, err := engine.ParseFilter(s); return err }},
		"events": {engine.StreamVocabulary(), func(s string) error {
			_, err := stream(t).Stream(t.Context(), engine.StreamRequest{Filter: s})
			return err
		}},
	} {
		for key, values := range v.words.Values {
			for _, value := range values {
				if err := v.reads(key + ":" + value); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		for _, key := range v.words.Names {
			if err := v.reads(key + ":"); err == nil || strings.Contains(err.Error(), "there is no key") || strings.Contains(err.Error(), "no field") {
				t.Errorf("%s: %s: %v", name, key, err)
			}
		}
	}
}

// Outside the field, and within a word, nothing is completed.
func TestNothingIsCompletedWithinAWord(t *testing.T) {
	b := filterbar.Bar{Words: filterbar.Words(engine.FilterVocabulary())}
	b.Set("stat")
	if b.Complete(snapped()) || b.Text() != "stat" {
		t.Errorf("it became %q while nobody types", b.Text())
	}
}

func stream(t *testing.T) *engine.Engine {
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}
