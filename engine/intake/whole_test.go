package intake_test

import (
	"strings"
	"testing"

	"signalbox/engine/intake"
	"signalbox/store"
)

// Files that would be read as one wrong row, or as none, are refused by what
// they are.
func TestFilesOfAnotherMakeAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1\n}\n{\n \"a\": 2\n}\n": "several lines",
		"a,b\r1,2\r3,4\r":                     "carriage return",
	} {
		if _, err := intake.Open(strings.NewReader(text), intake.Options{}); store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"{\"items\":3}\n", "{\"a\":1}\n{\"a\":\n", "{bad\n{\"a\":1}\n", "a,b\r\n1,2\r\n"} {
		if _, err := intake.Open(strings.NewReader(text), intake.Options{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
