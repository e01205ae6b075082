package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"signalbox/engine"
	"signalbox/store"
)

func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{"", "word", `status:failed queue:a !robot:"r 7" age:>2h`, `"open`, "!", "attempts:>=-1", "status:,", "a:b:c", "age:>9999999999999d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := engine.ParseFilter(s); err != nil && (store.CodeOf(err) != store.CodeInvalid || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: %v", s, err)
		}
	})
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"0", "5m", "30d", "1h30m", "-1s", "99999999999999999999d", "1.5h", "d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := store.ParseDuration(s)
		if err != nil {
			return
		}
		again, err := store.ParseDuration(store.Duration(d).String())
		if d < 0 || err != nil || again != d {
			t.Errorf("%q is %d, written %q, read again %d (%v)", s, d, store.Duration(d).String(), again, err)
		}
	})
}

func FuzzID(f *testing.F) {
	for _, s := range []string{"a/1", "a/b/2", "/1", "a/0", "a/-1", "a/18446744073709551616"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := store.ParseID(s)
		if err != nil {
			return
		}
		if again, err := store.ParseID(id.String()); err != nil || again != id || id.Number == 0 {
			t.Errorf("%q is %+v, read again %+v (%v)", s, id, again, err)
		}
	})
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"a 1 'b'", `"`, "«»", "é\xff7", strings.Repeat("1 a ", 400)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := engine.Fold(s)
		if !utf8.ValidString(folded) || len(folded) > 200 || strings.TrimSpace(folded) != folded {
			t.Errorf("%q folds to %q", s, folded)
		}
	})
}
