package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"signalbox/engine/intake"
	"signalbox/store"
)

// pasts gives a file's items with the states they come in, one line each.
func pasts(t testing.TB, text string, states intake.States) (got []string) {
	t.Helper()
	f, err := intake.Open(strings.NewReader(text), intake.Options{Now: now, States: states})
	if err != nil {
		return []string{"open: " + err.Error()}
	}
	for row, err := range f.Rows() {
		switch {
		case err != nil:
			got = append(got, "end: "+err.Error())
		case row.Err != nil:
			got = append(got, fmt.Sprintf("%d rejected: %v", row.Line, row.Err))
		case row.Item.Past == nil:
			got = append(got, fmt.Sprintf("%d %s new", row.Line, row.Item.Payload))
		default:
			p := row.Item.Past
			line := fmt.Sprintf("%d %s %s %d by %q", row.Line, row.Item.Payload, p.State, p.Attempts, p.ClaimedBy)
			if p.Error != nil {
				line += fmt.Sprintf(" %s: %s", p.Error.Kind, p.Error.Reason)
			}
			if p.Review.Status != store.NoReview {
				line += fmt.Sprintf(" %s by %s", p.Review.Status, p.Review.Reviewer)
			}
			got = append(got, line)
		}
	}
	return got
}

func TestOrchestratorFile(t *testing.T) {
	for _, test := range []struct {
		name, text string
		states     intake.States
		want       []string
	}{
		{"states, attempts and robots are kept", `{"items":[
{"id":"7f3a","state":"available","attempts":0,"claimedBy":null,"payload":{"a":1}},
{"id":"7f3b","state":"in_flight","attempts":2,"claimedBy":"bot-1","claimedAt":"2026-02-01T10:00:00Z","payload":{"a":2},"wave":7},
{"id":"7f3c","state":"complete","attempts":1,"payload":{"a":3},"output":{"ok":true}},
{"id":"7f3d","state":"failed","attempts":3,"payload":{"a":4},"error":{"kind":"business","reason":"no zip"},"review":{"status":"verified","reviewer":"kim"}},
{"state":"failed","payload":{"a":5},"error":"timeout"}
]}`, "", []string{
			`2 {"a":1} available 0 by ""`, `3 {"a":2} in_flight 2 by "bot-1"`, `4 {"a":3} complete 1 by ""`,
			`5 {"a":4} failed 3 by "" business: no zip verified by kim`, `6 {"a":5} failed 0 by "" : timeout`,
		}},
		{"or not, when so asked", `{"items":[{"state":"complete","payload":1}]}`, intake.NewStates, []string{"1 1 new"}},
		{"a state left out is available", `{"items":[{"payload":1}]}`, "", []string{`1 1 available 0 by ""`}},
		{"nothing in it", `{ "items" : [ ] , "count": 0, "x": {"a": [1, "]}"]} }`, "", nil},
		{"rows that are none", "{\"items\":[{\"sku\":1},7,{\"payload\":1,\"attempts\":\"many\"}]}\n", "", []string{
			`1 rejected: the row: it has no payload; write it as {"state": "available", "payload": {…}}`,
			`1 rejected: the row: it is not a JSON object; write {…}`,
			`1 rejected: attempts "many": it is not a whole number; write it as 3`,
		}},
		{"an object that is not closed", `{"items":[{"payload":1}]`, "", []string{`1 1 available 0 by ""`, "end: the file: its object is not closed; end it with }"}},
		{"something in its place", `{"items":[{"payload":1}] 7`, "", []string{`1 1 available 0 by ""`, `end: the file: something follows its items: "7"; end it with }`}},
		{"something behind it", `{"items":[{"payload":1}]}{}`, "", []string{`1 1 available 0 by ""`, `end: the file: something follows the array: "{"; remove it`}},
		{"an array that is not closed", `{"items":[{"payload":1}`, "", []string{`end: the file: its array is not closed; end it with ]`}},
		{"rejected rows, mended", `{"rejected_line":2,"rejected_reason":"x","row":{"state":"complete","claimedBy":"b","payload":1}}`, "", []string{`1 1 complete 0 by "b"`}},
		{"exported lines are new work", `{"status":"failed","attempts":1,"payload":1}`, "", []string{"1 1 new"}},
		{"unless their states are kept", `{"status":"failed","attempts":1,"payload":1}`, intake.KeepStates, []string{`1 1 failed 1 by ""`}},
		{"what has no state is new", `{"payload":1}`, intake.KeepStates, []string{"1 1 new"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := pasts(t, test.text, test.states); strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}
