package tui

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
)

// everySetting is each setting of a queue: the page and the label under which
// the form asks for it, what is typed, and what it then is.
var everySetting = []struct {
	key, page, label, typed, want string
	with                          []string // label and text of what must be set first
}{
	{"description", "queue", "description", "what for", `"what for"`, nil},
	{"folder", "queue", "folder", "/finance/ap", `"/finance/ap"`, nil},
	{"links", "queue", "also in folders", "/b '/a c'", `["/a c","/b"]`, nil},
	{"lane", "queue", "lane", "slow", `"slow"`, nil},
	{"paused", "queue", "paused", "yes", `true`, nil},
	{"consumer.kind", "consumer", "consumer", "manual", `"manual"`, []string{"consumer", "http"}},
	{"consumer.argv", "consumer", "command", `sh -c 'echo "two words"'`, `["sh","-c","echo \"two words\""]`, []string{"consumer", "command"}},
	{"consumer.shell", "consumer", "through a shell", "yes", `true`, []string{"consumer", "command", "command", "true"}},
	{"consumer.dir", "consumer", "in folder", "/usr", `"/usr"`, []string{"consumer", "command", "command", "true"}},
	{"consumer.env", "consumer", "variables", "A=1 'B=two words'", `["A=1","B=two words"]`, []string{"consumer", "command", "command", "true"}},
	{"consumer.url", "consumer", "url", "https://robots.example/x", `"https://robots.example/x"`, []string{"consumer", "http"}},
	{"consumer.headers", "consumer", "headers", "'X-Key: a, b'", `["X-Key: a, b"]`, []string{"consumer", "http", "url", "https://robots.example/x"}},
	{"consumer.timeout", "consumer", "timeout", "42s", `"42s"`, []string{"consumer", "command", "command", "true"}},
	{"batch_size", "consumer", "batch size", "7", `7`, []string{"consumer", "command", "command", "true"}},
	{"max_drains", "consumer", "drains at once", "2", `2`, []string{"consumer", "command", "command", "true"}},
	{"lease", "claims", "lease", "42s", `"42s"`, nil},
	{"on_expiry", "claims", "on expiry", "reclaim", `"reclaim"`, nil},
	{"max_reclaims", "claims", "reclaims", "0", `0`, nil},
	{"attempt_timeout", "claims", "attempt timeout", "90s", `"1m30s"`, nil},
	{"unique_references", "claims", "unique references", "yes", `true`, nil},
	{"retries", "retries", "retries", "16", `16`, nil},
	{"retry_window", "retries", "retry window", "0s", `"0s"`, nil},
	{"retry_floor", "retries", "retry floor", "1m", `"1m"`, nil},
	{"retry_abandoned", "retries", "retry abandoned", "yes", `true`, nil},
	{"sla", "dates", "due after", "2h", `"2h"`, nil},
	{"sla_risk", "dates", "at risk after", "1h", `"1h"`, nil},
	{"retain_settled", "dates", "settled stay", "7d", `"7d"`, nil},
	{"retain_settled_then", "dates", "settled then", "delete", `"delete"`, nil},
	{"retain_excepted", "dates", "exceptions stay", "7d", `"7d"`, nil},
	{"retain_excepted_then", "dates", "exceptions then", "archive", `"archive"`, nil},
	{"mask", "contents", "masked fields", "iban, name", `["iban","name"]`, nil},
	{"schemas.payload", "contents", "payload schema", `{"required":["zip"]}`, `{"required":["zip"]}`, nil},
	{"schemas.output", "contents", "output schema", `{"required":["a"]}`, `{"required":["a"]}`, nil},
	{"schemas.analytics", "contents", "analytics schema", `{"required":["b"]}`, `{"required":["b"]}`, nil},
}

// Every setting that a queue has can be given in the form of a new queue and in
// that of one that is there, and nothing but what was typed is changed.
func TestEverySettingFromTheForms(t *testing.T) {
	untested := keysOf(t, engine.DefaultQueue("q", store.Transactions))
	for _, s := range everySetting {
		delete(untested, s.key)
		for _, way := range []string{"N", "O"} {
			t.Run(way+" "+s.key, func(t *testing.T) {
				e := realEngine(t, nil)
				c := openOn(t, e, 80, 24)
				c.now = time.Now()
				c.press("2", way)
				name := "orders"
				if way == "N" {
					name = "fresh"
					c.text(name)
				}
				before, _ := e.Queue(t.Context(), "orders")
				for i := 0; i < len(s.with) && s.label != s.with[i]; i += 2 {
					c.fill(s.page, s.with[i], s.with[i+1])
				}
				c.fill(s.page, s.label, s.typed)
				c.press("enter")
				q, err := e.Queue(t.Context(), name)
				if err != nil {
					t.Fatalf("%v\n%s", err, c.picture())
				}
				if got := valueAt(t, q.Queue, s.key); got != s.want {
					t.Fatalf("it is %s, want %s\n%s", got, s.want, c.picture())
				}
				others(t, before.Queue, q.Queue, s.key)
			})
		}
	}
	for _, beside := range []string{"name", "family", "encrypted", "created_at", "revision"} { // tried elsewhere, or no setting
		delete(untested, beside)
	}
	if len(untested) > 0 {
		t.Errorf("settings that no form was tried with: %v", untested)
	}
}

