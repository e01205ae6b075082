package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/internal/fake"
)

func TestDeadEngineStopsTheWholePicture(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.wait(time.Second)
	c.send(fedMsg{err: errors.New("connection refused")})
	c.shows("no engine since 14:03:10", "picture as of 14:03:10")
	c.hides("live")
	c.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	theme := c.app.env.Theme
	for _, r := range []themes.Role{themes.LaneFast, themes.LaneSlow, themes.SlowRipe, themes.StateStuck} {
		if strings.Contains(c.picture(), theme.Prefix(r)) {
			t.Fatalf("%s is in colour in a picture that is not live", r)
		}
	}
	c.send(tea.ColorProfileMsg{Profile: colorprofile.NoTTY})
	held := c.picture()
	c.wait(2 * time.Minute)
	c.app.dirty = true
	if now := strings.ReplaceAll(c.picture(), "14:05 UTC", "14:03 UTC"); now != held {
		t.Fatal("durations go on")
	}
	c.app.still, c.app.minutes = false, true
	if c.app.tick() != nil {
		t.Fatal("a dead picture ticks")
	}
	c.app.still = true
	c.press("5", "enter", "v")
	c.shows("Can't verify: no engine answers since 14:03:10")
	c.press("2", "p")
	c.shows("Can't pause or resume: no engine answers")
	c.engine.Change(nil)
	c.feed()
	c.shows("The engine answers again", "● live")
	c.hides("picture as of")
}

// A loop of the engine that fails is bad news on every screen, in whatever room there
// is, until it works again.
func TestAFailingLoopIsInTheHeader(t *testing.T) {
	for width, want := range map[int]string{
		200: "▲ leases and delays do not end since 13:58",
		120: "▲ leases and delays do not end since 13:58",
		80:  "▲ leases failing",
		50:  "▲ leases ",
	} {
		c := open(t, fake.Lifelike(), width, 30)
		c.shows("●")
		c.engine.Change(func(s *engine.Snapshot) {
			s.Upkeep = []engine.Upkeep{
				{Loop: engine.DrainLoop, RanAt: store.At(fake.Epoch())},
				{Loop: engine.LeaseLoop, FailingSince: store.At(fake.Epoch().Add(-5 * time.Minute)), Error: "disk full"},
				{Loop: engine.RetentionLoop, FailingSince: store.At(fake.Epoch().Add(-time.Minute)), Error: "disk full"},
			}
		})
		c.feed()
		for _, screen := range []string{"1", "2", "5"} {
			c.press(screen)
			c.shows(want)
			c.hides("● live")
		}
		c.engine.Change(func(s *engine.Snapshot) { s.Upkeep = s.Upkeep[:1] })
		c.feed()
		c.hides("▲ leases")
	}
}

func TestFrozenIsNotLive(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("f")
	c.shows("FROZEN at 14:03:09")
	c.hides("live")
}

func TestErrorsOfTheSocketAreWords(t *testing.T) {
	c := group(t)
	msg := actDone(c.app.top().ID())
	msg.Err = store.Unavailable("socket /run/user/1000/signalbox/a-rather-long-name/signalbox.sock", errors.New("dial unix: connect: connection refused"), "start the engine with `signalbox serve`")
	c.send(msg)
	c.shows("no engine answered, so it may or may not have been done. Look before you try", "What helps: start the engine with `signalbox serve`", "connection refused")
}

func TestQuitAsksWhileTheEngineHereWorks(t *testing.T) {
	working := func(o *Options) { o.At = EngineHere }
	e := fake.Lifelike()
	e.Change(func(s *engine.Snapshot) {
		s.Slots = fake.Pool(lane.Auto(25))
		s.Slots.Slots[0].Holder = &lane.Holder{Lane: lane.Fast, Queue: "q", Robot: engine.DrainPrefix + "ab12/q/3"}
	})
	c := open(t, e, 120, 40, working)
	c.shows("live · engine here", "drain 3")
	c.press("q")
	c.shows("Quit, and stop the engine?", "1 slot holds work", "25 s to finish")
	c.press("n")
	if c.quit {
		t.Fatal("quit")
	}
	c.press("q", "y")
	if !c.quit {
		t.Fatal("did not quit")
	}
	c = open(t, e, 120, 40, func(o *Options) { o.At = EngineAway })
	c.shows("attached")
	if c.press("q"); !c.quit {
		t.Fatal("asked although the engine goes on")
	}
	c = open(t, fake.Lifelike(), 120, 40, working)
	if c.press("q"); !c.quit {
		t.Fatal("asked although no drain is at work")
	}
}
