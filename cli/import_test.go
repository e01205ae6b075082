package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/cli"
)

// What is no text is told by its name, whatever encoding is claimed; a file
// without rows says so.
func TestImportOfNoRows(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	for begins, words := range map[string]string{
		"PK\x03\x04\x14\x00\x06":           "it is a spreadsheet or a zip archive; save the sheet as CSV",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "save it as CSV",
		"\x1f\x8b\x08\x00":                 "it is compressed with gzip; unpack it",
		"%PDF-1.7\n":                       "it is a PDF document",
		"\xfd7zXZ\x00\x00":                 "it is compressed with xz; unpack it",
		"BZh91AY&SY":                       "it is compressed with bzip2",
		"7z\xbc\xaf\x27\x1c\x00\x04":       "it is a 7z archive",
		"SQLite format 3\x00":              "it is a database",
		"PAR1\x15\x04":                     "it is a Parquet file",
	} {
		path := r.file("z.xlsx", begins+"\n\x01,2\n3,4\n")
		r.fails(2, words, "item", "import", "--queue", "q", path)
		for _, encoding := range []string{"windows-1252", "utf-16le", "utf-8"} {
			r.fails(2, words, "item", "import", "--queue", "q", "--mode", "independent", "--encoding", encoding, path)
		}
	}
	// Texts of another kind, which would be rows of nonsense.
	for begins, words := range map[string]string{
		"<?xml version=\"1.0\"?>\n<a/>\n": "it is XML; export as jsonl",
		"\ufeff\n<items>\n<item/>":        "it is XML",
		"<items><item>1, 2</item>\n":      "it is XML",
		"<!-- a, b -->\n<items/>\n":       "it is XML",
		"<!DOCTYPE html>\n<p>no, no\n":    "it is a web page; see in a browser",
		"<HTML><p>Log in, please":         "it is a web page",
		strings.Repeat("\x00", 2000):      "it holds bytes of zero: the file is no text",
		"a,b\x00\n1,2\n":                  "it holds bytes of zero",
	} {
		for _, mode := range []string{"all-or-nothing", "independent"} {
			r.fails(2, words, "item", "import", "--queue", "q", "--mode", mode, r.file("t.csv", begins))
		}
	}
	for name, text := range map[string]string{"header.csv": "Reference,a\n", "none.json": "[]"} {
		path := r.file(name, text)
		for _, mode := range []string{"all-or-nothing", "independent"} {
			if got := r.run("item", "import", "--queue", "q", "--mode", mode, path); got.code != 0 || !strings.Contains(got.stderr, "no rows") {
				t.Errorf("%s %s: %+v", name, mode, got)
			}
		}
	}
	if out := r.ok("item", "list"); strings.Contains(out, "q/") {
		t.Errorf("stored\n%s", out)
	}
}

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
	if done := parse[imported](t, got.stdout); got.code != 2 || done.Stored != 2 || done.Rejected != 1 || !strings.Contains(got.stderr, "line 4: stopped after 2 stored rows: 7 fields, the header has 6; the rows behind it were not tried: mend it, then go on with --from-line 4\n") {
		t.Errorf("exit %d, %+v, %s", got.code, done, got.stderr)
	}
	r.ok("queue", "delete", "orders", "--force")
	r.ok("queue", "add", "orders", "--family", "transactions", "--unique-references")

	done := parse[imported](t, r.ok(append([]string{"item", "import", "--mode", "independent"}, columns...)...))
	if done.Stored != sound || done.Rejected != ragged || done.RejectsFile != path+".rejects.3" || count() != sound {
		t.Errorf("imported %+v, %d stored", done, count())
	}
	rejects := strings.Split(strings.TrimSpace(r.read(done.RejectsFile)), "\n")
	if len(rejects) != ragged+1 || rejects[0] != "rejected_line,rejected_reason,orderID,requiredDate,shippedDate,freight,shipAddress,shipPostalCode" ||
		rejects[1] != `4,"7 fields, the header has 6",10250,1996-08-01 00:00:00.000,1996-07-16 00:00:00.000,32.38,Rúa do Paço, 67,05454-876` {
		t.Errorf("rejects are\n%s\n%s", rejects[0], rejects[1])
	}
	first := parse[item](t, r.ok("item", "show", "orders/3")) // numbers go on where the deleted queue's ended
	if first.Reference != "10248" || first.DueAt != "1996-08-01T00:00:00.000Z" || first.Payload["shipAddress"] != "Rúa do Paço" || first.Payload["orderID"] != "10248" {
		t.Errorf("the first item is %+v", first)
	}

	// The rejects, mended, go in by the same command; what is in stays out.
	mended := r.file("mended.csv", strings.ReplaceAll(r.read(done.RejectsFile), "Rúa do Paço, 67", `"Rúa do Paço, 67"`))
	columns[len(columns)-1] = mended
	if done := parse[imported](t, r.ok(append([]string{"item", "import"}, columns...)...)); done.Stored != ragged || done.RejectsFile != "" {
		t.Errorf("imported %+v", done)
	}
	r.fails(5, fmt.Sprintf("line 2: reference \"10250\": it is already in queue orders (%d such rows; ", ragged), append([]string{"item", "import"}, columns...)...)
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
	if got := r.run("item", "import", "--queue", "q", path); got.code != 2 || !strings.Contains(got.stderr, "line 2: payload: 256008 characters, the limit is 256000 (2 such rows, 3 bad ones in all; ") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
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
	r.fails(2, "the file: it is empty", "item", "import", "--queue", "q", r.file("empty", ""))
	r.fails(2, "the file: it is empty", "item", "import", "--queue", "q", "-")
	r.fails(2, "a line's number is 1 or more", "item", "import", "--queue", "q", "--from-line", "-3", csv)
	if done := parse[imported](t, r.ok("item", "import", "--queue", "q", r.file("head", "a,b\n"))); done != (imported{}) {
		t.Errorf("a file of no rows gave %+v", done)
	}
}