// fill goes to a field of a form and puts a text there.
func (c *console) fill(page, label, typed string) {
	c.t.Helper()
	for range 40 {
		if strings.Contains(c.picture(), "▌ "+label+"  ") {
			for range 12 { // a choice is turned until it fits
				c.press("backspace")
			}
			c.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
			if line := lineOf(c.picture(), "▌ "+label+"  "); strings.Contains(line, "◂") || strings.Contains(line, "← ") {
				c.text(typed[:1])
				return
			}
			c.text(typed)
			return
		}
		if c.press("tab"); !strings.Contains(c.picture(), " "+page+" ") {
			c.t.Fatalf("there is no page %s:\n%s", page, c.picture())
		}
	}
	c.t.Fatalf("there is no field %q:\n%s", label, c.picture())
}

func lineOf(picture, words string) string {
	for line := range strings.SplitSeq(picture, "\n") {
		if strings.Contains(line, words) {
			return line
		}
	}
	return ""
}

func asMap(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]any{}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// keysOf are the names of all settings, those in groups with a dot.
func keysOf(t *testing.T, q store.Queue) map[string]bool {
	q.Description, q.Links, q.Mask, q.SLA, q.SLARisk = "x", []string{"/x"}, []string{"x"}, 1, 1
	q.Consumer = store.Consumer{Kind: "x", Argv: []string{"x"}, Env: []string{"x"}, Dir: "x", Shell: true, Timeout: 1, URL: "x", Headers: []string{"x"}}
	q.Schemas = store.Schemas{Payload: "{}", Output: "{}", Analytics: "{}"}
	keys := map[string]bool{}
	for name, v := range asMap(t, q) {
		group, ok := v.(map[string]any)
		if !ok {
			keys[name] = true
		}
		for inner := range group {
			keys[name+"."+inner] = true
		}
	}
	return keys
}

func valueAt(t *testing.T, q store.Queue, key string) string {
	var at any = asMap(t, q)
	for part := range strings.SplitSeq(key, ".") {
		at = at.(map[string]any)[part]
	}
	b, _ := json.Marshal(at)
	return string(b)
}

// others checks that a queue differs from another in one setting and what goes
// with it alone.
func others(t *testing.T, a, b store.Queue, key string) {
	was, is := asMap(t, a), asMap(t, b)
	for name := range is {
		switch name {
		case "name", "created_at", "revision", "paused_by":
			continue
		}
		if strings.HasPrefix(key+".", name+".") || name == "consumer" && (strings.HasPrefix(key, "consumer.") || key == "batch_size" || key == "max_drains") {
			continue
		}
		x, _ := json.Marshal(was[name])
		y, _ := json.Marshal(is[name])
		if string(x) != string(y) {
			t.Errorf("%s went from %s to %s", name, x, y)
		}
	}
}

// What the engine or the form refuses is said at the field that it is about, and
// all that was typed is still there.
func TestRefusalsStandAtTheirField(t *testing.T) {
	command, posted := []string{"consumer", "command", "command", "true"}, []string{"consumer", "http", "url", "https://a.example"}
	for _, test := range []struct {
		page, label, typed, says string
		with                     []string
	}{
		{"queue", "folder", "finance", "starts with a slash", nil},
		{"queue", "also in folders", "/a b/", "starts with a slash", nil},
		{"consumer", "command", "'x", "not closed", command[:2]},
		{"consumer", "command", "", "needs a program", command[:2]},
		{"consumer", "url", "", "needs a URL", posted[:2]},
		{"consumer", "url", "ftp://x", "http or https", posted[:2]},
		{"consumer", "headers", "nonsense", "a name, a colon and a value", posted},
		{"consumer", "headers", "'Host: x'", "set by the engine", posted},
		{"consumer", "timeout", "soon", "soon", command},
		{"consumer", "batch size", "1001", "from 1 to 1000", command},
		{"consumer", "drains at once", "-1", "from 0 on", command},
		{"claims", "lease", "1ms", "at least 1s", nil},
		{"claims", "lease", "-5m", "-5m", nil},
		{"claims", "attempt timeout", "-1s", "-1s", nil},
		{"claims", "reclaims", "many", "write digits", nil},
		{"retries", "retries", "17", "from 0 to 16", nil},
		{"retries", "retry window", "x", "x", nil},
		{"dates", "due after", "-1h", "-1h", nil},
		{"dates", "settled stay", "-1d", "-1d", nil},
		{"contents", "payload schema", "[1]", "no JSON object", nil},
		{"contents", "output schema", `{"type":"array"}`, "describes an array", nil},
		{"contents", "analytics schema", `{"type":7}`, "no JSON Schema", nil},
		{"contents", "payload schema", "@/none/such", "can't be read", nil},
	} {
		for _, way := range []string{"N", "O"} {
			t.Run(way+" "+test.label+" "+test.typed, func(t *testing.T) {
				c := openOn(t, realEngine(t, nil), 80, 24)
				c.now = time.Now()
				c.press("2", way)
				if way == "N" {
					c.text("lease.retries") // a name that reads like settings
				}
				for i := 0; i < len(test.with); i += 2 {
					c.fill(test.page, test.with[i], test.with[i+1])
				}
				c.fill(test.page, test.label, test.typed)
				c.press("pgup", "pgup", "enter") // from anywhere
				c.shows("▌ "+test.label+"  ", test.typed)
				if flat := strings.Join(strings.Fields(strings.ReplaceAll(c.picture(), "│", " ")), " "); !strings.Contains(flat, test.says) {
					t.Fatalf("it does not say %q:\n%s", test.says, c.picture())
				}
			})
		}
	}
}

