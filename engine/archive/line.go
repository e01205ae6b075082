package archive

import (
	"bytes"
	"encoding/json"

	"signalbox/store"
)

// Line is one archived item with everything that was kept of it.
type Line struct {
	Item       store.Item // its error with details
	Payload    []byte     // byte for byte
	Output     []byte
	Analytics  []byte
	History    []store.Change // oldest first
	ArchivedAt store.Time
}

// line is a Line as JSON: what `item show` prints and more. A content that one
// line can't hold as it was stands beside itself as text.
type line struct {
	ID store.ID `json:"id"`
	fields
	Payload       json.RawMessage `json:"payload,omitempty"`
	PayloadText   *string         `json:"payload_text,omitempty"`
	Output        json.RawMessage `json:"output,omitempty"`
	OutputText    *string         `json:"output_text,omitempty"`
	Analytics     json.RawMessage `json:"analytics,omitempty"`
	AnalyticsText *string         `json:"analytics_text,omitempty"`
	History       []store.Change  `json:"history"`
	ArchivedAt    store.Time      `json:"archived_at"`
}

type fields store.Item

// Encode appends the line, with its line end.
func (l Line) Encode(b *bytes.Buffer) error {
	v := line{ID: l.Item.ID(), fields: fields(l.Item), History: l.History, ArchivedAt: l.ArchivedAt}
	v.Payload, v.PayloadText = inLine(l.Payload)
	v.Output, v.OutputText = inLine(l.Output)
	v.Analytics, v.AnalyticsText = inLine(l.Analytics)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// inLine gives content as JSON without white space, and as text where it was
// not so.
func inLine(content []byte) (json.RawMessage, *string) {
	if len(content) == 0 {
		return nil, nil
	}
	var compact bytes.Buffer
	text := string(content)
	if err := json.Compact(&compact, content); err != nil {
		return nil, &text
	}
	if bytes.Equal(compact.Bytes(), content) {
		return content, nil
	}
	return compact.Bytes(), &text
}

// Decode reads what Encode wrote; false when it is no line of an archive.
func Decode(text []byte) (Line, bool) {
	var v line
	if err := json.Unmarshal(text, &v); err != nil || v.ArchivedAt == 0 || v.ID.IsZero() {
		return Line{}, false
	}
	return Line{
		Item: store.Item(v.fields), History: v.History, ArchivedAt: v.ArchivedAt,
		Payload: exact(v.Payload, v.PayloadText), Output: exact(v.Output, v.OutputText), Analytics: exact(v.Analytics, v.AnalyticsText),
	}, true
}

func exact(content json.RawMessage, text *string) []byte {
	if text != nil {
		return []byte(*text)
	}
	return content
}
