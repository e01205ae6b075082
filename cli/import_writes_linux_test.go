package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// However many rows are rejected, they are not written one by one.
func TestRejectedRowsAreWrittenTogether(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	const rows = 20_000
	file := r.file("a.csv", "a,b\n1,2\n"+strings.Repeat("1,2,3\n", rows))
	for _, mode := range []string{"all-or-nothing", "independent"} {
		before := writes(t)
		r.run("item", "import", "--queue", "q", "--mode", mode, file)
		if n := writes(t) - before; n > rows/10 {
			t.Errorf("%s: %d writes for %d rejected rows", mode, n, rows)
		}
	}
	if got := strings.Count(r.read(file+".rejects.2"), "\n"); got != rows+1 {
		t.Errorf("%d lines of rejects", got)
	}
}

// writes is how many calls of the system that write this process has made.
func writes(t *testing.T) (n int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "syscw: ")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
