package items

import (
	"cmp"
	"slices"

	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/table"
)

// Of the payload's fields so many are shown to begin with, and so many can be
// chosen.
const (
	shownFields = 3
	mostFields  = 12
)

// fields are what the payloads of the rows in sight hold, for whoever has to
// decide on them. They are read for these rows only.
type fields struct {
	flying bool
	known  map[store.ID]known
	titles []text.Safe // of their columns; chosen when the first have come, and kept
}

// known is what was read of an item.
type known struct {
	revision uint64
	fields   []act.Field
}

// mostKnown is how many items' fields are kept.
const mostKnown = 2000

// inform reads the payloads of the rows in sight that are not known yet. Where
// the queue's mask is not known nothing is read.
func (s *Items) inform(e env.Env) screen.Effects {
	queue, there := e.Queue(s.source.request.Queue)
	if !s.source.deciding() || s.fields.flying || !there {
		return screen.Effects{}
	}
	var unread []store.Item
	for _, i := range s.Table.InSight(height(e)) {
		if k, ok := s.fields.known[i.ID()]; !ok || k.revision != i.Revision {
			unread = append(unread, i)
		}
	}
	if len(unread) == 0 {
		return screen.Effects{}
	}
	s.fields.flying = true
	return screen.Do(s.Desk.Fields(s.Address(), unread, queue.Mask))
}

// fielded takes in what was read.
func (s *Items) fielded(msg act.Fielded) {
	f := &s.fields
	f.flying = false
	if f.known == nil || len(f.known) > mostKnown {
		f.known = map[store.ID]known{}
	}
	for i := range msg.Asked {
		id := msg.Asked[i].ID()
		f.known[id] = known{msg.Asked[i].Revision, msg.Fields[id]}
	}
	if f.titles == nil {
		s.choose(msg)
	}
	s.Table.Measure()
}

// choose makes columns of fields: first of those in which the rows differ.
func (s *Items) choose(msg act.Fielded) {
	all := survey(msg)
	if len(all) == 0 {
		return
	}
	columns := columns(true, false, s.source.group.Text)
	taken := map[text.Safe]bool{}
	for i := range columns {
		taken[columns[i].Title] = true
	}
	var own []table.Column[store.Item]
	for i, f := range all {
		title := text.Truncate(text.Clean(f.name), 16, "")
		if title == "" || taken[title] {
			title = "payload " + title
		}
		if taken[title] {
			continue
		}
		taken[title] = true
		s.fields.titles = append(s.fields.titles, title)
		own = append(own, s.column(title, f, min(i+1, shownFields)))
	}
	s.Table.SetColumns(slices.Concat(columns[:2], own, columns[2:]))
	for i, title := range s.fields.titles {
		s.Table.Show(title, i < shownFields)
	}
}

func (s *Items) column(title text.Safe, f tallied, drop int) table.Column[store.Item] {
	of := func(i *store.Item) text.Safe {
		all := s.fields.known[i.ID()].fields
		if at := slices.IndexFunc(all, func(o act.Field) bool { return o.Name == f.name }); at >= 0 {
			return all[at].Value
		}
		return ""
	}
	return table.Column[store.Item]{
		Title: title, Min: max(text.Width(title), 6), Most: 28, Drop: drop, Right: f.numeric,
		Measure: func(i *store.Item) string { return string(of(i)) },
		Cell:    func(_ env.Env, i *store.Item) table.Cell { return table.Cell{Role: themes.Text, Text: of(i)} },
	}
}

// tallied is a field as the rows have it.
type tallied struct {
	name    string
	numeric bool
	values  map[text.Safe]bool
	repeats int // how often it says what the reference says
	there   int
}

// survey gives the fields that are worth a column: those that differ from row to
// row before those that don't, each in the payload's order. What the reference
// says already is none.
func survey(msg act.Fielded) []tallied {
	var all []tallied
	for i := range msg.Asked {
		item := &msg.Asked[i]
		for _, f := range msg.Fields[item.ID()] {
			at := slices.IndexFunc(all, func(t tallied) bool { return t.name == f.Name })
			if at < 0 {
				at = len(all)
				all = append(all, tallied{name: f.Name, numeric: true, values: map[text.Safe]bool{}})
			}
			t := &all[at]
			t.there++
			t.values[f.Value] = true
			t.numeric = t.numeric && f.Numeric
			if string(f.Value) == item.Reference {
				t.repeats++
			}
		}
	}
	all = slices.DeleteFunc(all, func(t tallied) bool { return t.repeats == t.there })
	slices.SortStableFunc(all, func(a, b tallied) int { return cmp.Compare(rank(&a), rank(&b)) })
	return all[:min(len(all), mostFields)]
}

func rank(t *tallied) int {
	if len(t.values) > 1 {
		return 0
	}
	return 1
}
