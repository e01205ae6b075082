package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// orders is a file of orders with the flaws that such files have: a comma in an
// address that nobody quoted, the text NULL, accents, dates with a time. Every
// fifth row is ragged, from line 4 on; of the sound ones every seventh was not
// shipped, every eleventh has no postal code, and every thirteenth is heavy.
func orders(rows int) (text string, ragged, sound int) {
	var b strings.Builder
	b.WriteString("orderID,requiredDate,shippedDate,freight,shipAddress,shipPostalCode\n")
	for n := range rows {
		address, shipped, code, freight := "Rúa do Paço", "1996-07-16 00:00:00.000", "05454-876", "32.38"
		if n%7 == 6 {
			shipped = "NULL"
		}
		if n%11 == 10 {
			code = "NULL"
		}
		if n%13 == 12 {
			freight = "900.10"
		}
		if n%5 == 2 {
			address += ", 67"
			ragged++
		} else {
			sound++
		}
		fmt.Fprintf(&b, "%d,1996-08-01 00:00:00.000,%s,%s,%s,%s\n", 10248+n, shipped, freight, address, code)
	}
	return b.String(), ragged, sound
}

type imported struct {
	Stored, Existing, Rejected int
	RejectsFile                string `json:"rejects_file"`
}

func TestImport(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "orders", "--family", "transactions")
	text, ragged, sound := orders(3000)
	path := r.file("orders.csv", text)
	columns := []string{"--queue", "orders", "--reference", "orderID", "--due", "requiredDate", path}
	count := func() int {
		return parse[queue](t, r.ok("queue", "show", "orders")).Counts["pending"]
	}

	r.fails(2, fmt.Sprintf("line 4: 7 fields, the header has 6 (%d such rows): nothing was stored", ragged), append([]string{"item", "import"}, columns...)...)
	if count() != 0 {
		t.Errorf("%d items of a refused file are stored", count())
	}

	got := r.run(append([]string{"item", "import", "--mode", "stop-on-first-failure"}, columns...)...)
	if done := parse[imported](t, got.stdout); got.code != 2 || done.Stored != 2 || done.Rejected != 1 || !strings.Contains(got.stderr, "line 4: stopped after 2 stored rows: 7 fields") {
		t.Errorf("exit %d, %+v, %s", got.code, done, got.stderr)
	}
	r.ok("queue", "delete", "orders", "--force")
	r.ok("queue", "add", "orders", "--family", "transactions", "--unique-references")

	done := parse[imported](t, r.ok(append([]string{"item", "import", "--mode", "independent"}, columns...)...))
	if done.Stored != sound || done.Rejected != ragged || done.RejectsFile != path+".rejects" || count() != sound {
		t.Errorf("imported %+v, %d stored", done, count())
	}
	rejects := strings.Split(strings.TrimSpace(r.read(done.RejectsFile)), "\n")
	if len(rejects) != ragged+1 || rejects[0] != "rejected_line,rejected_reason,orderID,requiredDate,shippedDate,freight,shipAddress,shipPostalCode" ||
		rejects[1] != `4,"7 fields, the header has 6",10250,1996-08-01 00:00:00.000,1996-07-16 00:00:00.000,32.38,Rúa do Paço, 67,05454-876` {
		t.Errorf("rejects are\n%s\n%s", rejects[0], rejects[1])
	}
	first := parse[item](t, r.ok("item", "show", "orders/1"))
	if first.Reference != "10248" || first.DueAt != "1996-08-01T00:00:00.000Z" || first.Payload["shipAddress"] != "Rúa do Paço" || first.Payload["orderID"] != "10248" {
		t.Errorf("the first item is %+v", first)
	}

	// The rejects, mended, go in by the same command; what is in stays out.
	mended := r.file("mended.csv", strings.ReplaceAll(r.read(done.RejectsFile), "Rúa do Paço, 67", `"Rúa do Paço, 67"`))
	columns[len(columns)-1] = mended
	if done := parse[imported](t, r.ok(append([]string{"item", "import"}, columns...)...)); done.Stored != ragged || done.RejectsFile != "" {
		t.Errorf("imported %+v", done)
	}
	r.fails(5, fmt.Sprintf("line 2: reference \"10250\": it is already in queue orders (%d such rows)", ragged), append([]string{"item", "import"}, columns...)...)
}

