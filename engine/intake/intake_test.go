package intake_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"signalbox/engine/intake"
	"signalbox/store"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// read gives a file's rows, one line of text each, and what ended them.
func read(t testing.TB, text string, columns intake.Columns) []string {
	t.Helper()
	f, err := intake.Open(strings.NewReader(text), intake.Options{Columns: columns, Now: now})
	if err != nil {
		return []string{"open: " + err.Error()}
	}
	var got []string
	for row, err := range f.Rows() {
		switch {
		case err != nil:
			got = append(got, "end: "+err.Error())
		case row.Err != nil:
			got = append(got, fmt.Sprintf("%d rejected: %v", row.Line, row.Err))
		default:
			item := row.Item
			text := fmt.Sprintf("%d %s", row.Line, item.Payload)
			for _, field := range []struct{ name, value string }{
				{"reference", item.Reference}, {"key", item.Key}, {"due", item.DueAt.String()},
				{"defer", item.DeferUntil.String()}, {"risk", item.RiskAt.String()}, {"job", item.Job},
			} {
				if field.value != "" {
					text += " " + field.name + "=" + field.value
				}
			}
			if item.Priority != store.Normal {
				text += " priority=" + item.Priority.String()
			}
			if item.MaxAttempts != 0 {
				text += fmt.Sprintf(" attempts=%d", item.MaxAttempts)
			}
			got = append(got, text)
		}
	}
	return got
}

