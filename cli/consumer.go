package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"signalbox/engine"
)

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// checkConsumer refuses settings of a command consumer that could never work,
// and makes its paths, which are meant from base, whole: the engine runs it in
// another folder than ours.
func checkConsumer(base string, consumer map[string]any) error {
	if kind, ok := consumer["kind"].(string); ok && kind != engine.Manual && kind != engine.Command && kind != engine.HTTP {
		return usage(fmt.Sprintf("--consumer %q", kind), "a consumer is manual, command or http", "use one of these")
	}
	if all, ok := consumer["env"].([]string); ok {
		for _, v := range all {
			if !variable.MatchString(v) {
				return usage(fmt.Sprintf("--env %q", v), "a variable is NAME=VALUE", "write it as REGION=eu")
			}
		}
	}
	dir, _ := consumer["dir"].(string)
	if dir != "" {
		whole, err := wholePath(base, dir)
		if err != nil {
			return err
		}
		if info, err := os.Stat(whole); err != nil || !info.IsDir() {
			return usage("--dir "+dir, "there is no such folder", "make it, or name another")
		}
		dir, consumer["dir"] = whole, whole
	}
	argv, _ := consumer["argv"].([]string)
	if shell, _ := consumer["shell"].(bool); shell || len(argv) == 0 || !strings.Contains(argv[0], "/") {
		return nil
	}
	program, err := wholeProgram(base, argv[0], dir)
	consumer["argv"] = append([]string{program}, argv[1:]...)
	return err
}

func wholePath(base, path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Abs(filepath.Join(base, path))
}

// wholeProgram finds a relative program where the shell would, or else in the
// folder it is to run in.
func wholeProgram(base, name, dir string) (string, error) {
	here, err := wholePath(base, name)
	if err != nil || dir == "" || filepath.IsAbs(name) {
		return here, err
	}
	if _, err := os.Stat(here); err == nil {
		return here, nil
	}
	return filepath.Join(dir, name), nil
}

// printQueue prints a queue without the values of its consumer's headers, which
// may be secrets.
func (a *app) printQueue(state engine.QueueState) error {
	state.Consumer.Headers = engine.VeilHeaders(state.Consumer.Headers)
	return a.printOne(state)
}

// warnOfProgram tells of a consumer's program that is not there now: it may
// come before the items do.
func (a *app) warnOfProgram(state engine.QueueState) {
	c := state.Consumer
	if c.Kind != engine.Command || c.Shell || len(c.Argv) == 0 {
		return
	}
	if _, err := exec.LookPath(c.Argv[0]); err != nil {
		fmt.Fprintf(a.Stderr, "signalbox: warning: program %q can't be run now (%v); its items will fail until it can\n", c.Argv[0], reasonOf(err))
	}
}

// reasonOf leaves a path that was named already out of an error.
func reasonOf(err error) error {
	for {
		switch e := err.(type) {
		case *exec.Error:
			err = e.Err
		case *os.PathError:
			err = e.Err
		default:
			return err
		}
	}
}
