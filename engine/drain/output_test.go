package drain

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"signalbox/engine"
)

// Whatever a program writes becomes an output that the engine takes.
func TestAnyTextFitsAnOutput(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "é", "\n", `"`, "<", "\x00", "\xff", "😀", "\u2028", "{", "[1]"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "text"), "")
		h := head{limit: 1 << 20}
		for range rapid.SampledFrom([]int{1, 6000, 52_000}).Draw(t, "times") {
			_, _ = h.Write([]byte(text))
		}
		out, err := h.output()
		if err != nil || out == nil {
			return // an unfinished object, or nothing written
		}
		if n := utf8.RuneCount(out); n > engine.MaxOutput || !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%d characters: %.80q", n, out)
		}
	})
}

func TestATextIsKeptAsFarAsItGoes(t *testing.T) {
	h := head{limit: 1 << 20}
	_, _ = h.Write([]byte(strings.Repeat("é", 60_000)))
	out, err := h.output()
	if n := utf8.RuneCount(out); err != nil || n != engine.MaxOutput || !strings.HasSuffix(string(out), `,"cut":true,"bytes":120000}`) {
		t.Errorf("%d characters, …%s: %v", n, out[max(0, len(out)-30):], err)
	}
}

func TestLogsThatBeginLikeAnObjectAreText(t *testing.T) {
	h := head{limit: 100}
	_, _ = h.Write([]byte(strings.Repeat(`{"level":"info"}`+"\n", 10)))
	if out, err := h.output(); err != nil || !strings.HasPrefix(string(out), `{"text":"{\"level\"`) {
		t.Errorf("%s: %v", out, err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	tl := tail{limit: 10}
	for range 100 {
		_, _ = tl.Write([]byte("0123456789abcdef"))
	}
	if got := tl.text(); got != "[1590 bytes before this were cut]\n6789abcdef" || cap(tl.kept) > 100 {
		t.Errorf("%q, %d bytes held", got, cap(tl.kept))
	}
	if got := tl.lastLine(); got != "6789abcdef" {
		t.Errorf("last line %q", got)
	}
}
