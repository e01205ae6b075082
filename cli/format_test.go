package cli_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// Every command prints what -o asks for, or says that it can't and does
// nothing; none goes past it.
func TestEveryCommandHeedsTheFormat(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.adds("q", `{"a": 1}`)
	r.ok("item", "import", "--queue", "q", "--job", "may", r.file("may.jsonl", "{}\n"))
	machine := regexp.MustCompile(`^[a-z0-9._-]+$`) // the name of a column
	for _, args := range [][]string{
		{"queue", "list"}, {"queue", "show", "q"}, {"queue", "dump"}, {"queue", "prune", "q", "--dry-run"},
		{"queue", "apply", "--dry-run", "-f", r.file("q.toml", "[[queue]]\nname = 'z'\n")},
		{"item", "list"}, {"item", "list", "--explain"}, {"item", "show", "q/1"}, {"item", "explain", "q/1"}, {"item", "history", "q/1"}, {"item", "bulk", "list"},
		{"job", "list"}, {"job", "show", "may"}, {"job", "log", "may"}, {"job", "attachment", "may"}, {"notify", "list"},
		{"slot", "show"}, {"slot", "history"}, {"check"}, {"snapshot", "slots"},
		{"key", "list"}, {"key", "show", "retry"}, {"key", "show", "r"}, {"key", "check"}, {"theme", "list"}, {"theme", "show", "dark"}, {"theme", "check"},
		{"export", "--queue", "q"},
	} {
		name := strings.Join(args, " ")
		r.fails(2, "xlsx", append(args, "-o", "xlsx")...)
		for _, format := range []string{"json", "jsonl", "csv"} {
			got := r.run(append(args, "-o", format)...)
			if got.code == 2 && got.stdout == "" && strings.Contains(got.stderr, "format") && strings.Contains(got.stderr, format) {
				continue // refused
			}
			if got.code != 0 {
				t.Errorf("%s -o %s: exit %d and %q", name, format, got.code, got.stderr)
				continue
			}
			switch format {
			case "json":
				if !json.Valid([]byte(got.stdout)) {
					t.Errorf("%s -o json: %s", name, got.stdout)
				}
			case "jsonl":
				for lines := bufio.NewScanner(strings.NewReader(got.stdout)); lines.Scan(); {
					if !json.Valid(lines.Bytes()) {
						t.Errorf("%s -o jsonl: %s", name, lines.Text())
					}
				}
			case "csv":
				rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
				if err != nil || len(rows) == 0 {
					t.Errorf("%s -o csv: %v in %q", name, err, got.stdout)
					continue
				}
				for _, column := range rows[0] {
					if !machine.MatchString(column) && args[0] != "export" {
						t.Errorf("%s -o csv: column %q", name, column)
					}
				}
			}
		}
	}
	bad := r.file("bad.toml", "mose = true\n")
	got := r.run("key", "check", "--config", bad, "-o", "json")
	if wrong := parse[struct{ Problems []string }](t, got.stdout).Problems; got.code != 2 || len(wrong) != 1 || !strings.Contains(wrong[0], "did you mean mouse?") {
		t.Errorf("%+v", got)
	}
}
