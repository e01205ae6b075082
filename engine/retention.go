package engine

import (
	"fmt"
	"time"

	"signalbox/store"
)

// What becomes of an item when its retention is over.
const (
	ThenKeep    = "keep"
	ThenDelete  = "delete"
	ThenArchive = "archive"
)

const (
	day             = store.Duration(24 * time.Hour)
	defaultSettled  = 30 * day
	defaultExcepted = 180 * day
)

// defaultRetention fills in what a queue says nothing of, as those do that were
// stored before there was retention: nothing leaves a store unasked.
func defaultRetention(q *store.Queue) {
	if q.RetainSettledThen == "" {
		q.RetainSettled, q.RetainSettledThen = defaultSettled, ThenKeep
	}
	if q.RetainExceptedThen == "" {
		q.RetainExcepted, q.RetainExceptedThen = defaultExcepted, ThenKeep
	}
}

func validateRetention(thing string, q *store.Queue) error {
	for _, then := range []string{q.RetainSettledThen, q.RetainExceptedThen} {
		if then != ThenKeep && then != ThenDelete && then != ThenArchive {
			return store.Invalid(thing, fmt.Sprintf("what follows a retention is not %q", then), "use keep, delete or archive")
		}
	}
	if q.RetainSettled < 0 || q.RetainExcepted < 0 {
		return store.Invalid(thing, "a retention is 0 (at once) or more", "write it as 30d")
	}
	return nil
}

// class parts the items that retention is about.
type class int

const (
	settled  class = iota // nothing is left to do or decide
	excepted              // failed, excepted or abandoned, and a person has yet to decide
	classes
)

func (c class) String() string { return [classes]string{"settled", "excepted"}[c] }

// classOf gives an item's class; false for one that is still to be worked. What
// a person has verified is settled.
func classOf(i *store.Item) (class, bool) {
	switch {
	case Reviewable(i.Status) && i.Review.Status != store.Verified:
		return excepted, true
	case Reviewable(i.Status) || Final(i.Status):
		return settled, true
	}
	return 0, false
}

// policy is what one queue wants for one class of its items.
type policy struct {
	queue string
	class class
	age   store.Duration // since the last that happened to the item
	then  string
}

func policyOf(q *store.Queue, c class) policy {
	defaultRetention(q)
	if c == settled {
		return policy{q.Name, c, q.RetainSettled, q.RetainSettledThen}
	}
	return policy{q.Name, c, q.RetainExcepted, q.RetainExceptedThen}
}

// mark names how far the history has been looked through for the policy.
func (p *policy) mark() string { return "retain-" + p.class.String() }

// cutoff is the newest time that is older than an age.
func cutoff(now store.Time, age store.Duration) store.Time {
	return now - store.Time(time.Duration(age).Milliseconds())
}
