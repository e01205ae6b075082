package export_test

import (
	"encoding/json"
	stdxml "encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signalbox/engine/export"
	"signalbox/engine/object"
	"signalbox/store"
)

// rows gives n items with payloads of many shapes, always the same.
func rows(n int) []export.Row {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]export.Row, n)
	for i := range list {
		payload := fmt.Sprintf(`{"n":%d,"f%d":"=x","v":%s}`, i, r.IntN(40), []string{`"a"`, "-5", `"\u0001"`, "[1,\n2]"}[r.IntN(4)])
		if r.IntN(10) == 0 {
			payload = "[1]"
		}
		list[i] = export.Row{Item: store.Item{Queue: "q", Number: uint64(i + 1), Family: store.Jobs, Status: store.Queued, CreatedAt: 1, Reference: "-R"}, Payload: []byte(payload)}
	}
	return list
}

// whole lays rows out in one go.
func whole(t testing.TB, f export.Format, list []export.Row) string {
	t.Helper()
	var s export.Survey
	for i := range list {
		s.Add(&list[i])
	}
	l, err := export.New(f, &s)
	if err != nil {
		t.Fatal(err)
	}
	b := l.Header(nil)
	return string(l.Footer(appendRows(b, l, list)))
}

func appendRows(b []byte, l export.Layout, list []export.Row) []byte {
	for i := range list {
		if i > 0 {
			b = append(b, l.Between()...)
		}
		b = l.Row(b, &list[i])
	}
	return b
}

// Chunks that are surveyed and laid out apart, in any order, join to the file
// that is made in one go.
func TestChunksJoinToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom([]export.Format{export.CSV, export.JSONL, export.XML, export.Orchestrator}).Draw(t, "format")
		list := rows(rapid.IntRange(0, 60).Draw(t, "rows"))
		var chunks [][]export.Row
		for rest := list; len(rest) > 0; {
			n := rapid.IntRange(0, min(20, len(rest))).Draw(t, "chunk")
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		var survey export.Survey
		for _, n := range rapid.Permutation(numbers(len(chunks))).Draw(t, "order of surveys") {
			var s export.Survey
			for i := range chunks[n] {
				s.Add(&chunks[n][i])
			}
			survey.Merge(&s)
		}
		parts := make([]string, len(chunks))
		for _, n := range rapid.Permutation(numbers(len(chunks))).Draw(t, "order of chunks") {
			l, err := export.New(f, &survey)
			if err != nil {
				t.Fatal(err)
			}
			parts[n] = string(appendRows(nil, l, chunks[n]))
		}
		l, err := export.New(f, &survey)
		if err != nil {
			t.Fatal(err)
		}
		var full []string
		for _, part := range parts {
			if part != "" {
				full = append(full, part)
			}
		}
		got := string(l.Header(nil)) + strings.Join(full, l.Between()) + string(l.Footer(nil))
		if want := whole(&fatal{TB: nil, t: t}, f, list); got != want {
			t.Fatalf("joined\n%s\nin one go\n%s", got, want)
		}
	})
}

// fatal lets a helper for tests fail a check.
type fatal struct {
	testing.TB
	t *rapid.T
}

func (f *fatal) Helper()           {}
func (f *fatal) Fatal(args ...any) { f.t.Fatal(args...) }

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// More fields than columns: the same file however it is cut, with what has no
// column written whole.
func TestMoreFieldsThanColumns(t *testing.T) {
	list := make([]export.Row, 3*export.MaxColumns/2)
	for i := range list {
		list[i] = export.Row{Item: store.Item{Queue: "q", Number: uint64(i + 1), Status: store.Queued}, Payload: fmt.Appendf(nil, `{"f%d":"x","all":%d}`, i, i)}
	}
	var early, late, merged export.Survey
	for i := range list {
		if i < 100 {
			early.Add(&list[i])
		} else {
			late.Add(&list[i])
		}
	}
	merged.Merge(&late)
	merged.Merge(&early)
	l, err := export.New(export.CSV, &merged)
	if err != nil {
		t.Fatal(err)
	}
	got := string(appendRows(l.Header(nil), l, list))
	if want := whole(t, export.CSV, list); got != want {
		t.Error("cut in two it is another file")
	}
	lines := strings.Split(got, "\n")
	if n := strings.Count(lines[0], ":json"); n != export.MaxColumns {
		t.Errorf("%d columns", n)
	}
	if !strings.HasSuffix(lines[len(list)], `,"{""f1499"":""x"",""all"":1499}"`) || !strings.HasSuffix(lines[1], ",") {
		t.Errorf("the last row ends with %s", lines[len(list)][len(lines[len(list)])-60:])
	}
}

func TestCSVIsSafeForSpreadsheets(t *testing.T) {
	row := export.Row{
		Item:    store.Item{Queue: "q", Number: 1, Family: store.Jobs, Status: store.Failed, Reference: "=R", Error: &store.Failure{Kind: "system", Reason: "@x"}},
		Payload: []byte(`{"a":"=cmd|' /C calc'!A0","b":"-5","c":-5,"d":"-5+1","e":"+49","f":"\t=1","g":"'x","h":"","i":"x;=1","=key":"v","k":null,"12":"＝1"}`),
	}
	lines := strings.Split(whole(t, export.CSV, []export.Row{row}), "\n")
	head, tail := strings.Index(lines[0], ",a,"), strings.Index(lines[0], ",item.key")
	if got, want := lines[0][head:tail], `,a,b,c:json,d,e,f,g,h,i,'=key,k:json,12`; got != want {
		t.Errorf("columns %s", got)
	}
	if want := `'=R,,,Normal,q/1,failed,system,'@x,0,,,,,'=cmd|' /C calc'!A0,-5,-5,'-5+1,'+49,"'` + "\t" + `=1",''x,',"x;=1",v,null,'＝1,`; !strings.HasPrefix(lines[1], want) {
		t.Errorf("row\n%s\nwant\n%s", lines[1], want)
	}
}

