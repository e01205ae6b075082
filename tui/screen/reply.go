package screen

import "sync/atomic"

// Addr is the return address of a command: a screen, and the generation of
// its question. An answer to an older question is dropped by the screen.
type Addr struct {
	Screen int
	Gen    uint64
}

// Address gives the address; a message that embeds Addr is a Reply.
func (a Addr) Address() Addr { return a }

// Reply is an answer that finds its own way to the screen that asked.
type Reply interface{ Address() Addr }

// Numbers hands out screen ids.
type Numbers struct{ last atomic.Int64 }

// Next is a number never given before.
func (n *Numbers) Next() int { return int(n.last.Add(1)) }
