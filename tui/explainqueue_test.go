package tui

import (
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/tui/internal/fake"
)

func TestWhyOfAQueue(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "down", "w")
	c.shows("Why queue insurance.claims", "paused by ada", "p resumes it")
	c.press("esc", "down", "w")
	c.shows("its consumer broke", "O")
	c.press("esc", "F", "g", "w") // a folder has none
	c.hides("Why queue")
}

// However long it is, it can be read to its end.
func TestALongExplanationScrolls(t *testing.T) {
	e := fake.Lifelike()
	e.Change(func(s *engine.Snapshot) {
		queues := append([]engine.QueueState(nil), s.Queues...)
		queues[0].ConsumerError = strings.Repeat("so it went on and on ", 120) + "to THE END"
		s.Queues = queues
		s.QueuesRevision++
	})
	c := open(t, e, 80, 24)
	c.press("2", "w")
	c.hides("THE END")
	c.press("G")
	c.shows("THE END")
	c.press("g")
	c.shows("its consumer broke")
	c.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
	c.shows("THE END")
	c.press("up")
	c.press("enter")
	c.hides("Why queue")
}
