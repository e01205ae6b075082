package cli_test

import (
	"regexp"
	"strings"
	"testing"
)

func TestUsageErrors(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	for _, test := range []struct {
		words string
		args  string
	}{
		{"has no such command; see `signalbox --help`", "frobnicate"},
		{"did you mean queue?", "quue"},
		{"did you mean list?", "queue lsit"},
		{"did you mean --filter?", "queue list --fitler x"},
		{"flag -x: ", "queue list -x"},
		{"flag --store: it needs a value; write it as --store VALUE", "queue list --store"},
		{`flag --limit "ten": it is not a whole number; write it as --limit 10`, "queue list --limit ten"},
		{`flag --fence "-1": it is not a whole number from 0 on`, "start q/1 --fence -1"},
		{`flag --speed "fast": it is not a number; write it as --speed 1.5`, "demo --speed fast"},
		{`flag --force "perhaps": it is not true or false; write it as --force or --force=false`, "queue delete q --force=perhaps"},
		{"number -1: no number here is below 0", "slot set -1"},
		{"a pool has at least 3 slots", "slot set 0"},
		{"a pool has at least 3 slots", "slot auto 0"},
		{"a limit is 0 (all) or more", "item list --limit -1"},
		{"a limit is 0 (all) or more", "item history q/1 --limit -1"},
		{"a limit is 0 (all) or more", "queue list --limit -1"},
		{"the payload is empty", "item add --queue q --payload="},
		{"the payload is empty", "item add --queue q --payload -"},
		{"the payload is empty", "item add --queue q --payload @" + r.file("blank", " \n")},
		{"the payload is empty", "item retry q/1 --payload="},
		{"nothing to settle", "settle"},
		{"`signalbox completion` has no such command", "completion foo"},
		{"`signalbox` has no such command", "help foo"},
		{"`signalbox queue` has no such command; did you mean list?", "help queue lsit"},
		{`--lease: duration "5": a duration is a number with a unit`, "queue add x --lease 5"},
		{`--wait: duration "5": a duration is a number with a unit`, "claim --queue q --robot r --wait 5"},
		{"it needs --robot", "claim --queue q"},
		{"it needs NAME", "queue add"},
		{"it needs NAME before --", "queue add -- sh"},
		{"a queue's command stands after --", "queue add q sh"},
		{"only the queue's name stands before --", "queue add q x -- sh"},
		{"takes no more arguments", "queue list x"},
		{"it names no setting", "queue set q"},
		{"a family is jobs or transactions", "queue add x --family both"},
		{"a duration is a number with a unit", "queue add x --lease soon"},
		{"it needs --payload", "item add --queue q"},
		{"it needs --queue", "item add --payload 1"},
		{"a priority is high, normal or low", "item add --queue q --payload 1 --priority urgent"},
		{`--due: time "soon"`, "item add --queue q --payload 1 --due soon"},
		{"the file can't be read", "item add --queue q --payload @/nowhere"},
		{"line 1, column 1", "item add --queue q --payload x"},
		{"an item's id is its queue", "item show q"},
		{"no item has this status", "item list --status great"},
		{"the filter", `item list --filter "x`},
		{"it needs --queue", "claim --robot r"},
		{"a claim takes at least 1 item", "claim --queue q --robot r --n 0"},
		{"a duration is a number", "claim --queue q --robot r --wait long"},
		{"it needs --fence", "complete q/1"},
		{"it needs TEXT…", "progress q/1 --fence 1"},
		{"it needs --until", "postpone q/1 --fence 1"},
		{"it needs --reason", "fail q/1 --fence 1"},
		{"no such kind of failure", "fail q/1 --fence 1 --kind bad --reason x"},
		{"it is no JSON object", "complete q/1 --fence 1 --output 7"},
		{"it needs ITEM…", "item retry"},
		{"add --all", "item retry --queue q"},
		{"nothing says which items", "item retry --all"},
		{"it is 1 or more", "item retry --queue q --all --first 0"},
		{"named and selected at once", "item retry q/1 --queue q"},
		{"it is for one item", "item retry q/1 q/2 --payload 1"},
		{"it needs one judgement", "item review q/1"},
		{"it changes nothing", "item edit q/1"},
		{"they are for one item", "item edit q/1 q/2 --reference R"},
		{"the payload is empty", "item edit q/1 --payload="},
		{`--due: time "soon"`, "item edit q/1 --due soon"},
		{"it needs ITEM…", "item edit --due +1h"},
		{"it needs --until", "item defer q/1"},
		{"add --all", "item delete --queue q"},
		{"nothing says which items", "item delete --all"},
		{"nobody is there to confirm", "item delete q/1"},
		{"it needs ITEM", "item explain"},
		{"it needs one judgement", "item review q/1 --verify --clear"},
		{"a pool has at least 3 slots", "slot set 2"},
		{"it is not a number", "slot set many"},
		{"it is not a number", "slot auto many"},
		{"it is not a size", "snapshot slots --size big"},
		{"it is not when to colour", "snapshot slots --color sometimes"},
		{"there is no such screen", "snapshot slits"},
		{"no such time zone", "item list --tz Mars/Base"},
		{"a store is bolt:PATH or memory:", "queue list --store redis:x"},
		{"an engine is reached at unix:PATH", "queue list --connect tcp:x"},
		{"nobody could reach a store in memory", "serve --store memory:"},
		{"an engine changes its store", "serve --read-only"},
		{"it needs a terminal", ""},
		{"it needs a terminal", "demo"},
	} {
		r.fails(2, test.words, strings.Fields(test.args)...)
	}
	r.env["TERM"] = "dumb"
	r.fails(2, "use --plain for lines", "demo")
	r.fails(2, "use --plain for lines")
}

