package act

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"signalbox/engine"
	"signalbox/store"
)

// veils are the values that a draft does not show, each under a mark of its
// own, numbered in reading order: wherever an edit moves a mark, its value is
// known.
type veils struct {
	values map[string]json.RawMessage
	plain  map[string]bool // texts that were there and only look like marks
}

// veil numbers the marks of a masked payload, and keeps what they stand for.
func veil(original, masked json.RawMessage) (json.RawMessage, veils) {
	v := veils{map[string]json.RawMessage{}, map[string]bool{}}
	each(original, masked, func(o, m json.RawMessage) json.RawMessage {
		var s string
		if bytes.Equal(o, m) && json.Unmarshal(m, &s) == nil && looksVeiled(s) {
			v.plain[s] = true
		}
		return m
	})
	n := 0
	draft := each(original, masked, func(o, m json.RawMessage) json.RawMessage {
		if bytes.Equal(o, m) || string(m) != quoted(engine.Veil) {
			return m
		}
		mark := ""
		for mark == "" || v.plain[mark] {
			n++
			mark = fmt.Sprint(engine.Veil, n)
		}
		v.values[mark] = o
		return json.RawMessage(quoted(mark))
	})
	return draft, v
}

func quoted(s string) string { return `"` + s + `"` }

// each goes through a payload and its masked picture side by side, and gives
// the picture with every value that holds no others replaced.
func each(original, masked json.RawMessage, replace func(o, m json.RawMessage) json.RawMessage) json.RawMessage {
	original, masked = bytes.TrimSpace(original), bytes.TrimSpace(masked)
	if len(original) == 0 || len(masked) == 0 || original[0] != masked[0] || masked[0] != '{' && masked[0] != '[' {
		return replace(original, masked)
	}
	od, md := json.NewDecoder(bytes.NewReader(original)), json.NewDecoder(bytes.NewReader(masked))
	_, _ = od.Token()
	_, _ = md.Token()
	b := bytes.NewBuffer([]byte{masked[0]})
	for n := 0; od.More() && md.More(); n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		if masked[0] == '{' {
			_, _ = od.Token()
			name, _ := md.Token()
			written, _ := store.Encode(name)
			b.Write(append(written, ':'))
		}
		var o, m json.RawMessage
		if od.Decode(&o) != nil || md.Decode(&m) != nil {
			return replace(original, masked)
		}
		b.Write(each(o, m, replace))
	}
	b.WriteByte(masked[0] + 2) // the bracket that closes
	return b.Bytes()
}

// looksVeiled says that a text is a mark, or what is left of one.
func looksVeiled(s string) bool {
	dot := string([]rune(engine.Veil)[0])
	return strings.Contains(s, dot+dot) || strings.HasPrefix(s, dot) && strings.Trim(s[len(dot):], "0123456789") == ""
}

// lift puts values back in the place of their marks; all else stays byte for byte. A
// mark that is none of the draft's has no value, so the edit can't be taken.
func (v *veils) lift(edited json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	for {
		at := bytes.IndexByte(edited, '"')
		if at < 0 {
			b.Write(edited)
			return b.Bytes(), nil
		}
		end := at + textEnd(edited[at:])
		b.Write(edited[:at])
		text := edited[at:end]
		edited = edited[end:]
		if isName := bytes.HasPrefix(bytes.TrimSpace(edited), []byte(":")); !isName {
			var err error
			if text, err = v.lifted(text); err != nil {
				return nil, err
			}
		}
		b.Write(text)
	}
}

// textEnd is where a JSON text ends that b begins with.
func textEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// lifted gives what a text of the edit stands for.
func (v *veils) lifted(text json.RawMessage) (json.RawMessage, error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	if value, ok := v.values[s]; ok {
		return value, nil
	}
	if looksVeiled(s) && !v.plain[s] {
		return nil, store.Invalid("the edited payload", fmt.Sprintf("%q stands for no masked value of the item", s),
			"leave each mark as it was, take it away whole, or write another value in its place")
	}
	return text, nil
}

// bares finds a mark in a place that the mask does not hide, where its value
// would come to light.
func (v *veils) bares(content json.RawMessage, mask []string) error {
	var seen any
	if err := decode(engine.Mask(content, mask), &seen); err != nil {
		return err
	}
	if mark := v.find(seen); mark != "" {
		return store.Invalid("the edited payload", fmt.Sprintf("%q has been moved to a field that is not masked", mark),
			"put it back under a field that is masked")
	}
	return nil
}

func (v *veils) find(seen any) string {
	switch s := seen.(type) {
	case string:
		if _, ok := v.values[s]; ok {
			return s
		}
	case []any:
		for _, value := range s {
			if mark := v.find(value); mark != "" {
				return mark
			}
		}
	case map[string]any:
		for _, value := range s {
			if mark := v.find(value); mark != "" {
				return mark
			}
		}
	}
	return ""
}
