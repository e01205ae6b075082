package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckRepairs(t *testing.T) {
	r := newRig(t)
	r.fails(7, "there is no store", "check", "--repair")
	r.ok("queue", "add", "q")
	r.ok("item", "add", "--queue", "q", "--payload", "1", "--reference", "R")
	r.ok("item", "add", "--queue", "q", "--payload", "2")
	if out := r.ok("check", "--repair"); out != "nothing was wrong\n" {
		t.Errorf("of a sound store it says %q", out)
	}
	r.damage()
	path := filepath.Join(r.dir, "s.db")
	r.fails(7, "stop the engine and put the store right with `signalbox check --repair`", "item", "show", "q/1")
	if got := r.run("check"); got.code != 7 || !strings.Contains(got.stdout, "item q/1: its record can't be read\n") || !strings.Contains(got.stderr, "put it right with `signalbox check --repair`") {
		t.Errorf("check: %+v", got)
	}
	s := r.serve()
	r.fails(7, "serves it; stop that one first", "check", "--repair")
	s.stop()
	r.fails(6, "opened read-only", "check", "--repair", "--read-only")
	out := r.ok("check", "--repair")
	for _, want := range []string{
		"mended: item q/1: its record can't be read\n", "mended: queue q: its counter of queued items says 2, there are 1\n",
		"records that can't be read are in " + path + ".damaged.jsonl\n", "the store as it was is " + path + ".before-repair\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it says %q, which lacks %q", out, want)
		}
	}
	if out := r.ok("check"); out != "checked 1 queue, 1 item: nothing wrong\n" {
		t.Errorf("after it: %q", out)
	}
	if out := r.ok("check", "--repair", "-o", "json"); !strings.Contains(out, `"mended":[]`) {
		t.Errorf("as JSON: %q", out)
	}
	if got := r.run("check", "--store", "bolt:"+path+".before-repair"); got.code != 7 {
		t.Errorf("the copy of before: %+v", got)
	}
	r.ok("item", "show", "q/2")
	if changes := r.ok("queue", "show", "q"); !strings.Contains(changes, `"queued":1`) {
		t.Errorf("%s", changes)
	}
}
