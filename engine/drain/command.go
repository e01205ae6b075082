package drain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Exit codes of a program with a meaning of their own; any other than 0 is a
// system exception, as is 75 (try again).
const (
	exitBusiness = 65
	exitNotRun   = 126 // a shell's word for a program it could not run
	exitNotFound = 127 // and for one it did not find
	stderrKept   = 100 << 10
)

// SlotVariable names the environment variable that holds the token of the slot
// in which a program runs.
const SlotVariable = "SIGNALBOX_SLOT"

// command works items with a program: one run per item, or per batch.
type command struct {
	set       *store.Queue
	wave      bool // all items of a claim in one run
	spawner   *spawner
	killDelay time.Duration
	hurry     <-chan struct{}
	env       []string // of the engine's
	slot      string   // the token of the drain's slot
}

func (c *command) together() bool { return c.wave }

// patience covers SIGTERM, SIGKILL, and the wait for what was written.
func (c *command) patience(kill time.Duration) time.Duration {
	return kill + linger + lastWords + 5*time.Second
}

func (c *command) work(ctx context.Context, records []engine.Record) result {
	input, err := input(c.set.Name, records, c.wave)
	if err != nil {
		return failed(engine.System, "the item can't be written as JSON: "+err.Error(), "")
	}
	p := &process{cmd: c.build(records), spawner: c.spawner, killDelay: c.killDelay, hurry: c.hurry, stdout: head{limit: kept(records, c.wave)}, stderr: tail{limit: stderrKept}}
	if err := p.run(ctx, input); err != nil {
		return broken(c.whyNot(err))
	}
	if p.cut {
		res := failed(engine.System, "stopped", p.stderr.text())
		res.cut = true
		return res
	}
	if code := p.code(); c.set.Consumer.Shell && (code == exitNotFound || code == exitNotRun) {
		return broken(p.reason())
	}
	if c.wave {
		return readWave(records, &p.stdout, p.stderr.text(), p.allAlike(), p.unsaid())
	}
	return p.itemResult()
}

// whyNot words why a program could not be started: the system's own words blame
// the program for a folder or an interpreter that is not there.
func (c *command) whyNot(err error) string {
	if dir := c.set.Consumer.Dir; dir != "" {
		if info, gone := os.Stat(dir); gone != nil || !info.IsDir() {
			return fmt.Sprintf("its folder %q is not there", dir)
		}
	}
	e, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err.Error()
	}
	if _, gone := os.Stat(e.Path); gone == nil && errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("program %q: the interpreter that its first line names is not there", e.Path)
	}
	return fmt.Sprintf("program %q: %v", e.Path, e.Err)
}

func (c *command) build(records []engine.Record) *exec.Cmd {
	argv := c.set.Consumer.Argv
	if c.set.Consumer.Shell {
		argv = []string{"sh", "-c", strings.Join(argv, " ")}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = c.set.Consumer.Dir
	cmd.Env = slices.Concat(os.Environ(), c.env, c.set.Consumer.Env)
	item, attempt := "", ""
	if !c.wave {
		item, attempt = records[0].ID().String(), strconv.Itoa(records[0].Attempts)
	}
	cmd.Env = append(cmd.Env, "SIGNALBOX_QUEUE="+c.set.Name, "SIGNALBOX_ITEM="+item, "SIGNALBOX_ATTEMPT="+attempt, "SIGNALBOX_JOB="+sharedJob(records), SlotVariable+"="+c.slot)
	return cmd
}

// sharedJob is the job all records belong to, "" when they differ.
func sharedJob(records []engine.Record) string {
	job := records[0].Job
	for _, r := range records {
		if r.Job != job {
			return ""
		}
	}
	return job
}

// itemResult reads the result of a run for one item.
func (p *process) itemResult() result {
	switch code := p.code(); code {
	case 0:
	case exitBusiness:
		return failed(engine.Business, p.reason(), p.stderr.text())
	default:
		return failed(engine.System, p.reason(), p.stderr.text())
	}
	output, err := p.stdout.output()
	if err != nil {
		return failed(engine.System, err.Error(), p.stderr.text())
	}
	return result{reports: []engine.Settlement{{Status: engine.Success, Output: output}}}
}

// code is the exit code, -1 for a program ended by a signal.
func (p *process) code() int { return p.cmd.ProcessState.ExitCode() }

// reason is the program's last word on stderr, or how it ended.
func (p *process) reason() string {
	word, state := p.stderr.lastLine(), p.cmd.ProcessState.String()
	switch {
	case word == "":
		return state + ", and nothing on stderr"
	case p.code() < 0:
		return fmt.Sprintf("%s: %s", state, word)
	}
	return word
}
