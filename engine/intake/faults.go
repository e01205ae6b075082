package intake

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"signalbox/engine"
	"signalbox/store"
)

// What is kept of a file's faults, however many there are.
const (
	toldKinds = 10    // in words
	keptKinds = 1_000 // apart; rows of others are only counted
	keptRough = 4_000 // reasons whose kind is known without folding them
	keptText  = 400   // bytes of a reason
)

// Faults counts a file's rejected rows by kind: those whose reasons are the same
// once numbers, ids and quoted parts are folded are of one.
type Faults struct {
	N     int
	Line  int // of the first
	First error

	kinds  map[string]*kind
	rough  map[string]*kind
	others int // rows of kinds beyond keptKinds
}

// kind is the rows that were rejected alike, and the first of them.
type kind struct {
	line, rows int
	reason     string
}

// Add counts one.
func (f *Faults) Add(line int, err error) {
	if f.N++; f.N == 1 {
		f.Line, f.First = line, err
		f.kinds = map[string]*kind{}
	}
	reason := err.Error()
	rough := roughly(reason)
	k := f.rough[rough]
	if k == nil {
		k = f.kindOf(reason)
		if k == nil && len(f.kinds) == keptKinds {
			f.others++
			return
		}
		if k == nil {
			k = &kind{line: line, reason: cut(reason)}
			f.kinds[engine.Fold(reason)] = k
		}
		if f.rough == nil || len(f.rough) == keptRough {
			f.rough = map[string]*kind{}
		}
		f.rough[rough] = k
	}
	k.rows++
}

func (f *Faults) kindOf(reason string) *kind { return f.kinds[engine.Fold(reason)] }

// roughly is a reason without digits and what is in double quotes: reasons that
// are alike in this fold alike, and it takes a hundredth of the time.
func roughly(reason string) string {
	b := make([]byte, 0, min(len(reason), keptText))
	within, digit := false, false
	for i := 0; i < len(reason) && len(b) < keptText; i++ {
		c := reason[i]
		isDigit := '0' <= c && c <= '9'
		switch {
		case c == '"':
			within = !within
			b = append(b, c)
		case within, isDigit && digit:
		case isDigit:
			b = append(b, '#')
		default:
			b = append(b, c)
		}
		digit = isDigit
	}
	return string(b)
}

// cut bounds what is kept of a reason.
func cut(reason string) string {
	if len(reason) <= keptText {
		return strings.Clone(reason)
	}
	return strings.ToValidUTF8(reason[:keptText-utf8.UTFMax], "") + "…"
}

// Kinds tells of each kind of fault in a line, those of most rows first, and how
// many more there are.
func (f *Faults) Kinds() []string {
	all := make([]*kind, 0, len(f.kinds))
	for _, k := range f.kinds {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *kind) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.line, b.line), cmp.Compare(a.reason, b.reason))
	})
	var words []string
	for _, k := range all[:min(len(all), toldKinds)] {
		words = append(words, fmt.Sprintf("line %d: %s (%s)", k.line, k.reason, rowsOf(k.rows)))
	}
	if len(all) <= toldKinds {
		return words
	}
	rest := f.others
	for _, k := range all[toldKinds:] {
		rest += k.rows
	}
	more := fmt.Sprintf("and %d more kinds (%s)", len(all)-toldKinds, rowsOf(rest))
	if len(all) == toldKinds+1 {
		more = fmt.Sprintf("and 1 more kind (%s)", rowsOf(rest))
	}
	if f.others > 0 {
		more = fmt.Sprintf("and more than %d more kinds (%s)", len(all)-toldKinds, rowsOf(rest))
	}
	return append(words, more)
}

func rowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// Refused says why nothing of a file was stored: in one line the first bad row
// and how many there are, and below it each kind of fault where there are several.
type Refused struct {
	Err   *store.Error
	Kinds []string
}

func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap gives the one line.
func (r *Refused) Unwrap() error { return r.Err }

// Refusal refuses a file for its faults. Untried says that the rows behind the
// first bad one were not looked at by what refused it.
func (f *Faults) Refusal(name string, untried bool, mend string) *Refused {
	first := store.Error{Thing: f.First.Error()}
	if e, ok := errors.AsType[*store.Error](f.First); ok {
		first = *e
	}
	why := first.Thing
	if first.Rule != "" {
		why += ": " + first.Rule
	}
	alike := f.alike()
	note := fmt.Sprintf("%d such rows", alike)
	switch {
	case untried:
		note = "those behind it were not tried"
	case alike == 1:
		note = "1 such row"
	}
	if f.N > alike {
		note += fmt.Sprintf(", %d bad ones in all", f.N)
	}
	if first.Mend != "" {
		note += "; " + first.Mend
	}
	r := &Refused{Err: &store.Error{
		Code: max(first.Code, store.CodeInvalid), Thing: fmt.Sprintf("%s line %d: %s (%s)", name, f.Line, why, note),
		Rule: "nothing was stored", Mend: mend,
	}}
	if len(f.kinds) > 1 {
		r.Kinds = f.Kinds()
	}
	return r
}

// alike counts the rows of the first one's kind.
func (f *Faults) alike() int {
	if k := f.kindOf(f.First.Error()); k != nil {
		return k.rows
	}
	return f.N
}

// Twice words the refusal of a reference that an earlier row of the same file has
// too.
func Twice(err error, reference string, first, line int) error {
	if store.CodeOf(err) != store.CodeConflict || reference == "" || first == line {
		return err
	}
	return store.Conflict(fmt.Sprintf("reference %q", reference), "it stands twice in this file", fmt.Sprintf("line %d has it too", first))
}
