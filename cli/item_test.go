package cli_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"
)

func TestItems(t *testing.T) {
	r := newRig(t)
	r.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r.ok("queue", "add", "inv", "--family", "transactions")
	added := parse[[]item](t, r.ok("item", "add", "--queue", "inv", "--payload", `{"a": 1}`, "--reference", "INV-1", "--priority", "High", "--due", "+2h", "--key", "k"))
	if len(added) != 1 || added[0].ID != "inv/1" || added[0].DueAt != "2026-03-01T14:00:00.000Z" || added[0].CreatedBy != "kim" || added[0].Priority != "high" {
		t.Errorf("added %+v", added)
	}
	again := parse[[]item](t, r.ok("item", "add", "--queue", "inv", "--payload", `{}`, "--key", "k"))
	if again[0].ID != "inv/1" {
		t.Errorf("the same key gave %s", again[0].ID)
	}
	r.stdin = `{"from": "stdin"}`
	r.ok("item", "add", "--queue", "inv", "--payload", "-", "--due", "2026-03-02 08:00", "--tz", "Europe/Berlin")
	r.ok("item", "add", "--queue", "inv", "--payload", "@"+r.file("p.json", `{"from": "file"}`), "--defer", "2030-01-01")

	one := parse[item](t, r.ok("item", "show", "inv/2"))
	if one.Payload["from"] != "stdin" || one.DueAt != "2026-03-02T07:00:00.000Z" {
		t.Errorf("shown %+v", one)
	}
	ids := func(args ...string) string {
		var ids []string
		for _, i := range parse[[]item](t, r.ok(append([]string{"item", "list", "-o", "json"}, args...)...)) {
			ids = append(ids, strings.TrimPrefix(i.ID, "inv/"))
		}
		return strings.Join(ids, " ")
	}
	for want, args := range map[string][]string{
		"1 2 3": {"--queue", "inv"},
		"3 2 1": {"--queue", "inv", "--desc", "--limit", "0"},
		"2 3":   {"--after", "inv/1"},
		"1 2":   {"--limit", "2"},
		"1":     {"--filter", "reference:INV"},
		"":      {"--status", "failed"},
	} {
		if got := ids(args...); got != want {
			t.Errorf("item list %v gave %q, want %q", args, got, want)
		}
	}
	if got := r.run("item", "list", "--limit", "2", "--queue", "inv"); !strings.Contains(got.stderr, "2 of 3 shown; go on with --after inv/2") {
		t.Errorf("a cut list says %q", got.stderr)
	}
	table := r.ok("item", "list")
	if lines := strings.Split(table, "\n"); len(lines) != 5 || !strings.HasPrefix(lines[0], "ID") || !strings.Contains(lines[1], "INV-1") || !strings.Contains(lines[3], "pending in ") {
		t.Errorf("table is\n%s", table)
	}
	rows, err := csv.NewReader(strings.NewReader(r.ok("item", "list", "-o", "csv"))).ReadAll()
	if err != nil || len(rows) != 4 || rows[0][0] != "id" || rows[1][5] != "INV-1" {
		t.Errorf("csv is %v, %v", rows, err)
	}
	history := r.ok("item", "history", "inv/3", "-o", "jsonl")
	if change := parse[struct{ Event, Actor, To string }](t, strings.TrimSpace(history)); change.Event != "add" || change.Actor != "kim" || change.To != "pending" {
		t.Errorf("history is %s", history)
	}
	r.fails(3, `item "inv/9"`, "item", "show", "inv/9")
	r.fails(3, `queue "none"`, "item", "list", "--queue", "none")
	r.fails(3, `queue "none"`, "item", "add", "--queue", "none", "--payload", "{}")
}

// A number that would stand for none is not taken for one.
func TestNoughtIsNoNumberOfAttempts(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	for _, flag := range []string{"--max-attempts", "--weight"} {
		r.fails(2, flag+" 0: it is not from 1 to 1", "item", "add", "--queue", "q", "--payload", "{}", flag, "0")
	}
}

func TestUniqueReferences(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--unique-references")
	r.ok("item", "add", "--queue", "q", "--payload", "1", "--reference", "R")
	r.fails(5, `reference "R"`, "item", "add", "--queue", "q", "--payload", "1", "--reference", "R")
}

