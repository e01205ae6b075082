package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type queue struct {
	Name       string
	Family     string
	Lane       string
	Lease      string
	Retries    int
	Paused     bool
	Mask       []string
	RetryFloor string `json:"retry_floor"`
	OnExpiry   string `json:"on_expiry"`
	Consumer   struct {
		Kind, Dir, Timeout string
		Argv, Env          []string
		Shell              bool
	}
	Counts  map[string]int
	Delayed int
}

func TestQueues(t *testing.T) {
	r := newRig(t)
	q := parse[queue](t, r.ok("queue", "add", "ap.invoices", "--family", "transactions", "--lane", "slow", "--retries", "3", "--retry-floor", "2s", "--mask", "iban", "--mask", "name"))
	if q.Family != "transactions" || q.Lane != "slow" || q.Lease != "5m" || q.Retries != 3 || q.RetryFloor != "2s" || len(q.Mask) != 2 || q.Consumer.Kind != "manual" {
		t.Errorf("added %+v", q)
	}
	q = parse[queue](t, r.ok("queues", "add", "runs", "--env", "A=1", "--dir", "/tmp", "--timeout", "1m", "--", "sh", "-c", "exit 0"))
	if q.Family != "jobs" || q.Consumer.Kind != "command" || strings.Join(q.Consumer.Argv, "|") != "sh|-c|exit 0" || q.Consumer.Env[0] != "A=1" || q.Consumer.Timeout != "1m" {
		t.Errorf("added %+v", q)
	}
	q = parse[queue](t, r.ok("queue", "set", "runs", "--shell", "--lease", "1h", "--", "exit 1"))
	if !q.Consumer.Shell || q.Lease != "1h" || q.Consumer.Argv[0] != "exit 1" || len(q.Consumer.Argv) != 1 || q.Consumer.Env[0] != "A=1" {
		t.Errorf("set %+v", q)
	}
	if q = parse[queue](t, r.ok("queue", "pause", "runs")); !q.Paused {
		t.Error("not paused")
	}
	if out := r.ok("queue", "list"); !strings.Contains(out, "NAME") || !strings.Contains(out, "paused by kim") {
		t.Errorf("list is\n%s", out)
	}
	if q = parse[queue](t, r.ok("queue", "resume", "runs")); q.Paused {
		t.Error("still paused")
	}
	r.ok("item", "add", "--queue", "runs", "--payload", "1", "--defer", "+1h")
	if q = parse[queue](t, r.ok("queue", "show", "runs")); q.Counts["queued"] != 1 || q.Delayed != 1 {
		t.Errorf("shown %+v", q)
	}
	r.fails(5, "it holds unsettled items: 1; settle them, or delete it all the same with --force", "queue", "delete", "runs")
	r.ok("queue", "delete", "runs", "--force")
	r.fails(3, `queue "runs": not found`, "queue", "show", "runs")
}

func TestQueueListFormats(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "auto")
	if out := r.ok("queue", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("no queues are %q", out)
	}
	for _, name := range []string{"a", "b", "c"} {
		r.ok("queue", "add", name, "--family", "transactions")
	}
	r.ok("queue", "pause", "b")
	names := func(args ...string) string {
		var names []string
		for _, q := range parse[[]queue](t, r.ok(append([]string{"queue", "list", "-o", "json"}, args...)...)) {
			names = append(names, q.Name)
		}
		return strings.Join(names, " ")
	}
	for want, args := range map[string][]string{
		"a b c": nil,
		"a b":   {"--limit", "2"},
		"c":     {"--after", "b"},
		"b":     {"--filter", "paused:true"},
		"a c":   {"--filter", "!paused:true transactions"},
	} {
		if got := names(args...); got != want {
			t.Errorf("queue list %v gave %q, want %q", args, got, want)
		}
	}
	if out := r.ok("queue", "list", "-o", "jsonl"); strings.Count(out, "\n") != 3 || parse[queue](t, strings.Split(out, "\n")[0]).Name != "a" {
		t.Errorf("jsonl is\n%s", out)
	}
	if out := r.ok("queue", "list", "-o", "csv"); !strings.HasPrefix(out, "name,family,lane,") || strings.Count(out, "\n") != 4 {
		t.Errorf("csv is\n%s", out)
	}
	r.fails(2, "use table, json, jsonl or csv", "queue", "list", "-o", "xml")
	r.fails(2, "this command prints one object", "queue", "show", "a", "-o", "csv")
}

