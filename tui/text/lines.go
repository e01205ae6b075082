package text

import "strings"

// tabStop is the distance of tab stops in text that keeps its lines.
const tabStop = 8

// CleanLines cleans text that has lines of its own, such as a log or a reason:
// line breaks part lines, tabs move to the next stop, and what a carriage
// return wrote over (a progress bar) is left as a terminal would leave it.
// A line break at the end begins no further line.
func CleanLines(s string) []Safe {
	if s == "" {
		return nil
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := make([]Safe, 0, strings.Count(s, "\n")+1)
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		lines = append(lines, expand(overwrite(line)))
	}
	return lines
}

// overwrite plays the carriage returns in line: each part covers the start of
// what stood there before.
func overwrite(line string) string {
	line = strings.TrimRight(line, "\r")
	if !strings.Contains(line, "\r") {
		return line
	}
	var shown []rune
	for part := range strings.SplitSeq(line, "\r") {
		written := []rune(part)
		if len(written) < len(shown) {
			written = append(written, shown[len(written):]...)
		}
		shown = written
	}
	return string(shown)
}

// expand cleans the text between tabs and fills each tab up to its stop.
func expand(line string) Safe {
	if !strings.Contains(line, "\t") {
		return Clean(line)
	}
	var b strings.Builder
	column := 0
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			gap := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", gap))
			column += gap
		}
		safe := Clean(part)
		b.WriteString(string(safe))
		column += Width(safe)
	}
	return Safe(b.String())
}