// An import that is broken off says how far it came, and one that goes on from
// there brings in each row once.
func TestInterruptedImport(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--unique-references")
	var text strings.Builder
	for n := range 30_000 {
		fmt.Fprintf(&text, "{\"payload\":%d,\"reference\":\"R%d\"}\n", n, n)
		if n == 10 {
			text.WriteString("{bad\n")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	world := r.world(&out, &errs)
	in := strings.NewReader(text.String())
	world.Stdin = io.MultiReader(io.LimitReader(in, 300_000), readerFunc(func([]byte) (int, error) { cancel(); return 0, io.EOF }), in)
	rejects := filepath.Join(r.dir, "rejects")
	code := cli.Run(ctx, world, []string{"item", "import", "--queue", "q", "--mode", "independent", "--rejects", rejects, "-"})
	done := parse[imported](t, out.String())
	want := fmt.Sprintf("signalbox: stdin: interrupted after %s stored rows; go on with --from-line %d\n", thousands(done.Stored), done.Stored+2)
	if code != 1 || errs.String() != want || done.Stored < 1000 || done.Stored > 29_000 || done.Rejected != 1 {
		t.Fatalf("exit %d, %+v, %s; want %s", code, done, errs.String(), want)
	}
	if !strings.Contains(r.read(rejects), `"rejected_line":12`) {
		t.Errorf("the rejects so far are %q", r.read(rejects))
	}
	r.stdin = text.String()
	rest := parse[imported](t, r.ok("item", "import", "--queue", "q", "--mode", "independent", "--from-line", fmt.Sprint(done.Stored+2), "-"))
	if rest.Stored != 30_000-done.Stored || rest.Rejected != 0 {
		t.Errorf("the rest is %+v after %+v", rest, done)
	}

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	errs.Reset()
	world.Stdin = strings.NewReader(`{"a":1}`)
	if code := cli.Run(ctx, world, []string{"claim", "--queue", "q", "--robot", "r", "--reference", "none", "--wait", "1h"}); code != 1 || errs.String() != "signalbox: interrupted\n" {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// Elements of an array on one line are told by their number.
func TestStoppedWithinALine(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions")
	r.stopsWith("go on with the rows after the first 3, in a file of their own", `[{"a":1},{"a":2},7,{"a":3}]`)
	r.stopsWith("go on with --from-line 3", "{\"a\":1}\n{\"a\":2}\n7\n{\"a\":3}\n")
	r.stopsWith("go on with --from-line 1", "{7\n{\"a\":3}\n")
}

// stopsWith imports stdin up to the first bad row and wants the words on stderr.
func (r *rig) stopsWith(words, stdin string) {
	r.t.Helper()
	r.stdin = stdin
	got := r.run("item", "import", "--queue", "q", "--mode", "stop-on-first-failure", "--rejects", filepath.Join(r.t.TempDir(), "rejects"), "-")
	if got.code != 2 || !strings.Contains(got.stderr, words) {
		r.t.Errorf("exit %d, %s; want %s", got.code, got.stderr, words)
	}
}

// Rejected rows never overwrite those of an earlier import.
func TestRejectsFiles(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions")
	path := r.file("a.jsonl", "{7\n{8\n")
	independent := func(more ...string) result {
		return r.run(append(append([]string{"item", "import", "--queue", "q", "--mode", "independent"}, more...), path)...)
	}
	for _, name := range []string{".rejects", ".rejects.2", ".rejects.3"} {
		got := independent()
		done := parse[imported](t, got.stdout)
		if got.code != 2 || !strings.Contains(got.stderr, "line 1: the first of 2 rejected rows, none was stored: at column 2: it is not valid JSON") ||
			done.Rejected != 2 || done.RejectsFile != path+name {
			t.Errorf("exit %d, %+v, %s", got.code, done, got.stderr)
		}
	}
	mine := r.file("mine", "dear to me")
	if got := independent("--rejects", mine); got.code != 2 || !strings.Contains(got.stderr, "there is such a file already") || r.read(mine) != "dear to me" {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	if got := independent("--rejects", os.DevNull); got.code != 2 || !strings.Contains(got.stderr, "none was stored") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}

// Who mends a file is told all kinds of its faults at once, in process and through
// the socket, and finds every bad row beside it.
func TestRefusedImportTellsAllFaults(t *testing.T) {
	for _, served := range []bool{false, true} {
		for _, rows := range []int{20, 11_000} {
			t.Run(fmt.Sprintf("%v/%d", served, rows), func(t *testing.T) { refusedForAll(t, served, rows) })
		}
	}
}

func refusedForAll(t *testing.T, served bool, rows int) {
	r := newRig(t)
	if served {
		r.serve()
	}
	r.ok("queue", "add", "q")
	var text strings.Builder
	text.WriteString("Reference,Deadline,Priority,n\n")
	for n := range rows {
		switch n % 4 {
		case 0:
			fmt.Fprintf(&text, "A%d,,low,1\n", n)
		case 1:
			fmt.Fprintf(&text, "B%d,soon %d,low,1\n", n, n)
		case 2:
			fmt.Fprintf(&text, "C%d,,urgent,1\n", n)
		case 3:
			fmt.Fprintf(&text, "D%d,\n", n)
		}
	}
	path := r.file("a.csv", text.String())
	got := r.run("item", "import", "--queue", "q", path)
	done := parse[imported](t, got.stdout)
	bad := rows / 4 * 3
	if got.code != 2 || done.Stored != 0 || done.Rejected != bad || done.RejectsFile != path+".rejects" {
		t.Errorf("exit %d, %+v, %s", got.code, done, got.stderr)
	}
	each := fmt.Sprintf("(%d rows)\n", rows/4)
	for _, want := range []string{fmt.Sprintf("%d bad ones in all", bad), "\n  line 3: due \"soon 1\"", "\n  line 4: ", "\n  line 5: 2 fields, the header has 4 " + each} {
		if !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 4 {
			t.Errorf("it is not told %q:\n%s", want, got.stderr)
		}
	}
	if lines := strings.Count(r.read(done.RejectsFile), "\n"); lines != bad+1 {
		t.Errorf("%d lines of rejects", lines)
	}
	if counts := parse[queue](t, r.ok("queue", "show", "q")).Counts; counts["queued"] != 0 {
		t.Errorf("stored %v", counts)
	}
}

// A file of rejects that can't be written hides no refusal.
func TestRefusedWithoutRejects(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	got := r.run("item", "import", "--queue", "q", "--rejects", r.dir+"/none/x", r.file("a.csv", "Reference,n\nA\n"))
	if got.code != 2 || !strings.Contains(got.stderr, "line 2: 1 field, the header has 2 (1 such row): nothing was stored; mend the file, or store") ||
		!strings.Contains(got.stderr, "\n  rejects file "+r.dir+"/none/x: it can't be written: no such file") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}

// A reference that a file has twice is told with both lines.
func TestReferencesTwiceInAFile(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--unique-references")
	path := r.file("a.csv", "Reference,n\nA,1\nB,2\nA,3\n")
	r.fails(5, `line 4: reference "A": it stands twice in this file (1 such row; line 2 has it too): nothing was stored`, "item", "import", "--queue", "q", path)
	done := parse[imported](t, r.ok("item", "import", "--queue", "q", "--mode", "independent", path))
	if done.Stored != 2 || !strings.Contains(r.read(done.RejectsFile), "line 2 has it too") {
		t.Errorf("imported %+v", done)
	}
	r.fails(2, "a priority is high, normal or low (1 such row; use one of these): nothing was stored; mend the file, whose bad rows are in",
		"item", "import", "--queue", "q", r.file("b.csv", "Reference,Priority,n\nC,urgent,1\n"))
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
