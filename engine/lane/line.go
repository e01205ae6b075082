package lane

// waiter is one caller in a line.
type waiter struct {
	Holder
	turn       uint64      // order of arrival among all waiters of the pool
	granted    chan *Grant // holds the slot once the waiter is off its line
	prev, next *waiter
	queued     bool
	// Its place in its line, and how many of the other line came before it: as they
	// were when it came, or when the pool was surveyed last.
	place, others int
}

// line is a lane's waiting line, first come at the head.
type line struct {
	head, tail *waiter
	len        int
}

func (l *line) push(w *waiter) {
	w.queued = true
	l.len++
	if l.tail == nil {
		l.head, l.tail = w, w
		return
	}
	l.tail.next, w.prev = w, l.tail
	l.tail = w
}

// remove takes w off the line, and says whether it was still there.
func (l *line) remove(w *waiter) bool {
	if !w.queued {
		return false
	}
	if w.prev == nil {
		l.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next, w.queued = nil, nil, false
	l.len--
	return true
}
