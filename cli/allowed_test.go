package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/config"
)

// Whatever the settings don't allow can't be done with any word that can be
// typed, and nothing else is held up.
func TestWhatIsNotAllowedIsRefusedByWord(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "orders", "--family", "transactions", "--folder", "/finance/ap")
	r.ok("queue", "add", "free", "--family", "transactions")
	for _, queue := range []string{"orders", "orders", "orders", "free"} {
		r.ok("item", "add", "--queue", queue, "--payload", `{"n":1}`)
	}
	rows := r.file("rows.jsonl", `{"payload":{"a":1}}`)
	var lines []string
	for _, verb := range config.Verbs() {
		switch verb {
		case "split", "new-queue":
			lines = append(lines, verb+" = false")
		default:
			lines = append(lines, verb+` = ["!/finance"]`)
		}
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[allow]\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{
		"retry orders/1", "verify orders/1", "assign orders/1 kim", "note orders/1 seen", "clear orders/1", `edit orders/1 {"n":2}`,
		"delete orders/1\nyes 1", "delete-all queue:orders\nyes 3", "pause orders", "resume orders", "unmask orders/1", "set orders retries 3",
		"import " + rows + " orders", "add-queue more", "split 2 2",
	} {
		r.stdin = typed + "\nquit\n"
		if out := r.ok("--plain", "--config", path); !strings.Contains(out, "by your config (config.toml)") {
			t.Errorf("%q was done:\n%s", typed, out)
		}
	}
	r.stdin = "pause free\nset free retries 3\ndelete free/1\nyes 1\nundo\nquit\n"
	says(t, r.ok("--plain", "--config", path), "Queue free is paused", "Changed retries", "free/1 is deleted", "Taken back")
	if got := r.ok("item", "list", "--queue", "orders", "-o", "json"); strings.Count(got, `"pending"`) != 3 {
		t.Errorf("items changed:\n%s", got)
	}
}

// A verb that has another way to be done is as little allowed that way.
func TestPausingBySettingsIsPausing(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "orders")
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[allow]\npause = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.stdin = "set orders paused yes\nset orders retries 3\nquit\n"
	says(t, r.ok("--plain", "--config", path), "pause: not allowed by your config (config.toml)", "Changed retries")
	if got := r.ok("queue", "show", "orders", "-o", "json"); !strings.Contains(got, `"paused":false`) {
		t.Errorf("it is paused:\n%s", got)
	}
}
