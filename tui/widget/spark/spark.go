// Package spark draws a row of small columns.
package spark

import (
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Text gives the last w values as columns of most.
func Text(e env.Env, values []int, most, w int) text.Safe {
	if len(values) > w {
		values = values[len(values)-w:]
	}
	out := make([]byte, 0, 4*w)
	for range w - len(values) {
		out = append(out, ' ')
	}
	for _, v := range values {
		out = append(out, e.Glyphs.Column(float64(v), float64(most))...)
	}
	return text.Safe(out)
}

// Draw writes the last w values, the newest at the right.
func Draw(e env.Env, c *paint.Canvas, values []int, most, w int) {
	c.Put(themes.Graph, Text(e, values, most, w))
}
