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
		ok   bool
	}{
		{keymap.Delete, 1, q("test.a"), false},
		{keymap.Delete, 5, q("test.a"), false},
		{keymap.Verify, 5, q("a"), true},
		{keymap.Assign, 5, q("a"), true}, // not named
		{keymap.Retry, 1, q("a"), true},
		{keymap.Retry, 2, q("a"), false},
		{keymap.Retry, 2, q("test.a"), true},
		{keymap.Retry, 2, q("test.live"), false},
		{keymap.Retry, 2, q("test.live", "/sandbox"), false},
		{keymap.Retry, 2, q("a", "/other", "/sandbox/b"), true},
		{keymap.Retry, 2, q("a", "/sandboxes"), false},
		{keymap.Note, 1, q("a", "/finance/ap"), false},
		{keymap.Note, 1, q("a", "/"), true},
	} {
		err := c.Allow.Refuses(each.verb, each.n, each.on)
		if (err == nil) != each.ok || err != nil && !strings.Contains(err.Error(), "by your config (config.toml)") {
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
