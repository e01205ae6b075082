package cli

import (
	"os"
	"syscall"
)

// forwarded are the signals that a command in a slot is handed on.
var forwarded = []os.Signal{os.Interrupt, syscall.SIGTERM}
