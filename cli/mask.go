package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/engine"
)

// veil stands for a value that its queue's mask keeps from screens.
const veil = `"••••"`

func unmaskFlag(c *cobra.Command, unmask *bool) {
	c.Flags().BoolVar(unmask, "unmask", false, "show a person what the queue's mask hides")
}

// veiled gives records as a person may see them. What a program reads is
// whole: it is to work with it. Where the mask can't be had, all is hidden.
func (a *app) veiled(ctx context.Context, s Service, records []engine.Record, unmask bool) []engine.Record {
	if unmask || a.output != asTable && !a.IsTerminal(a.Stdout) {
		return records
	}
	masks := map[string][]string{}
	shown := slices.Clone(records)
	for i := range shown {
		r := &shown[i]
		mask, known := masks[r.Queue]
		if !known {
			q, err := s.Queue(ctx, r.Queue)
			if err != nil {
				r.Payload, r.Output, r.Analytics = nil, nil, nil
				continue
			}
			mask = q.Mask
			masks[r.Queue] = mask
		}
		r.Payload, r.Output, r.Analytics = hide(r.Payload, mask), hide(r.Output, mask), hide(r.Analytics, mask)
	}
	return shown
}

// hide veils the masked fields of a JSON text, by their name wherever they
// stand or by their path (customer.iban); all else stays as it is.
func hide(raw json.RawMessage, mask []string) json.RawMessage {
	if len(mask) == 0 || len(raw) == 0 {
		return raw
	}
	var b bytes.Buffer
	if err := hideIn(&b, raw, mask, ""); err != nil {
		return json.RawMessage(veil) // better nothing than what was to be hidden
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
			quoted, err := json.Marshal(name)
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
			b.WriteString(veil)
		} else if err := hideIn(b, value, mask, at); err != nil {
			return err
		}
	}
	b.WriteByte(raw[0] + 2) // } and ] stand two behind { and [
	return nil
}
