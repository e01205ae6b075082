package tui

import (
	"fmt"
	"strings"

	"signalbox/themes"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// drawPlaces writes the line of places; the one shown unfolds into what is
// open in it. The other places lose their names where room is short.
func (a *app) drawPlaces(c *paint.Canvas) {
	shown := &a.places[a.at]
	trail := a.trail(shown)
	brief := a.placesWidth(false)+text.Width(trail) > c.Width()
	room := max(c.Width()-a.placesWidth(brief), 8)
	a.mouse.spots = a.mouse.spots[:0]
	for i := range a.places {
		p := &a.places[i]
		from := c.Col()
		c.Gap(1)
		switch {
		case p == shown:
			c.Put(themes.Accent, text.Safe(fmt.Sprint(p.number)))
			c.Put(themes.Title, " "+p.title())
			a.drawCount(c, p)
			c.Put(themes.Title, text.Truncate(trail, room, a.env.Glyphs.Ellipsis))
		case brief:
			c.Put(themes.Key, text.Safe(fmt.Sprint(p.number)))
		default:
			c.Put(themes.Key, text.Safe(fmt.Sprint(p.number)))
			c.Put(themes.Muted, " "+p.name)
			a.drawCount(c, p)
		}
		c.Gap(1)
		a.mouse.spots = append(a.mouse.spots, spot{from, c.Col(), p.number})
	}
	if a.env.Lost != nil && a.env.Snap != nil {
		c.Right(themes.Alert, " picture as of "+text.Safe(text.Clock(a.env.LostAt, a.env.Location()))+" ")
	}
	c.End()
}

// title is the title of the place's own screen.
func (p *place) title() text.Safe { return p.stack[0].Title() }

// words is how many items wait in a place, "" for none.
func (a *app) words(p *place) text.Safe {
	if p.count == nil {
		return ""
	}
	if n := p.count(a.env); n > 0 {
		return " " + text.Safe(text.CompactCount(n))
	}
	return ""
}

func (a *app) drawCount(c *paint.Canvas, p *place) { c.Put(themes.Text, a.words(p)) }

// trail names the screens open above the place's own, so that the way back is
// seen. An item whose queue stands before it is known by its number.
func (a *app) trail(p *place) text.Safe {
	trail := text.Safe("")
	for i := 1; i < len(p.stack); i++ {
		title := p.stack[i].Title()
		before := p.stack[i-1].Title()
		if rest, ok := strings.CutPrefix(string(title), string(before)+"/"); ok {
			title = "item " + text.Safe(rest)
		}
		trail += " " + text.Safe(a.env.Glyphs.Focus) + " " + title
	}
	return trail
}

// placesWidth is the room that the line needs without the trail.
func (a *app) placesWidth(brief bool) int {
	w := 0
	for i := range a.places {
		p := &a.places[i]
		w += 3
		switch {
		case i == a.at:
			w += 1 + text.Width(p.title()) + text.Width(a.words(p))
		case !brief:
			w += 1 + text.Width(p.name) + text.Width(a.words(p))
		}
	}
	return w
}
