package memory

import (
	"iter"
	"slices"

	"signalbox/store"
)

// holds is the history of slots. Its lists are only added to or replaced.
type holds struct {
	ended, open []store.Hold
	at          store.Time // when open was put
}

// Holds implements store.Reader.
func (s *state) Holds(since store.Time) iter.Seq2[store.Hold, error] {
	return func(yield func(store.Hold, error) bool) {
		for _, h := range s.holds.ended {
			if h.To >= since && !yield(h, nil) {
				return
			}
		}
	}
}

// OpenHolds implements store.Reader.
func (s *state) OpenHolds() ([]store.Hold, store.Time, error) {
	return slices.Clone(s.holds.open), s.holds.at, nil
}

// PutHolds implements store.Tx.
func (t *tx) PutHolds(ended, open []store.Hold, at store.Time) error {
	t.holds.ended = append(t.holds.ended, ended...)
	t.holds.open, t.holds.at = slices.Clone(open), at
	return nil
}

// ForgetHolds implements store.Tx.
func (t *tx) ForgetHolds(before store.Time) error {
	t.holds.ended = slices.DeleteFunc(slices.Clone(t.holds.ended), func(h store.Hold) bool { return h.To < before })
	return nil
}
