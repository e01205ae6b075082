package paint

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"signalbox/themes"
	"signalbox/tui/text"
)

// Styled writes a line that bears its styles already, as other libraries draw
// it, and cuts what goes beyond the right edge. Nothing but styles passes; a
// theme without looks takes none.
func (c *Canvas) Styled(line string) {
	c.plain()
	styled := false
	for len(line) > 0 && c.col < c.w && c.Left() > 0 {
		n := style(line)
		if n == 0 {
			n = strings.IndexByte(line[1:], '\x1b') + 1
			if n == 0 {
				n = len(line)
			}
			words := text.Safe(ansi.Truncate(string(text.Clean(line[:n])), c.w-c.col, ""))
			c.buf = append(c.buf, words...)
			c.col += width(words)
		} else if !c.theme.Bare() {
			styled = line[:n] != themes.Reset
			c.buf = append(c.buf, line[:n]...)
		}
		line = line[n:]
	}
	if styled {
		c.buf = append(c.buf, themes.Reset...)
	}
}

// style is the length of the style's sequence that line begins with, 0 where it
// begins with anything else.
func style(line string) int {
	rest, ok := strings.CutPrefix(line, "\x1b[")
	if !ok {
		return 0
	}
	words := strings.TrimLeft(rest, "0123456789;:")
	if !strings.HasPrefix(words, "m") {
		return 0
	}
	return len(line) - len(words) + 1
}
