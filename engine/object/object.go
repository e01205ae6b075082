// Package object cuts the text of JSON objects into fields without changing a
// byte of them, and reads and writes JSON strings. Files that hold items keep
// payloads as they were given, which a decoder would rewrite.
package object

import (
	"encoding/json"
	"unicode/utf8"
)

// Field is one field of an object, as it stands in the text.
type Field struct {
	Key   []byte // the name, in its quotes
	Value []byte // without white space around it
}

// Split appends the fields of raw to dst, in their order. raw is valid JSON;
// false when it is no object. The fields share raw's memory.
func Split(dst []Field, raw []byte) ([]Field, bool) {
	at := space(raw, 0)
	if at == len(raw) || raw[at] != '{' {
		return dst, false
	}
	at = space(raw, at+1)
	for at < len(raw) && raw[at] != '}' {
		end := value(raw, at)
		key := raw[at:end]
		at = space(raw, end)
		if at == len(raw) || raw[at] != ':' {
			return dst, false
		}
		at = space(raw, at+1)
		end = value(raw, at)
		dst = append(dst, Field{key, raw[at:end]})
		if at = space(raw, end); at < len(raw) && raw[at] == ',' {
			at = space(raw, at+1)
		}
	}
	return dst, at < len(raw)
}

// space gives the place of the next byte that is no white space.
func space(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r') {
		at++
	}
	return at
}

// value gives the place behind the value that begins at a place.
func value(raw []byte, at int) int {
	if at == len(raw) {
		return at
	}
	switch raw[at] {
	case '"':
		return quoted(raw, at)
	case '{', '[':
		return nested(raw, at)
	}
	for at < len(raw) {
		switch raw[at] {
		case ',', '}', ']', ':', ' ', '\n', '\t', '\r':
			return at
		}
		at++
	}
	return at
}

func quoted(raw []byte, at int) int {
	for at++; at < len(raw); at++ {
		switch raw[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(raw)
}

func nested(raw []byte, at int) int {
	for depth := 0; at < len(raw); at++ {
		switch raw[at] {
		case '"':
			at = quoted(raw, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(raw)
}

// Text reads a JSON string. false when literal is none, or when it names half
// of a character (a lone surrogate), which no text can hold.
func Text(literal []byte) (string, bool) {
	n := len(literal)
	if n < 2 || literal[0] != '"' || literal[n-1] != '"' {
		return "", false
	}
	at := 1
	for ; at < n-1; at++ {
		if c := literal[at]; c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	if at == n-1 {
		return string(literal[1 : n-1]), true
	}
	if halved(literal) {
		return "", false
	}
	var s string
	if json.Unmarshal(literal, &s) != nil {
		return "", false
	}
	return s, true
}

// halved says that an escape in a valid JSON string names a surrogate without
// its other half.
func halved(literal []byte) bool {
	for at := 0; at < len(literal); at++ {
		if literal[at] != '\\' {
			continue
		}
		at++
		if r := escaped(literal, at); r >= 0xd800 && r < 0xe000 {
			if low := escaped(literal, at+6); r >= 0xdc00 || low < 0xdc00 || low >= 0xe000 || literal[at+5] != '\\' {
				return true
			}
			at += 6
		}
	}
	return false
}

// escaped reads the four digits of an escape whose u stands at a place; 0 when
// it is none.
func escaped(literal []byte, at int) (r rune) {
	if at+5 > len(literal) || literal[at] != 'u' {
		return 0
	}
	for _, c := range literal[at+1 : at+5] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0
		}
		r = r<<4 | rune(c)
	}
	return r
}

// AppendString writes s, which is UTF-8, as a JSON string on one line, changing
// nothing that JSON lets stand.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}
