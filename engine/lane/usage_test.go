package lane

import (
	"slices"
	"testing"
	"time"
)

func TestUtilisationByTheMinute(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	p := New(Split{4, 1, 1}, false, func() time.Time { return now }, func() {})
	see := func(when string, want ...int) {
		t.Helper()
		if got := p.Utilisation(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	see("new", 0)
	g := take(t, p, Holder{Lane: Fast})
	now = now.Add(30 * time.Second)
	see("one of four for half a minute", 25)
	g.Release()
	now = now.Add(30 * time.Second)
	see("a minute later", 13, 0)
	fill(t, p, Fast, 2)
	now = now.Add(3 * time.Minute)
	see("half full", 13, 50, 50, 50, 0)
	resize(t, p, Split{3, 1, 1})
	now = now.Add(time.Minute)
	see("smaller", 13, 50, 50, 50, 67, 0)
	now = now.Add(-time.Minute)
	see("a clock set back", 13, 50, 50, 50, 67, 0)
	now = now.Add(24 * time.Hour)
	if got := p.Utilisation(); len(got) != minutes || got[0] != 67 || got[minutes-2] != 67 {
		t.Errorf("a day later: %v", got)
	}
}

func TestUtilisationLooksBackFifteenMinutes(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 20, 0, time.UTC)
	p := New(Auto(4), false, func() time.Time { return now }, func() {})
	g := take(t, p, Holder{Lane: Slow})
	for i := range 40 {
		now = now.Add(time.Minute)
		if got, want := len(p.Utilisation()), min(i+2, minutes); got != want {
			t.Fatalf("after %d minutes: %d numbers, want %d", i+1, got, want)
		}
	}
	g.Release()
	if got := p.Utilisation(); got[0] != 25 || got[minutes-1] != 25 {
		t.Errorf("one of four all along: %v", got)
	}
}
