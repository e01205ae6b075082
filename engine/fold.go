package engine

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxFold is the length at which a folded reason is cut, in bytes: reasons that
// differ only after it are one group.
const maxFold = 200

// folded stands for a quoted part.
const folded = `"…"`

var (
	quoted   = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|‘[^’]*’|«[^»]*»|`[^`]*`|\\B'[^']*'")
	uuid     = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	numbered = regexp.MustCompile(`[\pL\pN_]*\pN[\pL\pN_]*([-.,:/][\pL\pN_]*\pN[\pL\pN_]*)*`)
)

// Fold reduces a reason to what it has in common with others of its kind, so
// that they can be decided together: quoted parts become "…", words that hold
// a digit (numbers, ids, dates, amounts) become #, white space is one space,
// and a long text is cut.
func Fold(reason string) string {
	reason = spaced(reason)
	if len(reason) > 4*maxFold {
		reason = reason[:4*maxFold]
	}
	s := quoted.ReplaceAllLiteralString(strings.ToValidUTF8(reason, ""), folded)
	s = uuid.ReplaceAllLiteralString(s, "#")
	s = spaced(numbered.ReplaceAllLiteralString(s, "#"))
	if len(s) > maxFold {
		s = strings.TrimSpace(strings.ToValidUTF8(s[:maxFold], ""))
	}
	return s
}

// spaced makes one space of all white space.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// mayFold says whether a reason that holds a text may have been folded to a
// group. What was folded away or cut off may have held anything.
func mayFold(group, text string) bool {
	cut := len(group) > maxFold-2*utf8.UTFMax // and trimmed
	return cut || strings.Contains(group, folded) || strings.Contains(group, "#") ||
		strings.Contains(strings.ToLower(group), spaced(text))
}
