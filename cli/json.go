package cli

import (
	"fmt"
	"io"
	"unicode"

	"signalbox/store"
)

// json writes v as JSON, for a terminal without anything it would obey.
func (a *app) json(v any) ([]byte, error) {
	b, err := store.Encode(v)
	if err == nil && a.IsTerminal(a.Stdout) {
		b = visible(b)
	}
	return b, err
}

// visible escapes what a terminal would obey or not show. In JSON such
// characters stand only within strings, where an escape means the same.
func visible(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, r := range string(b) {
		if r < 0x80 || unicode.IsPrint(r) {
			out = append(out, string(r)...)
		} else if r <= 0xffff {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return out
}

func (a *app) writeJSON(w io.Writer, v any) error {
	b, err := a.json(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
