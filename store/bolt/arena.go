package bolt

// arena hands out memory for values that must stay unchanged until their
// transaction ends, and takes all of it back at once.
type arena struct {
	chunk []byte
	full  [][]byte // chunks used up in this transaction
	spare [][]byte // chunks to use again
}

const arenaChunk = 256 << 10

// take gives an empty slice with room for n bytes. It may be grown past that;
// keep must follow before the next take if its content is to stay.
func (a *arena) take(n int) []byte {
	if n > arenaChunk/4 {
		return make([]byte, 0, n)
	}
	if cap(a.chunk)-len(a.chunk) < n {
		a.next()
	}
	return a.chunk[len(a.chunk):]
}

func (a *arena) next() {
	if a.chunk != nil {
		a.full = append(a.full, a.chunk)
	}
	if n := len(a.spare); n > 0 {
		a.chunk, a.spare = a.spare[n-1], a.spare[:n-1]
		return
	}
	a.chunk = make([]byte, 0, arenaChunk)
}

// keep makes what was written to the slice taken last stay.
func (a *arena) keep(b []byte) []byte {
	free := a.chunk[len(a.chunk):cap(a.chunk)]
	if len(b) > 0 && len(free) > 0 && &b[0] == &free[0] {
		a.chunk = a.chunk[:len(a.chunk)+len(b)]
	}
	return b[:len(b):len(b)]
}

// reset takes everything back; a few chunks are kept for the next wave.
func (a *arena) reset() {
	for _, c := range a.full {
		if len(a.spare) < 8 {
			a.spare = append(a.spare, c[:0])
		}
	}
	clear(a.full)
	a.full, a.chunk = a.full[:0], a.chunk[:0]
}
