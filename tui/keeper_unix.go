//go:build unix

package tui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/term"
)

// keeper is a shell that outlives the console by a moment. What breaks within
// the console's own reach is caught there (see guard); a fault anywhere else in
// the process, such as one of the runtime, and a kill leave it no time for the
// terminal. When the console dies without a word the pipe between them closes:
// the shell gives the terminal its modes back, and keeps what the runtime wrote
// of the fault. The runtime is told to end by a signal: after an exit some shells
// take the modes that they find for those wanted, before ours has set them.
type keeper struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// farewell is the word of a console that has put the terminal in order itself.
const farewell = "bye"

// keeperScript is given the report's path; 3 is the terminal. Its modes are read
// before the console changes them, and the empty line says that they are.
const keeperScript = `trap '' HUP INT QUIT TERM TSTP TTOU
modes=$(stty -g <&3) || exit
echo
told=$(cat)
[ "$told" = ` + farewell + ` ] && exit
stty "$modes" <&3
printf '\033[=0;1u\033[?1049l\033[?25h\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2004l\033[?2026l\033]9;4;0\007\033[0m\r' >&3
[ -n "$told" ] && printf '%s\n' "$told" >"$1" &&
	printf 'signalbox: the console broke; the report is in %s; send it with a word on what you did\n' "$1" >&3`

// keep starts the shell beside a console on a terminal, and waits until it has
// seen the terminal's modes. Without a shell the console works all the same.
func (k *keeper) keep(terminal *os.File, reports string) {
	if !term.IsTerminal(int(terminal.Fd())) {
		return
	}
	if reports == "" || os.MkdirAll(reports, 0o700) != nil {
		reports = os.TempDir()
	}
	report := filepath.Join(reports, fmt.Sprintf("console-%s-%d.txt", time.Now().UTC().Format("20060102-150405"), os.Getpid()))
	r, pipe, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", keeperScript, "sh", report)
	cmd.Stdin, cmd.ExtraFiles = r, []*os.File{terminal}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of the terminal are not for it
	ready, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		pipe.Close()
		return
	}
	k.cmd, k.pipe = cmd, pipe
	_, _ = ready.Read(make([]byte, 1))
	_ = debug.SetCrashOutput(pipe, debug.CrashOptions{})
	debug.SetTraceback("crash")
}

// end dismisses the shell: the terminal is in order.
func (k *keeper) end() {
	if k.cmd == nil {
		return
	}
	debug.SetTraceback("single") // as it is without a word in the environment
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_, _ = k.pipe.WriteString(farewell)
	_ = k.pipe.Close()
	_ = k.cmd.Wait()
}
