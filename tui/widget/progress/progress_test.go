package progress

import (
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
)

func TestWidthsFillTheBarAndHideNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 5, 6).Draw(t, "parts")
		w := rapid.IntRange(6, 300).Draw(t, "width")
		parts, there := make([]Part, len(n)), false
		for i := range n {
			parts[i].N = n[i]
			there = there || n[i] > 0
		}
		sum := 0
		for i, cells := range widths(parts, w) {
			if cells < 0 || (cells == 0) != (n[i] == 0) {
				t.Fatalf("%d has %d cells of %d", n[i], cells, w)
			}
			sum += cells
		}
		if there && sum != w {
			t.Fatalf("%d cells of %d", sum, w)
		}
	})
}

func TestSpeed(t *testing.T) {
	at := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	var s Speed
	note := func(after time.Duration, done int64) { at = at.Add(after); s.Note(at, done) }
	note(0, 5)
	note(time.Second, 15)
	if _, ok := s.PerSecond(at); ok {
		t.Error("a second tells a rate")
	}
	note(time.Second, 25)
	if rate, ok := s.PerSecond(at); !ok || rate != 10 {
		t.Errorf("rate %v %v", rate, ok)
	}
	if rate, _ := s.PerSecond(at.Add(time.Second)); rate != 10 {
		t.Errorf("between two it falls to %v", rate)
	}
	if rate, _ := s.PerSecond(at.Add(18 * time.Second)); rate != 1 {
		t.Errorf("after a long silence it is %v", rate)
	}
	note(time.Second, 3)
	if _, ok := s.PerSecond(at); ok {
		t.Error("it goes on though work was taken back")
	}
	for i := range int64(10_000) {
		note(time.Millisecond, 100+i)
	}
	if rate, _ := s.PerSecond(at); rate < 990 || rate > 1010 || len(s.seen) > speedKept+1 {
		t.Errorf("fast rate %v of %d samples", rate, len(s.seen))
	}
}

func TestNoWidthsWithoutRoom(t *testing.T) {
	parts := []Part{{N: 1}, {N: 1}, {N: 1}}
	for w := range 3 {
		for _, cells := range widths(parts, w) {
			if cells < 0 {
				t.Errorf("%d cells of %d", cells, w)
			}
		}
	}
}

// The numbers of a job of millions stand on one line of the smallest full screen.
func TestTheLegendFitsALine(t *testing.T) {
	counts := store.JobCounts{Done: 12_345_678, Failed: 1_234_567, InFlight: 25, Available: 45_678_901, Delayed: 345_678, Cancelled: 0, Total: 59_628_280}
	e := env.Env{Theme: themes.Default(true).For(colorprofile.NoTTY), Glyphs: themes.Unicode()}
	if n := LegendLines(e, &counts, 3, 80); n != 1 {
		t.Fatalf("it takes %d lines", n)
	}
}

// A job that is not over has some time left, be it ever so fast.
func TestSomeTimeIsLeftWhileAJobGoesOn(t *testing.T) {
	at := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	s := NewSpeeds()
	j := engine.JobState{Job: store.Job{ID: "a", Status: store.JobRunning}}
	j.Available = 1
	for i := range uint64(4) {
		j.Done += 100
		at = at.Add(time.Second)
		s.Take(&engine.Snapshot{JobsRevision: i + 1, Jobs: []engine.JobState{j}}, at)
	}
	if left, ok := s.Left(&j, at); !ok || left != time.Second {
		t.Errorf("%v left, %v", left, ok)
	}
}
