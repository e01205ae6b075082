package cli_test

import (
	"strings"
	"testing"
)

type pool struct {
	Pool  int
	Auto  bool
	Busy  int
	Fast  struct{ Reserve, First, Last int }
	Slow  struct{ Reserve, First, Last int }
	Slots []struct {
		Number      int
		Lane, State string
	}
}

func TestSlots(t *testing.T) {
	r := newRig(t)
	r.ok("slot", "auto")
	p := parse[pool](t, r.ok("slot", "show"))
	if p.Pool != 25 || !p.Auto || p.Fast.First != 1 || p.Fast.Last != 19 || p.Slow.First != 7 || p.Slow.Last != 25 || len(p.Slots) != 25 || p.Slots[6].Lane != "commons" {
		t.Errorf("the pool is %+v", p)
	}
	if p = parse[pool](t, r.ok("slot", "set", "10", "--fast", "2", "--slow", "5")); p.Fast.Reserve != 2 || p.Slow.Reserve != 5 || p.Auto {
		t.Errorf("the pool is %+v", p)
	}
	if p = parse[pool](t, r.ok("slots", "set", "12", "--slow", "4")); p.Pool != 12 || p.Fast.Reserve != 2 || p.Slow.Reserve != 4 {
		t.Errorf("the pool is %+v", p)
	}
	if p = parse[pool](t, r.ok("slot", "set", "20")); p.Fast.Reserve != 2 || p.Slow.Reserve != 4 {
		t.Errorf("the pool is %+v", p)
	}
	if p = parse[pool](t, r.ok("slot", "auto")); p.Pool != 20 || p.Fast.Reserve != 5 || !p.Auto {
		t.Errorf("the pool is %+v", p)
	}
	if p = parse[pool](t, r.ok("slot", "auto", "8")); p.Pool != 8 || p.Slow.Reserve != 2 {
		t.Errorf("the pool is %+v", p)
	}
	if out := r.ok("slot", "show", "-o", "table"); !strings.Contains(out, "0 of 8 slots busy") || !strings.Contains(out, "fast 1–6") || strings.Count(out, "\n") != 12 {
		t.Errorf("the table is\n%s", out)
	}
	if out := r.ok("slot", "show", "-o", "csv"); strings.Count(out, "\n") != 9 {
		t.Errorf("csv is\n%s", out)
	}
}

func TestSnapshot(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "invoices")
	for _, screen := range []string{"slots", "queues", "abandoned", "review"} {
		out := r.ok("snapshot", screen, "--size", "90x24")
		if strings.Count(out, "\n") != 24 || strings.Contains(out, "\x1b") {
			t.Errorf("%s is\n%s", screen, out)
		}
	}
	if out := r.ok("snapshot", "queues"); !strings.Contains(out, "invoices") {
		t.Errorf("queues is\n%s", out)
	}
	if out := r.ok("snapshot", "slots", "--color", "always"); !strings.Contains(out, "\x1b[") {
		t.Error("no colours")
	}
}
