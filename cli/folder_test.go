package cli_test

import (
	"strings"
	"testing"
)

func TestFoldersAndLinks(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "invoices", "--folder", "/finance/ap", "--links", "/audit/2026")
	r.ok("queue", "add", "orders", "--folder", "/sales")
	names := func(folder string) string {
		var list []string
		for line := range strings.Lines(r.ok("queue", "list", "--folder", folder, "-o", "jsonl")) {
			list = append(list, parse[queue](t, line).Name)
		}
		return strings.Join(list, " ")
	}
	for folder, want := range map[string]string{"/": "invoices orders", "/finance": "invoices", "/finance/ap": "invoices", "/fin": "", "/audit": "invoices", "/sales": "orders"} {
		if got := names(folder); got != want {
			t.Errorf("folder %s has %q, want %q", folder, got, want)
		}
	}
	r.ok("queue", "link", "orders", "/audit")
	r.ok("queue", "link", "orders", "/audit")
	if got := names("/audit"); got != "invoices orders" {
		t.Errorf("after the link /audit has %q", got)
	}
	if dump := r.ok("queue", "dump", "orders"); !strings.Contains(dump, `links = ["/audit"]`) {
		t.Errorf("dumped as\n%s", dump)
	}
	r.ok("queue", "link", "orders", "/audit", "--remove")
	r.fails(5, "not linked to /audit", "queue", "link", "orders", "/audit", "--remove")
	r.fails(3, "not found", "queue", "link", "none", "/audit")
	for _, bad := range []string{"audit", "/a//b", "/a/", "/a/../b", "/ a", "/a\x07"} {
		r.fails(2, "write it as / or /finance/ap", "queue", "link", "orders", bad)
		r.fails(2, "write it as / or /finance/ap", "queue", "set", "orders", "--folder", bad)
	}
	path := r.file("queues.toml", "[[queue]]\nname = \"orders\"\nfolder = \"/x\"\nlinks = [\"/y\", \"/x\", \"/y\"]\n")
	r.ok("queue", "apply", "-f", path)
	if dump := r.ok("queue", "dump", "orders"); !strings.Contains(dump, `links = ["/y"]`) {
		t.Errorf("applied as\n%s", dump)
	}
}

func TestListPlanAndPlaces(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	var rows strings.Builder
	for range 700 {
		rows.WriteString(`{"payload":1,"reference":"INV 1"}` + "\n")
	}
	r.ok("item", "import", "--queue", "q", r.file("rows.jsonl", rows.String()))
	out := r.ok("item", "list", "--filter", "reference:INV age:>2h !robot:r", "--explain")
	for _, want := range []string{"found by  reference", "in order  of reference", "only looking could tell how many of 700 items", "checks    age:>2h", "no index  !robot:r: robots have no index"} {
		if !strings.Contains(out, want) {
			t.Errorf("explained as\n%s\nwant %q", out, want)
		}
	}
	first := r.run("item", "list", "--filter", "reference:INV", "--limit", "10", "-o", "jsonl")
	if !strings.Contains(first.stderr, "--after 'q/10@INV 1'") {
		t.Errorf("told %q", first.stderr)
	}
	if out := r.ok("item", "list", "--filter", "reference:INV", "--limit", "1", "--after", "q/10@INV 1", "-o", "jsonl"); !strings.Contains(out, `"q/11"`) {
		t.Errorf("went on with\n%s", out)
	}
	r.fails(2, "filter stauts:failed, character 5", "item", "list", "--filter", "one stauts:failed")
}
