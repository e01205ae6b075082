package server_test

import (
	"net/url"
	"strings"
	"testing"
)

// The strings of a payload go out as they came in, whichever operation answers.
func TestAnswersHoldPayloadsAsTheyCameIn(t *testing.T) {
	const payload = `{"customer":"Müller & Söhne <x>","escaped":"\u003cb\u003e \/","n":1.50e1}`
	a := newAPI(t)
	a.want("POST /v1/queues", `{"name":"q"}`, 200, "")
	a.want("POST /v1/items", `{"queue":"q","items":[`+strings.Repeat(`{"payload":`+payload+`,"reference":"<&>"},`, 3)+`{"payload":{}}]}`, 200, "")
	a.want("POST /v1/import?queue=q", `{"payload":`+payload+`}`, 200, "")
	for _, test := range [][3]string{
		{"GET /v1/items/q/1", "", payload},
		{"GET /v1/items/q/5", "", payload},
		{"GET /v1/items?queue=q&filter=" + url.QueryEscape("reference:<"), "", `"reference":"<&>"`},
		{"GET /v1/export?queue=q&format=jsonl", "", payload},
		{"POST /v1/edit", `{"item":"q/3","payload":{"a":"<&>"}}`, `{"a":"<&>"}`},
		{"POST /v1/claim", `{"queue":"q","robot":"r","item":"q/1"}`, payload},
		{"POST /v1/settle", `[{"item":"q/1","fence":1,"status":"success","output":` + payload + `}]`, `"ok"`},
		{"GET /v1/items/q/1", "", `"output":` + payload},
		{"POST /v1/next", `{"settlements":[],"claim":{"queue":"q","robot":"r"}}`, payload},
		{"GET /v1/items/q/<&>", "", `q/<&>`},
	} {
		a.want(test[0], test[1], map[bool]int{true: 400, false: 200}[strings.Contains(test[0], "q/<")], test[2])
	}
}
