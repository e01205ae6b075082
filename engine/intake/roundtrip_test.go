package intake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/engine/intake"
	"signalbox/store"
	"signalbox/store/memory"
)

// Items of every state, with contents of every kind, exported and imported
// again are what they were: byte for byte in the JSON layouts, as values in CSV.
func TestRoundTrips(t *testing.T) {
	for _, format := range []export.Format{export.JSONL, export.Orchestrator, export.CSV} {
		t.Run(string(format), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { roundTrip(t, format) })
		})
	}
}

func roundTrip(t *rapid.T, format export.Format) {
	ctx := context.Background()
	from, to := opened(t), opened(t)
	defer from.Close()
	defer to.Close()
	family := rapid.SampledFrom([]store.Family{store.Jobs, store.Transactions}).Draw(t, "family")
	for _, e := range []*engine.Engine{from, to} {
		if _, err := e.AddQueue(ctx, engine.DefaultQueue("q", family)); err != nil {
			t.Fatal(err)
		}
	}
	items := rapid.SliceOfNDistinct(anyItem(family), 1, 6, func(n engine.NewItem) string { return n.Key }).Draw(t, "items")
	if _, err := from.Add(ctx, engine.AddRequest{Queue: "q", Items: items}); err != nil {
		t.Fatal(err)
	}
	toldOf(t, from, len(items))
	file := exported(t, from, format)
	f, err := intake.Open(bytes.NewReader(file), intake.Options{Now: now, States: intake.KeepStates})
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	var again []engine.NewItem
	for row, err := range f.Rows() {
		if err != nil || row.Err != nil {
			t.Fatalf("%v %v in\n%s", err, row.Err, file)
		}
		again = append(again, row.Item)
	}
	if _, err := to.Add(ctx, engine.AddRequest{Queue: "q", Items: again}); err != nil {
		t.Fatal(err)
	}
	toldOf(t, to, len(items))
	for n := range items {
		was, is := record(t, from, n+1), record(t, to, n+1)
		if format == export.CSV {
			sameValues(t, file, was.Payload, is.Payload)
			was.Payload, is.Payload = nil, nil
		}
		if diff := cmp.Diff(was, is); diff != "" {
			t.Fatalf("%s\nin\n%s", diff, file)
		}
	}
	if second := exported(t, from, format); !bytes.Equal(file, second) {
		t.Fatal("exported again it is another file")
	}
}

func opened(t *rapid.T) *engine.Engine {
	e, err := engine.Open(context.Background(), memory.New(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func exported(t *rapid.T, e *engine.Engine, format export.Format) []byte {
	var b bytes.Buffer
	if _, err := e.Export(context.Background(), engine.ExportRequest{Queue: "q", Format: format, Filter: "status:queued,pending,completed,successful,failed,abandoned,retried,cancelled,deleted"}, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// record is an item without what its place in a queue gives it.
func record(t *rapid.T, e *engine.Engine, number int) engine.Record {
	r, err := e.Item(context.Background(), store.ID{Queue: "q", Number: uint64(number)})
	if err != nil {
		t.Fatal(err)
	}
	r.LastChange = 0
	return r
}

// toldOf waits until all dates that have passed are told of, which changes their items.
func toldOf(t *rapid.T, e *engine.Engine, items int) {
	for after := uint64(0); ; {
		s, err := e.Watch(context.Background(), after)
		if err != nil {
			t.Fatal(err)
		}
		after = s.Revision
		left := 0
		for n := range items {
			if r := record(t, e, n+1); r.NextDate() != 0 && r.NextDate() <= store.At(time.Now()) {
				left++
			}
		}
		if left == 0 {
			return
		}
	}
}

// sameValues compares two payloads as what they say.
func sameValues(t *rapid.T, file []byte, was, is json.RawMessage) {
	var a, b any
	for raw, v := range map[*json.RawMessage]*any{&was: &a, &is: &b} {
		d := json.NewDecoder(bytes.NewReader(*raw))
		d.UseNumber()
		if err := d.Decode(v); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(a, b) {
		t.Fatalf("payload\n%s\ncame back as\n%s\nin\n%s", was, is, file)
	}
}

// awkward texts are what spreadsheets, parsers and people trip over.
var awkward = []string{
	"", "x", "=1+1", "+49 1", "-5", "-5-5", "@cmd", "\t=1", "\r=1", "'quoted", "''", "＝1", " x ", "a,b;c\td", "l1\nl2", "l1\r\nl2", `say "hi"`, "NULL", "null", "7", "1e5",
	"007", "true", `"json"`, `{"a":1}`, "ü€😀", "\u2028", "\u0001", "\uFFFE", "<&>]]>", "item.id", "Reference", "a:json", "12,50", "3/1/2026",
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(awkward), rapid.StringMatching(`[ -~äß\t\n]{0,20}`))
}

// anyJSON gives JSON text with the freedom that JSON has.
func anyJSON() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"1", "-5", "1.50", "1e400", "-0", "12345678901234567890", "true", "false", "null", `"\ud83d\ude00"`, `"\ud800"`, `"\u0000"`, `"\/"`}).Draw(t, "scalar")
		case 1:
			return "[1, {\n\"a\" : 2}]"
		case 2:
			return anyObject(2).Draw(t, "object")
		}
		b, err := json.Marshal(anyText().Draw(t, "text"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	})
}

func anyObject(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		gap := rapid.SampledFrom([]string{"", "", " ", "\n", "\r\n\t"}).Draw(t, "gap")
		b.WriteString("{" + gap)
		for n := range rapid.IntRange(0, most).Draw(t, "fields") {
			if n > 0 {
				b.WriteString("," + gap)
			}
			name, _ := json.Marshal(rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "total"}), anyText()).Draw(t, "name"))
			fmt.Fprintf(&b, "%s%s:%s%s", name, gap, gap, anyScalar().Draw(t, "value"))
		}
		b.WriteString(gap + "}")
		return b.String()
	})
}

