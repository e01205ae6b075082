package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

// What is taken as a queue's name or folder can be read again wherever it is
// written.
func FuzzQueueName(f *testing.F) {
	for _, s := range []string{"a", "finance.invoices", "a..b", ".a", "a.", "A", "ä", "signalbox.x", "a/b", "-a", strings.Repeat("a", 129), "a\n"} {
		f.Add(s, "/")
	}
	for _, s := range []string{"/a/b", "//", "/a/", "/ a", "/..", "/ä ö", "a", "/\x00", strings.Repeat("/a", 200)} {
		f.Add("q", s)
	}
	e, err := engine.Open(f.Context(), memory.New(), engine.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = e.Close() })
	f.Fuzz(func(t *testing.T, name, folder string) {
		q := engine.DefaultQueue(name, store.Jobs)
		q.Folder = folder
		if _, err := e.AddQueue(t.Context(), q); err != nil {
			if code := store.CodeOf(err); code != store.CodeInvalid && code != store.CodeConflict {
				t.Errorf("%q in %q: %v", name, folder, err)
			}
			return
		}
		defer func() { _ = e.DeleteQueue(t.Context(), name, true) }()
		if id, err := store.ParseID(store.ID{Queue: name, Number: 7}.String()); err != nil || id.Queue != name {
			t.Errorf("an item of %q is read as %v (%v)", name, id, err)
		}
		if folder != "/" && (strings.HasSuffix(folder, "/") || strings.Contains(folder, "//") || !utf8.ValidString(folder)) {
			t.Errorf("folder %q was taken", folder)
		}
		filter := "queue:" + name + " folder:" + engine.Quoted(folder)
		if _, err := e.List(t.Context(), engine.ListRequest{Filter: filter}); err != nil {
			t.Errorf("%s: %v", filter, err)
		}
	})
}

// A quoted value is read as it was, whatever is in it.
func FuzzQuoted(f *testing.F) {
	for _, s := range []string{"a b", `"`, `\`, `\"`, "'", "a:b", "!", "\n", "é\xff"} {
		f.Add(s)
	}
	e, err := engine.Open(f.Context(), memory.New(), engine.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = e.Close() })
	if _, err := e.AddQueue(f.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if key == "" || len(key) > 500 || !utf8.ValidString(key) {
			return
		}
		added, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: []byte("1"), Key: key}}})
		if err != nil {
			return // no such key
		}
		page, err := e.List(t.Context(), engine.ListRequest{Filter: "key:" + engine.Quoted(key)})
		if err != nil || len(page.Items) != 1 || page.Items[0].Number != added[0].Item.Number {
			t.Errorf("key %q finds %v (%v)", key, page.Items, err)
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, s := range []string{"", "2026-03-01T09:30:00Z", "2026-03-01T09:30:00.123456+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-02-30T00:00:00Z", "1970-01-01T00:00:00Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var at, again store.Time
		if err := at.UnmarshalText([]byte(s)); err != nil {
			return
		}
		text, err := at.MarshalText()
		if err == nil {
			err = again.UnmarshalText(text)
		}
		if err != nil || again != at {
			t.Errorf("%q is %d, written %s, read again %d (%v)", s, at, text, again, err)
		}
	})
}
