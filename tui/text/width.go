package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis is the tail of text that was cut.
const Ellipsis = "…"

// Width is the number of terminal columns that s takes. Escape sequences of
// our own count for nothing.
func Width[S ~string](s S) int {
	if plain(string(s)) {
		return len(s)
	}
	return ansi.StringWidth(string(s))
}

// Truncate cuts s to at most w columns, the tail included. A tail that does
// not fit is left out.
func Truncate[S ~string](s S, w int, tail string) S {
	if w <= 0 {
		return ""
	}
	if Width(s) <= w {
		return s
	}
	if Width(tail) > w {
		tail = ""
	}
	return S(ansi.Truncate(string(s), w, tail))
}

// Pad fills s with spaces on its right up to w columns; longer text is left
// alone.
func Pad[S ~string](s S, w int) S { return s + S(spaces(w-Width(s))) }

// PadLeft fills s with spaces on its left up to w columns, for numbers.
func PadLeft[S ~string](s S, w int) S { return S(spaces(w-Width(s))) + s }

// Fit makes s exactly w columns wide: cut with an ellipsis or padded on its
// right. Where a wide character straddles the cut, a space takes its place.
func Fit[S ~string](s S, w int) S { return FitTail(s, w, Ellipsis) }

// FitTail is Fit with another tail, for terminals without an ellipsis.
func FitTail[S ~string](s S, w int, tail string) S {
	return Pad(Truncate(s, w, tail), w)
}

// FitLeft is Fit with the padding on the left, for numbers.
func FitLeft[S ~string](s S, w int) S {
	return PadLeft(Truncate(s, w, Ellipsis), w)
}

func spaces(n int) string {
	const run = "                                                                "
	switch {
	case n <= 0:
		return ""
	case n <= len(run):
		return run[:n]
	}
	return strings.Repeat(" ", n)
}