// Leaving a form asks when something was typed, and only then.
func TestLeavingAFormLosesNothingUnasked(t *testing.T) {
	for _, way := range []string{"N", "O", "I"} {
		c := openOn(t, realEngine(t, nil), 80, 24)
		c.now = time.Now()
		c.press("2", way, "esc")
		c.hides("╭")
		c.press(way).text("x").press("esc")
		c.shows("Leave what you typed?", "1 field holds something new")
		c.press("esc") // back to the form
		c.shows("╭")
		c.hides("Leave what you typed?")
		c.press("esc", "enter") // the answer that is offered keeps it
		c.hides("Leave what you typed?")
		c.shows("╭")
		c.press("esc", "y")
		c.hides("╭")
	}
}

// A setting that somebody else changed meanwhile is told, not written over; what
// was typed is kept. Pauses and consumer errors are not in the way.
func TestSettingsChangedMeanwhile(t *testing.T) {
	e := realEngine(t, nil)
	c := openOn(t, e, 80, 24)
	c.now = time.Now()
	set := func(patch string) {
		if _, err := e.SetQueue(t.Context(), "orders", json.RawMessage(patch)); err != nil {
			t.Fatal(err)
		}
	}
	c.press("2", "O")
	c.fill("retries", "retry floor", "1m")
	set(`{"retries":5}`)
	c.feed()
	c.press("enter")
	c.shows("somebody changed it to", "retry floor")
	if err := e.ConsumerFailed(t.Context(), "orders", "broke"); err != nil {
		t.Fatal(err)
	}
	c.feed()
	c.press("enter")
	c.shows("1 setting of orders changed")
	q, _ := e.Queue(t.Context(), "orders")
	if q.Retries != 5 || q.RetryFloor != store.Duration(time.Minute) {
		t.Fatalf("%+v", q.Queue)
	}
	c.press("O")
	c.fill("retries", "retry floor", "2m")
	set(`{"retries":6}`) // which the console has not seen
	c.press("enter")
	c.shows("somebody changed it since it was seen")
	c.feed()
	c.press("enter", "enter")
	c.shows("1 setting of orders changed")
}

// A schema is written in the person's editor; headers keep their values unseen.
func TestLongTextsOfTheForm(t *testing.T) {
	e := realEngine(t, nil)
	left := `{"required": ["zip"]}`
	edit := func(o *Options) {
		o.Exec = func(cmd *exec.Cmd, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg {
				path := cmd.Args[len(cmd.Args)-1]
				if left != "" {
					if err := os.WriteFile(path, []byte(left+"\n"), 0o600); err != nil {
						t.Error(err)
					}
				}
				return done(nil)
			}
		}
	}
	c := openOn(t, e, 80, 24, edit)
	c.now = time.Now()
	c.press("2", "O")
	c.fill("contents", "payload schema", "x")
	c.press("backspace", "ctrl+x")
	c.shows(`{"required": ["zip"]}`, "21 characters")
	left = ""
	c.press("down", "ctrl+x") // left as it was given
	c.shows("none")
	c.press("enter")
	c.shows("1 setting of orders changed")
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"required":["a"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.feed()
	c.press("O")
	c.fill("contents", "payload schema", "none")
	c.fill("contents", "output schema", "@"+file)
	c.press("enter")
	q, _ := e.Queue(t.Context(), "orders")
	if q.Schemas.Output != `{"required":["a"]}` || q.Schemas.Payload != "" {
		t.Fatalf("%+v\n%s", q.Schemas, c.picture())
	}
	if _, err := e.SetQueue(t.Context(), "orders", json.RawMessage(`{"description":"two\nlines","consumer":{"kind":"http","url":"https://a.example","headers":["Authorization: secret"]}}`)); err != nil {
		t.Fatal(err)
	}
	c.feed()
	c.press("O")
	c.fill("consumer", "timeout", "9s")
	c.press("up")
	c.shows("Authorization: ••••")
	c.press("end").text(" 'X-New: 1'").press("enter")
	q, _ = e.Queue(t.Context(), "orders")
	if got := strings.Join(q.Consumer.Headers, "|"); got != "Authorization: secret|X-New: 1" || q.Description != "two\nlines" {
		t.Fatalf("%q %q\n%s", got, q.Description, c.picture())
	}
}
