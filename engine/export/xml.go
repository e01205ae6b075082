package export

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"signalbox/engine/object"
	"signalbox/store"
)

// xml is one document: an element for each item on a line of its own, within it
// one for each of its fields that is set, under the names of `item show`.
//
// Text that holds what XML can't (most control characters) is written as a JSON
// string, in its quotes, in an element with the attribute encoding="json".
type xml struct{}

func (xml) Header(b []byte) []byte {
	return append(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<items>\n"...)
}
func (xml) Between() string        { return "" }
func (xml) Footer(b []byte) []byte { return append(b, "</items>\n"...) }

func (xml) Row(b []byte, r *Row) []byte {
	x := elements{append(b, "<item>"...)}
	x.text("id", r.ID().String())
	x.text("queue", r.Queue)
	x.unsigned("number", r.Number)
	x.text("family", r.Family.String())
	x.text("status", r.Status.String())
	x.text("reference", r.Reference)
	x.text("key", r.Key)
	x.text("priority", r.Priority.String())
	x.text("progress", r.Progress)
	x.unsigned("attempts", uint64(r.Attempts))
	x.unsigned("failures", uint64(r.Failures))
	x.unsigned("reclaims", uint64(r.Reclaims))
	x.unsigned("max_attempts", uint64(r.MaxAttempts))
	x.text("retryable", strconv.FormatBool(r.Retryable))
	x.unsigned("retry_no", uint64(r.RetryNo))
	x.text("chain", r.Chain.String())
	x.text("previous", r.Previous.String())
	x.text("next", r.Next.String())
	x.text("claimed_by", r.ClaimedBy)
	x.time("claimed_at", r.ClaimedAt)
	x.time("lease_until", r.LeaseUntil)
	x.unsigned("fence", r.Fence)
	x.time("started_at", r.StartedAt)
	x.time("ended_at", r.EndedAt)
	x.time("available_at", r.AvailableAt)
	x.time("defer_until", r.DeferUntil)
	x.time("due_at", r.DueAt)
	x.time("risk_at", r.RiskAt)
	x.time("created_at", r.CreatedAt)
	x.text("created_by", r.CreatedBy)
	x.text("job", r.Job)
	if r.Weight > 0 {
		x.unsigned("weight", uint64(r.Weight))
	}
	if e := r.Error; e != nil {
		x.open("error")
		x.text("kind", e.Kind)
		x.text("reason", e.Reason)
		x.text("details", e.Details)
		x.time("at", e.At)
		x.shut("error")
	}
	x.open("review")
	x.text("status", r.Review.Status.String())
	x.text("reviewer", r.Review.Reviewer)
	x.text("note", r.Review.Note)
	x.time("at", r.Review.At)
	x.shut("review")
	x.text("group", r.Group)
	x.unsigned("revision", r.Revision)
	x.content("payload", r.Payload)
	x.content("output", r.Output)
	x.content("analytics", r.Analytics)
	return append(x.b, "</item>\n"...)
}

// elements writes the elements of one item.
type elements struct{ b []byte }

func (x *elements) open(name string) { x.b = append(append(append(x.b, '<'), name...), '>') }
func (x *elements) shut(name string) { x.b = append(append(append(x.b, '<', '/'), name...), '>') }

func (x *elements) text(name, s string) {
	if s != "" {
		x.b = append(append(x.b, '<'), name...)
		x.inner(s)
		x.shut(name)
	}
}

// inner ends an opening tag and writes a text behind it.
func (x *elements) inner(s string) {
	if s = sound(s); !holds(s) {
		x.b = append(x.b, ` encoding="json"`...)
		s = string(escapeNone(object.AppendString(nil, s)))
	}
	x.b = appendText(append(x.b, '>'), s)
}

func (x *elements) unsigned(name string, n uint64) {
	x.open(name)
	x.b = strconv.AppendUint(x.b, n, 10)
	x.shut(name)
}

func (x *elements) time(name string, t store.Time) {
	if t != 0 {
		x.open(name)
		x.b = appendTime(x.b, t)
		x.shut(name)
	}
}

// content writes JSON: the fields of an object as elements, all else as its
// text.
func (x *elements) content(name string, raw []byte) {
	if len(raw) == 0 {
		return
	}
	var room [32]object.Field
	list, ok := object.Split(room[:0], raw)
	if !ok {
		x.value(name, "", bytes.Trim(raw, " \t\r\n"))
		return
	}
	x.b = append(append(append(x.b, '<'), name...), ` type="object">`...)
	for _, f := range list {
		x.value("field", string(f.Key), f.Value)
	}
	x.shut(name)
}

// value writes one JSON value as an element; of a field with its key, a JSON
// string.
func (x *elements) value(name, key string, raw []byte) {
	x.b = append(append(x.b, '<'), name...)
	if key != "" {
		x.key(key)
	}
	x.b = append(append(append(x.b, ` type="`...), typeOf(raw)...), '"')
	s, ok := object.Text(raw)
	switch {
	case ok && holds(s):
		x.b = appendText(append(x.b, '>'), s)
	case raw[0] == '"':
		x.b = appendText(append(x.b, ` encoding="json">`...), string(escapeNone(raw)))
	default:
		x.b = appendText(append(x.b, '>'), string(escapeNone(raw)))
	}
	x.shut(name)
}

// key writes a field's name; one that XML can't hold as the JSON string it was.
func (x *elements) key(literal string) {
	name, ok := object.Text([]byte(literal))
	if ok && holds(name) {
		x.b = append(appendText(append(x.b, ` name="`...), name), '"')
		return
	}
	x.b = append(appendText(append(x.b, ` json_name="`...), string(escapeNone([]byte(literal)))), '"')
}

func typeOf(raw []byte) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// holds says that XML 1.0 can hold a text.
func holds(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == 0xfffe || r == 0xffff {
			return false
		}
		i += n
	}
	return true
}

// escapeNone escapes in JSON the two characters that JSON lets stand and XML
// does not know. They are within strings, where an escape means the same.
func escapeNone(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("\uFFFE")) && !bytes.Contains(raw, []byte("\uFFFF")) {
		return raw
	}
	raw = bytes.ReplaceAll(raw, []byte("\uFFFE"), []byte(`\ufffe`))
	return bytes.ReplaceAll(raw, []byte("\uFFFF"), []byte(`\uffff`))
}

// appendText escapes a text for elements and attributes. Carriage returns are
// named, since a reader would make line feeds of them, and so are line feeds
// and tabs, which it would make spaces of in attributes; then no item takes
// more than one line.
func appendText(b []byte, s string) []byte {
	from := 0
	for i := range len(s) {
		var as string
		switch s[i] {
		case '<':
			as = "&lt;"
		case '>':
			as = "&gt;"
		case '&':
			as = "&amp;"
		case '"':
			as = "&#34;"
		case '\t':
			as = "&#9;"
		case '\n':
			as = "&#10;"
		case '\r':
			as = "&#13;"
		default:
			continue
		}
		b = append(append(b, s[from:i]...), as...)
		from = i + 1
	}
	return append(b, s[from:]...)
}
