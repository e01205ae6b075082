package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"signalbox/engine"
	"signalbox/store"
)

// No step of a jq program makes a value out of proportion; what it takes to ask is
// all there.
func TestJQIsBounded(t *testing.T) {
	eachStore(t, func(r *rig) {
		r.queue("q", store.Jobs, nil)
		r.add("q", engine.NewItem{Payload: []byte(`{"a":"x","n":[1,2,3],"s":["p","q"]}`)})
		ask := func(program string) (int, error) {
			page, err := r.List(r.ctx, engine.ListRequest{Filter: "jq:'" + program + "'"})
			return len(page.Items), err
		}
		for _, program := range []string{
			`.a * 1000000000 | length > 0`, `1000000000 * .a | length > 0`, `"x" * 1e9 == .a`,
			`reduce range(60) as $i (.a; . + .) | length > 0`, `reduce range(60) as $i (.n; . + .) | length > 0`,
			`reduce range(60) as $i (.a; "\(.)\(.)") | length > 0`,
			`reduce range(60) as $i (1; [., .]) | tojson | length > 0`, `reduce range(60) as $i (1; [., .]) | flatten | length > 0`,
			`("x" * 1000000) as $x | [range(1000) | $x] | add | length > 0`, `[range(1000)] | map("x") | join("y" * 1000000) | length > 0`,
		} {
			if _, err := ask(program); store.CodeOf(err) != store.CodeInvalid || !strings.Contains(fmt.Sprint(err), "too large a value") {
				t.Errorf("%s: %v", program, err)
			}
		}
		for _, program := range []string{`.n[500000000] = 1`, `.n[500000000] |= 1`, `.a *= 1000000000`, `setpath(["n", 500000000]; 1)`, `_multiply(.a; 1000000000)`, `pick(.n[500000000])`, `def f: .a *= 2; f`} {
			if _, err := ask(program); store.CodeOf(err) != store.CodeInvalid {
				t.Errorf("%s: %v", program, err)
			}
		}
		for _, program := range []string{
			`(.n | add) == 6`, `(.s | join("-")) == "p-q"`, `.n[0] * 2 + 3 * .n[1] == 8`, `.a * 3 == "xxx"`, `.a + "y" == "xy"`, `"\(.a)-\(.n[1])" == "x-2"`,
			`[.n[] as $x | $x * $x] == [1, 4, 9]`, `(.n | tojson) == "[1,2,3]"`, `{a} * {b: {c: 1}} == {a: "x", b: {c: 1}}`, `.n + [4] | length == 4`, `[(1, 2) + (10, 20)] == [11, 12, 21, 22]`,
			`def add: 7; add == 7`, `(.n | map(tostring) | join(",")) == "1,2,3"`, `[[1], [2]] | flatten == [1, 2]`,
		} {
			if n, err := ask(program); err != nil || n != 1 {
				t.Errorf("%s finds %d (%v)", program, n, err)
			}
		}
	})
}
