package paint

import (
	"unicode/utf8"

	"signalbox/tui/text"
)

// width is text.Width, quicker for what most of a screen is made of: ASCII and
// our own glyphs.
func width(t text.Safe) int {
	n := 0
	for i := 0; i < len(t); {
		if b := t[i]; b < utf8.RuneSelf {
			if b < ' ' || b == 0x7f {
				return text.Width(t)
			}
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(t[i:]))
		if !single(r) {
			return text.Width(t)
		}
		i += size
		n++
	}
	return n
}

// single says that r is one column wide and joins with nothing that single or
// ASCII characters could put beside it.
func single(r rune) bool {
	switch {
	case r >= 0xa1 && r <= 0x24f:
		return r != 0xad
	case r >= 0x2010 && r <= 0x2027, r >= 0x2190 && r <= 0x21ff, r >= 0x2500 && r <= 0x25fc:
		return true
	}
	return false
}
