package form

import (
	"slices"

	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// asked says that a field is one that is asked for now.
func (d *form) asked(i int, values Values) bool {
	return d.Fields[i].When == nil || d.Fields[i].When(values)
}

// all lists the fields that are asked for, and here those on the page in hand.
func (d *form) all() []int {
	values := d.values()
	var list []int
	for i := range d.Fields {
		if d.asked(i, values) {
			list = append(list, i)
		}
	}
	return list
}

func (d *form) here() []int {
	return slices.DeleteFunc(d.all(), func(i int) bool { return d.Fields[i].Page != d.Fields[d.at].Page })
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
func (d *form) tallest() int {
	most, on := 0, map[text.Safe]int{}
	for _, i := range d.all() {
		on[d.Fields[i].Page]++
		most = max(most, on[d.Fields[i].Page])
	}
	return most
}

// move goes by fields, over the ends of pages.
func (d *form) move(by int) {
	all := d.all()
	d.at = all[max(min(slices.Index(all, d.at)+by, len(all)-1), 0)]
}

// next goes to the next field, and from the last to the first.
func (d *form) next() {
	all := d.all()
	d.at = all[(slices.Index(all, d.at)+1)%len(all)]
}

// page goes by pages; where there is one, to its first field or its last.
func (d *form) page(by int) {
	names := d.pages()
	if len(names) == 1 {
		d.move(by * len(d.Fields))
		return
	}
	d.show(names[(slices.Index(names, d.Fields[d.at].Page)+by+len(names))%len(names)])
}

// show goes to the first field of a page.
func (d *form) show(page text.Safe) {
	for _, i := range d.all() {
		if d.Fields[i].Page == page {
			d.at = i
			return
		}
	}
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
	here := d.here()
	if at := d.top + y; y >= 0 && y < d.rows && at < len(here) {
		if d.at == here[at] {
			d.turn(1)
		}
		d.at = here[at]
	}
}
