package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// here is the field in hand.
func (d *form) here() *field { return d.huh.GetFocusedField().(*field) }

// all lists the fields that are asked for.
func (d *form) all() []*field {
	var list []*field
	for i, asked := range d.asked {
		if asked {
			list = append(list, d.fields[i])
		}
	}
	return list
}

// on lists those of a page.
func (d *form) on(page text.Safe) []*field {
	return slices.DeleteFunc(d.all(), func(f *field) bool { return f.Spec.Page != page })
}

// first says that a field is the first of its page.
func (d *form) first(f *field) bool {
	for i := f.at - 1; i >= 0 && d.Fields[i].Page == f.Spec.Page; i-- {
		if d.asked[i] {
			return false
		}
	}
	return true
}

// pages are the names of the pages in their order.
func (d *form) pages() []text.Safe {
	var names []text.Safe
	for _, f := range d.Fields {
		if !slices.Contains(names, f.Page) {
			names = append(names, f.Page)
		}
	}
	return names
}

func (d *form) paged() bool { return len(d.pages()) > 1 }

// tallest is how many fields the longest page has, so that the form keeps its
// height while pages are turned.
func (d *form) tallest() (most int) {
	for _, page := range d.pages() {
		most = max(most, len(d.on(page)))
	}
	return most
}

// goTo takes a field that is asked for in hand. huh goes by steps; from the ends
// of a page, and of the form, none may be asked of it: it lets go of the field
// then, and sends itself a message, or takes the form for done.
func (d *form) goTo(at int) {
	for range d.Fields {
		from := d.here()
		switch {
		case from.at == at:
			d.stale = true
			return
		case from.Spec.Page != d.Fields[at].Page && from.at < at:
			from.Blur()
			d.huh.NextGroup()
		case from.Spec.Page != d.Fields[at].Page:
			from.Blur()
			d.huh.PrevGroup()
		case from.at < at:
			d.huh.NextField()
		default:
			d.huh.PrevField()
		}
	}
}

// move goes by fields, over the ends of pages.
func (d *form) move(by int) {
	all := d.all()
	d.goTo(all[max(min(slices.Index(all, d.here())+by, len(all)-1), 0)].at)
}

// next goes by a field, from the last to the first and from the first to the last.
func (d *form) next(by int) {
	all := d.all()
	d.goTo(all[(slices.Index(all, d.here())+by+len(all))%len(all)].at)
}

// turn goes by pages; where there is one, to its first field or its last.
func (d *form) turn(by int) {
	names := d.pages()
	if len(names) == 1 {
		d.move(by * len(d.Fields))
		return
	}
	d.show(names[(slices.Index(names, d.here().Spec.Page)+by+len(names))%len(names)])
}

// show goes to the first field of a page.
func (d *form) show(page text.Safe) {
	if on := d.on(page); len(on) > 0 {
		d.goTo(on[0].at)
	}
}

// top is the first field of a page that is seen, where it has more than there is
// room for: huh keeps the one in hand as high as it can, below the one before it.
func (d *form) top(on []*field) int {
	return max(min(slices.Index(on, d.here())-1, len(on)-d.rows), 0)
}

// click takes a click of the mouse: on the name of a page, or on a field, which
// a second click turns.
func (d *form) click(msg screen.Click) {
	y := msg.Y - 1
	if d.paged() {
		if y == 0 {
			for i, name := range d.pages() {
				if msg.X-2 < d.tabs[i] {
					d.show(name)
					return
				}
			}
			return
		}
		y -= tabRows
	}
	on := d.on(d.here().Spec.Page)
	at := d.top(on) + y
	switch {
	case y < 0 || y >= d.rows || at >= len(on):
	case on[at] != d.here():
		d.goTo(on[at].at)
	case on[at].Spec.Options != nil:
		d.huh.Update(tea.KeyPressMsg{Code: tea.KeySpace})
	}
}
