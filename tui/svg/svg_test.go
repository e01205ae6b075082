package svg

import (
	"encoding/xml"
	"image/color"
	"io"
	"strings"
	"testing"
)

func picture(t *testing.T, frame string) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, frame, Ground{color.Black, color.White}); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		if _, err := d.Token(); err == io.EOF {
			return b.String()
		} else if err != nil {
			t.Fatalf("no XML: %v\n%s", err, b.String())
		}
	}
}

func TestTextStandsInItsCellsAndColours(t *testing.T) {
	got := picture(t, "a\x1b[1;38;2;255;0;16mb<&\x1b[m c\n\x1b[7mx\x1b[m")
	for _, want := range []string{
		`fill="#ffffff">a</text>`, `x="20.4"`, `fill="#ff0010" font-weight="bold">b&lt;&amp;</text>`,
		`<rect x="12.0" y="30.0" width="8.4" height="18.0" fill="#ffffff"/>`, `fill="#000000">x</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}

func TestBlocksAreDrawn(t *testing.T) {
	got := picture(t, "▀▀ ▄█x")
	if strings.Count(got, "<rect x=") != 3 || strings.Contains(got, "▀") || !strings.Contains(got, ">x</text>") {
		t.Error(got)
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("\x1b[38;5;200mx\x1b[m")
	f.Add("\x1b[38;2mx\x1b[48;2;1")
	f.Fuzz(func(t *testing.T, frame string) {
		_ = Write(io.Discard, frame, Ground{color.Black, color.White})
	})
}