// Lists longer than a page of the engine's come whole and in order.
func TestLongLists(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.stdin = strings.Repeat("{\"a\":1}\n", 2500)
	r.ok("item", "import", "--queue", "q", "-")
	out := r.ok("item", "list", "--queue", "q", "--limit", "0", "-o", "jsonl")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2500 || parse[item](t, lines[2499]).ID != "q/2500" {
		t.Errorf("%d lines, the last %s", len(lines), lines[len(lines)-1])
	}
	if out := r.ok("item", "list", "--queue", "q", "--limit", "2100"); strings.Count(out, "\n") != 2101 {
		t.Errorf("%d lines of a table", strings.Count(out, "\n"))
	}
}

// What a terminal would obey is shown instead.
func TestDataIsNeverTrusted(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	evil := "a\u001b]0;owned\u0007\u009b31m\u202eb"
	payload := `{"x":"` + strings.NewReplacer("\u001b", `\u001b`, "\u0007", `\u0007`).Replace(evil) + `"}`
	r.ok("item", "add", "--queue", "q", "--payload", payload, "--reference", "R\u202eX")
	r.fails(2, "no control character", "claim", "--queue", "q", "--robot", "r\u009bX")
	held := r.claimed("--queue", "q", "--robot", "r")[0]
	r.terminal = true
	fence := "1"
	outputs := []string{
		r.ok("item", "list"), r.ok("item", "list", "-o", "json"), r.ok("item", "list", "-o", "csv"),
		r.ok("item", "show", held.ID), r.ok("item", "show", held.ID, "-o", "json"),
		r.ok("item", "history", held.ID), r.run("progress", held.ID, "x", "--fence", "7", "--store", "bad\u009b:").stderr,
		r.ok("progress", held.ID, evil, "--fence", fence), r.ok("item", "show", held.ID),
	}
	for n, out := range outputs {
		if strings.ContainsAny(out, "\x1b\a\u009b\u202e") {
			t.Errorf("output %d holds what a terminal obeys: %q", n, out)
		}
	}
	if got := parse[item](t, outputs[4]); got.Payload["x"] != evil {
		t.Errorf("the payload became %q", got.Payload["x"])
	}
}

// What a queue's mask names is hidden from people, wherever it stands, and
// from nobody else.
func TestMask(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--mask", "iban", "--mask", "customer.name")
	r.ok("item", "add", "--queue", "q", "--payload", `{"z":1.50,"IBAN":"DE1","customer":{"name":"Ada","zip":"44087","more":[{"iban":{"x":"DE2"}}]},"name":"order"}`)
	want := `{"z":1.50,"IBAN":"••••","customer":{"name":"••••","zip":"44087","more":[{"iban":"••••"}]},"name":"order"}`
	secret := func(out string) bool {
		return strings.Contains(out, "DE1") || strings.Contains(out, "DE2") || strings.Contains(out, "Ada")
	}
	if out := r.ok("item", "show", "q/1"); !secret(out) {
		t.Errorf("a program reads %s", out)
	}
	if out := r.ok("item", "show", "q/1", "-o", "table"); secret(out) || !strings.Contains(out, want) {
		t.Errorf("a person reads %s", out)
	}
	r.terminal = true
	for _, format := range []string{"table", "json"} {
		if out := r.ok("item", "show", "q/1", "-o", format); secret(out) || !strings.Contains(out, "44087") {
			t.Errorf("as %s a person reads %s", format, out)
		}
		if out := r.ok("item", "show", "q/1", "-o", format, "--unmask"); !secret(out) {
			t.Errorf("as %s unmasked is %s", format, out)
		}
	}
	out := r.ok("claim", "--queue", "q", "--robot", "r", "-o", "table", "--no-start")
	out += r.ok("start", "q/1", "--fence", "1")
	r.ok("complete", "q/1", "--fence", "1", "--output", `{"iban":"DE2"}`)
	if out += r.ok("item", "show", "q/1"); secret(out) {
		t.Errorf("a person reads %s", out)
	}
	r.ok("item", "add", "--queue", "q", "--payload", `{"iban":"DE1"}`)
	if out := r.ok("claim", "--queue", "q", "--robot", "r", "-o", "table", "--unmask"); !secret(out) {
		t.Errorf("unmasked is %s", out)
	}
}
