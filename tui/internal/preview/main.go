// Command preview shows the console on made-up records.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/tui"
	"signalbox/tui/internal/fake"
)

func main() {
	theme := flag.String("theme", "", "")
	empty := flag.Bool("empty", false, "")
	pool := flag.Int("pool", 0, "")
	flag.Parse()
	e := fake.Lifelike()
	if *empty {
		e = fake.New()
	}
	if *pool > 0 {
		e.Change(func(s *engine.Snapshot) {
			s.Slots = fake.Pool(lane.Auto(*pool))
			for i := range s.Slots.Slots {
				if (i*7)%5 < 2 {
					continue
				}
				sl := &s.Slots.Slots[i]
				l := lane.Fast
				if sl.Lane == lane.Slow || (i*3)%4 > 0 && sl.Lane == lane.Commons {
					l = lane.Slow
				}
				sl.State = lane.Busy
				sl.Holder = &lane.Holder{Lane: l, Queue: "finance.orders", Item: "finance.orders/3", Robot: "drain", Since: store.At(fake.Epoch().Add(-time.Duration((i*37)%310) * time.Second))}
				s.Slots.Busy++
			}
		})
	}
	err := tui.Run(context.Background(), tui.Options{Engine: e, Title: "production", Actor: "ada", Theme: *theme, Demo: true, Place: time.UTC, Clock: fake.Epoch})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
