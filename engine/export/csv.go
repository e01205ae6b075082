package export

import (
	"strconv"
	"strings"

	"signalbox/engine/object"
	"signalbox/store"
)

// Prefix begins the names of a CSV's columns for an item's own fields, but for
// the four of UiPath's upload.
const Prefix = "item."

// Columns of a CSV that hold more than one of an item's own fields' values.
const (
	IDColumn      = Prefix + "id"      // by which an exported CSV is known
	PayloadColumn = Prefix + "payload" // a payload that is no object of the columns' fields, whole
)

// jsonMark ends the name of a column whose cells hold JSON.
const jsonMark = ":json"

// own is one column for an item's own field.
type own struct {
	name string
	cell func(c *csv, r *Row)
}

// lead stands before the payload's columns and tail behind them: what people
// look at is on the left.
var (
	lead = []own{
		{"Reference", func(c *csv, r *Row) { c.text(r.Reference) }},
		{"Deadline", func(c *csv, r *Row) { c.time(r.DueAt) }},
		{"Postpone", func(c *csv, r *Row) { c.time(r.DeferUntil) }},
		{"Priority", func(c *csv, r *Row) { c.text(priorityWord(r.Priority)) }},
		{IDColumn, func(c *csv, r *Row) { c.b = appendID(c.b, r.ID()) }},
		{"item.status", func(c *csv, r *Row) { c.text(r.Status.String()) }},
		{"item.error_kind", func(c *csv, r *Row) { c.text(r.ErrorKind()) }},
		{"item.error_reason", func(c *csv, r *Row) { c.text(failure(r).Reason) }},
		{"item.attempts", func(c *csv, r *Row) { c.number(r.Attempts) }},
		{"item.created_at", func(c *csv, r *Row) { c.time(r.CreatedAt) }},
		{"item.claimed_at", func(c *csv, r *Row) { c.time(r.ClaimedAt) }},
		{"item.started_at", func(c *csv, r *Row) { c.time(r.StartedAt) }},
		{"item.ended_at", func(c *csv, r *Row) { c.time(r.EndedAt) }},
	}
	tail = []own{
		{"item.key", func(c *csv, r *Row) { c.text(r.Key) }},
		{"item.job", func(c *csv, r *Row) { c.text(r.Job) }},
		{"item.weight", func(c *csv, r *Row) {
			if r.Weight > 0 {
				c.number(r.Weight)
			}
		}},
		{"item.max_attempts", func(c *csv, r *Row) { c.number(r.MaxAttempts) }},
		{"item.risk_at", func(c *csv, r *Row) { c.time(r.RiskAt) }},
		{"item.failures", func(c *csv, r *Row) { c.number(r.Failures) }},
		{"item.reclaims", func(c *csv, r *Row) { c.number(r.Reclaims) }},
		{"item.retryable", func(c *csv, r *Row) { c.b = strconv.AppendBool(c.b, r.Retryable) }},
		{"item.retry_no", func(c *csv, r *Row) { c.number(r.RetryNo) }},
		{"item.fence", func(c *csv, r *Row) { c.b = strconv.AppendUint(c.b, r.Fence, 10) }},
		{"item.chain", func(c *csv, r *Row) { c.b = appendID(c.b, r.Chain) }},
		{"item.previous", func(c *csv, r *Row) { c.b = appendID(c.b, r.Previous) }},
		{"item.next", func(c *csv, r *Row) { c.b = appendID(c.b, r.Next) }},
		{"item.claimed_by", func(c *csv, r *Row) { c.text(r.ClaimedBy) }},
		{"item.available_at", func(c *csv, r *Row) { c.time(r.AvailableAt) }},
		{"item.created_by", func(c *csv, r *Row) { c.text(r.CreatedBy) }},
		{"item.progress", func(c *csv, r *Row) { c.text(r.Progress) }},
		{"item.error_details", func(c *csv, r *Row) { c.text(failure(r).Details) }},
		{"item.error_at", func(c *csv, r *Row) { c.time(failure(r).At) }},
		{"item.review_status", func(c *csv, r *Row) { c.text(r.Review.Status.String()) }},
		{"item.reviewer", func(c *csv, r *Row) { c.text(r.Review.Reviewer) }},
		{"item.review_note", func(c *csv, r *Row) { c.text(r.Review.Note) }},
		{"item.review_at", func(c *csv, r *Row) { c.time(r.Review.At) }},
		{"item.output", func(c *csv, r *Row) { c.cell(r.Output) }},
		{"item.analytics", func(c *csv, r *Row) { c.cell(r.Analytics) }},
	}
)

var noFailure store.Failure

func failure(r *Row) *store.Failure {
	if r.Error == nil {
		return &noFailure
	}
	return r.Error
}

func priorityWord(p store.Priority) string {
	switch p {
	case store.High:
		return "High"
	case store.Low:
		return "Low"
	}
	return "Normal"
}

// csv is a table with a header. A column's cells are texts, or where some value
// of its field is more than a text, JSON.
type csv struct {
	b       []byte
	columns []column
	index   map[string]int // by the field's name
	split   []object.Field
	cells   [][]byte // of the row under way, by column
}

type column struct {
	name string
	json bool
}

func newCSV(s *Survey) *csv {
	c := &csv{index: map[string]int{}}
	if s == nil {
		s = &Survey{}
	}
	for n, name := range s.names() {
		c.columns = append(c.columns, column{name, s.full || s.fields[name].json})
		c.index[name] = n
	}
	c.cells = make([][]byte, len(c.columns))
	return c
}

