package tui

import (
	"os"
	"path/filepath"
	"testing"

	"signalbox/config"
	"signalbox/tui/internal/fake"
)

func allowing(t *testing.T, lines string) func(*Options) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[allow]\n"+lines), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, true)
	if err != nil {
		t.Fatal(err)
	}
	c.Theme = "dark"
	return func(o *Options) { o.Config = c }
}

func TestMenuTellsWhatTheSettingsDontAllow(t *testing.T) {
	c := group(t, allowing(t, "delete = false\nretry-all = [\"test.*\"]\nverify = [\"!/finance\"]\n"))
	c.shows("LIMITED")
	c.press("x")
	c.shows("not allowed by your config (config.toml)")
	c.press("esc", "r")
	c.feed()
	c.shows("Retried finance.orders/4")
	c.press("space", "space", "x")
	c.shows("not allowed on queue finance.orders by your config (config.toml)")
	c.press("esc", "r")
	c.shows("Can't retry: not allowed on queue finance.orders by your config (config.toml)")
	if n := len(c.engine.Retries); n != 1 {
		t.Errorf("%d retries", n)
	}
}

func TestNoKeyDoesWhatTheSettingsDontAllow(t *testing.T) {
	all := ""
	for _, verb := range config.Verbs() {
		all += verb + " = false\n"
	}
	const why = "not allowed by your config"
	for _, keys := range [][]string{
		{"5", "r"}, {"5", "v"}, {"5", "A"}, {"5", "c"}, {"4", "r"}, {"2", "p"}, {"2", "O"}, {"2", "N"}, {"2", "I"}, {"1", "S"}, {"3", "p"},
		{"5", "enter", "r"}, {"5", "enter", "E"}, {"5", "enter", "a", "r"}, {"5", "enter", "enter", "v"},
	} {
		c := open(t, fake.Lifelike(), 160, 40, allowing(t, all))
		c.press(keys...)
		c.shows(why)
		if n := len(c.engine.Retries) + len(c.engine.Reviews) + len(c.engine.Deletes); n > 0 {
			t.Errorf("%q did it", keys)
		}
	}
}
