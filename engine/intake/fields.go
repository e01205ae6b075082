package intake

import (
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/store"
)

// fields reads an item's own fields from cells. An empty cell and the text
// NULL, which databases export for nothing, mean none.
type fields struct {
	now  time.Time
	zone *time.Location
}

func newFields(opt Options) fields { return fields{opt.Now, opt.Zone} }

func (f fields) set(item *engine.NewItem, reference, due, priority, deferral string) (err error) {
	item.Reference = orNone(reference)
	if item.DueAt, err = f.time("due", due); err != nil {
		return err
	}
	if item.DeferUntil, err = f.time("defer", deferral); err != nil {
		return err
	}
	item.Priority, err = parsePriority(orNone(priority))
	return err
}

func (f fields) time(name, cell string) (store.Time, error) {
	text := orNone(cell)
	if text == "" {
		return 0, nil
	}
	t, err := ParseTime(text, f.now, f.zone)
	if err != nil {
		return 0, store.Invalid(name+" "+quoted(text), "it is not a time", timeForms)
	}
	return t, nil
}

func orNone(cell string) string {
	cell = strings.TrimSpace(cell)
	if cell == "NULL" {
		return ""
	}
	return cell
}

// parsePriority takes UiPath's numbers beside the names.
func parsePriority(s string) (store.Priority, error) {
	switch s {
	case "1":
		return store.Low, nil
	case "2":
		return store.Normal, nil
	case "3":
		return store.High, nil
	}
	return store.ParsePriority(s)
}
