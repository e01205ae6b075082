package intake

import (
	"encoding/json"
	"fmt"
	"strings"

	"signalbox/engine"
	"signalbox/engine/export"
	"signalbox/engine/object"
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
	names []string
	use   []use
	read  *reader
	index struct{ reference, due, priority, deferral int } // -1 = no such column
	// exported says that the file is one of package export, whose columns and
	// cells have meanings of their own.
	exported bool
}

// use is what a column is for.
type use struct {
	payload bool   // a field of the payload
	json    bool   // whose cells hold JSON
	key     []byte // its name as JSON, and a colon
	own     field  // else of the item, in an exported file
}

// newColumns reads a header. Without named columns UiPath's are looked for, and
// they are then no part of the payload.
func newColumns(names []string, opt Options, read *reader) (*columns, error) {
	c := &columns{names: names, use: make([]use, len(names)), read: read}
	if err := c.checkNames(); err != nil {
		return nil, err
	}
	named, want := opt.Columns != Columns{}, opt.Columns
	if c.exported = !named && export.Exported(names); c.exported {
		return c, c.ofExport()
	}
	for i, name := range names {
		c.use[i] = use{payload: !c.rejected() || i > 1, key: append(object.AppendString(nil, name), ':')}
	}
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
			c.use[*field.at].payload = false
		}
	}
	return c, nil
}

// uiPath are the four columns of UiPath's upload.
var uiPath = map[string]field{"reference": reference, "deadline": dueAt, "postpone": deferUntil, "priority": priority}

// ofExport finds what the columns of an exported file are for.
func (c *columns) ofExport() error {
	for i, name := range c.names {
		at, own := columnNames[name]
		if !own {
			at, own = uiPath[strings.ToLower(name)]
		}
		switch {
		case own:
			c.use[i] = use{own: at}
		case c.rejected() && i < 2:
			c.use[i] = use{own: foreign}
		case strings.HasPrefix(name, export.Prefix):
			return store.Invalid(fmt.Sprintf("column %q", name), "an item has no such field", "leave out its prefix "+export.Prefix)
		default:
			of, json := export.FieldOf(export.Unguard(name))
			c.use[i] = use{payload: true, json: json, key: append(object.AppendString(nil, of), ':')}
		}
	}
	return nil
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
	if c.exported {
		return c.exportedItem(values)
	}
	cell := func(i int) string {
		if i < 0 {
			return ""
		}
		return values[i]
	}
	err := c.read.cells(&item, cell(c.index.reference), cell(c.index.due), cell(c.index.priority), cell(c.index.deferral))
	if err != nil {
		return item, err
	}
	b := make([]byte, 0, c.room(values))
	b = append(b, '{')
	for i, value := range values {
		if !c.use[i].payload {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = object.AppendString(append(b, c.use[i].key...), value)
	}
	item.Payload = append(b, '}')
	return item, nil
}

// room is about how long a record's payload becomes.
func (c *columns) room(values []string) int {
	n := 2
	for i, value := range values {
		n += len(value) + len(c.use[i].key) + 3
	}
	return n
}

// exportedItem makes an item of a record of an exported file. An empty cell is
// a field that the item does not have.
func (c *columns) exportedItem(values []string) (engine.NewItem, error) {
	var g given
	b := make([]byte, 0, c.room(values))
	b = append(b, '{')
	for i, cell := range values {
		value := export.Unguard(cell)
		if !c.use[i].payload {
			g[c.use[i].own] = value
			continue
		}
		if cell == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, c.use[i].key...)
		if !c.use[i].json {
			b = object.AppendString(b, value)
			continue
		}
		if !json.Valid([]byte(value)) {
			return engine.NewItem{}, store.Invalid(fmt.Sprintf("column %q: %s", c.names[i], quoted(value)), "it is not JSON, which this column holds", `write text in quotes, as "text"`)
		}
		b = append(b, value...)
	}
	if g[payload] == "" {
		g[payload] = string(append(b, '}'))
	}
	return c.read.item(&g)
}
