package cli_test

import (
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
		{"flag --store: it needs a value", "queue list --store"},
		{`flag --limit "ten": it is no number`, "queue list --limit ten"},
		{`flag --force "perhaps": it is no true or false`, "queue delete q --force=perhaps"},
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
		{"it names no robot", "claim --queue q"},
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
		{"named and selected at once", "item retry q/1 --queue q"},
		{"it is for one item", "item retry q/1 q/2 --payload 1"},
		{"it needs one judgement", "item review q/1"},
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
}

func TestHelp(t *testing.T) {
	r := newRig(t)
	for args, words := range map[string]string{
		"--help":             "COMMANDS",
		"queue":              "pause NAME",
		"items":              "import FILE|-",
		"item import --help": "Deadline",
		"help claim":         "--robot",
		"--version":          "test",
		"completion bash":    "bash completion",
	} {
		if out := r.ok(strings.Fields(args)...); !strings.Contains(out, words) {
			t.Errorf("signalbox %s does not say %q:\n%s", args, words, out)
		}
	}
}
