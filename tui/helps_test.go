package tui

import (
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// pausedQueue says whether a queue is paused, as the engine has it.
func (c *console) pausedQueue(name string) bool {
	c.t.Helper()
	snap, err := c.port.Watch(c.t.Context(), 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, q := range snap.Queues {
		if q.Name == name {
			return q.Paused
		}
	}
	c.t.Fatalf("there is no queue %s", name)
	return false
}

// The key that an explanation names works where it stands, for what it is about.
func TestAnExplanationTakesTheKeyThatHelps(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "down", "w")
	c.shows("p resumes it", "p resume the queue")
	c.press("?")
	c.shows("Resume the queue")
	c.hides("Bring a file")
	c.press("esc", "p") // typed ahead of what is read
	if !c.pausedQueue("insurance.claims") {
		t.Fatal("a key from before the explanation resumed the queue")
	}
	c.wait(time.Second).press("p")
	if c.pausedQueue("insurance.claims") {
		t.Fatal("the queue is still paused")
	}
	c.hides("Why queue")
	c.shows("Resumed insurance.claims")
}

// It never pauses: somebody may have resumed the queue while it was read.
func TestAnExplanationOnlyResumes(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "down", "w")
	if _, err := c.engine.PauseQueue(t.Context(), "insurance.claims", false); err != nil {
		t.Fatal(err)
	}
	c.wait(time.Second).press("p")
	if c.pausedQueue("insurance.claims") {
		t.Fatal("the key that resumes paused the queue")
	}
}

func TestAReadOnlyExplanationActsNot(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.ReadOnly = true })
	c.press("2", "down", "down", "w").wait(time.Second).press("p")
	c.shows("this console is read-only")
	if !c.pausedQueue("insurance.claims") {
		t.Fatal("a console that only reads resumed a queue")
	}
}

// The settings that an explanation leads to are those of its queue, wherever the
// hand has come to be.
func TestAnExplanationLeadsToTheSettingsOfItsQueue(t *testing.T) {
	e := fake.Lifelike()
	c := open(t, e, 120, 40)
	c.press("2", "down", "down", "down", "w")
	c.shows("its consumer broke", "O settings")
	e.Change(func(s *engine.Snapshot) {
		kept := []engine.QueueState{}
		for _, q := range s.Queues {
			if q.ConsumerError == "" {
				kept = append(kept, q)
			}
		}
		s.Queues = kept
		s.QueuesRevision++
	})
	c.feed()
	c.wait(time.Second).press("O")
	c.shows("Settings of mail.outgoing")
}

// Where a key does not help it does nothing.
func TestAnExplanationTakesNoOtherKeys(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "w").wait(time.Second)
	c.shows("Why queue")
	before := c.picture()
	c.press("p", "O", "I", "x", "space")
	if c.picture() != before {
		t.Errorf("a key did something:\n%s", c.picture())
	}
}

// A paused job is resumed from its explanation, and so is the queue that holds
// up an item.
func TestExplanationsOfJobsAndItems(t *testing.T) {
	e := fake.Lifelike()
	var job string
	e.Change(func(s *engine.Snapshot) {
		for i := range s.Jobs {
			if s.Jobs[i].Status == store.JobPaused {
				job = s.Jobs[i].ID
			}
		}
	})
	if job == "" {
		t.Fatal("no job is paused")
	}
	c := open(t, e, 120, 40)
	c.press("3", "/").text("job:"+job).press("enter", "w")
	c.shows("Why job "+job, "p resume the job")
	c.wait(time.Second).press("p")
	c.shows("Resumed job " + job)
}

// A held key pauses once; let go and pressed again it resumes.
func TestAHeldKeyPausesOnce(t *testing.T) {
	for _, place := range []string{"2", "3"} {
		c := open(t, fake.Lifelike(), 120, 40)
		c.press(place, "p").feed()
		c.shows("Paused")
		first := 600 * time.Millisecond // as slow as desktops begin to repeat
		for range 10 {
			c.wait(first).press("p")
			c.hides("Resumed")
			first = 30 * time.Millisecond
		}
		c.wait(time.Second).press("p")
		c.feed()
		c.shows("Resumed")
	}
}

// Another row takes it at once.
func TestPauseOfAnotherRowNeedsNoRest(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "p", "down", "p")
	if !c.pausedQueue("agents.triage") {
		t.Errorf("%s", c.picture())
	}
}
