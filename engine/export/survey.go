package export

import (
	"cmp"
	"slices"

	"signalbox/engine/object"
)

// MaxColumns is how many columns of its own a CSV gives to payloads' fields. A
// payload with other fields is written whole.
const MaxColumns = 1000

// Survey gathers the fields that payloads have, to be the columns of a CSV. The
// surveys of a file's chunks, merged in any order, are that of the whole. The
// zero value is ready to use; its memory does not grow with the rows.
type Survey struct {
	fields map[string]seen
	full   bool // there were more fields than columns
	split  []object.Field
}

// seen is what is known of a field.
type seen struct {
	number uint64 // of the first item that has it
	place  int    // in that item's payload
	json   bool   // some value of it is more than a text
}

// Add looks at a row's payload. The rows of one survey come in order of number.
func (s *Survey) Add(r *Row) {
	list, ok := object.Split(s.split[:0], r.Payload)
	s.split = list
	if !ok {
		return
	}
	if s.fields == nil {
		s.fields = map[string]seen{}
	}
	for place, f := range list {
		name, ok := fieldName(f.Key)
		if !ok {
			continue
		}
		of, known := s.fields[string(name)]
		structured := !plainText(f.Value)
		switch {
		case !known && len(s.fields) == MaxColumns:
			s.full = true
		case !known:
			s.fields[string(name)] = seen{r.Number, place, structured}
		case structured && !of.json:
			of.json = true
			s.fields[string(name)] = of
		}
	}
}

// Merge adds what another survey gathered.
func (s *Survey) Merge(other *Survey) {
	if s.fields == nil {
		s.fields = map[string]seen{}
	}
	s.full = s.full || other.full
	for name, theirs := range other.fields {
		ours, known := s.fields[name]
		if !known {
			s.fields[name] = theirs
			continue
		}
		theirs.json = theirs.json || ours.json
		if compareSeen(ours, theirs) < 0 {
			theirs.number, theirs.place = ours.number, ours.place
		}
		s.fields[name] = theirs
	}
	s.trim()
}

// trim keeps the fields that were seen first.
func (s *Survey) trim() {
	if len(s.fields) <= MaxColumns {
		return
	}
	s.full = true
	for _, name := range s.names()[MaxColumns:] {
		delete(s.fields, name)
	}
}

// names are the fields in the order in which they were first seen.
func (s *Survey) names() []string {
	names := make([]string, 0, len(s.fields))
	for name := range s.fields {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return compareSeen(s.fields[a], s.fields[b]) })
	return names
}

func compareSeen(a, b seen) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.place, b.place))
}

// fieldName gives a field's name of its JSON string; false when no text can
// hold it. It shares the key's memory where it can.
func fieldName(key []byte) ([]byte, bool) {
	if slices.Index(key, '\\') < 0 {
		return key[1 : len(key)-1], true
	}
	name, ok := object.Text(key)
	return []byte(name), ok
}

// plainText says that a JSON value is a text that a cell can hold as it is.
func plainText(value []byte) bool {
	if value[0] != '"' {
		return false
	}
	escapes := false
	for _, c := range value {
		if c == 0x7f {
			return false
		}
		escapes = escapes || c == '\\'
	}
	if !escapes {
		return true
	}
	s, ok := object.Text(value)
	if !ok {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' && s[i] != '\n' && s[i] != '\r' {
			return false
		}
	}
	return true
}
