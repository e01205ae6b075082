// Package text makes outside text fit for a terminal and measures it.
//
// Names, payloads, errors and robots' words come from other systems, so any of
// them may carry bytes that a terminal obeys. Clean turns such text into Safe,
// in which everything that would act, hide or reorder is a visible symbol;
// only Safe text and the program's own literals go on screen. The rest of the
// package cuts, pads and counts Safe text by terminal columns, and words
// durations, times and numbers the same way on every screen.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe is text that has been cleaned: valid UTF-8 on one line, without control
// characters and without anything invisible. Joining two Safe values gives a
// Safe value.
type Safe string

const (
	// newline stands for a line break inside one-line text.
	newline = "⏎"
	// invisible stands for a character that takes no column: joiners, zero-width
	// spaces, variation selectors, skin tones. A joined emoji so comes out as its
	// parts, whose width terminal and program agree on.
	invisible = "·"
	// carrier holds up a mark or vowel sign that has no letter before it, which
	// would otherwise join the neighbouring cell.
	carrier = "◌"
	// maxMarks bounds the marks on one letter; more would climb over other rows.
	maxMarks = 8
)

// Clean replaces what a terminal would obey or a reader would not see:
//
//	C0 controls, DEL           their picture: ␛ ␉ ␀ ␡
//	line breaks                ⏎ (one for CR LF)
//	C1, bidi, tags, unassigned ‹U+202E›
//	zero-width, joiners, VS    ·
//	flags                      ‹D›‹E›
//	halfwidth voicing ﾞ ﾟ      ゛ ゜
//	invalid UTF-8              �, one a byte
//
// Cleaning twice changes nothing more. Clean text is returned as it is,
// without an allocation.
func Clean(s string) Safe {
	if plain(s) {
		return Safe(s)
	}
	i := firstUnsafe(s)
	if i == len(s) {
		return Safe(s)
	}
	return Safe(rewrite(s, i))
}

// plain says that s is printable ASCII only.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// firstUnsafe is the index of the first rune that Clean must replace, at a
// place from which cleaning can start afresh; len(s) if there is none.
func firstUnsafe(s string) int {
	marks, letter := 0, 0
	for i, r := range s {
		if isMark(r) && !hidden(r) {
			if marks++; i == 0 || marks > maxMarks {
				return letter
			}
			continue
		}
		if r == utf8.RuneError || !shown(r) || i == 0 && leans(r) {
			return i
		}
		marks, letter = 0, i
	}
	return len(s)
}

// rewrite cleans s, of which the first from bytes are known to be clean.
func rewrite(s string, from int) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:from])
	marks := 0
	for i := from; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isMark(r) && !hidden(r):
			marks++
			writeMark(&b, r, marks)
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// The line feed that follows is written for both.
		default:
			marks = 0
			writeRune(&b, r)
		}
		i += size
	}
	return b.String()
}

func writeMark(b *strings.Builder, r rune, nth int) {
	if nth > maxMarks {
		b.WriteString(invisible)
		return
	}
	if b.Len() == 0 {
		b.WriteString(carrier)
	}
	b.WriteRune(r)
}

func writeRune(b *strings.Builder, r rune) {
	if b.Len() == 0 && leans(r) {
		b.WriteString(carrier)
	}
	switch {
	case r == '\n' || r == '\u2028' || r == '\u2029' || r == '\u0085':
		b.WriteString(newline)
	case r < ' ':
		b.WriteRune('␀' + r)
	case r == 0x7f:
		b.WriteRune('␡')
	case shown(r):
		b.WriteRune(r)
	case zeroWidth(r):
		b.WriteString(invisible)
	case r == halfVoiced:
		b.WriteRune('゛')
	case r == halfSemiVoiced:
		b.WriteRune('゜')
	case flagLetter(r):
		b.WriteString("‹" + string('A'+r-firstFlagLetter) + "›")
	default:
		fmt.Fprintf(b, "‹U+%04X›", r)
	}
}

// shown says that r is seen as itself: it has a shape and a width of its own.
func shown(r rune) bool {
	if r <= '~' {
		return r >= ' '
	}
	if hidden(r) || skinTone(r) || flagLetter(r) || prepends(r) || r == halfVoiced || r == halfSemiVoiced {
		return false
	}
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Co, r)
}

// hidden says that r is a letter or mark by class and yet shows nothing.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func zeroWidth(r rune) bool {
	switch r {
	case '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff':
		return true
	}
	return hidden(r) || skinTone(r)
}

// skinTone says that r colours the emoji before it: one cell pair for programs
// that know, two for those that do not.
func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

const firstFlagLetter = 0x1f1e6

// flagLetter says that r is half a flag: two columns a pair for some
// terminals, four for others, and anyone's guess alone.
func flagLetter(r rune) bool { return r >= firstFlagLetter && r <= firstFlagLetter+25 }

// Halfwidth kana carry their voicing in a column of its own, or in none,
// depending on who counts; the full-width signs are beyond dispute.
const (
	halfVoiced     = 'ﾞ'
	halfSemiVoiced = 'ﾟ'
)

// leans says that r joins what stands before it: vowel signs and marks that
// take a column of their own.
func leans(r rune) bool { return r == 0x0e33 || r == 0x0eb3 || unicode.Is(unicode.Mc, r) }

// prepends says that r joins what follows it, be it another cell; letters of
// old scripts, so they are named rather than shown.
func prepends(r rune) bool {
	switch r {
	case 0x0d4e, 0x111c2, 0x111c3, 0x1193f, 0x11941, 0x11a3a, 0x11d46, 0x11f02:
		return true
	}
	return r >= 0x11a84 && r <= 0x11a89
}

func isMark(r rune) bool {
	return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me)
}
