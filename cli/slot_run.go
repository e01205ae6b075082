package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/tui/text"
)

func (a *app) slotRun() *cobra.Command {
	var r engine.SlotRequest
	var of string
	c := &cobra.Command{
		Use: "run --lane LANE -- CMD [ARG…]", Short: "Run a command inside a slot of the running engine", Args: takes("CMD", "[ARG…]"),
		Long: "Run a command inside a slot of the running engine, waiting in the lane's line for one. The exit code is the command's, 128+n when signal n ended it, " +
			"126 or 127 when it can't be run or found. The slot is free as soon as the command has ended, or this process, in whatever way.\n\n" +
			"Inside a slot, of another `signalbox slot run` or of the engine's own for a queue's command, it runs the command there and takes no other.",
		Example: "signalbox slot run --lane slow -- curl -s https://model.example/turn -d @prompt.json",
	}
	c.Flags().StringVar(&of, "lane", string(lane.Slow), "whose slot: fast (short holds) or slow (long ones)")
	c.Flags().StringVar(&r.Robot, "robot", "", "who holds the slot, shown with the name of the command (default the user)")
	c.Flags().BoolVar(&r.NoWait, "no-wait", false, "fail with exit code 5 when no slot is free")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.ArgsLenAtDash() > 0 {
			return usage(fmt.Sprintf("argument %q", args[0]), "the command stands after --", "write -- before it")
		}
		r.Lane = lane.Lane(of)
		if r.Robot == "" {
			r.Robot = a.actor()
		}
		r.Robot += "/" + filepath.Base(args[0])
		r.Within = a.Getenv(drain.SlotVariable)
		return a.runInSlot(c.Context(), r, args)
	}
	return c
}

// Exit codes of shells for a program that can't be run.
const (
	exitNotRun   = 126
	exitNotFound = 127
	exitSignal   = 128 // plus the signal
)

func (a *app) runInSlot(ctx context.Context, r engine.SlotRequest, argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil { // before anybody is made to wait for it
		return a.notRun(argv[0], err)
	}
	ctx = engine.WithActor(ctx, a.actor())
	s, err := a.running(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	// Signals end the wait for a slot; then they are the command's.
	signals := make(chan os.Signal, 8)
	for _, sig := range forwarded {
		if !signal.Ignored(sig) { // as nohup has it
			signal.Notify(signals, sig)
		}
	}
	defer signal.Stop(signals)
	h, err := a.takeSlot(ctx, s, r, signals)
	if err != nil {
		return err
	}
	defer h.letGo(ctx)
	cmd := exec.Command(path, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stdout, a.Stderr
	cmd.Env = append(os.Environ(), drain.SlotVariable+"="+h.notice.Token)
	return a.attend(cmd, h, signals)
}

// attend runs a command to its end, handing it the signals that come.
func (a *app) attend(cmd *exec.Cmd, h *slotHold, signals <-chan os.Signal) error {
	// It dies with the thread that started it, where the system can be told
	// so: the slot must not be another's while it works.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = dieWithParent()
	if err := cmd.Start(); err != nil {
		return a.notRun(cmd.Args[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	lost := h.ended
	for {
		select {
		case err := <-ended:
			return outcomeOf(err)
		case sig := <-signals:
			if !a.fromTerminal(sig) {
				_ = cmd.Process.Signal(sig) // it may have ended just now
			}
		case <-lost:
			lost = nil
			fmt.Fprintln(a.Stderr, "signalbox: the engine has gone; the command goes on without a slot")
		}
	}
}

// fromTerminal says that a signal comes from the terminal's keys, which send it
// to the command themselves.
func (a *app) fromTerminal(sig os.Signal) bool {
	return (sig == syscall.SIGINT || sig == syscall.SIGQUIT) && a.IsTerminal(a.Stdin)
}

// outcomeOf gives a command's end as ours.
func outcomeOf(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return told{store.Code(exitSignal + int(status.Signal()))}
	}
	return told{store.Code(exit.ExitCode())}
}

func (a *app) notRun(name string, err error) error {
	code := exitNotRun
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		code = exitNotFound
	}
	fmt.Fprintln(a.Stderr, "signalbox: "+string(text.Clean(fmt.Sprintf("command %q: %v; name a program that is here, with its path", name, reasonOf(err)))))
	return told{store.Code(code)}
}

// running finds the running engine; it opens none.
func (a *app) running(ctx context.Context) (*client.Client, error) {
	if address := a.address(); address != "" {
		s, err := a.attach(ctx, address)
		if err != nil {
			return nil, err
		}
		return s.(*client.Client), nil
	}
	where, err := a.where()
	if err != nil {
		return nil, err
	}
	if where.memory {
		return nil, usage("store memory:", "nobody can reach an engine in memory", "name the store of a running engine")
	}
	c, err := a.knock(ctx, where.socket())
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &store.Error{
			Code: store.CodeUnavailable, Thing: "store " + where.String(), Rule: "there is no running engine, whose slots are to be held",
			Mend: "start one with `signalbox serve`",
		}
	}
	return c, nil
}

// slotHold is a slot held in the running engine.
type slotHold struct {
	s      *client.Client
	notice engine.SlotNotice
	ended  chan struct{} // closed when the engine holds it no more
	hangUp context.CancelFunc
}

// takeSlot takes a slot, telling on stderr where it stands in line.
func (a *app) takeSlot(ctx context.Context, s *client.Client, r engine.SlotRequest, signals <-chan os.Signal) (*slotHold, error) {
	ctx, hangUp := context.WithCancel(ctx)
	h := &slotHold{s: s, ended: make(chan struct{}), hangUp: hangUp}
	got := make(chan engine.SlotNotice, 1)
	failed := make(chan error, 1)
	go func() {
		defer close(h.ended)
		failed <- s.HoldSlot(ctx, r, func(n engine.SlotNotice) error {
			if n.Waiting != nil {
				fmt.Fprintf(a.Stderr, "signalbox: waiting for a slot of the %s lane: %s\n", r.Lane, n.Waiting)
				return nil
			}
			got <- n
			return nil
		})
	}()
	select {
	case h.notice = <-got:
		return h, nil
	case err := <-failed:
		hangUp()
		if err == nil {
			err = store.Unavailable("the engine", errors.New("it gave no slot"), "try again when it runs")
		}
		return nil, err
	case <-signals:
		hangUp()
		<-h.ended
		return nil, context.Canceled
	}
}

// letGo gives the slot back. Where that can't be said the end of the connection
// says it.
func (h *slotHold) letGo(ctx context.Context) {
	if !h.notice.Nested {
		_ = h.s.ReleaseSlot(ctx, h.notice.Token)
	}
	h.hangUp()
	<-h.ended
}
