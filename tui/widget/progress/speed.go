package progress

import (
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// What a speed is told from: the last so many seconds, or longer until so much
// was done in them. Less than the least tells nothing.
const (
	speedSpan  = 20 * time.Second
	speedLeast = 2 * time.Second
	speedTimes = 10
	speedKept  = 512
	speedStep  = speedSpan / speedKept // closer samples tell nothing new
)

// Speed is how much gets done in a second, by what was seen of late.
type Speed struct {
	seen []sample // oldest first, each with more done than the one before
}

type sample struct {
	at   time.Time
	done int64
}

// Note takes in how much is done by a moment.
func (s *Speed) Note(at time.Time, done int64) {
	if n := len(s.seen); n > 0 {
		switch last := s.seen[n-1]; {
		case done == last.done:
			return
		case done < last.done: // some of it was taken back
			s.seen = s.seen[:0]
		}
	}
	if n := len(s.seen); n > 2 && at.Sub(s.seen[n-2].at) < speedStep {
		s.seen = s.seen[:n-1]
	}
	s.seen = append(s.seen, sample{at, done})
	for len(s.seen) > 2 && (at.Sub(s.seen[1].at) > speedSpan && len(s.seen) > speedTimes) {
		s.seen = s.seen[1:]
	}
}

// PerSecond gives the rate as of now, once there is enough to tell. It falls
// while nothing more gets done.
func (s *Speed) PerSecond(now time.Time) (rate float64, ok bool) {
	if len(s.seen) < 2 {
		return 0, false
	}
	first, last := s.seen[0], s.seen[len(s.seen)-1]
	took := last.at.Sub(first.at)
	if took < speedLeast {
		return 0, false
	}
	// Between two that get done nothing is to be seen: only a longer silence counts.
	usual := took / time.Duration(len(s.seen)-1)
	if silent := now.Sub(last.at); silent > 2*usual {
		took += silent
	}
	return float64(last.done-first.done) / took.Seconds(), true
}

// Speeds are those of the jobs that have not ended.
type Speeds struct {
	of       map[string]*Speed
	revision uint64
}

// NewSpeeds makes them; they are for one goroutine.
func NewSpeeds() *Speeds { return &Speeds{of: map[string]*Speed{}} }

// Take brings them up to the picture.
func (s *Speeds) Take(snap *engine.Snapshot, now time.Time) {
	if snap == nil || snap.JobsRevision == s.revision {
		return
	}
	s.revision = snap.JobsRevision
	live := make(map[string]*Speed, len(s.of))
	for i := range snap.Jobs {
		j := &snap.Jobs[i]
		if !j.EndedAt.IsZero() {
			continue
		}
		speed := s.of[j.ID]
		if speed == nil {
			speed = &Speed{}
		}
		if j.Status == store.JobRunning {
			speed.Note(now, Worked(j))
		} else {
			speed.seen = nil
		}
		live[j.ID] = speed
	}
	s.of = live
}

// Rate is how much of a running job gets done in a second, and of an ended one
// how much got done; not ok while there is too little to tell.
func (s *Speeds) Rate(j *engine.JobState, now time.Time) (perSecond float64, ok bool) {
	if !j.EndedAt.IsZero() {
		took := time.Duration(j.EndedAt.Sub(j.CreatedAt))
		return float64(Worked(j)) / took.Seconds(), took > 0 && Worked(j) > 0
	}
	speed := s.of[j.ID]
	if speed == nil || j.Status != store.JobRunning {
		return 0, false
	}
	return speed.PerSecond(now)
}

// longest is the most time left that is worth telling.
const longest = 365 * 24 * time.Hour

// Left is how long a running job still takes, once there is enough to tell; not
// while more items are to come. What goes on has a second to go at least.
func (s *Speeds) Left(j *engine.JobState, now time.Time) (left time.Duration, ok bool) {
	if !j.EndedAt.IsZero() || j.Filling || j.Left() == 0 {
		return 0, false
	}
	rate, ok := s.Rate(j, now)
	if seconds := float64(j.Left()) / rate; ok && rate > 0 && seconds < longest.Seconds() {
		return max(time.Duration(seconds*float64(time.Second)).Round(time.Second), time.Second), true
	}
	return 0, false
}