func anyScalar() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{"1", "-5", "1.50", "true", "null", "[1,\n2]", `{"x": "y"}`, `"\ud800"`, `"\u0007"`}), rapid.Map(anyText(), func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}))
}

func anyTime(t *rapid.T, name string) store.Time {
	return store.Time(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 4_000_000_000_000)).Draw(t, name))
}

func anyItem(family store.Family) *rapid.Generator[engine.NewItem] {
	return rapid.Custom(func(t *rapid.T) engine.NewItem {
		item := engine.NewItem{
			Reference:  rapid.SampledFrom([]string{"", "INV-1", "=1", "-R", "'R", " R ", "NULL", "ü;x", "7"}).Draw(t, "reference"),
			Key:        fmt.Sprint(rapid.Uint64().Draw(t, "key")),
			Job:        rapid.SampledFrom([]string{"", "job 1", "=j"}).Draw(t, "job"),
			Priority:   rapid.SampledFrom([]store.Priority{store.High, store.Normal, store.Low}).Draw(t, "priority"),
			DueAt:      anyTime(t, "due"),
			DeferUntil: anyTime(t, "defer"),
			RiskAt:     anyTime(t, "risk"), MaxAttempts: rapid.IntRange(0, 17).Draw(t, "max"),
		}
		if item.Job != "" {
			item.Weight = rapid.IntRange(1, 3).Draw(t, "weight")
		}
		if family == store.Jobs {
			item.Payload = []byte(anyJSON().Draw(t, "payload"))
		} else {
			item.Payload = []byte(anyObject(5).Draw(t, "payload"))
		}
		item.Past = anyPast(t, family)
		return item
	})
}

func anyPast(t *rapid.T, family store.Family) *engine.Past {
	states := []string{"available", "complete", "failed", "business-exception", "system-exception", "abandoned", "cancelled", "deleted"}
	if family == store.Transactions {
		states = append(states, "retried")
	}
	text := func(name string) string { return strings.ReplaceAll(anyText().Draw(t, name), "\x00", "") }
	count := func(name string) int { return rapid.IntRange(0, 20).Draw(t, name) }
	p := &engine.Past{
		State: rapid.SampledFrom(states).Draw(t, "state"), Attempts: count("attempts"), Failures: count("failures"), Reclaims: count("reclaims"),
		RetryNo: count("retry"), NoRetry: rapid.Bool().Draw(t, "no retry"), Fence: uint64(count("fence")), Progress: text("progress"),
		ClaimedBy: rapid.SampledFrom([]string{"", "r-1", "=r"}).Draw(t, "robot"), ClaimedAt: anyTime(t, "claimed"), StartedAt: anyTime(t, "started"),
		EndedAt: max(anyTime(t, "ended"), 1), AvailableAt: anyTime(t, "available"), CreatedAt: max(anyTime(t, "created"), 1), CreatedBy: "kim",
	}
	if rapid.Bool().Draw(t, "error") {
		p.Error = &store.Failure{
			Kind: rapid.SampledFrom([]string{engine.Business, engine.System}).Draw(t, "kind"), Reason: text("reason") + "!", Details: text("details"), At: anyTime(t, "at"),
		}
	}
	if rapid.Bool().Draw(t, "reviewed") {
		p.Review = store.Review{Status: rapid.SampledFrom([]store.ReviewStatus{store.InReview, store.Verified, store.ReviewRetried}).Draw(t, "review"), Reviewer: "=kim", Note: text("note"), At: anyTime(t, "review at")}
	}
	if rapid.Bool().Draw(t, "output") {
		p.Output, p.Analytics = []byte(anyObject(2).Draw(t, "output")), []byte(anyObject(1).Draw(t, "analytics"))
	}
	return p
}

// Every field that `item show` prints is exported under the same name with the
// same value, and is known when it is read.
func TestEveryFieldIsKnown(t *testing.T) {
	var item store.Item
	fill(reflect.ValueOf(&item).Elem())
	item.Family, item.Status, item.Review.Status = store.Jobs, store.Failed, store.InReview
	item.Priority = store.High
	record := engine.Record{Item: item, Payload: []byte(`{"a":1}`), Output: []byte(`{"b":2}`), Analytics: []byte(`{"c":3}`)}
	shown, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := export.New(export.JSONL, nil)
	if err != nil {
		t.Fatal(err)
	}
	row := layout.Row(nil, &export.Row{Item: item, Payload: record.Payload, Output: record.Output, Analytics: record.Analytics})
	var a, b map[string]any
	if err := json.Unmarshal(shown, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(row, &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	f, err := intake.Open(bytes.NewReader(shown), intake.Options{Now: now, States: intake.KeepStates})
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range f.Rows() {
		if err != nil || row.Err != nil {
			t.Error(err, row.Err)
		}
	}
}

// fill sets every field of a struct to something.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for n := range v.NumField() {
			fill(v.Field(n))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	}
}
