package bolt

import (
	"os"
	"time"
)

// What the tests outside the package need to stand between the log and its disk.

type Disk = disk

// OnDisk has every log written through what wrap makes of its file.
func OnDisk(wrap func(Disk) Disk) {
	made := openDisk
	openDisk = func(f *os.File, noSync bool) disk { return wrap(made(f, noSync)) }
}

// OnStep has fn called at each step that makes changes durable outside the log.
func OnStep(fn func(string)) { step = fn }

// LogAll has stores log their first wave already, in a small log, and make no
// checkpoint because nothing comes.
func LogAll() { logAfter, idle, logSize = 0, time.Hour, 1<<20 }
