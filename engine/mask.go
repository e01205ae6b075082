package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"signalbox/store"
)

// Veil stands for a value that its queue's mask keeps from people.
const Veil = "••••"

const quotedVeil = `"` + Veil + `"`

// Mask hides the values of a JSON text's fields that a queue's mask names, by
// their name wherever they stand or by their path (customer.iban), in any case.
// All else stays as it is, in its order. Without a mask the bytes are the same;
// a text that can't be read is hidden whole.
func Mask(raw json.RawMessage, mask []string) json.RawMessage {
	if len(mask) == 0 || len(raw) == 0 {
		return raw
	}
	var b bytes.Buffer
	if err := hideIn(&b, raw, mask, ""); err != nil {
		return json.RawMessage(quotedVeil) // better nothing than what was to be hidden
	}
	return b.Bytes()
}

func hideIn(b *bytes.Buffer, raw json.RawMessage, mask []string, path string) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		b.Write(raw)
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	b.WriteByte(raw[0])
	for n := 0; d.More(); n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		at, hidden := path, false
		if raw[0] == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			quoted, err := store.Encode(name)
			if err != nil {
				return err
			}
			b.Write(append(quoted, ':'))
			at = strings.TrimPrefix(path+"."+name.(string), ".")
			hidden = slices.ContainsFunc(mask, func(m string) bool { return strings.EqualFold(m, at) || strings.EqualFold(m, name.(string)) })
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if hidden {
			b.WriteString(quotedVeil)
		} else if err := hideIn(b, value, mask, at); err != nil {
			return err
		}
	}
	b.WriteByte(raw[0] + 2) // } and ] stand two behind { and [
	return nil
}
