package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// loaded is a console at 200x60 on 1,000 slots, in true colour.
func loaded(b *testing.B, items int) *console {
	e := fake.Lifelike()
	for i := range items {
		e.Put(engine.Record{Item: store.Item{
			Queue: "finance.orders", Status: store.Successful, Reference: fmt.Sprintf("INV-%d", i), CreatedAt: store.At(fake.Epoch()), Attempts: 1,
		}})
	}
	e.Change(func(s *engine.Snapshot) { s.Slots = crowd(1000) })
	c := open(b, e, 200, 60)
	c.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	return c
}

func BenchmarkViewSlots(b *testing.B) {
	c := loaded(b, 0)
	b.ReportAllocs()
	for b.Loop() {
		c.app.dirty = true
		c.app.View()
	}
}

func BenchmarkViewItems(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := loaded(b, n)
			c.press("2", "down", "enter")
			b.ReportAllocs()
			for b.Loop() {
				c.app.dirty = true
				c.app.View()
			}
		})
	}
}

func BenchmarkViewUnchanged(b *testing.B) {
	c := loaded(b, 0)
	b.ReportAllocs()
	for b.Loop() {
		c.app.View()
	}
}

func BenchmarkCursorMove(b *testing.B) {
	c := loaded(b, 1000)
	c.press("2", "down", "enter")
	keys := []tea.KeyPressMsg{keyOf("down"), keyOf("up")}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		c.app.Update(keys[i%2])
		c.app.View()
		i++
	}
}

func BenchmarkDialogOverSlots(b *testing.B) {
	c := loaded(b, 0)
	c.press("?")
	b.ReportAllocs()
	for b.Loop() {
		c.app.dirty = true
		c.app.View()
	}
}
