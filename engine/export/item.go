package export

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"signalbox/engine/object"
	"signalbox/store"
)

// spelling says how a JSON layout names what it writes.
type spelling int

const (
	snake spelling = iota // as lists and `item show` do
	camel                 // as the orchestrator does
)

// fields writes the fields of one JSON object.
type fields struct {
	b     []byte
	spell spelling
	any   bool
}

// name begins a field; names are given in snake case.
func (f *fields) name(name string) {
	if f.any {
		f.b = append(f.b, ',')
	}
	f.any = true
	f.b = append(f.b, '"')
	up := false
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' && f.spell == camel:
			up = true
		case up:
			f.b, up = append(f.b, c-'a'+'A'), false
		default:
			f.b = append(f.b, c)
		}
	}
	f.b = append(f.b, '"', ':')
}

// text writes a text, "" not at all.
func (f *fields) text(name, s string) {
	if s != "" {
		f.name(name)
		f.b = object.AppendString(f.b, sound(s))
	}
}

func (f *fields) number(name string, n int) {
	f.name(name)
	f.b = strconv.AppendInt(f.b, int64(n), 10)
}

// count writes a number, 0 not at all.
func (f *fields) count(name string, n int) {
	if n != 0 {
		f.number(name, n)
	}
}

func (f *fields) unsigned(name string, n uint64) {
	f.name(name)
	f.b = strconv.AppendUint(f.b, n, 10)
}

func (f *fields) truth(name string, v bool) {
	f.name(name)
	f.b = strconv.AppendBool(f.b, v)
}

// time writes a time, none not at all.
func (f *fields) time(name string, t store.Time) {
	if t != 0 {
		f.name(name)
		f.b = append(appendTime(append(f.b, '"'), t), '"')
	}
}

func (f *fields) id(name string, id store.ID) {
	if !id.IsZero() {
		f.name(name)
		f.b = append(appendID(append(f.b, '"'), id), '"')
	}
}

// within writes an object within this one.
func (f *fields) within(name string, write func(*fields)) {
	f.name(name)
	inner := fields{b: append(f.b, '{'), spell: f.spell}
	write(&inner)
	f.b = append(inner.b, '}')
}

// content writes JSON as it is, on one line. Where that leaves out white space
// that it was given with, its bytes follow as base64.
func (f *fields) content(name string, raw []byte) {
	if len(raw) == 0 {
		return
	}
	f.name(name)
	line, exact := onOneLine(raw)
	f.b = append(f.b, line...)
	if exact {
		return
	}
	f.name(name + "_base64")
	f.b = append(f.b, '"')
	f.b = base64.StdEncoding.AppendEncode(f.b, raw)
	f.b = append(f.b, '"')
}

// onOneLine gives JSON without line breaks, and says whether it is the same.
func onOneLine(raw []byte) (line []byte, exact bool) {
	line = bytes.Trim(raw, " \t\r\n")
	if bytes.IndexByte(line, '\n') < 0 && bytes.IndexByte(line, '\r') < 0 {
		return line, len(line) == len(raw)
	}
	return Flat(line), false
}

// Flat gives JSON on one line: each line break, which JSON has only between its
// tokens, becomes a space.
func Flat(raw []byte) []byte {
	flat := bytes.Clone(bytes.Trim(raw, " \t\r\n"))
	for i, c := range flat {
		if c == '\n' || c == '\r' {
			flat[i] = ' '
		}
	}
	return flat
}

// sound replaces what is no UTF-8, which names from outside may hold.
func sound(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func appendID(b []byte, id store.ID) []byte {
	if id.IsZero() {
		return b
	}
	return strconv.AppendUint(append(append(b, id.Queue...), '/'), id.Number, 10)
}

func appendTime(b []byte, t store.Time) []byte {
	if t == 0 {
		return b
	}
	return t.Time().AppendFormat(b, store.Layout)
}

func (f *fields) failure(e *store.Failure) {
	if e == nil {
		return
	}
	f.within("error", func(f *fields) {
		f.text("kind", e.Kind)
		f.text("reason", e.Reason)
		f.text("details", e.Details)
		f.time("at", e.At)
	})
}

func (f *fields) review(v *store.Review) {
	f.within("review", func(f *fields) {
		f.text("status", v.Status.String())
		f.text("reviewer", v.Reviewer)
		f.text("note", v.Note)
		f.time("at", v.At)
	})
}

func (f *fields) contents(r *Row) {
	f.content("payload", r.Payload)
	f.content("output", r.Output)
	f.content("analytics", r.Analytics)
}

// life writes who had the item and when, in the order of all layouts that are
// objects.
func (f *fields) life(r *Row) {
	f.text("claimed_by", r.ClaimedBy)
	f.time("claimed_at", r.ClaimedAt)
	f.time("lease_until", r.LeaseUntil)
	f.unsigned("fence", r.Fence)
	f.time("started_at", r.StartedAt)
	f.time("ended_at", r.EndedAt)
	f.time("available_at", r.AvailableAt)
	f.time("defer_until", r.DeferUntil)
	f.time("due_at", r.DueAt)
	f.time("risk_at", r.RiskAt)
	f.time("created_at", r.CreatedAt)
	f.text("created_by", r.CreatedBy)
	f.text("job", r.Job)
	f.count("weight", r.Weight)
}
