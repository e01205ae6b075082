package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/cli"
)

// worked fills queue q with items of several states.
func (r *rig) worked(family string) {
	r.t.Helper()
	r.ok("queue", "add", "q", "--family", family, "--lease", "0")
	for n, payload := range []string{`{"a": 1,  "b":"=1+1"}`, `{"a":"x"}`, "{\n\"c\":-5}", `{"a":2}`, `{}`} {
		r.ok("item", "add", "--queue", "q", "--payload", payload, "--reference", fmt.Sprintf("-R%d", n), "--priority", []string{"high", "low"}[n/3], "--due", "2030-01-02")
	}
	got := r.claimed("--queue", "q", "--robot", "r-1", "--n", "3")
	fence := func(n int) string { return fmt.Sprint(got[n].Fence) }
	r.ok("complete", got[0].ID, "--fence", fence(0), "--output", `{"ok": true}`)
	r.ok("fail", got[1].ID, "--fence", fence(1), "--kind", "business", "--reason", "no zip", "--details", "l1\nl2")
	r.ok("item", "review", got[1].ID, "--verify", "--note", "=written off", "--yes")
	r.ok("item", "delete", "q/5", "--yes")
}

// Each file that can be read back gives the items that were, in their states,
// and exported again the same file but for where and when it was.
func TestExportAndImportAgain(t *testing.T) {
	for _, family := range []string{"jobs", "transactions"} {
		for _, format := range []string{"jsonl", "csv", "orchestrator"} {
			t.Run(family+" "+format, func(t *testing.T) {
				r := newRig(t)
				r.worked(family)
				path := filepath.Join(r.dir, "items."+format)
				report := parse[struct {
					Exported, Bytes int
					File            string
				}](t, r.ok("export", "--queue", "q", "--format", format, "-f", path))
				if text := r.read(path); report.Exported != 4 || report.Bytes != len(text) || report.File != path {
					t.Errorf("it reports %+v of\n%s", report, text)
				}
				r.ok("queue", "add", "again", "--family", family)
				done := parse[imported](t, r.ok("item", "import", "--queue", "again", "--states", "keep", path))
				if done.Stored != 4 {
					t.Fatalf("imported %+v", done)
				}
				for n := 1; n <= 4; n++ {
					was, is := parse[item](t, r.ok("item", "show", fmt.Sprintf("q/%d", n))), parse[item](t, r.ok("item", "show", fmt.Sprintf("again/%d", n)))
					held := was.Status == "claimed" || was.Status == "processing"
					if held != (is.Status != was.Status) || is.Reference != was.Reference || is.Priority != was.Priority || is.ClaimedBy != was.ClaimedBy ||
						is.Fence != was.Fence || is.DueAt != was.DueAt || fmt.Sprint(is.Payload, is.Output, is.Review) != fmt.Sprint(was.Payload, was.Output, was.Review) ||
						!held && is.Error != was.Error {
						t.Errorf("item %d was\n%+v\nand is\n%+v", n, was, is)
					}
				}
				if out := r.ok("item", "history", "again/2"); !strings.Contains(out, "import") || !strings.Contains(out, "from items."+format+", was q/2") {
					t.Errorf("its history is\n%s", out)
				}
				if out := r.ok("check"); !strings.Contains(out, "nothing wrong") {
					t.Error(out)
				}
			})
		}
	}
}

// The states of an exported file are left out where nobody asks for them.
func TestImportOfExportedItemsAsNewWork(t *testing.T) {
	r := newRig(t)
	r.worked("transactions")
	for n, format := range []string{"jsonl", "csv"} {
		r.stdin = r.ok("export", "--queue", "q", "--format", format)
		queue := fmt.Sprintf("new%d", n)
		r.ok("queue", "add", queue, "--family", "transactions")
		r.ok("item", "import", "--queue", queue, "-")
		if out := r.ok("item", "list", "--queue", queue, "--status", "pending", "-o", "jsonl"); strings.Count(out, "\n") != 4 || !strings.Contains(out, `"attempts":0`) {
			t.Errorf("%s gives\n%s", format, out)
		}
	}
	r.stdin = r.ok("export", "--queue", "q", "--format", "orchestrator")
	r.ok("queue", "add", "fresh")
	r.ok("item", "import", "--queue", "fresh", "--states", "new", "-")
	if out := r.ok("item", "list", "--queue", "fresh", "--status", "queued", "-o", "jsonl"); strings.Count(out, "\n") != 4 {
		t.Errorf("states are kept though asked not to:\n%s", out)
	}
}

