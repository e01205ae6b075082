package act

import (
	"time"

	"signalbox/tui/screen"
)

// How long an item that came by itself is to be seen before a verb is meant for
// it: longer than desktops wait before a key that is held down repeats, 660 ms
// at most. And the longest pause between two of its repeats.
const (
	seenFor = 700 * time.Millisecond
	held    = 150 * time.Millisecond
)

// Turn lets one verb through for each item seen. A key that is held down, or
// pressed again before the outcome came or just as another item took the place
// of the one decided, must not decide what nobody has looked at.
type Turn struct {
	sent    bool      // a verb is under way
	waiting bool      // for the item that comes after it
	began   time.Time // when the verb was pressed
	came    time.Time // when another item came by itself; zero once it is free
	last    time.Time // when a verb was pressed last
}

// Begin says that a verb is under way.
func (t *Turn) Begin(now time.Time) { *t = Turn{sent: true, began: now, last: t.last} }

// End says that its outcome has come. Another item may come to stand in its
// place, which is told by Came.
func (t *Turn) End(other bool) { t.sent, t.waiting = false, other }

// Came says that what was waited for has come: another item by itself, or the
// same one.
func (t *Turn) Came(now time.Time, other bool) {
	if !t.waiting {
		return
	}
	t.waiting = false
	if other {
		t.came = now
	}
}

// Free says that the person has chosen an item.
func (t *Turn) Free() { t.waiting, t.came = false, time.Time{} }

// Takes says whether a verb pressed now is meant for the item in hand. When it
// is not since an earlier one has been out for too long, that is told.
func (t *Turn) Takes(now time.Time) (bool, screen.Effects) {
	again, late := now.Sub(t.last) < held, now.Sub(t.began) >= answerWithin
	t.last = now
	switch {
	case t.sent && late:
		*t = Turn{last: now}
		return false, screen.Want(screen.Say{Toast: screen.Toast{
			Level: screen.Warning, Text: "The verb before this one was never answered. Look at the item before you press again",
		}})
	case t.sent || t.waiting && !late:
		return false, screen.Effects{}
	case t.came.IsZero():
		return true, screen.Effects{}
	case now.Sub(t.came) < seenFor || again:
		return false, screen.Effects{}
	}
	t.came = time.Time{}
	return true, screen.Effects{}
}

// Switch lets a key through that turns something on and off again: held down, or
// pressed before the outcome of the last press can have been seen, it turns
// nothing back. Another key in between sets it free: its zero value.
type Switch struct{ took, last time.Time }

// Takes says whether a press now is meant.
func (s *Switch) Takes(now time.Time) bool {
	again := now.Sub(s.last) < held || now.Sub(s.took) < seenFor
	if s.last = now; again {
		return false
	}
	s.took = now
	return true
}
