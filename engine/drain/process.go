package drain

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// linger is how long what a program started may go on writing when the
	// program itself has ended.
	linger = 200 * time.Millisecond
	// lastWords is how long its pipes are read when its group is killed: what
	// left the group may hold them open for ever.
	lastWords = time.Second
)

// process is one run of a program, in a process group of its own.
type process struct {
	cmd       *exec.Cmd
	spawner   *spawner
	killDelay time.Duration
	hurry     <-chan struct{} // closed: kill without delay
	stdout    head
	stderr    tail
	cut       bool // told to stop before it had ended

	pipes   []*os.File // our ends: in, out, err
	readers sync.WaitGroup
	read    chan struct{} // closed when out and err are read to their end
	feeder  sync.WaitGroup
}

// run runs the program to its end, or stops it when ctx ends. An error says
// that it could not be started. When run returns nothing of its group is left.
func (p *process) run(ctx context.Context, input []byte) error {
	if err := p.start(); err != nil {
		return err
	}
	p.feed(input)
	p.listen()
	exited := make(chan func() error, 1)
	go func() { exited <- await(p.cmd) }()
	var reap func() error
	select {
	case reap = <-exited:
	case <-ctx.Done():
		p.cut = true
		reap = p.stop(exited)
	}
	p.waitRead(linger)
	// The group is killed before its leader is reaped: until then its number
	// can't have become another's.
	signalGroup(p.cmd, kill)
	_ = reap() // ProcessState tells
	p.spawner.ended(p.cmd)
	p.hangUp()
	return nil
}

// start starts the program with pipes on its three standard files.
func (p *process) start() error {
	var theirs []*os.File
	defer func() { closeAll(theirs) }()
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(p.pipes)
			return err
		}
		if i == 0 {
			r, w = w, r
		}
		p.pipes, theirs = append(p.pipes, r), append(theirs, w)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	p.cmd.SysProcAttr = attributes()
	if err := p.spawner.start(p.cmd); err != nil {
		closeAll(p.pipes)
		return err
	}
	return nil
}

// feed writes the program's input; one that doesn't read it is fine.
func (p *process) feed(input []byte) {
	p.feeder.Go(func() {
		_, _ = p.pipes[0].Write(append(input, '\n'))
		_ = p.pipes[0].Close()
	})
}

// listen reads what the program writes.
func (p *process) listen() {
	p.readers.Go(func() { _, _ = io.Copy(&p.stdout, p.pipes[1]) })
	p.readers.Go(func() { _, _ = io.Copy(&p.stderr, p.pipes[2]) })
	p.read = make(chan struct{})
	go func() {
		p.readers.Wait()
		close(p.read)
	}()
}

// stop asks the group to end, and makes it after the delay.
func (p *process) stop(exited <-chan func() error) (reap func() error) {
	signalGroup(p.cmd, terminate)
	t := time.NewTimer(p.killDelay)
	defer t.Stop()
	select {
	case reap = <-exited:
		return reap
	case <-t.C:
	case <-p.hurry:
	}
	signalGroup(p.cmd, kill)
	return <-exited
}

func (p *process) waitRead(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.read:
	case <-t.C:
	}
}

// hangUp ends the pipes, whoever still holds their other ends.
func (p *process) hangUp() {
	p.waitRead(lastWords)
	closeAll(p.pipes)
	<-p.read
	p.feeder.Wait()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // pipes: nothing can be lost
	}
}
