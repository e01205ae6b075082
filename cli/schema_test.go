package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

const withZip = `{"required":["zip"],"properties":{"zip":{"type":"string"}}}`

func TestSchemas(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.ok("queue", "add", "orders", "--family", "transactions", "--payload-schema", withZip, "--output-schema", "@"+r.file("out.json", `{"required": ["booked"]}`))
		type shown struct{ Schemas map[string]map[string]any }
		if s := parse[shown](t, r.ok("queue", "show", "orders")); s.Schemas["payload"]["required"] == nil || s.Schemas["output"]["required"] == nil || len(s.Schemas) != 2 {
			t.Errorf("shown %+v", s)
		}
		if out := r.ok("queue", "show", "orders", "-o", "table"); !strings.Contains(out, `"required":["zip"]`) {
			t.Errorf("shown as\n%s", out)
		}

		if added := parse[[]item](t, r.ok("item", "add", "--queue", "orders", "--payload", "{}")); added[0].Status != "business-exception" {
			t.Errorf("added %+v", added)
		}
		r.fails(2, "payload: payload breaks the schema: missing property 'zip'; mend it", "item", "add", "--queue", "orders", "--payload", "{}", "--strict")

		rows := r.file("rows.jsonl", `{"zip":"1010"}`+"\n"+`{"zip":7}`+"\n"+`{"zip":"1020"}`+"\n")
		r.fails(2, "line 2: payload: payload breaks the schema: zip: got number, want string", "item", "import", "--queue", "orders", "--strict", rows)
		if done := parse[map[string]any](t, r.ok("item", "import", "--queue", "orders", "--mode", "independent", "--strict", rows)); done["stored"] != 2.0 || done["rejected"] != 1.0 {
			t.Errorf("imported %v", done)
		}
		if done := parse[map[string]any](t, r.ok("item", "import", "--queue", "orders", rows)); done["stored"] != 3.0 {
			t.Errorf("imported %v", done)
		}

		r.ok("queue", "set", "orders", "--payload-schema", "none", "--analytics-schema", `{"required":["ms"]}`)
		if s := parse[shown](t, r.ok("queue", "show", "orders")); s.Schemas["payload"] != nil || s.Schemas["output"] == nil || s.Schemas["analytics"] == nil {
			t.Errorf("shown %+v", s)
		}
		r.ok("item", "add", "--queue", "orders", "--payload", "{}", "--strict")

		r.fails(2, "--payload-schema: it is no JSON object", "queue", "set", "orders", "--payload-schema", "zip")
		r.fails(2, "the file can't be read", "queue", "set", "orders", "--payload-schema", "@"+filepath.Join(r.dir, "none.json"))
		r.fails(2, "its payload schema: it is no JSON Schema: at /properties/zip/type: value must be one of 'array', ", "queue", "set", "orders", "--payload-schema", `{"properties":{"zip":{"type":"sausage"}}}`)
		r.fails(2, "it describes an array", "queue", "add", "x", "--output-schema", `{"type":"array"}`)
	})
}
