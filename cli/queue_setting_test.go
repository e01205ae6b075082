package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"signalbox/store"
)

// A setting that queues get must be one that files can say.
func TestFilesKnowEverySetting(t *testing.T) {
	want := map[string]bool{}
	var walk func(prefix string, of reflect.Type)
	walk = func(prefix string, of reflect.Type) {
		for field := range of.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Type.Kind() == reflect.Struct {
				walk(key+".", field.Type)
				continue
			}
			want[prefix+key] = true
		}
	}
	walk("", reflect.TypeFor[store.Queue]())
	for _, other := range []string{"name", "family", "paused_by", "created_at", "revision", "consumer_error", "consumer_error_at", "-"} {
		delete(want, other)
	}
	for _, s := range queueSettings() {
		if !want[s.key] {
			t.Errorf("%s is no setting, or is there twice", s.key)
		}
		delete(want, s.key)
		var q store.Queue
		if kind, _ := kindIn(s.at(&q)); kind == "a text" && slices.Contains([]string{"batch_size", "lease", "mask", "paused"}, s.key) {
			t.Errorf("%s is taken for a text", s.key)
		}
	}
	for key := range want {
		t.Errorf("files don't know the setting %s", key)
	}
}

func FuzzTOMLText(f *testing.F) {
	for _, seed := range []string{"", "plain", `it's "so"\`, "'", "\x00\t\n\x7f\u009b\u202e\U000e0001", `{"a":"\u003c"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip()
		}
		written := tomlText(s)
		var v struct{ V string }
		if _, err := toml.Decode("v = "+written, &v); err != nil || v.V != s {
			t.Errorf("%q was written as %s and read as %q, %v", s, written, v.V, err)
		}
		if strings.ContainsAny(written, "\n\r\t\x1b\u009b\u202e") {
			t.Errorf("%q was written as %q", s, written)
		}
	})
}
