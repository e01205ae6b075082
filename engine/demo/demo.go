// Package demo makes up a company's traffic on a throw-away engine, so that a
// visitor sees every part of a console move: invoices that robots work and
// sometimes die on, agent turns that fill the slow lane until a line forms,
// exports and mails that pass by them on the fast lane, and business
// exceptions a person has to look at.
//
// It is the only place in the program that invents anything. What it invents
// goes through the engine's public methods like anybody's work.
package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// Options says how a demo runs.
type Options struct {
	Scenario string  // a name from Scenarios; "" = the first
	Speed    float64 // how many times faster than life; 0 = 1
	Seed     uint64  // the same seed makes up the same company
}

// Scenario names one kind of day.
type Scenario struct {
	Name, Help string
	// turns is how many agent turns come in at each wave, and how often a wave
	// comes.
	turns int
	every time.Duration
}

// Scenarios lists the scenarios, the default first.
func Scenarios() []Scenario {
	return []Scenario{
		{"office", "an ordinary day: invoices, exports, mails, and waves of agent turns", 30, 20 * time.Second},
		{"flood", "slow work floods in and never ends; watch the fast lane stay open", 80, 25 * time.Second},
	}
}

// Demo is running traffic.
type Demo struct {
	e        *engine.Engine
	scenario Scenario
	speed    float64
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu   sync.Mutex
	rand *rand.Rand
}

// New makes a demo on an engine, and its queues; Handlers must be given to the
// engine's drains before Start. CodeInvalid for an unknown scenario.
func New(ctx context.Context, e *engine.Engine, o Options) (*Demo, error) {
	d := &Demo{e: e, speed: o.Speed, rand: rand.New(rand.NewPCG(o.Seed, 7))}
	if d.speed == 0 {
		d.speed = 1
	}
	if d.speed < 0.1 || d.speed > 100 {
		return nil, store.Invalid(fmt.Sprintf("speed %g", o.Speed), "from 0.1 to 100", "try 4")
	}
	names := ""
	for n, s := range Scenarios() {
		if s.Name == o.Scenario || o.Scenario == "" && n == 0 {
			d.scenario = s
		}
		names += " " + s.Name
	}
	if d.scenario.Name == "" {
		return nil, store.Invalid(fmt.Sprintf("scenario %q", o.Scenario), "there is none of this name", "use one of"+names)
	}
	for _, q := range queues(d) {
		if _, err := e.AddQueue(engine.WithActor(ctx, "demo"), q); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Start lets the traffic flow until Stop.
func (d *Demo) Start(ctx context.Context) {
	ctx, d.cancel = context.WithCancel(engine.WithActor(ctx, "demo"))
	d.run(func() { d.stream(ctx, 900*time.Millisecond, d.invoice) })
	d.run(func() { d.stream(ctx, 1300*time.Millisecond, d.export) })
	d.run(func() { d.stream(ctx, 700*time.Millisecond, d.mail) })
	d.run(func() { d.waves(ctx) })
	d.run(func() { d.jobs(ctx) })
	for n := range 4 {
		d.run(func() { d.robot(ctx, fmt.Sprintf("invoice-robot-%d", n+1), n == 0) })
	}
}

// Stop ends the traffic and waits until nothing of it runs.
func (d *Demo) Stop() {
	if d.cancel != nil {
		d.cancel()
	}
	d.running.Wait()
}

func (d *Demo) run(f func()) { d.running.Go(f) }

// lasting scales a duration of the made-up world to real time.
func (d *Demo) lasting(t time.Duration) time.Duration {
	return time.Duration(float64(t) / d.speed).Round(time.Millisecond)
}

// between draws a duration of the made-up world, in real time.
func (d *Demo) between(from, to time.Duration) time.Duration {
	return d.lasting(from + time.Duration(d.draw()*float64(to-from)))
}

func (d *Demo) draw() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rand.Float64()
}

func (d *Demo) pick(from []string) string { return from[int(d.draw()*float64(len(from)))] }

// chance says yes in this share of cases.
func (d *Demo) chance(share float64) bool { return d.draw() < share }

// sleep waits, and says whether the demo goes on.
func sleep(ctx context.Context, t time.Duration) bool {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
