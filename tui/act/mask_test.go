package act

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine"
)

func draftOf(payload string, mask ...string) (*draft, string) {
	f := &draft{mask: mask}
	shown, v := veil(json.RawMessage(payload), engine.Mask(json.RawMessage(payload), mask))
	f.veils = v
	return f, string(shown)
}

// An element taken out of an array takes its own value with it.
func TestMaskedValuesFollowTheirMarks(t *testing.T) {
	f, shown := draftOf(`{"to":[{"n":"a","iban":"DE1"},{"n":"b","iban":"DE2"}]}`, "iban")
	if want := `{"to":[{"n":"a","iban":"••••1"},{"n":"b","iban":"••••2"}]}`; shown != want {
		t.Fatalf("draft %s", shown)
	}
	for edit, want := range map[string]string{
		`{"to":[{"n":"b","iban":"••••2"}]}`:                            `{"to":[{"n":"b","iban":"DE2"}]}`,
		`{"to":[{"n":"b","iban":"••••2"},{"n":"a","iban":"••••1"}]}`:   `{"to":[{"n":"b","iban":"DE2"},{"n":"a","iban":"DE1"}]}`,
		`{"to":[{"n":"new","iban":"DE9"},{"n":"a","iban":"••••1"}]}`:   `{"to":[{"n":"new","iban":"DE9"},{"n":"a","iban":"DE1"}]}`,
		`{"to":[{"n":"a","iban":"••••1"}],"of":{"iban":"\u2022•••2"}}`: `{"to":[{"n":"a","iban":"DE1"}],"of":{"iban":"DE2"}}`,
	} {
		got, err := f.payload([]byte(edit))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s %v", edit, got, err)
		}
	}
}

// What is not edited is as it was, in its order: numbers of any size and form, texts
// in whatever way they were written.
func TestEditsBesideMaskedFieldsKeepTheRest(t *testing.T) {
	f, shown := draftOf(`{"z":1.0,"iban":{"b":2.50,"a":[1e400]},"a":12345678901234567890123,"s":"\ud800\/\u00e9\"<","n":3}`, "iban")
	got, err := f.payload([]byte(strings.Replace(shown, `"n":3`, `"n": 4`, 1)))
	if want := `{"z":1.0,"iban":{"b":2.50,"a":[1e400]},"a":12345678901234567890123,"s":"\ud800\/\u00e9\"<","n": 4}`; err != nil || string(got) != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
}

func TestUnknownAlteredAndMovedMarksAreRefused(t *testing.T) {
	f, _ := draftOf(`{"iban":"DE1","note":""}`, "iban")
	for _, edit := range []string{
		`{"iban":"••••"}`, `{"iban":"••••2"}`, `{"iban":"•••1"}`, `{"iban":"•1"}`, `{"iban":"x••••1"}`, `{"iban":["••••11"]}`,
		`{"iban":"••••1","note":"••••1"}`,
	} {
		if got, err := f.payload([]byte(edit)); err == nil {
			t.Errorf("%s gave %s", edit, got)
		}
	}
}

// What only looks like a mark is left alone, and no mark is like it.
func TestPlainTextLikeAMark(t *testing.T) {
	f, shown := draftOf(`{"iban":{"a":[1]},"note":"••••1","x":"a•••b","pin":"••••"}`, "iban", "pin")
	if !strings.Contains(shown, `"iban":"••••2"`) {
		t.Fatal(shown)
	}
	got, err := f.payload([]byte(shown))
	if err != nil || string(got) != `{"iban":{"a":[1]},"note":"••••1","x":"a•••b","pin":"••••"}` {
		t.Fatalf("%s %v", got, err)
	}
}