func TestHelp(t *testing.T) {
	r := newRig(t)
	for args, words := range map[string]string{
		"--help":             "COMMANDS",
		"queue":              "pause NAME",
		"items":              "import FILE|-",
		"item import --help": "Deadline",
		"help claim":         "--robot",
		"help queue add":     "--family",
		"help":               "COMMANDS",
		"--version":          "test",
		"completion bash":    "bash completion",
	} {
		if out := r.ok(strings.Fields(args)...); !strings.Contains(out, words) {
			t.Errorf("signalbox %s does not say %q:\n%s", args, words, out)
		}
	}
}

// Help shows values as they are typed: it makes the first word of a text begin
// with a capital, which must therefore be an ordinary one.
func TestHelpShowsValuesAsTyped(t *testing.T) {
	r := newRig(t)
	value := regexp.MustCompile(`(?m)^\s+(?:-\w )?--([a-z-]+) +(\S*[A-Z]\S*[A-Z@|=]\S*|\S+,|\S+ \(|\S+ or )`)
	for _, command := range []string{
		"", "queue add", "queue set", "queue list", "queue delete", "queue dump", "queue apply", "item add", "item import", "item list", "item history", "item retry", "item review", "item edit", "item defer", "item delete", "item explain",
		"claim", "start", "progress", "complete", "fail", "postpone", "settle", "slot set", "slot run", "slot history", "snapshot", "demo", "serve", "check", "backup", "restore", "compact",
	} {
		out := r.ok(append(strings.Fields(command), "--help")...)
		_, flags, _ := strings.Cut(out, "FLAGS")
		for _, m := range value.FindAllStringSubmatch(flags, -1) {
			t.Errorf("%s --%s begins with a value: %q", command, m[1], m[2])
		}
		if strings.Contains(out, "handler") {
			t.Errorf("%s speaks of handlers, which are no one's here", command)
		}
	}
}

// A status that there is none of is named with the words that there are.
func TestUnknownStatus(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q", "--family", "jobs")
	for _, command := range [][]string{{"item", "list"}, {"item", "retry", "--all", "--yes", "--queue", "q"}, {"export", "--queue", "q"}} {
		r.fails(2, `--status "abandond": no item has this status; did you mean abandoned?`, append(command, "--status", "abandond")...)
		r.fails(2, "in_flight", append(command, "--status", "bogus")...)
	}
}
