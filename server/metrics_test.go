package server_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
)

// sample is a line of Prometheus's text format that has a value.
var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_]+="[^"\\\n]*"(, ?[a-zA-Z_]+="[^"\\\n]*")*\})? (\S+)$`)

// scraped reads a page of metrics, and checks that it is one: families follow
// each other, each of ours has its help and type, and no sample stands twice.
func scraped(t *testing.T, page string) map[string]float64 {
	t.Helper()
	values, helped, typed, family := map[string]float64{}, map[string]bool{}, map[string]bool{}, ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if words := strings.Fields(line); strings.HasPrefix(line, "#") {
			seen := map[string]map[string]bool{"HELP": helped, "TYPE": typed}[words[1]]
			if seen == nil || seen[words[2]] {
				t.Fatalf("unknown or twice: %s", line)
			}
			seen[words[2]], family = true, words[2]
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no sample: %q", line)
		}
		v, err := strconv.ParseFloat(m[4], 64)
		if _, twice := values[m[1]+m[2]]; err != nil || twice {
			t.Fatalf("%v, or twice: %q", err, line)
		}
		values[m[1]+m[2]] = v
		if strings.HasPrefix(m[1], "signalbox_") && (m[1] != family || !helped[family] || !typed[family]) {
			t.Fatalf("outside its family %s: %q", family, line)
		}
	}
	return values
}

func TestMetricsTellQueuesPoolAndJobs(t *testing.T) {
	a := newAPI(t)
	a.want("POST /v1/queues", `{"name":"q.a-b_c","family":"transactions","retries":1}`, 200, "")
	a.want("POST /v1/queues", `{"name":"other","paused":true}`, 200, "")
	for n := range 5 {
		a.want("POST /v1/items", fmt.Sprintf(`{"queue":"q.a-b_c","items":[{"payload":{"n":%d}}]}`, n), 200, "")
	}
	a.want("POST /v1/items", `{"queue":"other","items":[{"payload":1,"due_at":"2020-01-01T00:00:00Z"},{"payload":1,"job":"j1","defer_until":"2099-01-01T00:00:00Z"}]}`, 200, "")
	a.want("POST /v1/claim", `{"queue":"q.a-b_c","robot":"r","n":3}`, 200, "")
	a.want("POST /v1/settle", `[{"item":"q.a-b_c/1","fence":1,"status":"success"},{"item":"q.a-b_c/2","fence":1,"status":"system","reason":"x"}]`, 200, "")
	a.want("PUT /v1/pool", `{"pool":10,"fast":3,"slow":4}`, 200, "")
	a.engine.Tended(engine.DrainLoop, errors.New("disk full"))
	a.engine.Tended(engine.HistoryLoop, nil)
	code, page := a.ask("GET /metrics", "")
	if code != 200 {
		t.Fatalf("%d %s", code, page)
	}
	got := scraped(t, page)
	for name, want := range map[string]float64{
		`signalbox_items{queue="q.a-b_c",status="pending"}`:             3,
		`signalbox_items{queue="q.a-b_c",status="claimed"}`:             1,
		`signalbox_items{queue="q.a-b_c",status="successful"}`:          1,
		`signalbox_items{queue="q.a-b_c",status="retried"}`:             1,
		`signalbox_items{queue="q.a-b_c",status="abandoned"}`:           0,
		`signalbox_items{queue="other",status="queued"}`:                2,
		`signalbox_items_delayed{queue="q.a-b_c"}`:                      1,
		`signalbox_items_delayed{queue="other"}`:                        1,
		`signalbox_items_sla{queue="other",standing="overdue"}`:         1,
		`signalbox_queue_paused{queue="other"}`:                         1,
		`signalbox_queue_paused{queue="q.a-b_c"}`:                       0,
		`signalbox_item_events_total{queue="q.a-b_c",event="add"}`:      6, // one is the copy of the retried
		`signalbox_item_events_total{queue="q.a-b_c",event="claim"}`:    3,
		`signalbox_item_events_total{queue="q.a-b_c",event="complete"}`: 1,
		`signalbox_slots{state="free"}`:                                 10,
		`signalbox_slots_reserve{lane="fast"}`:                          3,
		`signalbox_slots_reserve{lane="slow"}`:                          4,
		`signalbox_slots_waiting{lane="slow"}`:                          0,
		`signalbox_jobs{status="running"}`:                              1,
		`signalbox_jobs{status="paused"}`:                               0,
		`signalbox_upkeep_failing{loop="drains"}`:                       1,
		`signalbox_upkeep_failing{loop="slot-history"}`:                 0,
	} {
		if v, there := got[name]; !there || v != want {
			t.Errorf("%s is %v (there: %v), want %v", name, v, there, want)
		}
	}
	if _, there := got[`signalbox_items{queue="other",status="pending"}`]; there {
		t.Error("a status that the family does not have")
	}
	if age := got[`signalbox_oldest_waiting_seconds{queue="q.a-b_c"}`]; age < 0 || age > 3600 {
		t.Errorf("the oldest waits for %v s", age)
	}
	if at := got[`signalbox_upkeep_success_timestamp_seconds{loop="slot-history"}`]; at < float64(time.Now().Add(-time.Hour).Unix()) {
		t.Errorf("the history of slots was last written at %v", at)
	}
	if got["process_resident_memory_bytes"] == 0 {
		t.Error("nothing is told of the process")
	}
	a.want("POST /metrics", "", 405, "use GET")
}