func TestRead(t *testing.T) {
	byID := intake.Columns{Reference: "id", Due: "due", Priority: "prio", Defer: "after"}
	for _, test := range []struct {
		name    string
		text    string
		columns intake.Columns
		want    []string
	}{
		{"nothing", "", intake.Columns{}, []string{"open: the file: it is empty; give one with rows"}},
		{"only white space", "\n \r\n", intake.Columns{}, []string{"open: the file: it is empty; give one with rows"}},
		{"only a header", "a,b\n", intake.Columns{}, nil},

		{"UiPath's columns leave the payload", "Reference,Amount,Deadline,Postpone,Priority\nINV-1,12.50,2026-03-02,2026/03/01 18:30,High\n", intake.Columns{},
			[]string{`2 {"Amount":"12.50"} reference=INV-1 due=2026-03-02T00:00:00.000Z defer=2026-03-01T18:30:00.000Z priority=high`}},
		{"UiPath's numbers and spaced dates", "reference,deadline,priority\nA,2026 03 02 07:08:09,1\n", intake.Columns{},
			[]string{`2 {} reference=A due=2026-03-02T07:08:09.000Z priority=low`}},
		{"named columns stay in the payload", "id,due,prio,after\n7,1996-08-01 00:00:00.000,low,+2h\n", byID,
			[]string{`2 {"id":"7","due":"1996-08-01 00:00:00.000","prio":"low","after":"+2h"} reference=7 due=1996-08-01T00:00:00.000Z defer=2026-03-01T14:00:00.000Z priority=low`}},
		{"NULL and empty cells are none", "id,due,prio,after\nNULL,,NULL,NULL\n", byID,
			[]string{`2 {"id":"NULL","due":"","prio":"NULL","after":"NULL"}`}},
		{"a column that is not there", "a,b\n1,2\n", intake.Columns{Reference: "id"},
			[]string{`open: column "id": the header has no such column; it has a, b`}},

		{"byte order mark, CRLF, semicolons", "\ufeffa;b\r\n1;2,5\r\n", intake.Columns{}, []string{`2 {"a":"1","b":"2,5"}`}},
		{"tabs", "a\tb\n1\t2;3\n", intake.Columns{}, []string{`2 {"a":"1","b":"2;3"}`}},
		{"quoted delimiters, quotes and line ends", "a,b\n\"x, \"\"y\"\"\",\"l1\r\nl2\"\nlast,\"\"", intake.Columns{},
			[]string{`2 {"a":"x, \"y\"","b":"l1\r\nl2"}`, `4 {"a":"last","b":""}`}},
		{"values keep their bytes", "a\n  <&> \\ \u2028 Münster\t\x01 5\" pipe \n", intake.Columns{},
			[]string{"2 {\"a\":\"  <&> \\\\ \u2028 Münster\\t\\u0001 5\\\" pipe \"}"}},
		{"ragged rows", "a,b,c\n1,2\n1,2,3\n1,2,3,4\nx\n", intake.Columns{},
			[]string{"2 rejected: 2 fields, the header has 3", `3 {"a":"1","b":"2","c":"3"}`, "4 rejected: 4 fields, the header has 3", "5 rejected: 1 field, the header has 3"}},
		{"blank lines are passed over", "a\n\n1\n\r\n2\n", intake.Columns{}, []string{`3 {"a":"1"}`, `5 {"a":"2"}`}},
		{"a quote that is never closed costs one line", "a,b\n\"1,2\n3,4\n", intake.Columns{},
			[]string{"2 rejected: a quoted field: its quote is never closed; close it", `3 {"a":"3","b":"4"}`}},
		{"text after a closing quote costs one line", "a,b\n\"1\"x,2\n3,4\n", intake.Columns{},
			[]string{`2 rejected: character 'x' at column 4: it follows a closing quote; write a quote within quotes twice`, `3 {"a":"3","b":"4"}`}},
		{"a late wrong quote costs one line", "a,b\n\"1,2\n3,4\n5,\"6\n", intake.Columns{},
			[]string{"2 rejected: character '6' at column 4: it follows a closing quote; write a quote within quotes twice", `3 {"a":"3","b":"4"}`, "4 rejected: a quoted field: its quote is never closed; close it"}},
		{"other encodings", "a\nM\xfcnster\n", intake.Columns{}, []string{"2 rejected: byte 0xFC at column 2: it is not UTF-8; save the file as UTF-8, or say --encoding windows-1252 if it is that"}},
		{"UTF-16", "\xff\xfea\x00\n\x001\x00", intake.Columns{}, []string{`2 {"a":"1"}`}},
		{"UTF-16, the other way round", "\xfe\xff\x00a\x00\r\x00\n\x00\xe9", intake.Columns{}, []string{`2 {"a":"é"}`}},
		{"UTF-16 without a mark", "a\x00\n\x001\x00", intake.Columns{}, []string{"open: the file: it begins with a byte of zero: it may be UTF-16 without a mark, or no text; say --encoding utf-16le or utf-16be, or save it as UTF-8"}},
		{"a column twice", "a,b,a\n1,2,3\n", intake.Columns{}, []string{`open: column "a": the header has it twice, as columns 1 and 3; rename one`}},
		{"a column without a name", "a,,c\n1,2,3\n", intake.Columns{}, []string{`open: column 2 of the header: it has no name; name it, or remove the column`}},
		{"no time", "id,due,prio,after\n1,soon,,\n", byID,
			[]string{`2 rejected: due "soon": it is not a time; write it as 2026-03-01T09:30:00Z, 2026-03-01 09:30, 2026-03-01 or +2h`}},
		{"no priority", "id,due,prio,after\n1,,urgent,\n", byID,
			[]string{`2 rejected: priority "urgent": a priority is high, normal or low; use one of these`}},
		{"a mended rejects file", "rejected_line,rejected_reason,a\n4,\"2 fields, the header has 1\",x\n", intake.Columns{}, []string{`2 {"a":"x"}`}},

		{"JSON lines are payloads", "{\"id\": 7, \"due\":null,\"x\":[1, 2]}\n\n{\"id\":\"A\"}\r\n", byID,
			[]string{`1 {"id": 7, "due":null,"x":[1, 2]} reference=7`, `3 {"id":"A"} reference=A`}},
		{"JSON lines with a payload are items", `{"payload":[1, 2],"reference":"R","key":"K","priority":"High","due_at":"+1h","risk_at":"2026-03-01T12:30:00+02:00","defer_until":null,"max_attempts":3,"job":"J","status":"failed"}`, byID,
			[]string{`1 [1, 2] reference=R key=K due=2026-03-01T13:00:00.000Z risk=2026-03-01T10:30:00.000Z job=J priority=high attempts=3`}},
		{"misspelt fields", `{"payload":{},"refrence":"R"}`, intake.Columns{}, []string{`1 rejected: field "refrence": an item has no such field; put it inside payload`}},
		{"a reference that is no text", `{"id":{"a":1}}`, byID, []string{`1 rejected: field "id": it is neither text nor a number; write it as text`}},
		{"bad lines among good ones", "{\"a\":1}\n{\"a\":}\n[1]\n{\"a\":2}\n", intake.Columns{},
			[]string{`1 {"a":1}`, `2 rejected: at column 6: it is not valid JSON: '}' stands where a value should begin`, `3 rejected: the row: it is not a JSON object; write {…}`, `4 {"a":2}`}},
		{"bytes that are not UTF-8", "{\"a\":\"\xff\"}", intake.Columns{}, []string{"1 rejected: byte 0xFF at column 7: it is not UTF-8; save the file as UTF-8, or say --encoding windows-1252 if it is that"}},
		{"mended rejects of JSON lines", `{"rejected_line":4,"rejected_reason":"why","row":{"a":1}}`, intake.Columns{}, []string{`1 {"a":1}`}},

		{"an empty array", "[ ]\n", intake.Columns{}, nil},
		{"an array", "[\n {\"a\":\"],\\\"\"},\n\n {\"a\":\n  [2]}\n]\n", intake.Columns{}, []string{`2 {"a":"],\""}`, "4 {\"a\":\n  [2]}"}},
		{"bad elements among good ones", "[{\"a\":1},\n{\"a\":\nnope},7,\n{\"a\":2}]", intake.Columns{},
			[]string{`1 {"a":1}`, `2 rejected: at its line 2, column 2: it is not valid JSON: 'o' stands within the word null`, `3 rejected: the row: it is not a JSON object; write {…}`, `4 {"a":2}`}},
		{"a missing element", `[{"a":1},]`, intake.Columns{}, []string{`1 {"a":1}`, `1 rejected: the row: it is not a JSON object; write {…}`}},
		{"an array that is not closed", `[{"a":1},{"a"`, intake.Columns{}, []string{`1 {"a":1}`, `end: the file: its array is not closed; end it with ]`}},
		{"something after the array", `[{"a":1}] {}`, intake.Columns{}, []string{`1 {"a":1}`, `end: the file: something follows the array: "{"; remove it`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := read(t, test.text, test.columns)
			if g, w := strings.Join(got, "\n"), strings.Join(test.want, "\n"); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

// A row longer than any item may be is rejected, and reading goes on.
func TestLongRows(t *testing.T) {
	long := strings.Repeat("x", 9<<20)
	for name, text := range map[string]string{
		"CSV":            "a\n" + long + "\n1\n",
		"open quote":     "a\n\"" + strings.Repeat(strings.Repeat("y", 1000)+"\n", 9<<10) + long + "\n1\n",
		"lines":          "{\"a\":\"" + long + "\"}\n{\"a\":\"1\"}\n",
		"last line long": "a\n1\n" + long,
	} {
		t.Run(name, func(t *testing.T) {
			rejected, sound := 0, 0
			f, err := intake.Open(strings.NewReader(text), intake.Options{Now: now})
			if err != nil {
				t.Fatal(err)
			}
			for row, err := range f.Rows() {
				if err != nil {
					t.Fatal(err)
				}
				if row.Err != nil {
					rejected++
				} else if string(row.Item.Payload) == `{"a":"1"}` {
					sound++
				}
			}
			want := 1
			if name == "open quote" {
				want = 2 // the line of the quote, and the long one
			}
			if rejected != want || sound != 1 {
				t.Errorf("%d rows rejected and %d sound, want %d and 1", rejected, sound, want)
			}
		})
	}
	if got := read(t, `[{"a":"`+long, intake.Columns{}); len(got) != 1 || !strings.Contains(got[0], "longer than 8 MiB") {
		t.Errorf("an endless element gave %q", got)
	}
}

func TestReadErrorsEndTheRows(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, begin := range []string{"a,b\n1,2\n", "{\"a\":1}\n", "[{\"a\":1},"} {
		begin += strings.Repeat(" ", 5<<10) // more than Open looks at
		r := &failing{r: bytes.NewReader([]byte(begin)), err: broken}
		f, err := intake.Open(r, intake.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var end error
		for _, err := range f.Rows() {
			end = err
		}
		if !errors.Is(end, broken) || store.CodeOf(end) != store.CodeFailed {
			t.Errorf("%.8q… ended with %v", begin, end)
		}
	}
}

// failing gives what r holds, and then err instead of the end.
type failing struct {
	r   *bytes.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.r.Len() == 0 {
		return 0, f.err
	}
	return f.r.Read(p)
}

func TestReasonsCountAlike(t *testing.T) {
	a, b := read(t, "Deadline\nsoon\n", intake.Columns{}), read(t, "Deadline\nlater\n", intake.Columns{})
	if a[0] == b[0] {
		t.Fatal("messages should name the value")
	}
	var faults intake.Faults
	f, err := intake.Open(strings.NewReader("a,Deadline\n1,soon\n2,later\n3\n4\n5,6,7\n"), intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for row := range f.Rows() {
		faults.Add(row.Line, row.Err)
	}
	kinds := faults.Kinds()
	if len(kinds) != 3 || !strings.HasSuffix(kinds[0], "(2 rows)") || kinds[1] != "line 4: 1 field, the header has 2 (2 rows)" || !strings.HasPrefix(kinds[2], "line 6: 3 fields") {
		t.Errorf("the kinds are %q", kinds)
	}
}

// rejectAll writes every row of text as rejected.
func rejectAll(t testing.TB, text string) string {
	t.Helper()
	f, err := intake.Open(strings.NewReader(text), intake.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	rejects := intake.NewRejects(&out, f)
	for row := range f.Rows() {
		reason := row.Err
		if reason == nil {
			reason = errors.New(`said "no"`)
		}
		if err := rejects.Add(row, reason); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestRejects(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"none", "a\n", ""},
		{"CSV keeps the rows' text", "a,b\r\n1,\"2,\n3\"\r\n4\r\n",
			"rejected_line,rejected_reason,a,b\n2,\"said \"\"no\"\"\",1,\"2,\n3\"\n4,\"1 field, the header has 2\",4\n"},
		{"semicolons", "a;b\n1;2\n", "rejected_line;rejected_reason;a;b\n2;\"said \"\"no\"\"\";1;2\n"},
		{"rejected again", "rejected_line,rejected_reason,a\n9,\"x, y\",1\n", "rejected_line,rejected_reason,a\n2,\"said \"\"no\"\"\",1\n"},
		{"JSON", "{\"a\": 1}\n{nope\n{\"a\":\"\xff\"}\n",
			`{"rejected_line":1,"rejected_reason":"said \"no\"","row":{"a":1}}` + "\n" +
				`{"rejected_line":2,"rejected_reason":"at column 2: it is not valid JSON: 'n' stands where a name in double quotes should begin","row":"{nope"}` + "\n" +
				`{"rejected_line":3,"rejected_reason":"byte 0xFF at column 7: it is not UTF-8; save the file as UTF-8, or say --encoding windows-1252 if it is that","row":"{\"a\":\"` + "\ufffd" + `\"}"}` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := rejectAll(t, test.text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestParseTime(t *testing.T) {
	vienna := time.FixedZone("", 2*60*60)
	for text, want := range map[string]string{
		"2026-03-01T09:30:00Z":      "2026-03-01T09:30:00.000Z",
		"2026-03-01T09:30:00+02:00": "2026-03-01T07:30:00.000Z",
		"2026-03-01T09:30:00":       "2026-03-01T07:30:00.000Z",
		"2026-03-01":                "2026-02-28T22:00:00.000Z",
		"2026/03/01 09:30":          "2026-03-01T07:30:00.000Z",
		"2026 03 01 09:30:15":       "2026-03-01T07:30:15.000Z",
		"1996-08-01 00:00:00.000":   "1996-07-31T22:00:00.000Z",
		"+90s":                      "2026-03-01T12:01:30.000Z",
		"+2d":                       "2026-03-03T12:00:00.000Z",
		"":                          "",
		"+":                         "",
		"-2h":                       "",
		"03/01/2026":                "",
		"2026 03 01":                "2026-02-28T22:00:00.000Z",
		"2026-03-01 09:30":          "2026-03-01T07:30:00.000Z",
		"2026-03-01 09:30:15":       "2026-03-01T07:30:15.000Z",
		"2026/03/01 09:30:15":       "2026-03-01T07:30:15.000Z",
		"2026/3/1 9:30":             "2026-03-01T07:30:00.000Z",
		"2026 03 01 09:30":          "2026-03-01T07:30:00.000Z",
		"01.03.2026":                "2026-02-28T22:00:00.000Z",
		"1.3.2026 9:30:05":          "2026-03-01T07:30:05.000Z",
		"01.03.2026, 9:30 PM":       "2026-03-01T19:30:00.000Z",
		"2026-03-01 12:30 am":       "2026-02-28T22:30:00.000Z",
		"2026-03-01 13:30 pm":       "",
		"2026-03-01 24:00":          "",
		"2026-03-01 09:60":          "",
		"2026-03-01 9":              "",
		"2026-03-01x":               "",
		"2026-13-01":                "",
		"26-03-01":                  "",
		"1 3 2026":                  "",
		"2026-02-30":                "",
		"0001-01-01":                "",
	} {
		got, err := intake.ParseTime(text, now, vienna)
		if got.String() != want || (err == nil) != (want != "") {
			t.Errorf("ParseTime(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

// A date that ends with the year means two days until somebody says which.
func TestDatesThatMeanTwoDays(t *testing.T) {
	for _, test := range []struct {
		dates intake.Dates
		cell  string
		want  string
	}{
		{intake.DayFirst, "03/01/2026 9:30 AM", "2026-01-03T09:30:00.000Z"},
		{intake.MonthFirst, "03/01/2026 9:30 AM", "2026-03-01T09:30:00.000Z"},
		{intake.MonthFirst, "3-1-2026", "2026-03-01T00:00:00.000Z"},
		{intake.MonthFirst, "25/12/2026", "it is not a time"},
		{intake.NoDates, "25/12/2026", "say which with --dates dmy or --dates mdy"},
		{intake.MonthFirst, "25.12.2026", "2026-12-25T00:00:00.000Z"},
	} {
		f, err := intake.Open(strings.NewReader("Deadline;n\n"+test.cell+";1\n"), intake.Options{Now: now, Dates: test.dates})
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range f.Rows() {
			got := row.Item.DueAt.String()
			if row.Err != nil {
				got = row.Err.Error()
			}
			if err != nil || !strings.Contains(got, test.want) {
				t.Errorf("%s read %q gives %s, want %s", test.dates, test.cell, got, test.want)
			}
		}
	}
}

func TestEncodings(t *testing.T) {
	for _, test := range []struct {
		encoding intake.Encoding
		text     string
		want     string
	}{
		{intake.Windows1252, "a\nM\xfcnster \x80\n", `{"a":"Münster €"}`},
		{intake.UTF16LE, "a\x00\n\x00\xfc\x00", `{"a":"ü"}`},
		{intake.UTF16BE, "\x00a\x00\n\x00\xfc", `{"a":"ü"}`},
		{intake.UTF16, "\xfe\xff\x00a\x00\n\x00\xfc", `{"a":"ü"}`},
		{intake.UTF8, "\ufeffa\nü", `{"a":"ü"}`},
		{intake.Windows1252, "\ufeffa\nü", "leave out --encoding windows-1252"},
	} {
		f, err := intake.Open(strings.NewReader(test.text), intake.Options{Encoding: test.encoding})
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v", test.encoding, err)
			}
			continue
		}
		for row, err := range f.Rows() {
			if got := string(row.Item.Payload); err != nil || row.Err != nil || got != test.want {
				t.Errorf("%s: %s, %v, %v; want %s", test.encoding, got, row.Err, err, test.want)
			}
		}
	}
}
