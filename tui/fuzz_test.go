package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// hands are the keys that a person may press.
func hands() []string {
	return []string{
		"1", "2", "4", "5", "3", "9", "3", "up", "down", "left", "right", "j", "k", "g", "G", "pgup", "pgdown", "enter", "esc", "tab", "shift+tab",
		"space", "V", "a", "backspace", "r", "v", "A", "c", "x", "/", "?", "f", "z", "T", "S", "+", "-", "shift+left", "shift+right", "s", "p", "n", "N", "y", "w", "u", "E", ":", ",", "o", "O", "I", "m", "M", "7", "8", "tab", "shift+tab",
	}
}

// FuzzConsole presses keys at any size over any data: it never breaks, and
// always draws exactly the lines and columns that there are.
func FuzzConsole(f *testing.F) {
	f.Add([]byte{80, 24, 25}, []byte{1, 16, 16, 22, 24, 43})
	f.Add([]byte{120, 40, 3}, []byte{34, 35, 37, 16})
	f.Add([]byte{255, 100, 200}, []byte{3, 16, 20, 24, 43})
	f.Add([]byte{1, 1, 0}, []byte{30, 29, 2, 17})
	f.Add([]byte{50, 15, 60}, []byte{1, 6, 16, 22, 16, 27, 30})
	f.Fuzz(func(t *testing.T, shape, keys []byte) {
		if len(shape) < 3 || len(keys) > 60 {
			return
		}
		w, h := int(shape[0]), int(shape[1])%110
		e := fake.Lifelike()
		if n := int(shape[2]) * 8; n != 25*8 {
			e.Change(func(s *engine.Snapshot) { s.Slots = crowd(n) })
		}
		c := open(t, e, w, h)
		names := hands()
		for i, k := range keys {
			if c.app.feed.frozen {
				c.press("f")
			}
			c.press(names[int(k)%len(names)])
			if k > 200 {
				w, h = int(k)-200, i*3
				c.send(tea.WindowSizeMsg{Width: w, Height: h})
			}
			c.wait(time.Duration(k) * 10 * time.Millisecond)
			if k%5 == 0 {
				e.EditJob("triage-0302", func(j *engine.JobState) { j.Status, j.Done = store.JobStatus(k%5+1), int64(k)<<(k%40) })
			}
			if k%7 == 0 {
				e.Edit(store.ID{Queue: "finance.orders", Number: uint64(k)%60 + 1}, func(r *engine.Record) { r.Status = store.Status(k % 14) })
				c.feed()
			}
			if w > 0 && h > 0 {
				exact(t, c.picture(), w, h)
			}
		}
	})
}

// crowd is a pool of n slots, two in three busy.
func crowd(n int) lane.State {
	st := fake.Pool(lane.Auto(n))
	for i := range st.Slots {
		if i%3 == 0 {
			continue
		}
		l := lane.Fast
		if st.Slots[i].Lane == lane.Slow || i%2 == 0 {
			l = lane.Slow
		}
		st.Slots[i].State = lane.Busy
		st.Slots[i].Holder = &lane.Holder{
			Lane: l, Queue: "finance.orders", Item: "finance.orders/1", Robot: "drain",
			Since: store.At(fake.Epoch().Add(-time.Duration(i) * time.Second)),
		}
		st.Busy++
	}
	return st
}

func TestEverySizeAndPool(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 12, 25, 60, 100, 400, 2000} {
		e := fake.Lifelike()
		e.Change(func(s *engine.Snapshot) { s.Slots = crowd(n) })
		c := open(t, e, 80, 24)
		for _, w := range []int{1, 7, 20, 49, 50, 64, 80, 99, 120, 200, 300} {
			for _, h := range []int{1, 5, 14, 15, 24, 40, 60, 100} {
				c.send(tea.WindowSizeMsg{Width: w, Height: h})
				exact(t, c.picture(), w, h)
			}
		}
	}
}
