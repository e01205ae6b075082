package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestClean(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":                {"INV-1042 paid", "INV-1042 paid"},
		"letters of the world": {"Zürich 東京 Łódź שלום", "Zürich 東京 Łódź שלום"},
		"colour sequence":      {"\x1b[31mred", "␛[31mred"},
		"clipboard theft":      {"a\x1b]52;c;eA==\x07b", "a␛]52;c;eA==␇b"},
		"hyperlink":            {"\x1b]8;;http://x\x1b\\y", "␛]8;;http://x␛\\y"},
		"device control":       {"\x1bPq\x1b\\", "␛Pq␛\\"},
		"C1 introducer":        {"a\u009b31mb", "a‹U+009B›31mb"},
		"raw C1 byte":          {"a\x9b31mb", "a�31mb"},
		"line feed":            {"a\nb", "a⏎b"},
		"CR LF is one break":   {"a\r\nb", "a⏎b"},
		"carriage return":      {"safe\rEVIL", "safe␍EVIL"},
		"line separators":      {"a\u2028b\u2029c\u0085d", "a⏎b⏎c⏎d"},
		"tab":                  {"a\tb", "a␉b"},
		"NUL and DEL":          {"a\x00b\x7fc", "a␀b␡c"},
		"bidi override":        {"a\u202egpj.exe", "a‹U+202E›gpj.exe"},
		"bidi isolate":         {"a\u2066b\u2069", "a‹U+2066›b‹U+2069›"},
		"zero width":           {"ad\u200bmin\ufeff", "ad·min·"},
		"joined family":        {"👨\u200d👩\u200d👧", "👨·👩·👧"},
		"emoji presentation":   {"⚠\ufe0f hot", "⚠· hot"},
		"skin tone":            {"👍🏽", "👍·"},
		"flag":                 {"🇩🇪", "‹D›‹E›"},
		"tag smuggling":        {"x\U000e0041", "x‹U+E0041›"},
		"Hangul filler":        {"a\u3164b", "a·b"},
		"soft hyphen":          {"co\u00adop", "co‹U+00AD›op"},
		"invalid bytes":        {"a\xff\xfeb", "a��b"},
		"half a character":     {"a\xe2\x82", "a��"},
		"mark without letter":  {"\u0301a", "◌\u0301a"},
		"mark on a letter":     {"e\u0301", "e\u0301"},
		"vowel without letter": {"ःa", "◌ःa"},
		"halfwidth kana":       {"ﾌﾞﾘｯｼﾞ ﾊﾟ", "ﾌ゛ﾘｯｼ゛ ﾊ゜"},
		"Hindi and Thai":       {"हिन्दी ภาษาไทย", "हिन्दी ภาษาไทย"},
		"tower of marks":       {"z" + strings.Repeat("\u0301", 12), "z" + strings.Repeat("\u0301", 8) + "····"},
		"no-break space":       {"a\u00a0b", "a\u00a0b"},
		"private use":          {"\ue0b0", "\ue0b0"},
	} {
		if got := Clean(c.in); string(got) != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", name, c.in, got, c.want)
		}
	}
}

func TestCleanTextIsNotCopied(t *testing.T) {
	for _, s := range []string{"plain ascii, as nearly all of it is", "Grüße aus Łódź, 東京"} {
		if n := testing.AllocsPerRun(100, func() { _ = Clean(s) }); n != 0 {
			t.Errorf("Clean(%q) allocates %v times", s, n)
		}
	}
}

// Terminals count runes or clusters; what Clean lets through must come out the
// same by both.
func TestWidthIsBeyondDispute(t *testing.T) {
	for _, s := range []string{
		"👨‍👩‍👧‍👦", "❤️", "⚠️", "1️⃣", "👍🏽", "🏴‍☠️", "🏳️‍🌈", "👩🏾‍🚀", "☁︎", "東京", "e\u0301", "🤷🏻‍♀️", "©️", "🇩🇪", "🇩", "\u0301", "ﾌﾞﾘｯｼﾞ",
	} {
		safe := string(Clean(s))
		if byCluster, byRune := ansi.StringWidth(safe), ansi.StringWidthWc(safe); byCluster != byRune {
			t.Errorf("%q -> %q is %d columns by cluster, %d by rune", s, safe, byCluster, byRune)
		}
	}
}

func TestCleanLines(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []Safe
	}{
		"nothing":            {"", nil},
		"one line":           {"a", []Safe{"a"}},
		"break at the end":   {"a\n", []Safe{"a"}},
		"empty line between": {"a\n\nb", []Safe{"a", "", "b"}},
		"CR LF":              {"a\r\nb\r\n", []Safe{"a", "b"}},
		"progress":           {"10%\r20%\rdone\n", []Safe{"done"}},
		"shorter over":       {"12345\rab", []Safe{"ab345"}},
		"return at the end":  {"100%\r", []Safe{"100%"}},
		"tabs":               {"a\tb\t\tc", []Safe{"a       b               c"}},
		"tab after wide":     {"東\tb", []Safe{"東      b"}},
		"escape":             {"\x1b[2Jx\ny", []Safe{"␛[2Jx", "y"}},
	} {
		got := CleanLines(c.in)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: line %d is %q, want %q", name, i, got[i], c.want[i])
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "\x1b]0;t\x07", "\x9b", "a\r\nb\rc", "\u202e\u2066", "👨‍👩‍👧", "e\u0301\u0301", "\u0301", "\xff\u200b", "\r\u0301", "\u3164\U000e0041🏽",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe := Clean(s)
		check(t, s, string(safe))
		if again := Clean(string(safe)); again != safe {
			t.Errorf("%q: cleaned twice %q, once %q", s, again, safe)
		}
		for _, line := range CleanLines(s) {
			check(t, s, string(line))
		}
	})
}

func check(t *testing.T, in, safe string) {
	t.Helper()
	if !utf8.ValidString(safe) {
		t.Errorf("%q: %q is no valid UTF-8", in, safe)
	}
	for _, r := range safe {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs,
			unicode.Bidi_Control, unicode.Variation_Selector, unicode.Join_Control) {
			t.Errorf("%q: %q holds %U", in, safe, r)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{
		"plain": "invoices.approve/104212 waiting for the slow lane",
		"world": "Rechnung für Müller & Söhne, 東京支店",
		"dirty": "\x1b[31mfailed\x1b[0m: no such file\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = Clean(s)
			}
		})
	}
}