func TestDeletingAsksAPerson(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.terminal = true
	r.stdin = "\n"
	if got := r.run("queue", "delete", "q"); got.code != 1 || !strings.Contains(got.stderr, "Delete queue q and 0 items in it?") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.stdin = "y\n"
	if got := r.run("queue", "delete", "q"); got.code != 0 {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.ok("queue", "add", "q")
	r.stdin = ""
	if got := r.run("queue", "delete", "q", "--yes"); got.code != 0 || got.stderr != "" {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}

// A queue of settled items goes without a word only when somebody said so.
func TestDeletingItemsIsConfirmed(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("item", "add", "--queue", "q", "--payload", "{}")
	r.ok("complete", r.claimed("--queue", "q", "--robot", "r")[0].ID, "--fence", "1")
	r.fails(2, "nobody is there to confirm; add --yes", "queue", "delete", "q")
	if got := r.ok("queue", "list", "-o", "jsonl"); !strings.Contains(got, `"q"`) {
		t.Errorf("left are\n%s", got)
	}
	r.ok("queue", "delete", "q", "--yes")
	r.ok("queue", "add", "empty")
	r.ok("queue", "delete", "empty")
}

// A format that a command can't print is refused before it acts.
func TestFormatsAreCheckedFirst(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	for _, command := range []string{
		"queue add other -o csv", "queue add other -o xml", "slot set 9 -o xml", "queue pause q -o csv", "queue set q --retries 3 -o csv", "queue link q /a -o csv",
		"item add --queue q --payload {} -o xml", "claim --queue q --robot r -o xml", "notify add n http://h.example -o csv",
		"item add --queue q --payload {} --tz Mars/Base",
	} {
		if got := r.run(strings.Fields(command)...); got.code != 2 || got.stdout != "" {
			t.Errorf("signalbox %s: exit %d, %s", command, got.code, got.stdout)
		}
	}
	if got := r.ok("queue", "list", "-o", "jsonl"); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"revision":1`) || !strings.Contains(got, `"counts":{}`) {
		t.Errorf("they did\n%s", got)
	}
	if got := r.ok("notify", "list", "-o", "jsonl"); got != "" {
		t.Errorf("they did\n%s", got)
	}
}

func TestWhoMayNotWriteIsToldHowToLook(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	r := newRig(t)
	r.ok("queue", "add", "q")
	if err := os.Chmod(filepath.Join(r.dir, "s.db"), 0o400); err != nil {
		t.Fatal(err)
	}
	r.fails(7, "permission denied; look at it with --read-only", "queue", "list")
	r.ok("queue", "list", "--read-only")
}

// What a command consumer can't work with is refused at the door, and its
// paths are made whole, as the engine runs elsewhere.
func TestCommandConsumers(t *testing.T) {
	r := newRig(t)
	t.Chdir(r.dir)
	r.file("work.sh", "#!/bin/sh\n")
	if err := os.MkdirAll("sub/bin", 0o700); err != nil {
		t.Fatal(err)
	}
	r.file("sub/bin/deep.sh", "#!/bin/sh\n")
	r.ok("queue", "add", "q")
	for words, args := range map[string]string{
		`--env "NOVALUE": a variable is NAME=VALUE`:                   "--env NOVALUE",
		`--env "=x": a variable is NAME=VALUE`:                        "--env =x",
		`--env "1A=x": a variable is NAME=VALUE`:                      "--env A=1 --env 1A=x",
		"--dir nowhere: there is no such folder":                      "--dir nowhere",
		"--dir work.sh: there is no such folder":                      "--dir work.sh",
		`--consumer "handler": a consumer is manual, command or http`: "--consumer handler",
	} {
		r.fails(2, words, append([]string{"queue", "set", "q"}, strings.Fields(args)...)...)
		r.fails(2, words, append([]string{"queue", "add", "x"}, strings.Fields(args+" -- true")...)...)
	}
	here, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string][2]string{
		"-- ./work.sh":                             {here + "/work.sh", ""},
		"--dir sub -- ./work.sh":                   {here + "/work.sh", here + "/sub"},
		"--dir sub -- bin/deep.sh":                 {here + "/sub/bin/deep.sh", here + "/sub"},
		"--dir " + here + " -- sh -c ./work.sh":    {"sh", here},
		"--shell --dir sub -- ./a.sh --fast | cat": {"./a.sh", here + "/sub"},
	} {
		got := r.run(append([]string{"queue", "set", "q", "--shell=false"}, strings.Fields(args)...)...)
		q := parse[queue](t, got.stdout)
		if q.Consumer.Argv[0] != want[0] || want[1] != "" && q.Consumer.Dir != want[1] || got.stderr != "" {
			t.Errorf("%s: %+v, %s", args, q.Consumer, got.stderr)
		}
	}
	for _, program := range []string{"no-such-program-here", "./not-there.sh", "/not/there"} {
		got := r.run("queue", "set", "q", "--shell=false", "--", program)
		if got.code != 0 || !strings.Contains(got.stderr, "warning: program ") || !strings.Contains(got.stderr, filepath.Base(program)) {
			t.Errorf("%s: exit %d, %s", program, got.code, got.stderr)
		}
	}
}

// Headers may hold secrets: they work, and round trips keep them, but nothing
// that shows a queue tells them.
func TestHTTPConsumers(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		const secret = "Bearer hunter2"
		shown := r.ok("queue", "add", "h", "--url", "https://robots.example/q?a=1", "--header", "Authorization: "+secret, "--header", "X-Team: ap")
		for _, args := range []string{
			"queue show h", "queue show h -o table", "queue list -o json", "queue set h --header X-Key:hunter2 --timeout 5s", "queue pause h", "queue resume h",
		} {
			shown += r.ok(strings.Fields(args)...)
		}
		shown += r.ok("queue", "set", "h", "--header", "Authorization: "+secret)
		if strings.Contains(shown, "hunter2") || strings.Count(shown, "Authorization: ••••") != 5 || !strings.Contains(shown, `"kind":"http"`) {
			t.Errorf("shown is\n%s", shown)
		}
		dump := r.ok("queue", "dump", "h")
		for _, line := range []string{`consumer.kind = "http"`, `consumer.url = "https://robots.example/q?a=1"`, `consumer.headers = ["Authorization: ` + secret + `"]`, `consumer.timeout = "5s"`, "may be secrets"} {
			if !strings.Contains(dump, line) {
				t.Errorf("the dump lacks %s:\n%s", line, dump)
			}
		}
		file := r.file("queues.toml", dump)
		if out := r.ok("queue", "apply", "-f", file); !strings.Contains(out, "nothing to change") {
			t.Errorf("applied:\n%s", out)
		}
		r.ok("queue", "set", "h", "--header", "X-Other: hunter3")
		if out := r.ok("queue", "apply", "-f", file); strings.Contains(out, "hunter") || !strings.Contains(out, "Authorization: ••••") {
			t.Errorf("applied:\n%s", out)
		}
		if again := r.ok("queue", "dump", "h"); again != dump {
			t.Errorf("the dump is\n%s", again)
		}
		for words, args := range map[string][]string{
			"an http consumer needs a URL": {"--consumer", "http", "--url", ""},
			"http or https URL":            {"--url", "ftp://host/x"},
			"it is no URL":                 {"--url", "http://a b"},
			`url "https://kim:xxxxx@host": a URL holds no password`: {"--url", "https://kim:hunter2@host"},
			"a header is a name, a colon":                           {"--header", "hunter2"},
			`header "X Y": a header's name`:                         {"--header", "X Y: hunter2"},
			`header "Content-Length": it is set by`:                 {"--header", "Content-Length: 3"},
			`header "X": its value has a control`:                   {"--header", "X: a\r\nY: hunter2"},
			"the mask that stands for it":                           {"--header", "X: ••••"},
		} {
			r.fails(2, words, append([]string{"queue", "set", "h"}, args...)...)
		}
	})
}

// The table's columns count what the console's count, each item once.
func TestQueueTable(t *testing.T) {
	r := newRig(t)
	exceptions(r, 3)
	r.ok("item", "add", "--queue", "q", "--payload", "{}")
	r.ok("item", "add", "--queue", "q", "--payload", "{}", "--defer", "+1h")
	lines := strings.Split(r.ok("queue", "list"), "\n")
	head, row := strings.Fields(lines[0]), strings.Fields(lines[1])
	if got := strings.Join(head[4:], " "); got != "WAITING DELAYED RUNNING DONE EXCEPTED FAILED ABANDONED OVERDUE AT-RISK NOTE" {
		t.Errorf("the columns are %s", got)
	}
	if got := strings.Join(row[4:], " "); got != "1 1 0 0 3 0 0 0 0" {
		t.Errorf("the numbers are %s", got)
	}
}
