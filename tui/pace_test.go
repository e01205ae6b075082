package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/internal/fake"
)

// looks counts how often a ticker lets the program look for a new frame while
// f runs.
func looks(ticker *time.Ticker, f func()) int {
	n, done, counted := 0, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(counted)
		for {
			select {
			case <-ticker.C:
				n++
			case <-done:
				return
			}
		}
	}()
	f()
	close(done)
	<-counted
	return n
}

func TestFramesComeAtThePaceOfMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace{ticker: time.NewTicker(time.Second / framesPerSecond)}
		defer p.ticker.Stop()
		ticker := p.ticker
		p.up()
		time.Sleep(time.Second)
		if n := looks(ticker, func() { time.Sleep(10 * time.Second) }); n > 11 {
			t.Errorf("%d looks for a frame in 10 s without a message, want one a second", n)
		}
		if n := looks(ticker, func() { p.up(); time.Sleep(liveFrame + time.Millisecond) }); n != 1 {
			t.Errorf("%d looks within a frame of a message, want 1", n)
		}
		flood := looks(ticker, func() {
			for range 1000 {
				p.up()
				time.Sleep(time.Millisecond)
			}
		})
		if flood < 55 || flood > 61 {
			t.Errorf("%d looks in a second of 1000 messages, want 60: each puts the next frame off", flood)
		}
		p.stop()
		p.up()
		synctest.Wait()
		if p.live && p.ticker != nil {
			t.Error("a stopped pace sets the ticker")
		}
	})
}

// The pace rests on a name within Bubble Tea: without it the console would idle
// at the fixed rate, and nobody would see it.
func TestTheProgramHasATickerToPace(t *testing.T) {
	p := run(t, fake.Lifelike(), 80, 24)
	p.shows("pool 23/25")
	if tickerOf(p.tea) == nil {
		t.Error("this Bubble Tea keeps its ticker elsewhere: see pace")
	}
	if tickerOf(nil) != nil || tickerOf(tea.NewProgram(nil)) != nil {
		t.Error("a ticker of a program that has none")
	}
}
