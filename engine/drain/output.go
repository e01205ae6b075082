package drain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"signalbox/engine"
)

// head keeps the beginning of what is written to it, and counts all.
type head struct {
	limit int
	kept  []byte
	total int64
}

func (h *head) Write(b []byte) (int, error) {
	h.total += int64(len(b))
	h.kept = append(h.kept, b[:min(len(b), h.limit-len(h.kept))]...)
	return len(b), nil
}

func (h *head) cutOff() bool { return h.total > int64(len(h.kept)) }

// clean gives what was kept with NUL and invalid UTF-8 replaced.
func (h *head) clean() []byte {
	b := bytes.ToValidUTF8(h.kept, []byte("\uFFFD"))
	return bytes.ReplaceAll(b, []byte{0}, []byte("\u2400"))
}

// output gives what a program wrote as an item's output: itself when it is a
// JSON object, or else an object that holds as much of it as an output may.
func (h *head) output() (json.RawMessage, error) {
	said := bytes.TrimSpace(h.clean())
	if len(said) == 0 {
		return nil, nil
	}
	if said[0] == '{' {
		if !h.cutOff() && json.Valid(said) {
			return said, nil
		}
		if h.cutOff() && unfinished(said) {
			return nil, fmt.Errorf("the output is too long: an object of more than %d bytes; an output has at most %d characters", h.limit, engine.MaxOutput)
		}
	}
	return h.text(string(said)), nil
}

// unfinished says that b is the beginning of one JSON value.
func unfinished(b []byte) bool {
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(b)).Decode(&v), io.ErrUnexpectedEOF)
}

// text wraps a text so that the whole is within the limit of an output.
func (h *head) text(s string) json.RawMessage {
	cut := h.cutOff()
	for {
		b := wrap(s, cut, h.total)
		over := utf8.RuneCount(b) - engine.MaxOutput
		if over <= 0 {
			return b
		}
		cut = true
		// A character takes at least one in JSON, so dropping as many as are
		// too many never drops too few for long.
		s = first(s, min(utf8.RuneCountInString(s)-over, engine.MaxOutput))
	}
}

func wrap(s string, cut bool, total int64) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	v := struct {
		Text  string `json:"text"`
		Cut   bool   `json:"cut,omitempty"`
		Bytes int64  `json:"bytes,omitempty"` // that were written in all
	}{Text: s, Cut: cut}
	if cut {
		v.Bytes = total
	}
	_ = e.Encode(v) // strings and numbers always encode
	return bytes.TrimSpace(b.Bytes())
}

// first gives the first n characters of s.
func first(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// lineKept is how many characters of a last line make a reason.
const lineKept = 1000

// tail keeps the end of what is written to it, and counts all.
type tail struct {
	limit int
	kept  []byte
	total int64
}

func (t *tail) Write(b []byte) (int, error) {
	t.total += int64(len(b))
	t.kept = append(t.kept, b[max(0, len(b)-t.limit):]...)
	if len(t.kept) > 2*t.limit {
		t.kept = t.kept[:copy(t.kept, t.kept[len(t.kept)-t.limit:])]
	}
	return len(b), nil
}

// text gives the end with NUL and invalid UTF-8 replaced, and says what was cut.
func (t *tail) text() string {
	kept := t.kept[max(0, len(t.kept)-t.limit):]
	s := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(string(kept), "\uFFFD"), "\x00", "\u2400"))
	if n := t.total - int64(len(kept)); n > 0 {
		return fmt.Sprintf("[%d bytes before this were cut]\n%s", n, s)
	}
	return s
}

// lastLine gives the last line with something on it.
func (t *tail) lastLine() string {
	lines := strings.FieldsFunc(t.text(), func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			return first(line, lineKept) // the text has the whole
		}
	}
	return ""
}
