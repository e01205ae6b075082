package text

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"abc", 5, "abc  "},
		{"abcdef", 4, "abc…"},
		{"abc", 3, "abc"},
		{"abc", 0, ""},
		{"abc", -3, ""},
		{"abc", 1, "…"},
		{"東京都", 4, "東… "},
		{"東京都", 5, "東京…"},
		{"a東京", 3, "a… "},
		{"", 2, "  "},
	} {
		if got := Fit(Safe(c.in), c.w); string(got) != c.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestTailThatDoesNotFitIsLeftOut(t *testing.T) {
	if got := Truncate("abcdef", 2, "..."); got != "ab" {
		t.Errorf("got %q", got)
	}
	if got := FitTail("abcdef", 4, "~"); got != "abc~" {
		t.Errorf("got %q", got)
	}
}

func TestNumbersStandOnTheRight(t *testing.T) {
	if got := FitLeft("12,403", 8); got != "  12,403" {
		t.Errorf("got %q", got)
	}
	if got := PadLeft("東", 4); got != "  東" {
		t.Errorf("got %q", got)
	}
}

func TestOwnSequencesTakeNoColumns(t *testing.T) {
	if got := Width("\x1b[1;31mred\x1b[m"); got != 3 {
		t.Errorf("Width = %d, want 3", got)
	}
}

func FuzzFit(f *testing.F) {
	f.Add("plain text", 4)
	f.Add("東京都庁", 5)
	f.Add("👨‍👩‍👧 e\u0301", 3)
	f.Add("\x1b[31m", 2)
	f.Add("🇩🇪🇩", 1)
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = w % 300
		safe := Clean(s)
		for _, got := range []Safe{Fit(safe, w), FitTail(safe, w, "..."), FitLeft(safe, w)} {
			if n := ansi.StringWidth(string(got)); n != max(w, 0) {
				t.Errorf("%q at %d is %q, %d wide", safe, w, got, n)
			}
		}
		if cut := Truncate(safe, w, ""); !strings.HasPrefix(string(safe), string(cut)) {
			t.Errorf("%q cut at %d is %q", safe, w, cut)
		}
	})
}
