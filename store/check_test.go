package store_test

import (
	"strings"
	"testing"

	"signalbox/store"
	"signalbox/store/memory"
)

// lying answers as its Reader does, but for what a case makes it lie about.
type lying struct {
	store.Reader
	stats   func(*store.Stats)
	groups  func([]store.Group) []store.Group
	history func([]store.Change) []store.Change
	key     bool
}

func (l lying) Stats(q string, now store.Time) (store.Stats, error) {
	s, err := l.Reader.Stats(q, now)
	if l.stats != nil {
		l.stats(&s)
	}
	return s, err
}

func (l lying) Groups(q string) ([]store.Group, error) {
	g, err := l.Reader.Groups(q)
	if l.groups != nil {
		g = l.groups(g)
	}
	return g, err
}

func (l lying) History(id store.ID, limit int) ([]store.Change, error) {
	h, err := l.Reader.History(id, limit)
	if l.history != nil {
		h = l.history(h)
	}
	return h, err
}

func (l lying) ByKey(q, key string) (store.ID, error) {
	if l.key {
		return store.ID{}, nil
	}
	return l.Reader.ByKey(q, key)
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	s := memory.New()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		if err := tx.PutQueue(&store.Queue{Name: "q", Family: store.Jobs}); err != nil {
			return err
		}
		for range 3 {
			i := store.Item{Queue: "q", Family: store.Jobs, Status: store.Failed, Group: "broken", Key: "k"}
			if err := tx.Add(&i, nil, store.Change{Event: "add", To: store.Failed}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for want, make := range map[string]lying{
		"": {},
		"queue q: its counter of failed items says 4, there are 3":               {stats: func(s *store.Stats) { s.Counts[store.Failed]++ }},
		"queue q: its counter of delayed items says 2":                           {stats: func(s *store.Stats) { s.Delayed = 2 }},
		`queue q: its counter of failed items with "broken" says 2, there are 3`: {groups: func(g []store.Group) []store.Group { g[0].Count--; return g }},
		`queue q: it has no counter of its 3 failed items with "broken"`:         {groups: func([]store.Group) []store.Group { return nil }},
		"history of item q/1 has 0 changes and does not reach from change 1":     {history: func([]store.Change) []store.Change { return nil }},
		"item q/1 is failed, its last change says queued":                        {history: func(h []store.Change) []store.Change { h[0].To = store.Queued; return h }},
		`item q/1 is not found by its key "k"`:                                   {key: true},
	} {
		err := s.View(t.Context(), func(r store.Reader) error {
			make.Reader = r
			problems, err := store.Check(make)
			if all := strings.Join(problems, "\n"); !strings.Contains(all, want) || (want == "") != (all == "") {
				t.Errorf("found %q, want %q", all, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
