// Package env is what every screen and widget is told about the world: looks,
// keys, clock, size and the engine's picture.
//
// An Env is a value. The root makes a new one when something changes and hands
// it down; nobody below keeps or alters one, and there are no globals.
package env

import (
	"strconv"
	"strings"
	"time"

	"signalbox/config"
	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/paint"
	"signalbox/tui/text"
)

// Zone is how times are shown.
type Zone uint8

// The zones, in the order in which a key goes through them.
const (
	Local Zone = iota
	UTC
	Relative
	zones
)

// Next is the zone after z.
func (z Zone) Next() Zone { return (z + 1) % zones }

// Class is how much room there is.
type Class uint8

// The size classes.
const (
	TooSmall Class = iota // one line is all that can be said
	Narrow                // from 50x15
	Compact               // from 80x24
	Full                  // from 120x30
)

// ClassOf tells the class of a terminal of w by h cells.
func ClassOf(w, h int) Class {
	switch {
	case w >= 120 && h >= 30:
		return Full
	case w >= 80 && h >= 24:
		return Compact
	case w >= 50 && h >= 15:
		return Narrow
	}
	return TooSmall
}

// Env is the world as one Update or Draw sees it.
type Env struct {
	Theme    *themes.Theme
	Glyphs   *themes.Glyphs
	Keys     *keymap.Map
	Snap     *engine.Snapshot // nil until the first has come
	Lost     error            // why the engine does not answer, nil while it does
	LostAt   time.Time        // since when
	Now      time.Time
	Place    *time.Location // the local zone
	Zone     Zone
	Width    int
	Height   int
	Focused  bool
	ReadOnly bool
	Allow    config.Allow // which verbs the person may use
	Actor    string
}

// Class is the terminal's size class.
func (e Env) Class() Class { return ClassOf(e.Width, e.Height) }

// Canvas makes an empty picture in the theme.
func (e Env) Canvas(w, h int) *paint.Canvas { return paint.New(e.Theme, e.Glyphs.Ellipsis, w, h) }

// Renew empties a canvas for another picture in the theme; nil makes one.
func (e Env) Renew(c *paint.Canvas, w, h int) *paint.Canvas {
	if c == nil {
		return e.Canvas(w, h)
	}
	c.Reset(e.Theme, e.Glyphs.Ellipsis, w, h)
	return c
}

// Location is the zone of clocks; for relative times it is the local one.
func (e Env) Location() *time.Location {
	if e.Zone == UTC || e.Place == nil {
		return time.UTC
	}
	return e.Place
}

// When words a moment in the zone chosen.
func (e Env) When(t store.Time) text.Safe {
	zone := e.Location()
	if e.Zone == Relative {
		zone = nil
	}
	return text.Safe(text.When(t.Time(), e.Now, zone))
}

// Moment words a moment to the second with its date, or as a distance where
// distances are chosen: all times of an item's page look so.
func (e Env) Moment(t store.Time) text.Safe {
	if e.Zone == Relative || t.IsZero() {
		return e.When(t)
	}
	return text.Safe(t.Time().In(e.Location()).Format("2006-01-02 15:04:05"))
}

// Since is how long ago t was, to the second, never negative.
func (e Env) Since(t store.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return max(e.Now.Sub(t.Time()), 0).Truncate(time.Second)
}

// Age words how long ago t was, in whole seconds.
func (e Env) Age(t store.Time) text.Safe { return Span(e.Since(t)) }

// Span words a duration in whole seconds, as clocks that tick once a second
// show it.
func Span(d time.Duration) text.Safe {
	if d < time.Minute {
		return text.Safe(strconv.Itoa(int(d/time.Second)) + "s")
	}
	return text.Safe(text.Duration(d))
}

// Until is how far ahead t lies, to the second, never negative.
func (e Env) Until(t store.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return max(t.Time().Sub(e.Now), 0).Truncate(time.Second)
}

// Queue finds a queue in the picture.
func (e Env) Queue(name string) (engine.QueueState, bool) {
	if e.Snap == nil {
		return engine.QueueState{}, false
	}
	for i := range e.Snap.Queues {
		if e.Snap.Queues[i].Name == name {
			return e.Snap.Queues[i], true
		}
	}
	return engine.QueueState{}, false
}

// Standing is how an item's status looks and reads. What broke a business rule
// is a business exception in every family: a person must look at it, whatever
// the status is called.
func (e Env) Standing(s store.Status, kind string) (themes.Role, text.Safe) {
	if Business(s, kind) {
		words := s.String()
		if s != store.BusinessException {
			words += ", business"
		}
		return themes.StateException, text.Safe(e.Glyphs.Status(store.BusinessException) + " " + words)
	}
	return themes.StatusRole(s), text.Safe(e.Glyphs.Status(s) + " " + s.String())
}

// Business says that an item in a status, with an error of a kind, is a
// business exception.
func Business(s store.Status, kind string) bool {
	return s == store.BusinessException || s == store.Failed && kind == engine.Business
}

// AsOf is the world as it was when the engine was last heard: its looks are
// muted and its clock stands, so that no old picture passes for a live one.
// While the engine answers it is e itself.
func (e Env) AsOf() Env {
	if e.Lost == nil || e.Snap == nil {
		return e
	}
	e.Now = e.LostAt
	e.Theme = e.Theme.Faded()
	return e
}

// Mask is the fields that a queue wants hidden.
func (e Env) Mask(queue string) []string {
	q, _ := e.Queue(queue)
	return q.Mask
}

// Excepted counts the failed items of a jobs queue that wait as business
// exceptions.
func (e Env) Excepted(queue string) (n int64) {
	if e.Snap == nil {
		return 0
	}
	for i := range e.Snap.Groups {
		if g := &e.Snap.Groups[i]; g.Queue == queue && g.Status == store.Failed && Business(g.Status, g.Kind) {
			n += g.Count
		}
	}
	return n
}

// Robot names who works or worked an item. The engine's own drains bear its
// incarnation and their queue, which tell a reader nothing new beside it; what
// is left is their number.
func Robot(name string) string {
	if rest, ok := strings.CutPrefix(name, engine.DrainPrefix); ok {
		return "drain " + rest[strings.LastIndexByte(rest, '/')+1:]
	}
	return name
}
