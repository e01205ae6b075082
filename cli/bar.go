package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"signalbox/tui/text"
)

// bar shows on stderr how far a file is read, where that is a terminal.
// It is safe for concurrent use.
type bar struct {
	app *app

	mu    sync.Mutex
	size  int64 // 0 = unknown
	width int   // in columns
	read  int64
	note  string
	drawn time.Time
	on    bool
}

// barWidth is the bar's length in columns, where little stands behind it.
const barWidth = 40

// redraw is the shortest time between two pictures.
const redraw = 100 * time.Millisecond

func newBar(a *app, size int64) *bar {
	return &bar{app: a, size: size, width: barWidth, on: a.IsTerminal(a.Stderr)}
}

// reader counts what is read through it.
func (b *bar) reader(r io.Reader) io.Reader { return &countingReader{r, b} }

type countingReader struct {
	r   io.Reader
	bar *bar
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bar.mu.Lock()
	defer c.bar.mu.Unlock()
	c.bar.read += int64(n)
	c.bar.draw()
	return n, err
}

func (b *bar) rows(stored, rejected int) {
	if !b.on {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note = text.Count(int64(stored)) + " stored"
	if rejected > 0 {
		b.note += ", " + text.Count(int64(rejected)) + " rejected"
	}
	b.draw()
}

// restart begins anew with the same file.
func (b *bar) restart(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.size, b.read, b.note = size, 0, ""
}

func (b *bar) draw() {
	if !b.on || time.Since(b.drawn) < redraw {
		return
	}
	b.drawn = time.Now()
	if b.size > 0 {
		full := int(min(b.read, b.size) * int64(b.width) / b.size)
		fmt.Fprintf(b.app.Stderr, "\r\x1b[K%s%s %s %s", strings.Repeat("█", full), strings.Repeat("░", b.width-full), text.Percent(min(b.read, b.size), b.size), b.note)
		return
	}
	fmt.Fprintf(b.app.Stderr, "\r\x1b[K%s read %s", text.Bytes(b.read), b.note)
}

// clear takes the bar away.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.on && !b.drawn.IsZero() {
		fmt.Fprint(b.app.Stderr, "\r\x1b[K")
	}
	b.drawn = time.Time{}
}
