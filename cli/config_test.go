package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settings writes the rig's config file and gives its path.
func (r *rig) config(data string) string {
	r.t.Helper()
	home := filepath.Join(r.dir, "config")
	r.env["XDG_CONFIG_HOME"] = home
	path := filepath.Join(home, "signalbox", "config.toml")
	if err := os.MkdirAll(filepath.Join(filepath.Dir(path), "themes"), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		r.t.Fatal(err)
	}
	return path
}

func says(t *testing.T, got string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(got, w) {
			t.Errorf("it does not say %q:\n%s", w, got)
		}
	}
}

func TestKeysOfTheSettings(t *testing.T) {
	r := newRig(t)
	r.config("[keys]\nretry = [\"R\", \"ctrl+r\"]\nfreeze = \"none\"\n")
	says(t, r.ok("key", "list", "-o", "jsonl"), `{"action":"retry","keys":["R","ctrl+r"]`, `{"action":"freeze","keys":[]`)
	says(t, r.ok("key", "list", "--keymap", "vim"), "esc ctrl+o")
	says(t, r.ok("key", "show", "retry"), `"keys":["R","ctrl+r"]`)
	says(t, r.ok("key", "show", "ctrl-r"), "table", "retry")
	says(t, r.ok("key", "show", "f"), "f does nothing.")
	says(t, r.ok("keys", "check"), "nothing is wrong; 2 actions changed")
	if got := r.run("key", "show", "rety"); got.code != 3 || !strings.Contains(got.stderr, "did you mean retry?") {
		t.Errorf("%+v", got)
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	path := r.config("mose = true\n\n[keys]\nretry = \"v\"\nrety = \"R\"\n")
	got := r.run("key", "check")
	if got.code != 2 || strings.Count(got.stdout, "\n") != 2 {
		t.Errorf("%+v", got)
	}
	says(t, got.stdout, path+":1: mose", "did you mean mouse?", path+":5: ", "did you mean retry?")
	got = r.run("snapshot", "slots")
	if got.code != 2 || !strings.Contains(got.stderr, "1 more fault; `signalbox key check` lists them") {
		t.Errorf("%+v", got)
	}
	if got := r.run("queue", "list"); got.code != 0 {
		t.Errorf("a command that needs no settings reads them: %+v", got)
	}
	if got := r.run("key", "check", "--config", filepath.Join(r.dir, "none.toml")); got.code != 2 || !strings.Contains(got.stdout, "can't be read") {
		t.Errorf("%+v", got)
	}
}

func TestKeyCheckKnowsTheTheme(t *testing.T) {
	r := newRig(t)
	r.config("theme = \"pink\"\n")
	if got := r.run("key", "check"); got.code != 2 || !strings.Contains(got.stdout, `theme "pink": there is no such theme`) {
		t.Errorf("%+v", got)
	}
	r.config("theme = \"deuter\"\n")
	r.ok("key", "check")
}

func TestThemesOfThePerson(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	path := r.config("theme = \"mine\"\n")
	own := filepath.Join(filepath.Dir(path), "themes", "mine.toml")
	if err := os.WriteFile(own, []byte("inherit = \"light\"\n\n[roles]\naccent = \"orange bold\"\nacent = \"blue\"\nmuted = \"#dddddd\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	says(t, r.ok("theme", "list"), "mine      own", "yes")
	got := r.run("theme", "check", "mine")
	if got.code != 2 {
		t.Errorf("%+v", got)
	}
	says(t, got.stdout, "mine.toml:5: role acent", "did you mean accent?")
	says(t, r.ok("theme", "check", "dark", "deuter"), "2 themes: nothing is wrong")
	says(t, r.ok("theme", "show", "dark", "--color", "always"), "state-stuck", "\x1b[")
	if got := r.run("theme", "show", "drak"); got.code != 3 || !strings.Contains(got.stderr, "did you mean dark?") {
		t.Errorf("%+v", got)
	}
	got = r.run("snapshot", "slots", "--size", "80x24")
	if got.code != 0 || !strings.Contains(got.stderr, "mine.toml:5") {
		t.Errorf("a theme's fault stops the picture, or is not told: %+v", got)
	}
}

func TestPlainConsoleTakesItsCommandsFromAPipe(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "orders", "--family", "transactions")
	r.ok("item", "add", "--queue", "orders", "--payload", `{"n":1}`, "--reference", "INV-1")
	r.stdin = "queues\nitems status:pending\npause orders\nquit\n"
	says(t, r.ok("--plain"), "0 of 25 slots are busy", "Queue orders, transactions", "orders/1, INV-1, pending.", "That is all.", "Queue orders is paused")
	if strings.Contains(r.ok("--plain"), "\x1b") {
		t.Error("an escape sequence is in the output")
	}
}

func TestSnapshotsOfQueuesAndItems(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "orders", "--family", "transactions")
	r.ok("item", "add", "--queue", "orders", "--payload", `{"n":"<&>"}`, "--reference", "INV-1")
	says(t, r.ok("snapshot", "orders"), "Queues ▸ orders", "INV-1")
	says(t, r.ok("snapshot", "orders/1"), "item 1", `"n": "<&>"`)
	for _, screen := range []string{"slots", "queues", "abandoned", "review", "events", "robots", "7"} {
		if got := r.ok("snapshot", screen, "--size", "80x24"); strings.Count(got, "\n") != 24 {
			t.Errorf("%s has %d lines", screen, strings.Count(got, "\n"))
		}
	}
	r.ok("item", "add", "--queue", "orders", "--job", "may", "--payload", `{}`)
	says(t, r.ok("snapshot", "jobs"), "3 Jobs 1", "may", "running")
	says(t, r.ok("snapshot", "job", "may"), "Jobs 1 ▸ may", "0% of 1 work unit", "available 1")
	says(t, r.ok("snapshot", "may", "--size", "80x24"), "Jobs 1 ▸ may")
	if got := r.run("snapshot", "job", "june"); got.code == 0 || !strings.Contains(got.stderr, "june") {
		t.Errorf("a job that isn't there: %+v", got)
	}
	says(t, r.ok("snapshot", "events"), "queue-add", "orders/1")
	r.fails(3, `item "orders/99": not found`, "snapshot", "orders/99")
	says(t, r.ok("snapshot", "orders/1", "--svg"), "<svg", "&lt;&amp;&gt;", "#101418")
	if got := r.run("snapshot", "ordres"); got.code != 2 {
		t.Errorf("%+v", got)
	}
	says(t, r.ok("snapshot", "slots", "--demo", "office", "--after", "200ms"), "DEMO", "pool")
	if got := r.run("snapshot", "slots", "--demo", "none"); got.code != 2 {
		t.Errorf("%+v", got)
	}
}
