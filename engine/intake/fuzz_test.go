package intake_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"signalbox/engine/intake"
)

// Whatever a file holds: reading ends, rows come in order of lines, each is
// either sound JSON in UTF-8 or rejected with a reason, and what the rejects
// file says can be read again, row for row.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"Reference,Deadline,x\r\nA,2026-03-01,\"1\r\n2\"\r\n",
		"\ufeffa;b\n1;2\n3\n\"4;5\n",
		"{\"payload\":{\"a\":1},\"reference\":\"R\"}\n{\"a\":\n",
		"[{\"a\":\"]\"},\n7,{}]",
		"rejected_line,rejected_reason,a\n1,\"x\",2\n",
		"\xff\xfea\x00\n\x001\x00",
		"{\"items\":[\n{\"state\":\"in_flight\",\"claimedBy\":\"r\",\"payload\":{\"a\":\n1},\"payloadBase64\":\"eyJhIjoKMX0=\"},\n{\"a\":1}],\"n\":[1]}",
		"{\"status\":\"failed\",\"error\":{\"kind\":\"system\",\"reason\":\"x\"},\"review\":{\"status\":\"verified\"},\"payload\":1}\n",
		"Reference,Deadline,Postpone,Priority,item.id,item.status,a,b:json,\"\"\"c \"\"\",item.payload\n'=R,,,High,q/1,failed,'-x,\"{\"\"k\"\":1}\",',\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := intake.Open(strings.NewReader(text), intake.Options{Now: now, States: intake.KeepStates})
		if err != nil {
			return
		}
		var out strings.Builder
		rejects := intake.NewRejects(&out, file)
		sound, line := 0, 0
		for row, err := range file.Rows() {
			if err != nil {
				break
			}
			if row.Line < line {
				t.Fatalf("line %d came after line %d", row.Line, line)
			}
			line = row.Line
			if row.Err != nil {
				if row.Err.Error() == "" {
					t.Fatal("a rejected row has no reason")
				}
				continue
			}
			if !json.Valid(row.Item.Payload) || !utf8.Valid(row.Item.Payload) {
				t.Fatalf("payload %q is not sound", row.Item.Payload)
			}
			sound++
			if err := rejects.Add(row, errors.New("try \"again\",\tplease;")); err != nil {
				t.Fatal(err)
			}
		}
		if sound == 0 {
			return // then there is no rejects file
		}
		if again := countSound(t, out.String()); again != sound {
			t.Fatalf("%d sound rows came back as %d from\n%s", sound, again, out.String())
		}
	})
}

func countSound(t *testing.T, text string) (n int) {
	f, err := intake.Open(strings.NewReader(text), intake.Options{Now: now, States: intake.KeepStates})
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range f.Rows() {
		if err != nil || row.Err != nil {
			t.Fatal(err, row.Err)
		}
		n++
	}
	return n
}

func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"+2h", "2026-03-01T09:30:00Z", "2026/03/01 09:30", "1996-08-01 00:00:00.000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := intake.ParseTime(text, now, now.Location())
		if err != nil {
			return
		}
		if again, err := intake.ParseTime(at.String(), now, now.Location()); err != nil || again != at {
			t.Fatalf("%q became %s, which reads as %s, %v", text, at, again, err)
		}
	})
}
