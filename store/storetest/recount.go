package storetest

import (
	"context"
	"testing"

	"signalbox/store"
)

// Recount reads every item of a store in one View and fails the test where the
// counts, groups, keys, references, due times or history chains say something
// else; see store.Check. A store with a check of its own is asked too.
func Recount(t testing.TB, s store.Store) {
	t.Helper()
	err := s.View(context.Background(), func(r store.Reader) error {
		problems, err := store.Check(r)
		for _, p := range problems {
			t.Errorf("recount: %s", p)
		}
		return err
	})
	if err != nil {
		t.Errorf("recount: %v", err)
	}
	own, ok := s.(interface {
		Check(context.Context) ([]string, error)
	})
	if !ok {
		return
	}
	problems, err := own.Check(context.Background())
	for _, p := range problems {
		t.Errorf("check: %s", p)
	}
	if err != nil {
		t.Errorf("check: %v", err)
	}
}
