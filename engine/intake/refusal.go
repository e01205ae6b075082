package intake

import (
	"errors"
	"fmt"

	"signalbox/store"
)

// Bad counts a file's rejected rows, and those alike the first one.
type Bad struct {
	N, Alike int
	Line     int // of the first
	First    error
}

// Add counts one.
func (b *Bad) Add(line int, err error) {
	if b.N++; b.N == 1 {
		b.Line, b.First = line, err
	}
	if Reason(err) == Reason(b.First) {
		b.Alike++
	}
}

// Refusal says why nothing of a file was stored: the first bad row, and how many.
func (b *Bad) Refusal(name string) *store.Error {
	first := store.Error{Thing: b.First.Error()}
	if e, ok := errors.AsType[*store.Error](b.First); ok {
		first = *e
	}
	why, note := first.Thing, fmt.Sprintf("%d such rows", b.Alike)
	switch b.Alike {
	case 0:
		note = "those behind it were not tried"
	case 1:
		note = "1 such row"
	}
	if first.Rule != "" {
		why += ": " + first.Rule
	}
	if b.Alike > 0 && b.N > b.Alike {
		note += fmt.Sprintf(", %d bad ones in all", b.N)
	}
	if first.Mend != "" {
		note += "; " + first.Mend
	}
	return &store.Error{
		Code:  max(first.Code, store.CodeInvalid),
		Thing: fmt.Sprintf("%s line %d: %s (%s)", name, b.Line, why, note),
		Rule:  "nothing was stored", Mend: "mend the file, or store the other rows with --mode independent",
	}
}

// Twice words the refusal of a reference that an earlier row of the same file has
// too.
func Twice(err error, reference string, first, line int) error {
	if store.CodeOf(err) != store.CodeConflict || reference == "" || first == line {
		return err
	}
	return store.Conflict(fmt.Sprintf("reference %q", reference), "it stands twice in this file", fmt.Sprintf("line %d has it too", first))
}
