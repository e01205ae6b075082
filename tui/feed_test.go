package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/tui/internal/fake"
)

func TestSameStateIsTheSamePicture(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	before := c.picture()
	c.send(struct{}{})
	if c.app.dirty {
		t.Fatal("a message that changes nothing made the picture stale")
	}
	c.app.dirty = true
	if c.picture() != before {
		t.Fatal("drawing again from the same state gave another picture")
	}
}

func TestNothingTicksWhenNothingMoves(t *testing.T) {
	e := fake.New()
	e.Change(func(s *engine.Snapshot) { s.Queues = []engine.QueueState{{}} })
	c := open(t, e, 120, 40)
	c.app.still, c.app.minutes = false, true
	for _, key := range []string{"1", "2", "4", "5"} {
		c.press(key)
		if c.app.tick() != nil {
			t.Fatalf("screen %s ticks on an idle engine", key)
		}
	}
	e.Change(func(s *engine.Snapshot) {
		s.Slots = fake.Pool(lane.Auto(5))
		s.Slots.Busy = 1
	})
	c.app.still = true
	c.feed()
	c.press("1")
	c.app.still = false
	if c.app.tick() == nil {
		t.Fatal("a busy slot does not ripen")
	}
	if c.app.tick() != nil {
		t.Fatal("two ticks at once")
	}
}

func TestFreezeHoldsThePictureStill(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("f")
	still := c.picture()
	if !strings.Contains(still, "FROZEN") {
		t.Fatal("no badge")
	}
	for range 7 {
		c.engine.Change(func(s *engine.Snapshot) { s.Slots = fake.Pool(lane.Auto(7)) })
	}
	c.wait(time.Minute)
	c.feed()
	c.press("2", "j", "x", "T", "z")
	c.send(tickMsg{})
	c.send(tea.BlurMsg{})
	if c.app.feed.next(true) != nil {
		t.Fatal("the engine is asked while frozen")
	}
	if c.picture() != still {
		t.Fatal("the frozen picture moved")
	}
	c.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	exact(t, c.picture(), 100, 30)
	c.press("f")
	c.shows("7 changes while frozen", "fast 1–6")
}

func TestOneQuestionToTheEngineAtATime(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24)
	f := &c.app.feed
	f.waiting = false
	if f.next(true) == nil {
		t.Fatal("no question")
	}
	if f.next(true) != nil {
		t.Fatal("a second question beside the first")
	}
}

func TestLostEngineIsTold(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.send(fedMsg{err: errors.New("connection refused")})
	c.shows("no engine", "finance.orders")
	c.engine.Change(nil)
	c.feed()
	c.hides("no engine")
	c.app.env.Snap = nil
	for _, key := range []string{"1", "2", "5"} {
		c.send(fedMsg{err: errors.New("connection refused")})
		c.press(key)
		c.shows("The engine does not answer.", "connection refused")
	}
}

func TestZoneGoesRound(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.Place = time.FixedZone("CET", 3600) })
	c.shows("15:03 CET")
	c.press("z")
	c.shows("14:03 UTC")
	c.press("2", "down", "enter", "z")
	c.shows("CET (ages)", "31m ago")
}

func TestThemesGoRound(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	seen := map[string]bool{}
	for range 12 {
		c.press("T")
		seen[c.app.env.Theme.Name] = true
		exact(t, c.picture(), 120, 40)
	}
	if len(seen) < 6 {
		t.Fatalf("only %v", seen)
	}
}

func TestPlacesRememberWhatIsOpen(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", "down", "down", "1", "5", "2")
	c.shows("Queues ▸ finance.orders", "▌         58")
	c.press("2")
	c.hides("▸ finance.orders")
	c.shows("▌  finance.orders")
}

func TestHelpTellsWhatWorksHere(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 60)
	c.press("?")
	c.shows("Edit the lane split", "Show queues")
	c.hides("Show timeline", "clipboard")
	c.press("/").text("freeze")
	c.hides("Edit the lane split")
	c.press("esc")
	c.text("zzz")
	c.press("?")
	c.hides("Keys here")
}

// The clock shows minutes and is moved by them, so that it never seems to hang
// and an idle console writes once a minute.
func TestClockMovesOnceAMinute(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.shows("14:03 UTC")
	c.wait(51 * time.Second)
	c.send(minuteMsg{})
	c.shows("14:04 UTC")
	c.app.still = false
	if c.app.minute() == nil {
		t.Fatal("the next minute is not waited for")
	}
	if c.app.minute() != nil {
		t.Fatal("it is waited for twice")
	}
	c.app.still = true
	c.press("f")
	still := c.picture()
	c.wait(time.Minute)
	c.send(minuteMsg{})
	if c.picture() != still {
		t.Fatal("the frozen picture moved")
	}
}

// An engine that was out of reach for a while, and is the same with nothing new, is
// heard again at the next try.
func TestFeedHearsAnEngineWithoutNewsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		e := fake.Lifelike()
		snap, err := e.Watch(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		f := feed{ctx: ctx, engine: e, after: snap.Revision, err: errors.New("it does not answer")}
		begun := time.Now()
		msg, ok := f.next(true)().(fedMsg)
		if !ok || msg.err != nil || msg.snap == nil || msg.snap.Revision != snap.Revision {
			t.Fatalf("after %v: %+v", time.Since(begun), msg)
		}
		if d := time.Since(begun); d != retryGap {
			t.Errorf("it was heard after %v, want %v", d, retryGap)
		}
	})
}