func (c *csv) Between() string        { return "" }
func (c *csv) Footer(b []byte) []byte { return b }

func (c *csv) Header(b []byte) []byte {
	c.b = b
	for _, o := range lead {
		c.text(o.name)
		c.b = append(c.b, ',')
	}
	for _, of := range c.columns {
		c.text(headerOf(of))
		c.b = append(c.b, ',')
	}
	for _, o := range tail {
		c.text(o.name)
		c.b = append(c.b, ',')
	}
	c.b = append(c.b, PayloadColumn+"\n"...)
	return c.b
}

// headerOf names a payload's column. A name that could be taken for something
// else is written as a JSON string, in its quotes.
func headerOf(c column) string {
	name := c.name
	if !plainName(name) {
		name = string(object.AppendString(nil, name))
	}
	if c.json {
		name += jsonMark
	}
	return name
}

func plainName(name string) bool {
	if name == "" || name != strings.TrimSpace(name) || strings.HasPrefix(name, Prefix) || strings.HasPrefix(name, "rejected_") ||
		strings.HasPrefix(name, `"`) || strings.HasSuffix(name, jsonMark) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	for _, o := range lead[:4] {
		if strings.EqualFold(o.name, name) {
			return false
		}
	}
	return true
}

// FieldOf gives the payload's field that a column of an exported CSV stands for,
// and whether its cells hold JSON.
func FieldOf(header string) (name string, json bool) {
	name, json = strings.CutSuffix(header, jsonMark)
	if strings.HasPrefix(name, `"`) {
		if text, ok := object.Text([]byte(name)); ok {
			return text, json
		}
	}
	return name, json
}

func (c *csv) Row(b []byte, r *Row) []byte {
	c.b = b
	for _, o := range lead {
		o.cell(c, r)
		c.b = append(c.b, ',')
	}
	whole := !c.spread(r.Payload)
	for n := range c.columns {
		switch value := c.cells[n]; {
		case whole || value == nil:
		case c.columns[n].json:
			c.cell(value)
		default:
			s, _ := object.Text(value)
			c.given(s)
		}
		c.b = append(c.b, ',')
		c.cells[n] = nil
	}
	for _, o := range tail {
		o.cell(c, r)
		c.b = append(c.b, ',')
	}
	if whole {
		c.cell(r.Payload)
	}
	c.b = append(c.b, '\n')
	return c.b
}

// spread finds the column of each field of a payload; false when the columns
// can't hold it.
func (c *csv) spread(payload []byte) bool {
	list, ok := object.Split(c.split[:0], payload)
	c.split = list
	for _, f := range list {
		name, nameable := fieldName(f.Key)
		n, known := c.index[string(name)]
		if !nameable || !known || c.cells[n] != nil || !c.columns[n].json && !plainText(f.Value) {
			return false
		}
		c.cells[n] = f.Value
	}
	return ok
}

func (c *csv) number(n int) { c.b = strconv.AppendInt(c.b, int64(n), 10) }

func (c *csv) time(t store.Time) { c.b = appendTime(c.b, t) }

// text writes a cell that is empty when there is no text.
func (c *csv) text(s string) {
	if s != "" {
		c.given(sound(s))
	}
}

// given writes a cell of a text that is there, be it empty.
func (c *csv) given(s string) {
	if guarded(s) {
		c.quote(guard, s)
		return
	}
	c.quote("", s)
}

// cell writes JSON into a cell.
func (c *csv) cell(raw []byte) {
	if len(raw) > 0 {
		c.given(string(raw))
	}
}

// quote writes a cell's text, in quotes where it needs them. Semicolons and tabs
// get them too: a spreadsheet may take those for the end of a cell.
func (c *csv) quote(before, s string) {
	if !strings.ContainsAny(s, ",;\"\t\r\n") && s == strings.TrimSpace(s) {
		c.b = append(append(c.b, before...), s...)
		return
	}
	c.b = append(append(c.b, '"'), before...)
	for {
		at := strings.IndexByte(s, '"')
		if at < 0 {
			break
		}
		c.b = append(append(c.b, s[:at]...), '"', '"')
		s = s[at+1:]
	}
	c.b = append(append(c.b, s...), '"')
}

// guard stands before a text that a spreadsheet would run or change, and before
// one that begins with it or is empty; Unguard takes it away.
const guard = "'"

// guarded says that a cell's text needs the guard. A plain number needs none: a
// spreadsheet can do nothing with -5 but read it.
func guarded(s string) bool {
	if s == "" {
		return true
	}
	switch s[0] {
	case '=', '+', '@', '\t', '\r', '\n', guard[0]:
		return true
	case '-':
		return !plainNumber(s[1:])
	case 0xef: // the wide forms, which some spreadsheets read as the narrow ones
		return strings.HasPrefix(s, "＝") || strings.HasPrefix(s, "＋") || strings.HasPrefix(s, "－") || strings.HasPrefix(s, "＠")
	}
	return false
}

// plainNumber says that s is digits with at most one point within them.
func plainNumber(s string) bool {
	whole, fraction, point := strings.Cut(s, ".")
	return digits(whole) && (!point || digits(fraction))
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Guard gives the text of a cell so that no spreadsheet runs it.
func Guard(s string) string {
	if guarded(s) {
		return guard + s
	}
	return s
}

// Unguard gives the text that Guard was given.
func Unguard(s string) string { return strings.TrimPrefix(s, guard) }

// Exported says that a CSV's header is of a file that this package wrote.
func Exported(names []string) bool {
	have := 0
	for _, name := range names {
		if name == IDColumn || name == PayloadColumn {
			have++
		}
	}
	return have == 2
}