func TestImportOtherFormats(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions")
	uipath := r.file("uipath.csv", "Reference;Deadline;Postpone;Priority;Amount\nINV-1;2030-01-02;;High;12,50\n")
	r.ok("item", "import", "--queue", "q", uipath)
	if got := parse[item](t, r.ok("item", "show", "q/1")); got.Reference != "INV-1" || got.Priority != "high" || len(got.Payload) != 1 || got.Payload["Amount"] != "12,50" {
		t.Errorf("imported %+v", got)
	}
	array := r.file("a.json", `[{"payload":{"a":1},"reference":"R"},{"b":2}]`)
	if done := parse[imported](t, r.ok("item", "import", "--queue", "q", array)); done.Stored != 2 {
		t.Errorf("imported %+v", done)
	}
	r.stdin = `{"a":1}` + "\n" + `{"a":` + "\n" + `{"payload":{"b":2},"key":"K"}` + "\n" + `{"payload":{"b":2},"key":"K"}`
	rejects := filepath.Join(r.dir, "bad.jsonl")
	if done := parse[imported](t, r.ok("item", "import", "--queue", "q", "--mode", "independent", "--rejects", rejects, "-")); done != (imported{2, 1, 1, rejects}) {
		t.Errorf("imported %+v", done)
	}
	if got := parse[map[string]any](t, r.read(rejects)); got["rejected_line"] != 2.0 {
		t.Errorf("rejects are %v", got)
	}
}

// What the engine refuses is a bad row like one that can't be read.
func TestImportOfWhatTheEngineRefuses(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions")
	large := fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", 256_000))
	path := r.file("a.jsonl", "{\"a\":1}\n"+large+"\n[1]\n"+large+"\n{\"a\":2}\n")
	r.fails(2, "line 3: the row: it is not a JSON object (1 such row)", "item", "import", "--queue", "q", path)
	done := parse[imported](t, r.ok("item", "import", "--queue", "q", "--mode", "independent", path))
	if done.Stored != 2 || done.Rejected != 3 {
		t.Errorf("imported %+v", done)
	}
	rows := strings.Split(r.read(done.RejectsFile), "\n")
	for n, line := range []float64{2, 3, 4} {
		if got := parse[map[string]any](t, rows[n]); got["rejected_line"] != line {
			t.Errorf("reject %d is of line %v", n, got["rejected_line"])
		}
	}
	r.fails(2, "line 2: payload: ", "item", "import", "--queue", "q", r.file("b.jsonl", "{\"a\":1}\n"+large+"\n"))
}

func TestImportRefusals(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	csv := r.file("a.csv", "a\n1\n2,3\n")
	for _, test := range []struct{ words, args string }{
		{"it needs FILE", "item import --queue q"},
		{"it needs --queue", "item import " + csv},
		{"no such mode", "item import --queue q --mode all " + csv},
		{"no such file", "item import --queue q " + csv + ".none"},
		{"it is a folder", "item import --queue q " + r.dir},
		{"the header has no such column", "item import --queue q --reference id " + csv},
		{"it is the file being read", "item import --queue q --mode independent --rejects " + csv + " " + csv},
		{"it can't be written", "item import --queue q --mode independent --rejects /nowhere/x " + csv},
	} {
		r.fails(2, test.words, strings.Fields(test.args)...)
	}
	r.fails(3, `queue "none"`, "item", "import", "--queue", "none", csv)
	r.fails(2, "its array is not closed", "item", "import", "--queue", "q", r.file("b.json", `[{"a":1},`))
	if r.read(csv) != "a\n1\n2,3\n" {
		t.Error("the input was changed")
	}
	if done := parse[imported](t, r.ok("item", "import", "--queue", "q", r.file("empty", ""))); done != (imported{}) {
		t.Errorf("an empty file gave %+v", done)
	}
}

func TestProgressBar(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	path := r.file("a.csv", "a\n1\n")
	if got := r.run("item", "import", "--queue", "q", path); got.stderr != "" {
		t.Errorf("without a terminal stderr holds %q", got.stderr)
	}
	r.terminal = true
	got := r.run("item", "import", "--queue", "q", path)
	if !strings.Contains(got.stderr, "█") || !strings.HasSuffix(got.stderr, "\x1b[K") {
		t.Errorf("on a terminal stderr holds %q", got.stderr)
	}
	r.stdin = "a\n1\n"
	if got := r.run("item", "import", "--queue", "q", "-"); !strings.Contains(got.stderr, "4 B read") {
		t.Errorf("from stdin stderr holds %q", got.stderr)
	}
	if _, err := os.Stat(path + ".rejects"); err == nil {
		t.Error("a rejects file was made for nothing")
	}
}