// What an engine answers is what a command without one writes.
func TestExportThroughTheSocket(t *testing.T) {
	r := newRig(t)
	r.worked("jobs")
	formats := []string{"csv", "jsonl", "xml", "orchestrator"}
	alone := map[string]string{}
	for _, format := range formats {
		alone[format] = r.ok("export", "--queue", "q", "--format", format, "--filter", "!attempts:7")
	}
	r.serve()
	for _, format := range formats {
		if got := r.ok("export", "--queue", "q", "--format", format, "--filter", "!attempts:7"); got != alone[format] {
			t.Errorf("%s through the socket is\n%s\nwant\n%s", format, got, alone[format])
		}
	}
	if got := r.ok("export", "--queue", "q", "--format", "jsonl", "--status", "cancelled"); got != "" {
		t.Errorf("nothing is %q", got)
	}
	r.fails(3, `queue "none"`, "export", "--queue", "none", "--format", "csv")
	path := filepath.Join(r.dir, "items.xml")
	r.ok("export", "--queue", "q", "-f", path, "--filter", "!attempts:7")
	if got := r.read(path); got != alone["xml"] {
		t.Errorf("the file is\n%s", got)
	}
}

func TestExportRefusals(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		there := r.file("there.csv", "mine")
		for _, test := range []struct {
			code        int
			words, args string
		}{
			{2, "it needs --queue", "export --format csv"},
			{2, "it needs --format", "export --queue q"},
			{2, "it needs --format", "export --queue q -f a.json"},
			{2, `format "xlsx": a file of items is`, "export --queue q --format xlsx"},
			{2, "only a CSV has a use for it", "export --queue q --format xml --bom"},
			{2, "no item has this status", "export --queue q --format csv --status great"},
			{2, "a lone ! inverts nothing", "export --queue q --format csv --filter !"},
			{3, `queue "none"`, "export --queue none --format csv"},
			{5, "it is there already", "export --queue q -f " + there},
			{2, "it is the store itself", "export --queue q --format csv --force -f " + filepath.Join(r.dir, "s.db")},
			{2, "it is a folder", "export --queue q --format csv -f " + r.dir},
			{1, "it can't be written", "export --queue q --format csv -f /nowhere/a"},
		} {
			r.fails(test.code, test.words, strings.Fields(test.args)...)
		}
		if r.read(there) != "mine" {
			t.Error("the file was changed")
		}
		r.ok("export", "--queue", "q", "-f", there, "--force", "--bom")
		if got := r.read(there); !strings.HasPrefix(got, "\ufeffReference,") || !strings.Contains(got, "q/1") {
			t.Errorf("the file is %q", got)
		}
	})
}

// No command writes to a name that the store's own files have, or will have.
func TestNothingIsWrittenToTheStoresNames(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.ok("item", "add", "--queue", "q", "--payload", "{}", "--singleton-key", "k")
		r.ok("job", "attachment", "q-1", "report.txt", "--add", r.file("report.txt", "text"))
		for _, ending := range []string{"", ".wal", ".sock", ".archive"} {
			path := filepath.Join(r.dir, "s.db"+ending)
			r.stdin = "{}\n[]\n"
			for _, args := range [][]string{
				{"export", "--queue", "q", "--format", "csv", "--force", "-f", path},
				{"backup", "--force", path},
				{"job", "attachment", "q-1", "report.txt", "--file", path},
				{"item", "import", "--queue", "q", "--mode", "independent", "--rejects", path, "-"},
			} {
				if got := r.run(args...); got.code != 2 || strings.Count(got.stderr, "\n") != 1 {
					t.Errorf("%v: exit %d, %s", args, got.code, got.stderr)
				}
			}
		}
		r.ok("export", "--queue", "q", "-f", filepath.Join(r.dir, "s.db.csv"))
		r.ok("check")
	})
}

// An export that breaks off leaves neither a file nor a part of one.
func TestBrokenExportLeavesNothing(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		folder := t.TempDir()
		got := r.run("export", "--queue", "q", "--filter", `jq:"[range(1e9)] | length > 0"`, "-f", filepath.Join(folder, "a.csv"))
		if left, err := os.ReadDir(folder); got.code == 0 || err != nil || len(left) > 0 {
			t.Errorf("exit %d, %s, and %v is left", got.code, got.stderr, left)
		}
	})
}

// Records that can't be read are said to be missing.
func TestExportOfADamagedStore(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("item", "add", "--queue", "q", "--payload", "1")
	r.ok("item", "add", "--queue", "q", "--payload", "2")
	r.damage()
	look := func() {
		t.Helper()
		got := r.run("export", "--queue", "q", "--format", "jsonl")
		if got.code != 0 || strings.Count(got.stdout, "\n") != 1 || got.stderr != "1 records can't be read and are left out\n" {
			t.Errorf("exit %d, %q and %q", got.code, got.stdout, got.stderr)
		}
	}
	look()
	r.serve()
	look()
}

