package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signalbox/cli"
)

// asSignalbox makes the test's own binary behave as signalbox, so that tests
// can start it as a process of its own.
const asSignalbox = "SIGNALBOX_TEST_AS_SIGNALBOX"

func TestMain(m *testing.M) {
	if os.Getenv(asSignalbox) != "" {
		os.Exit(cli.Run(context.Background(), cli.System("test"), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// rig runs commands on one store in a folder of the test's own.
type rig struct {
	t        testing.TB
	dir      string
	env      map[string]string
	terminal bool // a person is at all three ends
	stdin    string
	input    io.Reader // in place of stdin
	now      time.Time
}

func newRig(t testing.TB) *rig {
	dir := t.TempDir()
	return &rig{t: t, dir: dir, env: map[string]string{
		"SIGNALBOX_STORE": "bolt:" + filepath.Join(dir, "s.db"),
		"SIGNALBOX_ACTOR": "kim",
	}, now: time.Now()}
}

// result is what a command left.
type result struct {
	code           int
	stdout, stderr string
}

func (r *rig) run(args ...string) result {
	r.t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(r.t.Context(), r.world(&out, &errs), args)
	return result{code, out.String(), errs.String()}
}

func (r *rig) world(out, errs io.Writer) cli.Env {
	input := r.input
	if input == nil {
		input = strings.NewReader(r.stdin)
	}
	return cli.Env{
		Stdin: input, Stdout: out, Stderr: errs,
		Getenv:     func(name string) string { return r.env[name] },
		Now:        func() time.Time { return r.now },
		Zone:       time.UTC,
		IsTerminal: func(any) bool { return r.terminal },
		Version:    "test",
	}
}

// ok runs a command that must succeed and gives its output.
func (r *rig) ok(args ...string) string {
	r.t.Helper()
	got := r.run(args...)
	if got.code != 0 {
		r.t.Fatalf("signalbox %s: exit %d\n%s", strings.Join(args, " "), got.code, got.stderr)
	}
	return got.stdout
}

// fails runs a command that must fail with a code and one line on stderr that
// holds the words.
func (r *rig) fails(code int, words string, args ...string) {
	r.t.Helper()
	got := r.run(args...)
	if got.code != code || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, words) {
		r.t.Errorf("signalbox %s: exit %d and %q; want %d and one line with %q", strings.Join(args, " "), got.code, got.stderr, code, words)
	}
}

// file writes a file into the rig's folder and gives its path.
func (r *rig) file(name, text string) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		r.t.Fatal(err)
	}
	return path
}

func (r *rig) read(path string) string {
	r.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// parse reads a command's JSON.
func parse[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

// item is an item as commands print it.
type item struct {
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	Reference string         `json:"reference"`
	Priority  string         `json:"priority"`
	Fence     uint64         `json:"fence"`
	DueAt     string         `json:"due_at"`
	Defer     string         `json:"defer_until"`
	CreatedBy string         `json:"created_by"`
	ClaimedBy string         `json:"claimed_by"`
	Previous  string         `json:"previous"`
	Progress  string         `json:"progress"`
	Payload   map[string]any `json:"payload"`
	Output    map[string]any `json:"output"`
	Error     struct{ Kind, Reason, Details string }
	Review    struct{ Status, Reviewer, Note string }
}

// outcome is an outcome as commands print it; a retry prints items, whose
// errors are objects.
type outcome struct {
	Item, Result, Status, Next string
	Error                      any
}

// claimed claims items and gives them.
func (r *rig) claimed(args ...string) []item {
	r.t.Helper()
	return parse[[]item](r.t, r.ok(append([]string{"claim"}, args...)...))
}

// process starts signalbox as a process of its own.
func (r *rig) process(args ...string) *exec.Cmd {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(r.t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asSignalbox+"=1")
	for name, value := range r.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}
