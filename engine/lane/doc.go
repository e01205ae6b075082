// Package lane holds the pool of concurrency slots: how it is split between the
// fast and the slow lane, who holds which slot, and who waits in line.
//
// A caller names a lane and takes a slot; it gets one of its lane's reserve, or
// else of the commons, and never one of the other lane's reserve. When there is
// none it waits in its lane's line, first come, first served; a slot let go goes
// straight to the first waiter that may use it, so a usable slot is never free
// while someone waits. What the pool looks like from outside is a State: an
// immutable picture, made when asked for and kept until the next change.
//
// Nothing here has a goroutine, and time is what the injected clock says.
package lane