// On a terminal masked fields are hidden and nothing acts; programs get all.
func TestExportToATerminal(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--mask", "iban")
	r.ok("item", "add", "--queue", "q", "--payload", "{\"iban\":\"DE1\",\"x\":\"\u009b31m\"}")
	if got := r.ok("export", "--queue", "q", "--format", "jsonl"); !strings.Contains(got, "DE1") || !strings.Contains(got, "\u009b") {
		t.Errorf("a program gets %s", got)
	}
	r.terminal = true
	if got := r.ok("export", "--queue", "q", "--format", "csv"); strings.Contains(got, "DE1") || strings.Contains(got, "\u009b") || strings.Count(got, "\n") != 2 {
		t.Errorf("a person sees %s", got)
	}
	if got := r.ok("export", "--queue", "q", "--format", "csv", "--unmask"); !strings.Contains(got, "DE1") {
		t.Errorf("unmasked it is %s", got)
	}
}

// A spreadsheet of forty columns as Windows writes it: semicolons, byte order
// mark, CRLF, line breaks within quotes, dates and numbers of its country.
func TestSpreadsheetOfFortyColumns(t *testing.T) {
	const path = "../engine/intake/testdata/spreadsheet/forty-columns.csv"
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "transactions")
	if done := parse[imported](t, r.ok("item", "import", "--queue", "q", path)); done.Stored != 3 {
		t.Fatalf("imported %+v", done)
	}
	first, second := parse[item](t, r.ok("item", "show", "q/1")), parse[item](t, r.ok("item", "show", "q/2"))
	for name, want := range map[string]string{
		"Betrag": "1.234,56", "Kundennummer": "0000471", "Bemerkung": "Zeile 1\r\nZeile 2; mit Semikolon", "Projekt": `Umbau "Halle 3"`,
		"Straße": "Hauptstraße 12", "Formel": "=SUMME(M2:M3)", "Prüfsumme": "-17", "Bestelldatum": "03.11.2026",
	} {
		if first.Payload[name] != want {
			t.Errorf("%s is %q", name, first.Payload[name])
		}
	}
	if first.DueAt != "2030-12-01T00:00:00.000Z" || first.Priority != "high" || len(first.Payload) != 36 ||
		second.Reference != "RE-2026-002" || second.Priority != "high" || second.Defer != "2026-12-24T08:00:00.000Z" {
		t.Errorf("imported %+v and %+v", first, second)
	}
	exported := r.ok("export", "--queue", "q", "--format", "csv")
	for _, cell := range []string{",'=SUMME(M2:M3),-17,", ",''schon mit Apostroph,NULL,'+1,", ",'@handel.example,\"-5,00\",", ",'+49 351 123456,"} {
		if cell = strings.Replace(cell, `"-5,00"`, `"'-5,00"`, 1); !strings.Contains(exported, cell) {
			t.Errorf("no %s in\n%s", cell, exported)
		}
	}
	r.ok("queue", "add", "again", "--family", "transactions")
	r.stdin = exported
	r.ok("item", "import", "--queue", "again", "-")
	for n := 1; n <= 3; n++ {
		was, is := parse[item](t, r.ok("item", "show", fmt.Sprintf("q/%d", n))), parse[item](t, r.ok("item", "show", fmt.Sprintf("again/%d", n)))
		if fmt.Sprint(was.Payload, was.Reference, was.DueAt, was.Defer) != fmt.Sprint(is.Payload, is.Reference, is.DueAt, is.Defer) {
			t.Errorf("it was\n%v\nand is\n%v", was.Payload, is.Payload)
		}
	}
}

func TestImportReadingFlags(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	western := r.file("w.csv", "Deadline,a\n03/01/2030,M\xfcnster\n")
	r.fails(2, "say --encoding windows-1252", "item", "import", "--queue", "q", western)
	r.fails(2, "say which with --dates dmy", "item", "import", "--queue", "q", "--encoding", "windows-1252", western)
	r.ok("item", "import", "--queue", "q", "--encoding", "Windows-1252", "--dates", "dmy", western)
	if got := parse[item](t, r.ok("item", "show", "q/1")); got.Payload["a"] != "Münster" || got.DueAt != "2030-01-03T00:00:00.000Z" {
		t.Errorf("imported %+v", got)
	}
	wide := r.file("u.csv", "\xff\xfea\x00\r\x00\n\x00\xfc\x00\r\x00\n\x00")
	r.ok("item", "import", "--queue", "q", wide)
	if got := parse[item](t, r.ok("item", "show", "q/2")); got.Payload["a"] != "ü" {
		t.Errorf("imported %+v", got)
	}
	r.fails(2, `states "old"`, "item", "import", "--queue", "q", "--states", "old", western)
	r.fails(2, `dates "ymd"`, "item", "import", "--queue", "q", "--dates", "ymd", western)
	r.fails(2, `encoding "latin1"`, "item", "import", "--queue", "q", "--encoding", "latin1", western)
}

// A reader that goes away ends an export.
func TestExportToAReaderThatIsGone(t *testing.T) {
	r := newRig(t)
	r.worked("jobs")
	var errs bytes.Buffer
	world := r.world(nil, &errs)
	world.Stdout = gone{}
	if code := cli.Run(t.Context(), world, []string{"export", "--queue", "q", "--format", "csv"}); code != 1 || !strings.Contains(errs.String(), "gone") {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, fmt.Errorf("gone") }
