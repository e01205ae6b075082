package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/server"
	"signalbox/server/wire"
	"signalbox/store/memory"
)

// api is a server as a robot in any language meets it.
type api struct {
	t      *testing.T
	url    string
	engine *engine.Engine
}

func newAPI(t *testing.T) api {
	t.Helper()
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.Handler(e, server.Options{Health: wire.Health{Store: "memory:", PID: 7}, Metrics: e.Metrics}))
	t.Cleanup(func() {
		s.Close()
		_ = e.Close()
	})
	return api{t, s.URL, e}
}

// ask sends a request and gives the status and the body.
func (a api) ask(request, body string) (int, string) {
	a.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set(wire.ActorHeader, "robot-7")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

// want asks, and checks the status and what the body holds.
func (a api) want(request, body string, status int, holds string) string {
	a.t.Helper()
	got, answer := a.ask(request, body)
	if got != status || !strings.Contains(answer, holds) {
		a.t.Errorf("%s %s answered %d %s; want %d with %s", request, body, got, answer, status, holds)
	}
	return answer
}

func TestARobotsDay(t *testing.T) {
	a := newAPI(t)
	a.want("GET /v1/health", "", 200, `{"store":"memory:","pid":7}`)
	a.want("GET /v1/queues", "", 200, "[]")
	a.want("GET /v1/groups", "", 200, "[]")
	a.want("POST /v1/queues", `{"name":"orders","family":"transactions","retries":1}`, 200, `"lease":"5m"`)
	a.want("POST /v1/queues", `{"name":"runs"}`, 200, `"family":"jobs"`)
	a.want("POST /v1/claim", `{"queue":"orders","robot":"r7"}`, 204, "")
	a.want("POST /v1/items", `{"queue":"orders","items":[{"payload":{"a":1},"reference":"INV-1","priority":"high"}]}`, 200, `"id":"orders/1"`)
	a.want("GET /v1/items?queue=orders&status=pending&limit=1", "", 200, `"reference":"INV-1"`)

	var claimed []struct {
		ID    string
		Fence uint64
	}
	if err := json.Unmarshal([]byte(a.want("POST /v1/claim", `{"queue":"orders","robot":"r7","n":5}`, 200, `"payload":{"a":1}`)), &claimed); err != nil {
		t.Fatal(err)
	}
	hold := func(more string) string {
		return fmt.Sprintf(`{"item":%q,"fence":%d%s}`, claimed[0].ID, claimed[0].Fence, more)
	}
	a.want("POST /v1/start", hold(""), 200, `"status":"processing"`)
	a.want("POST /v1/renew", "["+hold("")+"]", 200, `"result":"ok"`)
	a.want("POST /v1/progress", hold(`,"progress":"half way"`), 200, "{}")
	a.want("POST /v1/settle", "["+hold(`,"status":"success","output":{"total":3}`)+"]", 200, `"status":"successful"`)
	a.want("POST /v1/settle", "["+hold(`,"status":"success"`)+"]", 200, `"problem":{"code":5`)
	a.want("POST /v1/start", hold(""), 409, `{"error":{"code":5,"thing":"item \"orders/1\""`)
	a.want("POST /v1/next", `{"settlements":[`+hold(`,"status":"success"`)+`],"claim":{"queue":"orders","robot":"r7"}}`, 200, `"items":[],"problem":{"code":4`)
	a.want("POST /v1/items", `{"queue":"orders","items":[{"payload":{"a":2}}]}`, 200, `"id":"orders/2"`)
	a.want("POST /v1/edit", `{"item":"orders/2","priority":"high","due_at":"2030-01-01T00:00:00Z"}`, 200, `"due_at":"2030-01-01T00:00:00.000Z"`)
	a.want("GET /v1/items/orders/2/explain", "", 200, `"reasons":[{"code":"robots"`)
	a.want("POST /v1/next", `{"settlements":[],"claim":{"queue":"orders","robot":"r7"}}`, 200, `"outcomes":[],"items":[{"id":"orders/2"`)
	a.want("POST /v1/delete", `{"targets":[{"item":"orders/2"},{"item":"orders/9"}],"note":"twice"}`, 200, `"result":"gone"`)
	a.want("POST /v1/undo", `{"targets":[{"item":"orders/2"}]}`, 200, `"last_event":"claim","last_by":"r7"`)
	a.want("GET /v1/items/orders/1", "", 200, `"output":{"total":3}`)
	a.want("GET /v1/items/orders/1/history?limit=1", "", 200, `"actor":"r7"`)
	a.want("GET /v1/changes?after=2&limit=1", "", 200, `"seq":3`)
	a.want("GET /v1/snapshot?after=0", "", 200, `"name":"orders"`)
	var newest struct{ Revision uint64 }
	if err := json.Unmarshal([]byte(a.want("GET /v1/snapshot", "", 200, `"revision"`)), &newest); err != nil {
		t.Fatal(err)
	}
	a.want(fmt.Sprintf("GET /v1/snapshot?after=%d&wait=1ms", newest.Revision), "", 204, "")
	a.want("PUT /v1/pool", `{"pool":25,"auto":true}`, 200, `"pool":25`)
	a.want("POST /v1/queues/orders/pause", "", 200, `"paused_by":"robot-7"`)
	a.want("DELETE /v1/queues/orders?force=true", "", 200, "{}")
}

func TestRefusals(t *testing.T) {
	a := newAPI(t)
	a.want("POST /v1/queues", `{"name":"q"}`, 200, "")
	for _, test := range []struct {
		request, body string
		status        int
		holds         string
	}{
		{"GET /v1/nothing", "", 404, `"mend":"the API is under /v1"`},
		{"GET /v1/queues/none", "", 404, `{"error":{"code":3,"thing":"queue \"none\"","rule":"not found"`},
		{"GET /v1/items/q/0", "", 400, `"code":2`},
		{"GET /v1/items/q/9", "", 404, `"code":3`},
		{"GET /v1/items?after=x", "", 400, `an item's id is its queue`},
		{"GET /v1/items?status=great", "", 400, `no item has this status`},
		{"GET /v1/items?limit=few", "", 400, `it is not a number`},
		{"GET /v1/snapshot?wait=ages", "", 400, `a duration is a number with a unit`},
		{"GET /v1/queues", "a body where none belongs", 200, ""},
		{"POST /v1/claim", `{"queue":"q"`, 400, `it ends in the midst of a value`},
		{"POST /v1/claim", `{"queue":"q","robt":"r"}`, 400, `unknown field \"robt\"`},
		{"POST /v1/claim", `{"queue":"q","robot":"r"} {}`, 400, `something follows it`},
		{"POST /v1/claim", `{"item":"nonsense","robot":"r"}`, 400, `write it as orders/12`},
		{"POST /v1/queues", `{"name":"x","family":"nonsense"}`, 400, `a family is jobs or transactions`},
		{"POST /v1/queues", `{"name":"x","lanes":"slow"}`, 400, `unknown field \"lanes\"`},
		{"POST /v1/queues", `7`, 400, `a number is not an object`},
		{"PATCH /v1/queues/q", `{"retries":99}`, 400, `"code":2`},
		{"PUT /v1/pool", `{"pool":2}`, 400, `a pool has at least 3 slots`},
		{"POST /v1/items", `{"queue":"q","items":[{"payload":1},{"payload":{},"reference":"\""}]}`, 400, `"results":[{},{"problem":{"code":2`},
		{"POST /v1/claim", `{"queue":"q","robot":"r","wait":30}`, 400, `its \"wait\" can't be a number, it is a duration","mend":"write it as \"30s\""`},
		{"POST /v1/claim", `{"queue":"q","robot":7}`, 400, `its \"robot\" can't be a number, it is a text`},
		{"POST /v1/claim", `{"queue":"q","robot":"r","n":"7"}`, 400, `its \"n\" can't be a string, it is a whole number`},
		{"POST /v1/import?queue=q", `{"payload":{"a":1},"prioritty":"high"}`, 400, `unknown field \"prioritty\"`},
		{"POST /v1/import?queu=q", `{"payload":{"a":1}}`, 400, `use queue, strict, from`},
		{"GET /v1/select?queue=q&statuss=failed", "", 400, `"thing":"query key \"statuss\""`},
		{"GET /v1/select?queue=q&limit=1", "", 400, `"thing":"limit 1","rule":"a selection is of all that match`},
		{"GET /v1/select?queue=q&sort=reference", "", 400, `"thing":"sort \"reference\"","rule":"a selection is of all that match`},
		{"POST /v1/bulks", `{"verb":"delete","select":[{"queue":"q","limit":1}]}`, 400, `"thing":"limit 1"`},
		{"POST /v1/bulks", `{"verb":"delete","select":[{"queue":"q"},{"queue":"q","sort":"reference"}]}`, 400, `"thing":"sort \"reference\""`},
		{"POST /v1/bulks", `{"verb":"delete","select":[{"queue":"q","after":"q/7"}]}`, 400, `"thing":"after","rule":"a selection is of all`},
		{"POST /v1/builtins", `{"kind":"bulk","request":{"verb":"delete","select":[{"queue":"q","limit":1}]}}`, 400, `"thing":"limit 1"`},
		{"POST /v1/builtins", `{"kind":"import","request":{"queue":"q","path":"/etc/hostname","states":"lost"}}`, 400, `"rule":"states are kept or new","mend":"use keep or new"`},
		{"POST /v1/builtins", `{"kind":"import","request":{"queue":"q","path":"/etc/hostname","encoding":"runes"}}`, 400, `"rule":"a file is utf-8, utf-16`},
		{"GET /v1/items?filtr=x", "", 400, `use queue, group, kind, filter, sort`},
		{"GET /v1/export?queue=q&format=csv&sort=reference", "", 400, `"thing":"query key \"sort\"","rule":"a file holds all that match`},
		{"GET /v1/export?queue=q&format=csv&limit=1", "", 400, `"thing":"query key \"limit\""`},
		{"GET /v1/export?queue=q&format=csv&kind=business", "", 400, `use queue, status, filter, format, masked`},
		{"POST /v1/builtins", `{"kind":"export","request":{"queue":"q","sort":"reference"}}`, 400, `unknown field \"sort\"`},
		{"POST /v1/builtins", `{"kind":"export","request":{"queue":"q","limit":1}}`, 400, `unknown field \"limit\"`},
		{"GET /v1/queues?all=1", "", 400, `this operation has no query`},
		{"PUT /v1/claim", `{}`, 405, `"mend":"use POST"`},
		{"POST /v1/items/q/1", "", 405, `"mend":"use GET"`},
		{"DELETE /v1/queues", "", 405, `"mend":"use GET, POST"`},
		{"POST /v1/settle", `[{"item":"q/1","fense":1}]`, 400, `unknown field \"fense\"`},
		{"POST /v1/start", strings.Repeat(" ", 17<<20), 413, `too large`},
	} {
		a.want(test.request, test.body, test.status, test.holds)
	}
}

// A settlement that breaks a rule as it is read is refused in its place.
func TestABadSettlementLeavesItsWaveAlone(t *testing.T) {
	a := newAPI(t)
	a.want("POST /v1/queues", `{"name":"q"}`, 200, "")
	a.want("POST /v1/items", `{"queue":"q","items":[{"payload":{}},{"payload":{}}]}`, 200, "")
	a.want("POST /v1/claim", `{"queue":"q","robot":"r","n":2}`, 200, "")
	wave := func(item string) string {
		return `[{"item":"nonsense","fence":1,"status":"success"},{"item":"` + item + `","fence":1,"status":"success"},{"item":"q/9","fence":1,"status":"success"}]`
	}
	for _, out := range []string{
		a.want("POST /v1/settle", wave("q/1"), 200, "write it as orders/12"),
		a.want("POST /v1/next", `{"settlements":`+wave("q/2")+`,"claim":{"queue":"q","robot":"r"}}`, 200, "write it as orders/12"),
	} {
		refused, ok, gone := strings.Index(out, `"refused"`), strings.Index(out, `"ok"`), strings.Index(out, `"gone"`)
		if refused < 0 || ok < refused || gone < ok {
			t.Errorf("answered %s", out)
		}
	}
	a.want("POST /v1/settle", `[{"item":"","fence":1,"status":"success"}]`, 200, `"result"`)
}
