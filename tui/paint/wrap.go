package paint

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"signalbox/tui/text"
)

// Wrap breaks text into lines of at most w columns, at blanks where it can.
func Wrap(s text.Safe, w int) []text.Safe {
	if w <= 0 {
		return nil
	}
	if text.Width(s) <= w {
		return []text.Safe{s}
	}
	var lines []text.Safe
	for line := range strings.SplitSeq(ansi.Wrap(string(s), w, ""), "\n") {
		lines = append(lines, text.Safe(line))
	}
	return lines
}