// field is what an XML reader finds in a payload.
type field struct {
	Name     string `xml:"name,attr"`
	JSONName string `xml:"json_name,attr"`
	Type     string `xml:"type,attr"`
	Encoding string `xml:"encoding,attr"`
	Text     string `xml:",chardata"`
}

// FuzzXML wants every payload and text back from an XML reader.
func FuzzXML(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":"x"}`, "r"}, {`{"a":"\u0000\uFFFE ]]> <&>'\r\n\t","b":-5,"c":[1,"\u0001"],"\u0001":null}`, "\x01\x1b[0m"},
		{"{\"\uFFFF\":\"\uFFFE\"}", "\uFFFE"}, {`{"":true,"x":"\ud800"}`, " l1\r\nl2 "}, {`[1]`, "\xff"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, payload, text string) {
		if !json.Valid([]byte(payload)) || strings.ToValidUTF8(payload, "") != payload {
			return
		}
		row := export.Row{Item: store.Item{Queue: "q", Number: 1, Status: store.Queued, Progress: text}, Payload: []byte(payload)}
		doc := whole(t, export.XML, []export.Row{row})
		var got struct {
			Item struct {
				Progress field `xml:"progress"`
				Payload  struct {
					field
					Fields []field `xml:"field"`
				} `xml:"payload"`
			} `xml:"item"`
		}
		if err := stdxml.Unmarshal([]byte(doc), &got); err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
		if s := plain(t, got.Item.Progress); s != strings.ToValidUTF8(text, "\uFFFD") {
			t.Fatalf("%q came back as %q", text, s)
		}
		list, ok := object.Split(nil, []byte(payload))
		if !ok {
			list = []object.Field{{Key: []byte(`""`), Value: []byte(strings.Trim(payload, " \t\r\n"))}}
			got.Item.Payload.Fields = []field{got.Item.Payload.field}
		}
		if len(list) != len(got.Item.Payload.Fields) {
			t.Fatalf("%d fields of %s in\n%s", len(got.Item.Payload.Fields), payload, doc)
		}
		for n, want := range list {
			is := got.Item.Payload.Fields[n]
			if name := unescaped(string(want.Key)); is.JSONName == "" && is.Name != name || is.JSONName != "" && unescaped(is.JSONName) != name {
				t.Fatalf("field %s came back as %+v", want.Key, is)
			}
			if is.Type == "string" && is.Encoding == "" {
				if is.Text != unescaped(string(want.Value)) {
					t.Fatalf("%s came back as %q", want.Value, is.Text)
				}
			} else if noneEscaped(string(want.Value)) != is.Text {
				t.Fatalf("%s came back as %q", want.Value, is.Text)
			}
		}
		if again := whole(t, export.XML, []export.Row{row}); again != doc {
			t.Fatal("written again it is another")
		}
	})
}

func plain(t *testing.T, f field) string {
	if f.Encoding != "json" {
		return f.Text
	}
	if !json.Valid([]byte(f.Text)) {
		t.Fatalf("%q is no JSON", f.Text)
	}
	return unescaped(f.Text)
}

func unescaped(literal string) (s string) {
	_ = json.Unmarshal([]byte(literal), &s)
	return s
}

func noneEscaped(raw string) string {
	return strings.NewReplacer("\uFFFE", `\ufffe`, "\uFFFF", `\uffff`).Replace(raw)
}

// FuzzGuard wants any text back that was made safe, and none of it run.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"", "=1", "'=1", "''", "-5", "-5.0", "--5", "-", "-1e5", "+1", "@", "\t", "\r", "\n", "＝", "plain", " =1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cell := export.Guard(s)
		if got := export.Unguard(cell); got != s {
			t.Fatalf("%q came back as %q", s, got)
		}
		if cell == "" || strings.ContainsAny(cell[:1], "=+@\t\r\n") || cell[0] == '-' && strings.Trim(cell[1:], "0123456789.") != "" {
			t.Fatalf("%q is written as %q", s, cell)
		}
	})
}

// A row of JSON lines is what `item show` prints.
func TestJSONLinesAreWellFormed(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(whole(t, export.JSONL, rows(200))), "\n") {
		d := json.NewDecoder(strings.NewReader(line))
		var v map[string]json.RawMessage
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) || v["id"] == nil || v["payload"] == nil {
			t.Fatalf("%s", line)
		}
	}
}

func TestFormats(t *testing.T) {
	if f, err := export.ParseFormat("CSV"); f != export.CSV || err != nil {
		t.Error(f, err)
	}
	for _, bad := range []string{"", "xlsx"} {
		if _, err := export.ParseFormat(bad); store.CodeOf(err) != store.CodeInvalid {
			t.Error(bad, err)
		}
		if _, err := export.New(export.Format(bad), nil); store.CodeOf(err) != store.CodeInvalid {
			t.Error(bad, err)
		}
	}
}
