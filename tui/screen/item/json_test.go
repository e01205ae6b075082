package item

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signalbox/tui/text"
)

// whole gives lines as one text.
func whole(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		for _, r := range l {
			b.WriteString(string(r.text))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestPrettyIsTheSameJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := document3(t, 3)
		raw, err := json.Marshal(value)
		if err != nil {
			t.Skip()
		}
		var indented strings.Builder
		enc := json.NewEncoder(&indented)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(value); err != nil {
			t.Skip()
		}
		want := ""
		for _, l := range strings.Split(strings.TrimSuffix(indented.String(), "\n"), "\n") {
			want += string(text.Clean(l)) + "\n"
		}
		if got := whole(read(raw, nil, "****").lines); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// document3 draws a JSON value at most depth deep.
func document3(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return rapid.String().Draw(t, "string")
	case 1:
		return rapid.Int().Draw(t, "int")
	case 2:
		return rapid.Bool().Draw(t, "bool")
	case 3:
		return nil
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			list = append(list, document3(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		object[rapid.StringMatching(`[a-z<>é家]{1,6}`).Draw(t, "key")] = document3(t, depth-1)
	}
	return object
}

func TestMaskedFieldsAreHiddenWhole(t *testing.T) {
	raw := `{"iban":"DE89","card":{"number":"4111","cvc":[1,2,3]},"deep":{"IBAN":"secret","ok":1},"x":{"y":"seen","z":"hide"}}`
	got := whole(read([]byte(raw), []string{"iban", "card", "x.z"}, "••••").lines)
	for _, secret := range []string{"DE89", "4111", "cvc", "secret", "hide"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q is shown:\n%s", secret, got)
		}
	}
	for _, shown := range []string{`"ok": 1`, "seen", "••••"} {
		if !strings.Contains(got, shown) {
			t.Errorf("%q is not shown:\n%s", shown, got)
		}
	}
}

// A field whose value is the last of its object must not swallow the brace.
func TestMaskedLastFieldKeepsTheFrame(t *testing.T) {
	got := whole(read([]byte(`{"a":1,"iban":"x"}`), []string{"iban"}, "****").lines)
	if want := "{\n  \"a\": 1,\n  \"iban\": ****\n}\n"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestWhatIsNoJSONIsShownAsItStands(t *testing.T) {
	got := whole(read([]byte("plain\nwords\x1b[2J"), nil, "").lines)
	if got != "plain\nwords␛[2J\n" {
		t.Fatalf("%q", got)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	raw := `[1.0,100000000000000000001,1e400,-0]`
	if got := whole(read([]byte(raw), nil, "").lines); got != "[\n  1.0,\n  100000000000000000001,\n  1e400,\n  -0\n]\n" {
		t.Fatalf("%q", got)
	}
}

// Broken to any width, nothing is lost and no row is too wide.
func TestBrokenLinesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := text.Clean(rapid.String().Draw(t, "s"))
		w := rapid.IntRange(2, 40).Draw(t, "w")
		got := ""
		for _, l := range breakLine(line{{0, s}, {0, "tail"}}, w) {
			row := strings.TrimSuffix(whole([]line{l}), "\n")
			if text.Width(row) > w {
				t.Fatalf("%q is %d wide, want at most %d", row, text.Width(row), w)
			}
			got += row
		}
		if got != string(s)+"tail" {
			t.Fatalf("got %q, want %q", got, string(s)+"tail")
		}
	})
}
