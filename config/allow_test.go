package config

import (
	"strings"
	"testing"

	"signalbox/keymap"
)

func TestAllowGoesByVerbNumberAndPlace(t *testing.T) {
	c, err := Load(file(t, `theme = "dark"
[allow]
delete = false
verify = true
retry-all = ["test.*", "/sandbox", "!test.live"]
note = ["!/finance"]
`), true)
	if err != nil {
		t.Fatal(err)
	}
	q := func(name string, folders ...string) Queue { return Queue{name, folders} }
	for _, each := range []struct {
		verb keymap.Action
		n    int
		on   Queue
		line string // that refuses it; "" where it is allowed
	}{
		{keymap.Delete, 1, q("test.a"), ":3"},
		{keymap.Delete, 5, q("test.a"), ":3"},
		{keymap.Verify, 5, q("a"), ""},
		{keymap.Assign, 5, q("a"), ""}, // not named
		{keymap.Retry, 1, q("a"), ""},
		{keymap.Retry, 2, q("a"), ":5"},
		{keymap.Retry, 2, q("test.a"), ""},
		{keymap.Retry, 2, q("test.live"), ":5"},
		{keymap.Retry, 2, q("test.live", "/sandbox"), ":5"},
		{keymap.Retry, 2, q("a", "/other", "/sandbox/b"), ""},
		{keymap.Retry, 2, q("a", "/sandboxes"), ":5"},
		{keymap.Note, 1, q("a", "/finance/ap"), ":6"},
		{keymap.Note, 1, q("a", "/"), ""},
	} {
		err := c.Allow.Refuses(each.verb, each.n, each.on)
		if (err == nil) != (each.line == "") || err != nil && !strings.Contains(err.Error(), "by your config (config.toml"+each.line+")") {
			t.Errorf("%s of %d on %v: %v", each.verb, each.n, each.on, err)
		}
	}
	if err := c.Allow.Refuses(keymap.Retry, 2, q("test.a"), q("b")); err == nil || !strings.Contains(err.Error(), "on queue b") {
		t.Errorf("of two queues one is not allowed: %v", err)
	}
	if err := c.Allow.Refuses(keymap.Retry, 2); err != nil {
		t.Errorf("no queue is known yet: %v", err)
	}
}

func TestSaveLeavesWhatIsAllowedAlone(t *testing.T) {
	path := file(t, "[allow]\ndelete = false\n")
	if err := Save(path, Config{Theme: "light"}); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path, true)
	if err != nil || c.Theme != "light" || c.Allow.Refuses(keymap.Delete, 1) == nil {
		t.Errorf("%+v, %v", c, err)
	}
}
