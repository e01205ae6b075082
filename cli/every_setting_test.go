package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// everySetting is each setting with its flags, a value that is nobody's default,
// and what a dump writes.
var everySetting = []struct {
	key   string
	flags []string
	want  string // as JSON
	toml  string
}{
	{"folder", []string{"--folder", "/finance/ap"}, `"/finance/ap"`, `folder = "/finance/ap"`},
	{"links", []string{"--links", "/b", "--links", "/a"}, `["/a","/b"]`, `links = ["/a", "/b"]`},
	{"description", []string{"--description", "what for"}, `"what for"`, `description = "what for"`},
	{"lane", []string{"--lane", "slow"}, `"slow"`, `lane = "slow"`},
	{"batch_size", []string{"--batch-size", "7"}, `7`, `batch_size = 7`},
	{"max_drains", []string{"--max-drains", "2"}, `2`, `max_drains = 2`},
	{"paused", []string{"--paused"}, `true`, `paused = true`},
	{"lease", []string{"--lease", "42s"}, `"42s"`, `lease = "42s"`},
	{"on_expiry", []string{"--on-expiry", "abandon"}, `"abandon"`, `on_expiry = "abandon"`},
	{"max_reclaims", []string{"--max-reclaims", "0"}, `0`, `max_reclaims = 0`},
	{"retries", []string{"--retries", "16"}, `16`, `retries = 16`},
	{"retry_window", []string{"--retry-window", "0"}, `"0s"`, `retry_window = "0s"`},
	{"retry_floor", []string{"--retry-floor", "0"}, `"0s"`, `retry_floor = "0s"`},
	{"retry_abandoned", []string{"--retry-abandoned"}, `true`, `retry_abandoned = true`},
	{"attempt_timeout", []string{"--attempt-timeout", "90s"}, `"1m30s"`, `attempt_timeout = "1m30s"`},
	{"unique_references", []string{"--unique-references"}, `true`, `unique_references = true`},
	{"sla", []string{"--sla", "2h"}, `"2h"`, `sla = "2h"`},
	{"sla_risk", []string{"--sla-risk", "1h"}, `"1h"`, `sla_risk = "1h"`},
	{"retain_settled", []string{"--retain-settled", "7d"}, `"7d"`, `retain_settled = "7d"`},
	{"retain_settled_then", []string{"--retain-settled-then", "delete"}, `"delete"`, `retain_settled_then = "delete"`},
	{"retain_excepted", []string{"--retain-excepted", "7d"}, `"7d"`, `retain_excepted = "7d"`},
	{"retain_excepted_then", []string{"--retain-excepted-then", "archive"}, `"archive"`, `retain_excepted_then = "archive"`},
	{"mask", []string{"--mask", "iban", "--mask", "name"}, `["iban","name"]`, `mask = ["iban", "name"]`},
	{"schemas.payload", []string{"--payload-schema", `{"required":["zip"]}`}, `{"required":["zip"]}`, `schemas.payload = '{"required":["zip"]}'`},
	{"schemas.output", []string{"--output-schema", `{"required":["a"]}`}, `{"required":["a"]}`, `schemas.output = '{"required":["a"]}'`},
	{"schemas.analytics", []string{"--analytics-schema", `{"required":["b"]}`}, `{"required":["b"]}`, `schemas.analytics = '{"required":["b"]}'`},
}

// Each setting can be given when a queue is added and changed later, is shown,
// dumped and applied, and is changed while an item is in flight, which it leaves
// as it was.
func TestEverySetting(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "busy")
	r.ok("item", "add", "--queue", "busy", "--payload", "{}")
	flying := r.claimed("--queue", "busy", "--robot", "r1")[0]
	before := r.ok("item", "show", flying.ID)
	for _, s := range everySetting {
		t.Run(s.key, func(t *testing.T) {
			name := "q-" + strings.NewReplacer(".", "-").Replace(s.key)
			shown := func(name string) string {
				var at any
				if err := json.Unmarshal([]byte(r.ok("queue", "show", name)), &at); err != nil {
					t.Fatal(err)
				}
				for part := range strings.SplitSeq(s.key, ".") {
					at = at.(map[string]any)[part]
				}
				b, _ := json.Marshal(at)
				return string(b)
			}
			r.ok(append([]string{"queue", "add", name}, s.flags...)...)
			if got := shown(name); got != s.want {
				t.Errorf("added, it is shown as %s, want %s", got, s.want)
			}
			r.ok(append([]string{"queue", "set", "busy"}, s.flags...)...)
			if got := shown("busy"); got != s.want {
				t.Errorf("set, it is shown as %s, want %s", got, s.want)
			}
			dump := r.ok("queue", "dump", name)
			if !strings.Contains(dump, "\n"+s.toml+"\n") {
				t.Errorf("dumped as\n%s\nwant %s", dump, s.toml)
			}
			path := r.file(name+".toml", dump)
			if out := r.ok("queue", "apply", "-f", path, "--dry-run"); !strings.Contains(out, "nothing to change") {
				t.Errorf("its own dump would change\n%s", out)
			}
			other := newRig(t)
			other.env["SIGNALBOX_STORE"] = "bolt:" + filepath.Join(other.dir, "other.db")
			other.ok("queue", "apply", "-f", path)
			if again := other.ok("queue", "dump", name); again != dump {
				t.Errorf("applied elsewhere it is dumped as\n%s", again)
			}
		})
	}
	if after := r.ok("item", "show", flying.ID); strings.ReplaceAll(after, `"max_attempts":17`, `"max_attempts":1`) != before {
		t.Errorf("the item in flight was\n%s\nand is\n%s", before, after)
	}
	r.ok("complete", flying.ID, "--fence", "1", "--output", `{"a":1}`, "--analytics", `{"b":1}`)
}
