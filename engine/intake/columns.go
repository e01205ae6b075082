package intake

import (
	"fmt"
	"strings"

	"signalbox/engine"
	"signalbox/store"
)

// Names of the two columns that Rejects puts before a file's own. A rejects
// file that was mended can be read again: they are no part of the payload.
const (
	rejectedLine   = "rejected_line"
	rejectedReason = "rejected_reason"
)

// columns knows what each CSV column is for.
type columns struct {
	names   []string
	payload []bool
	fields  fields
	index   struct{ reference, due, priority, deferral int } // -1 = no such column
}

// newColumns reads a header. Without named columns UiPath's are looked for, and
// they are then no part of the payload.
func newColumns(names []string, opt Options) (*columns, error) {
	c := &columns{names: names, payload: make([]bool, len(names)), fields: newFields(opt)}
	if err := c.checkNames(); err != nil {
		return nil, err
	}
	for i := range names {
		c.payload[i] = !c.rejected() || i > 1
	}
	named, want := opt.Columns != Columns{}, opt.Columns
	if !named {
		want = Columns{Reference: "Reference", Due: "Deadline", Priority: "Priority", Defer: "Postpone"}
	}
	for _, field := range []struct {
		name string
		at   *int
	}{{want.Reference, &c.index.reference}, {want.Due, &c.index.due}, {want.Priority, &c.index.priority}, {want.Defer, &c.index.deferral}} {
		*field.at = c.find(field.name, named)
		switch {
		case *field.at < 0 && named && field.name != "":
			return nil, store.Invalid(fmt.Sprintf("column %q", field.name), "the header has no such column", "it has "+strings.Join(names, ", "))
		case *field.at >= 0 && !named:
			c.payload[*field.at] = false
		}
	}
	return c, nil
}

// checkNames trims the names and refuses those that would make no JSON object.
func (c *columns) checkNames() error {
	seen := map[string]int{}
	for i := range c.names {
		name := strings.TrimSpace(c.names[i])
		c.names[i] = name
		if name == "" {
			return store.Invalid(fmt.Sprintf("column %d of the header", i+1), "it has no name", "name it, or remove the column")
		}
		if before, ok := seen[name]; ok {
			return store.Invalid(fmt.Sprintf("column %q", name), fmt.Sprintf("the header has it twice, as columns %d and %d", before, i+1), "rename one")
		}
		seen[name] = i + 1
	}
	if (seen[rejectedLine] > 0 || seen[rejectedReason] > 0) && !c.rejected() {
		return store.Invalid("columns "+rejectedLine+" and "+rejectedReason, "they only stand together, before all others", "rename yours")
	}
	return nil
}

// rejected says that the file is one that Rejects wrote.
func (c *columns) rejected() bool {
	return len(c.names) > 1 && c.names[0] == rejectedLine && c.names[1] == rejectedReason
}

// find gives the column of a name; UiPath's names are found in any case.
func (c *columns) find(name string, exact bool) int {
	if name == "" {
		return -1
	}
	for i, have := range c.names {
		if have == name || !exact && strings.EqualFold(have, name) {
			return i
		}
	}
	return -1
}

// item makes an item of a record: its payload is an object of strings in the
// order of the columns.
func (c *columns) item(values []string) (engine.NewItem, error) {
	var item engine.NewItem
	if len(values) != len(c.names) {
		fields := "fields"
		if len(values) == 1 {
			fields = "field"
		}
		return item, store.Invalid(fmt.Sprintf("%d %s, the header has %d", len(values), fields, len(c.names)), "", "")
	}
	cell := func(i int) string {
		if i < 0 {
			return ""
		}
		return values[i]
	}
	err := c.fields.set(&item, cell(c.index.reference), cell(c.index.due), cell(c.index.priority), cell(c.index.deferral))
	if err != nil {
		return item, err
	}
	b := []byte{'{'}
	for i, value := range values {
		if !c.payload[i] {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = appendString(b, c.names[i])
		b = append(b, ':')
		b = appendString(b, value)
	}
	item.Payload = append(b, '}')
	return item, nil
}

// appendString writes valid UTF-8 as a JSON string, changing nothing that JSON
// lets stand.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
