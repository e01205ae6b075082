package tui

import (
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/events"
	"signalbox/tui/screen/exceptions"
	"signalbox/tui/screen/jobs"
	"signalbox/tui/screen/queues"
	"signalbox/tui/screen/robots"
	"signalbox/tui/screen/slots"
	"signalbox/tui/widget/progress"
)

// places are the numbered screens.
func places(d act.Desk, speeds *progress.Speeds) []place {
	return []place{
		{number: 1, name: "slots", stack: []screen.Screen{slots.New(d)}},
		{number: 2, name: "queues", stack: []screen.Screen{queues.New(d)}},
		{number: jobsPlace, name: "jobs", stack: []screen.Screen{jobs.New(d, speeds)}, count: openJobs},
		{number: 4, name: "abandoned", stack: []screen.Screen{exceptions.NewAbandoned(d)}, count: waiting(exceptions.IsAbandoned)},
		{number: 5, name: "review", stack: []screen.Screen{exceptions.NewReview(d)}, count: waiting(exceptions.IsException)},
		{number: 7, name: "events", stack: []screen.Screen{events.New(d)}},
		{number: 8, name: "robots", stack: []screen.Screen{robots.New(d)}},
	}
}

// drains counts the slots in which an engine's own consumers work.
func drains(e env.Env) (n int64) {
	if e.Snap == nil {
		return 0
	}
	for i := range e.Snap.Slots.Slots {
		if h := e.Snap.Slots.Slots[i].Holder; h != nil && strings.HasPrefix(h.Robot, engine.DrainPrefix) {
			n++
		}
	}
	return n
}

// waiting counts the items that wait for a person's decision.
func waiting(in func(store.Status) bool) func(env.Env) int64 {
	return func(e env.Env) (n int64) {
		if e.Snap == nil {
			return 0
		}
		for _, g := range e.Snap.Groups {
			if in(g.Status) {
				n += g.Count
			}
		}
		return n
	}
}
