package engine

import (
	"regexp"
	"strings"
)

// maxFold is the length at which a folded reason is cut, in bytes: reasons that
// differ only after it are one group.
const maxFold = 200

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
	if len(reason) > 4*maxFold {
		reason = reason[:4*maxFold]
	}
	s := quoted.ReplaceAllLiteralString(strings.ToValidUTF8(reason, ""), `"…"`)
	s = uuid.ReplaceAllLiteralString(s, "#")
	s = numbered.ReplaceAllLiteralString(s, "#")
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxFold {
		s = strings.TrimSpace(strings.ToValidUTF8(s[:maxFold], ""))
	}
	return s
}
