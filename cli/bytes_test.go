package cli_test

import (
	"strings"
	"testing"
)

// The strings of a payload go out as they came in, whichever door they take.
func TestPayloadsGoOutAsTheyCameIn(t *testing.T) {
	const payload = `{"customer":"Müller & Söhne <x>","escaped":"\u003cb\u003e \u0026 \/","n":1.50e1}`
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("queue", "add", "c", "--", "sh", "-c", `tee `+r.dir+`/stdin`)
	for range 2 {
		r.ok("item", "add", "--queue", "q", "--payload", payload)
	}
	r.ok("run", r.file("def.json", `{"queue":"c","payload":`+payload+`}`))
	doors := func(where string) {
		for name, out := range map[string]string{
			"item show -o json":  r.ok("item", "show", "q/1", "-o", "json"),
			"item show -o table": r.ok("item", "show", "q/1", "-o", "table"),
			"export":             r.ok("export", "--queue", "q", "-o", "jsonl"),
			"output":             r.ok("item", "show", "c/1", "-o", "json"),
			"claim":              r.ok("claim", "--queue", "q", "--robot", "r1"),
		} {
			if !strings.Contains(out, payload) {
				t.Errorf("%s, %s:\n%s", where, name, out)
			}
		}
	}
	doors("beside the store")
	if stdin := r.read(r.dir + "/stdin"); !strings.Contains(stdin, payload) {
		t.Errorf("a consumer's stdin:\n%s", stdin)
	}
	r.serve()
	doors("through an engine")
}
