package drain

import (
	"os/exec"
	"runtime"
	"sync"
)

// spawner starts all programs from one thread that lives as long as it is open.
// On Linux a program made to die with its parent dies with the thread that
// started it, and Go ends threads at will. Starts are one at a time anyway: the
// runtime forks under a lock.
type spawner struct {
	once     sync.Once
	requests chan spawn
	warden   warden
}

type spawn struct {
	cmd *exec.Cmd
	err chan error
}

// start starts a program.
func (s *spawner) start(cmd *exec.Cmd) error {
	s.once.Do(func() {
		s.warden.begin()
		s.requests = make(chan spawn)
		go s.run()
	})
	r := spawn{cmd, make(chan error, 1)}
	s.requests <- r
	err := <-r.err
	if err == nil {
		s.warden.watch(cmd.Process.Pid)
	}
	return err
}

// ended says that nothing is left of a program's group.
func (s *spawner) ended(cmd *exec.Cmd) { s.warden.forget(cmd.Process.Pid) }

func (s *spawner) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for r := range s.requests {
		r.err <- r.cmd.Start()
	}
}

// close ends the thread, when all its programs have ended.
func (s *spawner) close() {
	s.once.Do(func() { s.requests = make(chan spawn) })
	close(s.requests)
	s.warden.end()
}
