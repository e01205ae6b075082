package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
)

const orderSchema = `{"type":"object","required":["zip","total"],"properties":{"zip":{"type":"string","minLength":4},"total":{"type":"number"},"lines":{"type":"object"}},"additionalProperties":false}`

func TestPayloadThatBreaksTheSchemaWaitsForAPerson(t *testing.T) {
	for _, family := range []store.Family{store.Jobs, store.Transactions} {
		eachStore(t, func(r *rig) {
			r.queue("q", family, func(q *store.Queue) { q.Schemas.Payload = orderSchema })
			for range 2 { // at first the queue is not known to have a schema
				ids := r.add("q",
					engine.NewItem{Payload: json.RawMessage(`{"zip":"1010","total":5}`)},
					engine.NewItem{Payload: json.RawMessage(`{"zip":"10","total":"5","x":1}`)})
				if i := r.item(ids[0]); i.Status.Waiting() == false {
					t.Errorf("a good one is %s", i.Status)
				}
				want := store.BusinessException
				if family == store.Jobs {
					want = store.Failed
				}
				bad := r.wantStatus(ids[1], want)
				for _, part := range []string{"payload breaks the schema: ", "zip: minLength: got 2, want 4", "total: got string, want number", "additional properties 'x' not allowed"} {
					if !strings.Contains(bad.Error.Reason, part) {
						t.Errorf("reason %q lacks %q", bad.Error.Reason, part)
					}
				}
				if bad.Error.Kind != engine.Business || bad.Group == "" {
					t.Errorf("%+v", bad.Item)
				}
			}
			if recs := r.claim("q", "r", 10); len(recs) != 2 {
				t.Errorf("%d items were handed out, want the good ones", len(recs))
			}
			_, err := r.Add(r.ctx, engine.AddRequest{Queue: "q", Strict: true, Items: []engine.NewItem{{Payload: json.RawMessage(`{"zip":"1010"}`)}}})
			if store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), "missing property 'total'") {
				t.Errorf("strict: %v", err)
			}
		})
	}
}

func TestOutputThatBreaksTheSchemaIsABusinessException(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, func(q *store.Queue) {
			q.Schemas.Output = `{"required":["booked"],"properties":{"booked":{"type":"boolean"}}}`
		})
		r.addN("q", 3)
		for n, output := range []string{`{"booked":true}`, `{"booked":"yes"}`, ``} {
			rec := r.claim("q", "r", 1)[0]
			out, err := r.Settle(r.ctx, []engine.Settlement{{Item: rec.ID(), Fence: rec.Fence, Status: engine.Success, Output: json.RawMessage(output)}})
			want := store.Successful
			if n > 0 {
				want = store.BusinessException
			}
			if err != nil || out[0].Status != want {
				t.Errorf("output %s: %v %+v, want %s", output, err, out, want)
			}
		}
		i := r.item(store.ID{Queue: "q", Number: 2})
		if i.Error.Reason != "output breaks the schema: booked: got string, want boolean" || string(i.Output) != `{"booked":"yes"}` {
			t.Errorf("%+v %s", i.Error, i.Output)
		}
	})
}

func TestSchemasAreCheckedAtTheDoor(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Transactions, nil)
		for schema, want := range map[string]string{
			`{"type":"object","properties":{"a":{"type":"array"}}}`: "describes an array",
			`{"anyOf":[{"items":{}}]}`:                              "describes an array",
			`{"type":"strange"}`:                                    "schema",
			`{"$ref":"https://example.com/s.json"}`:                 "stand alone",
		} {
			_, err := r.SetQueue(r.ctx, "q", json.RawMessage(`{"schemas":{"payload":`+schema+`}}`))
			if store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", schema, err, want)
			}
		}
		set := func(patch string) engine.QueueState {
			q, err := r.SetQueue(r.ctx, "q", json.RawMessage(patch))
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		if q := set(`{"schemas":{"payload":` + orderSchema + `}}`); string(q.Schemas.Payload) != orderSchema {
			t.Errorf("%s", q.Schemas.Payload)
		}
		bad := engine.NewItem{Payload: json.RawMessage(`{"a":1}`)}
		r.wantStatus(r.add("q", bad)[0], store.BusinessException)
		set(`{"schemas":{"payload":null}}`)
		r.wantStatus(r.add("q", bad)[0], store.Pending)
	})
}
