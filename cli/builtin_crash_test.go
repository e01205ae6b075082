package cli_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// jobState is a job as commands print it.
type jobState struct {
	ID, Status             string
	InFlight, Done, Failed int64
	EndedAt                string `json:"ended_at"`
}

// server is an engine in a process of its own that is killed and started again.
type server struct {
	*rig
	cmd   *exec.Cmd
	kills int
}

func (s *server) start() {
	s.t.Helper()
	s.cmd = s.process("serve")
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if got := s.run("--connect", "unix:"+filepath.Join(s.dir, "s.db.sock"), "slot", "show"); got.code == 0 {
			return
		}
		if time.Now().After(end) {
			s.t.Fatal("the engine does not answer")
		}
	}
}

func (s *server) kill() {
	s.t.Helper()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// through starts a built-in job, kills the engine in the middle of it as often as
// it is found there, and gives the job as it ended.
func (s *server) through(args ...string) jobState {
	s.t.Helper()
	j := parse[jobState](s.t, s.ok(append([]string{"job", "start"}, args...)...))
	killed, seen := 0, int64(-1)
	for end := time.Now().Add(60 * time.Second); j.EndedAt == ""; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("it does not end: %+v", j)
		}
		j = parse[jobState](s.t, s.ok("job", "show", j.ID))
		if killed < 2 && j.EndedAt == "" && (j.InFlight > 0 || j.Done > 0) && j.Done > seen {
			seen = j.Done
			killed++
			s.kill()
			s.start()
		}
	}
	s.kills += killed
	if lines := strings.Count(s.ok("job", "log", j.ID, "-o", "jsonl"), "\n"); lines != 1 {
		s.t.Errorf("the hook of %s has left %d lines", j.ID, lines)
	}
	return j
}

// An engine that is killed in the middle of an import, an export and a bulk act
// goes on with each when it is started again, with the right bytes and counts.
func TestBuiltinsAcrossKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	s := &server{rig: newRig(t)}
	const rows = 12_000
	var file strings.Builder
	for n := range rows {
		fmt.Fprintf(&file, "{\"payload\":{\"n\":%d,\"text\":\"row %d\"},\"reference\":\"R-%d\"}\n", n, n, n)
	}
	file.WriteString("{broken\n")
	path := s.file("rows.jsonl", file.String())
	s.ok("queue", "add", "orders", "--family", "transactions")
	s.start()
	defer func() { s.kill() }()

	s.ok("queue", "add", "whole", "--family", "transactions")
	good := s.file("good.jsonl", strings.TrimSuffix(file.String(), "{broken\n"))
	if j := s.through("import", good, "--queue", "whole"); j.Status != "done" || j.Done != rows {
		t.Errorf("the all-or-nothing import ended as %+v", j)
	}
	if q := parse[struct{ Counts map[string]int }](t, s.ok("queue", "show", "whole")); q.Counts["pending"] != rows {
		t.Errorf("%v are in, want %d", q.Counts, rows)
	}
	if j := s.through("import", path, "--queue", "whole"); j.Status != "done" || j.Failed != 1 {
		t.Errorf("the import of a bad file ended as %+v", j)
	}
	if q := parse[struct{ Counts map[string]int }](t, s.ok("queue", "show", "whole")); q.Counts["pending"] != rows {
		t.Errorf("after it %v are in, want %d", q.Counts, rows)
	}

	if j := s.through("import", path, "--queue", "orders", "--mode", "independent"); j.Status != "done" || j.Done != rows || j.Failed != 1 {
		t.Errorf("the import ended as %+v", j)
	} else if rejected := s.ok("job", "attachment", j.ID, "rejects"); strings.Count(rejected, "\n") != 1 || !strings.Contains(rejected, "{broken") {
		t.Errorf("rejected:\n%s", rejected)
	}
	if q := parse[struct{ Counts map[string]int }](t, s.ok("queue", "show", "orders")); q.Counts["pending"] != rows {
		t.Errorf("%v are in, want %d", q.Counts, rows)
	}

	for _, format := range []string{"csv", "jsonl", "xml"} {
		want := filepath.Join(s.dir, "want."+format)
		s.ok("export", "--queue", "orders", "--format", format, "-f", want)
		j := s.through("export", "--queue", "orders", "--as", format)
		if j.Status != "done" || j.Done != rows {
			t.Errorf("the %s export ended as %+v", format, j)
		}
		got := filepath.Join(s.dir, "got."+format)
		s.ok("job", "attachment", j.ID, "orders."+format, "-f", got)
		if s.read(got) != s.read(want) {
			t.Errorf("the %s differs", format)
		}
	}

	j := s.through("bulk", "delete", "--queue", "orders", "--filter", "number:<=9000", "--yes")
	if j.Status != "done" || j.Done != 9000 {
		t.Errorf("the bulk act ended as %+v", j)
	}
	if log := s.ok("job", "log", j.ID, "-o", "jsonl"); !strings.Contains(log, "9000 done, 0 changed since, 0 gone, 0 not allowed") {
		t.Errorf("it says %s", log)
	}
	if q := parse[struct{ Counts map[string]int }](t, s.ok("queue", "show", "orders")); q.Counts["deleted"] != 9000 || q.Counts["pending"] != rows-9000 {
		t.Errorf("after it there are %v", q.Counts)
	}
	if s.kills == 0 {
		t.Error("nothing was killed in the middle")
	}
	t.Logf("killed %d times", s.kills)
	s.ok("check")
}
