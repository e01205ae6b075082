package cli_test

import (
	"fmt"
	"strings"
	"testing"
)

// Every line of a settle is answered in its place: what can't be read is refused
// with its number, and keeps no other from being settled.
func TestSettleAnswersPerLine(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.ok("queue", "add", "s")
		r.stdin = "{}\n{}\n{}\n"
		r.ok("item", "import", "--queue", "s", "-")
		held := r.claimed("--queue", "s", "--robot", "r", "--n", "3")
		line := func(n int) string {
			return fmt.Sprintf(`{"item":%q,"fence":%d,"status":"success"}`, held[n].ID, held[n].Fence)
		}
		r.stdin = strings.Join([]string{
			line(0), "no JSON", `{"item":"s/1","fenc":3}`, "", `{"fence":3}`, line(1) + "}", `{"item":"s/77","fence":1,"status":"success"}`,
			fmt.Sprintf(`{"item":%q,"fence":99,"status":"success"}`, held[1].ID), "[]", line(2),
		}, "\n")
		got := r.run("settle")
		lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
		want := []string{`"ok"`, "line 2 of stdin: 'o' stands within the word null; write", "line 3 of stdin: ", "line 5 of stdin: ", "line 6 of stdin: something follows", `"gone"`, `"stale"`, "line 9 of stdin: ", `"ok"`}
		if got.code != 2 || len(lines) != len(want) || !strings.Contains(got.stderr, "settle: 7 of 9 items refused, the first: line 2 of stdin: ") {
			t.Fatalf("exit %d, %s%s", got.code, got.stdout, got.stderr)
		}
		for n := range want {
			if !strings.Contains(lines[n], want[n]) || strings.Contains(want[n], "stdin") && !strings.Contains(lines[n], `"refused"`) {
				t.Errorf("line %d is answered %s, want %s", n+1, lines[n], want[n])
			}
		}
		if counts := parse[queue](t, r.ok("queue", "show", "s")).Counts; counts["completed"] != 2 || counts["claimed"] != 1 {
			t.Errorf("the queue has %v", counts)
		}
		r.stdin = "no JSON\n"
		r.fails(2, "line 1 of stdin: ", "settle")
	})
}
