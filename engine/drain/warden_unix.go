//go:build unix

package drain

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// warden is a shell that outlives the engine by a moment. It is told which
// process groups run; when the engine dies without a word the pipe between them
// closes, and it kills those that are left. What Pdeathsig does for a program
// it does for all that the program started, on every Unix. A group is named
// before its program is given an item.
type warden struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	pipe *os.File
}

const wardenScript = `trap '' HUP INT TERM
groups=' '
while read -r what group; do
	case $what in
	+) groups="$groups$group " ;;
	-) groups="${groups%% $group *} ${groups#* $group }" ;;
	esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done`

// begin starts the shell, ahead of the first program, so that a group is named
// as soon as it runs. Without a shell the engine works all the same.
func (w *warden) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, pipe, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", wardenScript)
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of a terminal are not for it
	if err := cmd.Start(); err != nil {
		pipe.Close()
		return
	}
	w.cmd, w.pipe = cmd, pipe
}

// watch names a group that runs from now on.
func (w *warden) watch(group int) { w.say("+", group) }

// forget names a group of which nothing is left.
func (w *warden) forget(group int) { w.say("-", group) }

func (w *warden) say(what string, group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pipe != nil {
		_, _ = fmt.Fprintln(w.pipe, what, group) // a warden that has died is no loss to the work
	}
}

// end dismisses the shell.
func (w *warden) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cmd != nil {
		_ = w.pipe.Close()
		_ = w.cmd.Wait()
	}
	w.cmd, w.pipe = nil, nil
}
