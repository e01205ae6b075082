package tui

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/engine"
	"signalbox/engine/lane"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// hostile is what a terminal would obey, or a reader not see.
func hostile() []string {
	return []string{
		"\x1b[2J\x1b[H", "\x1b]0;owned\x07", "\x1b]52;c;cm0gLXJm\x07", "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\",
		"\x1b[8mhidden", "\x1bP+q544e\x1b\\", "\x1b_Gi=1\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos\x1b\\", "\x1bc", "\x1b]unterminated",
		"\u009b31m", "\u009d0;c1\u009c", "\x9b31m", "a\rb", "a\nb", "a\tb", "\x00\x07\x08\x7f",
		"\u202egnp.exe", "\u2066iso\u2069", "zero\u200bwidth\u200d\ufeff", "tag\U000e0041", strings.Repeat("e\u0301", 5) + strings.Repeat("\u0301", 200),
		"家族👨‍👩‍👧‍👦と🏳️‍🌈", "ﷺ", "\xff\xfe",
	}
}

// poisoned is an engine in which every text field says s.
func poisoned(s string) *fake.Engine {
	e := fake.New()
	e.Change(func(snap *engine.Snapshot) {
		snap.Store = s
		snap.Slots = fake.Pool(lane.Auto(25))
		holder := &lane.Holder{Lane: lane.Slow, Queue: s, Job: s, Item: s, Robot: s, Since: store.At(fake.Epoch())}
		for i := range 20 {
			snap.Slots.Slots[i].State, snap.Slots.Slots[i].Holder = lane.Busy, holder
		}
		snap.Slots.Busy, snap.Slots.Slow.Waiting = 20, 1
		snap.Slots.Waiting = []lane.Waiter{{Lane: lane.Slow, Queue: s, Item: s, Place: 1}}
		snap.Queues = []engine.QueueState{{Queue: store.Queue{
			Name: s, Folder: s, Description: s, Lane: s, Consumer: store.Consumer{Kind: s}, ConsumerError: s, Paused: true, PausedBy: s,
		}}}
	})
	job := engine.JobState{Job: store.Job{
		ID: s, Queue: s, Kind: s, Status: store.JobPaused, PausedBy: s, Initiator: s, SingletonKey: s, Hook: store.Hook{Tries: 1, Error: s},
	}, JobCounts: store.JobCounts{Available: 1, Failed: 1, Total: 2}}
	e.Change(func(snap *engine.Snapshot) { snap.Jobs = []engine.JobState{job} })
	e.Logs = map[string][]store.LogLine{s: {{Seq: 1, Level: s, Text: s, Fields: store.JSON(s)}}}
	e.Files = map[string][]store.Attachment{s: {{Name: s, Type: s}, {Name: s + "2"}}}
	e.Metadata = map[string]string{s: s}
	payload, _ := json.Marshal(map[string]any{"k" + s: s})
	e.Put(engine.Record{
		Item: store.Item{
			Queue: s, Status: store.BusinessException, Reference: s, Progress: s, ClaimedBy: s, CreatedBy: s, Job: s, Group: "g" + s,
			Error:  &store.Failure{Kind: s, Reason: s, Details: s},
			Review: store.Review{Status: store.InReview, Reviewer: s, Note: s},
		},
		Payload: payload, Output: []byte(s), Analytics: payload,
	})
	e.Change(nil)
	return e
}

func TestNothingInDataReachesTheTerminal(t *testing.T) {
	for _, s := range hostile() {
		c := open(t, poisoned(s), 120, 40, func(o *Options) { o.Title, o.Actor = s, s })
		c.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
		for _, keys := range [][]string{
			nil, {"2"}, {"O"}, {"down"}, {"down"}, {"down"}, {"pgdown"}, {"down"}, {"enter"}, {"esc"}, {"y"}, {"enter"}, {"enter"}, {"pgdown"}, {"5"}, {"r"}, {"esc"}, {"enter"}, {"A"}, {"esc"}, {"a"}, {"x"}, {"esc"}, {"r"}, {"?"}, {"esc"}, {"/"}, {"enter"},
			{"3"}, {"x"}, {"down"}, {"enter"}, {"esc"}, {"w"}, {"esc"}, {"enter"}, {"tab"}, {"e"}, {"enter"}, {"esc"}, {"p"}, {"enter"}, {":"}, {"esc"},
		} {
			c.press(keys...)
			safe(t, s, c.picture())
			exact(t, c.picture(), 120, 40)
			safe(t, s, c.app.View().WindowTitle)
		}
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// safe says that a picture holds nothing but text, line ends and styles of
// our own.
func safe(t *testing.T, from, picture string) {
	t.Helper()
	for _, r := range sgr.ReplaceAllString(picture, "") {
		if r == '\n' {
			continue
		}
		if unicode.In(r, unicode.Cc, unicode.Cf) || r == unicode.ReplacementChar && utf8.ValidString(from) {
			t.Fatalf("%q let %U through:\n%q", from, r, picture)
		}
	}
	if strings.Contains(picture, "\x1b[8m") {
		t.Fatalf("%q conceals text", from)
	}
}

func TestHugePayloadStaysWhole(t *testing.T) {
	e := fake.Lifelike()
	big, _ := json.Marshal(map[string]string{"text": strings.Repeat("我的订单🙂 where is it? ", 14000)})
	e.Edit(store.ID{Queue: "finance.orders", Number: 60}, func(r *engine.Record) { r.Payload = big })
	c := open(t, e, 80, 24)
	c.press("2", "down", "enter", "enter")
	for _, key := range []string{"pgdown", "G", "pgup", "tab", "g", "down"} {
		c.press(key)
		exact(t, c.picture(), 80, 24)
	}
	c.shows("我的订单")
}
