package object_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"signalbox/engine/object"
)

// FuzzSplit holds the cut fields of any JSON object against what a decoder finds
// in it; text that is no JSON must do no harm.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "a" : [1, {"b": "]}"}] , "c":"\"" } `, `{"a":1,"a":2}`, `[1]`, `7`, `{"a"`, `{"a":}`, `{"\ud83d\ude00":"\ud800"}`, "{,", `{"a":{`, `{"a":"\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, ok := object.Split(nil, []byte(text))
		if !json.Valid([]byte(text)) {
			return
		}
		var want map[string]json.RawMessage
		if isObject := json.Unmarshal([]byte(text), &want) == nil && want != nil; isObject != ok {
			t.Fatalf("%q is an object: %t", text, isObject)
		}
		got := map[string]json.RawMessage{}
		for _, field := range list {
			var name string
			if err := json.Unmarshal(field.Key, &name); err != nil {
				t.Fatal(err)
			}
			got[name] = field.Value
			s, ok := object.Text(field.Value)
			var text string
			if isText := json.Unmarshal(field.Value, &text) == nil && field.Value[0] == '"'; ok && (!isText || s != text) {
				t.Fatalf("%s reads as %q, want %q", field.Value, s, text)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d fields, want %d", len(got), len(want))
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Fatalf("%q is %s, want %s", name, got[name], value)
			}
		}
	})
}

// FuzzString wants any text back that was written, on one line.
func FuzzString(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "ü€😀\u2028\uFFFE"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		literal := object.AppendString(nil, s)
		got, ok := object.Text(literal)
		var std string
		if err := json.Unmarshal(literal, &std); err != nil || !ok || got != s || std != s || bytes.ContainsAny(literal, "\r\n") {
			t.Fatalf("%q was written as %s and read as %q, %t, %q, %v", s, literal, got, ok, std, err)
		}
	})
}

func TestHalfCharacters(t *testing.T) {
	for literal, whole := range map[string]bool{
		`"\ud800"`: false, `"\udc00"`: false, `"\ud83d\ude00"`: true, `"\ud800\ud800"`: false, `"\ud83d\u0061"`: false, `"\\ud800"`: true, `"\uFFFD"`: true, `"\ud83dx"`: false,
	} {
		if _, ok := object.Text([]byte(literal)); ok != whole {
			t.Errorf("%s is whole: %t", literal, ok)
		}
	}
}
