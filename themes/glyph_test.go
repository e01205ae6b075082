package themes

import (
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"signalbox/tui/text"
)

// shapes lists every glyph of a set with the name of its field.
func shapes(g *Glyphs) map[string]string {
	all := map[string]string{}
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			all[name] = v.String()
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(name+string(rune('a'+i)), v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(name+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	walk("", reflect.ValueOf(*g))
	delete(all, ".statusa") // there is no status zero
	return all
}

func TestGlyphsAreOneColumnForEveryTerminal(t *testing.T) {
	for name, g := range shapes(Unicode()) {
		if ansi.StringWidth(g) != 1 || ansi.StringWidthWc(g) != 1 || len([]rune(g)) != 1 {
			t.Errorf("%s: %q is not one column", name, g)
		}
		if text.Clean(g) != text.Safe(g) {
			t.Errorf("%s: %q would be cleaned", name, g)
		}
		if emoji(g) {
			t.Errorf("%s: %q may be drawn as an emoji", name, g)
		}
	}
}

// emoji says that g has an emoji form, after Unicode's emoji-data for the
// blocks in which our glyphs lie.
func emoji(g string) bool {
	const forms = "©®‼⁉™ℹ↔↕↖↗↘↙↩↪⌚⌛⌨⏏⏩⏪⏫⏬⏭⏮⏯⏰⏱⏲⏳⏸⏹⏺Ⓜ▪▫▶◀◻◼◽◾☀☁☂☃☄☎☑☔☕♠♣♥♦⚠⚡⛔✂✅✔✖✨✳✴❄❇❌❎❓❔❕❗❤➕➖➗➡⤴⤵⬅⬆⬇⬛⬜⭐⭕"
	return strings.Contains(forms, g)
}

func TestAsciiIsAscii(t *testing.T) {
	for name, g := range shapes(ASCII()) {
		if len(g) != 1 || g[0] < ' ' || g[0] > '~' {
			t.Errorf("%s: %q", name, g)
		}
	}
}

func TestSlotsAndLanesDifferInShape(t *testing.T) {
	for set, g := range map[string]*Glyphs{"unicode": Unicode(), "ascii": ASCII()} {
		for _, kind := range [][]string{
			{g.SlotFree, g.SlotFast, g.SlotSlow, g.SlotStuck, g.SlotClosing, g.SlotUnknown},
			{g.LaneFast, g.LaneSlow, g.LaneCommons},
			{g.Cursor, g.Mark, " "},
			{g.Warn, g.Danger, g.Info, g.OK},
			{g.On, g.Off}, {g.Folded, g.Unfolded}, {g.SortUp, g.SortDown},
			g.Shades, g.Spark, g.Bar, {g.Track, g.Bar[len(g.Bar)-1]},
		} {
			seen := map[string]bool{}
			for _, shape := range kind {
				if seen[shape] {
					t.Errorf("%s: %q stands for two of %q", set, shape, kind)
				}
				seen[shape] = true
			}
		}
	}
}

func TestMeter(t *testing.T) {
	for _, c := range []struct {
		g     *Glyphs
		share float64
		want  string
	}{
		{Unicode(), 0, "────"}, {Unicode(), 0.5, "██──"}, {Unicode(), 0.54, "██▏─"}, {Unicode(), 1, "████"},
		{Unicode(), 7, "████"}, {Unicode(), -1, "────"}, {ASCII(), 0.6, "##.."},
	} {
		got := ""
		for i := range 4 {
			got += c.g.Meter(i, 4, c.share)
		}
		if got != c.want {
			t.Errorf("%v is %q, want %q", c.share, got, c.want)
		}
	}
}

func TestColumnNeverHidesSomething(t *testing.T) {
	g := Unicode()
	for v, want := range map[float64]string{0: " ", 0.001: "▁", 5: "▄", 10: "█", 12: "█"} {
		if got := g.Column(v, 10); got != want {
			t.Errorf("%v of 10 is %q, want %q", v, got, want)
		}
	}
	if got := g.Column(3, 0); got != " " {
		t.Errorf("of nothing %q", got)
	}
}
