package tui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// How often the terminal may be written to.
const (
	// framesPerSecond is the program's own fixed rate, which holds only where
	// pace finds nothing to set.
	framesPerSecond = 30
	// liveFrame is the time from one look for a new frame to the next while
	// messages come, and so what a key waits for its frame.
	liveFrame = time.Second / 60
	// idleFrame is the same when there is nothing to draw. What is written
	// beside frames, such as a copy to the clipboard, waits no longer for it,
	// as it comes with a message.
	idleFrame = time.Second
	// liveFor is how long after the last message the rate stays up: its frame
	// and two more.
	liveFor = 3 * liveFrame
)

// pace makes the program look for a new frame often while messages come, and
// hardly ever while none do. Bubble Tea looks at a fixed rate, also when nothing
// has changed, and that alone is what an idle console costs; nothing of its
// interface can change the rate of a program that runs, so pace sets the
// program's own ticker. Where a later version keeps none under that name, the
// fixed rate stays.
type pace struct {
	mu     sync.Mutex
	ticker *time.Ticker // nil: the rate is fixed
	rest   *time.Timer  // sets the idle rate
	last   time.Time    // when a message came
	live   bool
}

// of takes the program's ticker. The program must be running: it makes the
// ticker at its start, before its first message.
func (p *pace) of(program *tea.Program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticker = tickerOf(program)
}

// tickerOf is the ticker that the program's frames follow, nil if there is none.
func tickerOf(program *tea.Program) *time.Ticker {
	if program == nil {
		return nil
	}
	field := reflect.ValueOf(program).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || field.IsNil() {
		return nil
	}
	return (*time.Ticker)(unsafe.Pointer(field.Pointer()))
}

// up is called for every message. It sets the ticker only when the rate was
// down: setting it for each of many messages would put the next frame off for
// as long as they come.
func (p *pace) up() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ticker == nil {
		return
	}
	p.last = time.Now()
	if p.live {
		return
	}
	p.live = true
	p.ticker.Reset(liveFrame)
	if p.rest == nil {
		p.rest = time.AfterFunc(liveFor, p.down)
	} else {
		p.rest.Reset(liveFor)
	}
}

// down sets the idle rate, if no message came in the meantime.
func (p *pace) down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ticker == nil {
		return
	}
	if left := liveFor - time.Since(p.last); left > 0 {
		p.rest.Reset(left)
		return
	}
	p.live = false
	p.ticker.Reset(idleFrame)
}

// stop ends what up began. The program must have ended.
func (p *pace) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticker = nil
	if p.rest != nil {
		p.rest.Stop()
	}
}
