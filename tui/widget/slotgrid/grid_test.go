package slotgrid

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/internal/fake"
)

func world(profile colorprofile.Profile) env.Env {
	return env.Env{
		Theme: themes.Default(true).For(profile), Glyphs: themes.Unicode(), Now: fake.Epoch(), Focused: true,
	}
}

func minute(*lane.Holder) time.Duration { return time.Minute }

// pool is n slots, every third one free.
func pool(s lane.Split) *lane.State {
	st := fake.Pool(s)
	for i := range st.Slots {
		if i%3 == 0 {
			continue
		}
		l := lane.Fast
		if i%2 == 0 || st.Slots[i].Lane == lane.Slow {
			l = lane.Slow
		}
		st.Slots[i].State = lane.Busy
		st.Slots[i].Holder = &lane.Holder{Lane: l, Queue: "orders", Item: "orders/1", Since: store.At(fake.Epoch().Add(-time.Duration(i) * time.Second))}
	}
	return &st
}

func draw(e env.Env, st *lane.State, w, h int) (Layout, string) {
	l := Plan(st, w, h)
	c := e.Canvas(w, l.Height)
	g := Grid{State: st, Selected: 1, Expect: minute}
	g.Draw(e, c, l)
	return l, c.String()
}

func TestDensityFollowsTheRoom(t *testing.T) {
	for _, test := range []struct {
		slots, w, h int
		want        Density
		rows        int
	}{
		{3, 80, 10, Blocks, 1}, {6, 120, 16, Blocks, 1},
		{25, 200, 20, Tiles, 1}, {25, 120, 16, Tiles, 1}, {25, 79, 9, Tiles, 1},
		{25, 120, 40, Tiles, 1}, {60, 120, 20, Tiles, 3}, {100, 200, 24, Tiles, 3},
		{400, 120, 16, Cells, 0}, {1000, 200, 26, Cells, 0}, {2000, 200, 26, Cells, 0},
		{2000, 80, 9, Bars, 0}, {25, 49, 4, Bars, 0},
	} {
		l := Plan(pool(lane.Auto(test.slots)), test.w, test.h)
		if l.Density != test.want || l.Height > test.h {
			t.Errorf("%d slots in %dx%d: density %d of height %d, want %d", test.slots, test.w, test.h, l.Density, l.Height, test.want)
		}
	}
}

// In every density the lanes' ranges can be read off.
func TestRangesAreNeverLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 300).Draw(t, "slots")
		fast := rapid.IntRange(1, n-1).Draw(t, "fast")
		slow := rapid.IntRange(1, n-fast).Draw(t, "slow")
		w, h := rapid.IntRange(50, 220).Draw(t, "w"), rapid.IntRange(5, 40).Draw(t, "h")
		st := pool(lane.Split{Size: n, Fast: fast, Slow: slow})
		l, picture := draw(world(colorprofile.NoTTY), st, w, h)
		if l.Density == Bars {
			if !strings.Contains(picture, fmt.Sprintf("%d–%d", 1, fast)) || !strings.Contains(picture, fmt.Sprintf("–%d", n)) {
				t.Fatalf("ranges are lost:\n%s", picture)
			}
			return
		}
		for _, word := range []string{"fast", "slow"} {
			if !strings.Contains(picture, word) && fast > 3 && slow > 3 {
				t.Fatalf("%s is lost:\n%s", word, picture)
			}
		}
		busy := 0
		for _, s := range st.Slots {
			if s.Holder != nil {
				busy++
			}
		}
		if l.Density == Cells {
			if got := strings.Count(picture, "▀") + strings.Count(picture, "▄") + strings.Count(picture, "█"); got != busy {
				t.Fatalf("%d levers of %d:\n%s", got, busy, picture)
			}
		}
	})
}

// The brackets stand over exactly the slots of their lanes.
func TestBracketsSpanTheirLanes(t *testing.T) {
	_, picture := draw(world(colorprofile.NoTTY), pool(lane.Auto(25)), 120, 10)
	lines := strings.Split(picture, "\n")
	top, numbers, bottom := lines[0], lines[2], lines[4]
	column := func(line, word string) int {
		i := strings.Index(line, word)
		if i < 0 {
			t.Fatalf("no %q in %q", word, line)
		}
		return ansi.StringWidth(line[:i])
	}
	if column(top, "╭") > column(numbers, " 1 ")+2 || column(top, "╮") < column(numbers, " 19") || column(top, "╮") > column(numbers, " 20") {
		t.Errorf("fast bracket:\n%s", picture)
	}
	if column(bottom, "╰") < column(numbers, "  6")+2 || column(bottom, "╰") > column(numbers, "  7")+2 {
		t.Errorf("slow bracket:\n%s", picture)
	}
}

func TestClosingSlotsKeepTheirNumbers(t *testing.T) {
	st := pool(lane.Auto(12))
	st.Slots = append(st.Slots, lane.SlotState{Number: 19, State: lane.Closing, Holder: &lane.Holder{Lane: lane.Slow, Since: store.At(fake.Epoch())}})
	for _, size := range [][2]int{{120, 12}, {60, 8}, {50, 4}} {
		_, picture := draw(world(colorprofile.NoTTY), st, size[0], size[1])
		if !strings.Contains(picture, "19") {
			t.Errorf("the closing slot is lost in %v:\n%s", size, picture)
		}
	}
}

func BenchmarkStrip(b *testing.B) {
	for _, n := range []int{25, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := world(colorprofile.TrueColor)
			st := pool(lane.Auto(n))
			l := Plan(st, 200, 26)
			g := Grid{State: st, Selected: 1, Expect: minute}
			c := e.Canvas(200, l.Height)
			b.ReportAllocs()
			for b.Loop() {
				g.Draw(e, e.Renew(c, 200, l.Height), l)
			}
		})
	}
}

// However little room there is, a pool told in numbers says how many are stuck.
func TestBarsSayWhatIsStuck(t *testing.T) {
	for _, n := range []int{60, 200, 2000, 9999} {
		for _, w := range []int{49, 63, 79, 99} {
			l, picture := draw(world(colorprofile.NoTTY), pool(lane.Auto(n)), w, 3)
			if l.Density != Bars {
				continue
			}
			for line := range strings.SplitSeq(picture, "\n") {
				if !strings.HasSuffix(line, " stuck") && (strings.Contains(line, ",") || !strings.HasSuffix(line, " busy")) {
					t.Errorf("%d slots in %d columns:\n%s", n, w, picture)
				}
			}
		}
	}
}
