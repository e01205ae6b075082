package tui

import (
	"path/filepath"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// bulksShown is the most bulk acts that get a line of their own.
const bulksShown = 3

// followed is a reply that tells the end of a bulk act, or 0 for none.
type followed interface{ BulkID() uint64 }

// bulkOver remembers that a bulk act has ended, which the picture may not know
// yet.
func (a *app) bulkOver(msg screen.Reply) {
	if f, ok := msg.(followed); ok && f.BulkID() != 0 {
		a.ended[f.BulkID()] = true
	}
}

// running are the bulk acts under way, whoever began them.
func (a *app) running() []engine.BulkState {
	if a.env.Snap == nil {
		return nil
	}
	var running []engine.BulkState
	for _, b := range a.env.Snap.Bulks {
		if b.Running() && !a.ended[b.ID] {
			running = append(running, b)
		}
	}
	return running
}

// bulksLost tells of acts that ran in the picture before and that the engine
// knows nothing of any more: it is another one, and what they had left is left.
func (a *app) bulksLost(before *engine.Snapshot) {
	if before == nil {
		return
	}
	for _, b := range before.Bulks {
		known := slices.ContainsFunc(a.env.Snap.Bulks, func(now engine.BulkState) bool { return now.ID == b.ID })
		if known || !b.Running() || a.ended[b.ID] {
			continue
		}
		what := text.Safe(act.Doing(b.Verb) + " " + text.Plural(int64(b.Of), "item"))
		a.toasts.Add(screen.Toast{Level: screen.Warning, Text: what + " ended with its engine: " + done(&b)}, a.env.Now)
	}
}

// bulkLines is how many lines they and the imports of this console take.
func (a *app) bulkLines() int {
	return min(len(a.running())+len(a.desk.Importing()), bulksShown)
}

// drawBulks writes a line for each bulk act under way, the newest last, with the
// key that stops that one.
func (a *app) drawBulks(c *paint.Canvas, n int) {
	importing := a.desk.Importing()
	for i := range importing[:min(len(importing), n)] {
		a.drawImport(c, &importing[i], i == len(importing)-1)
		n--
	}
	running := a.running()
	n = min(n, len(running)) // one may have ended meanwhile
	hidden := len(running) - n
	for i, b := range running[hidden:] {
		hint := text.Safe("")
		if i == n-1 && hidden > 0 {
			hint = text.Safe("and " + strconv.Itoa(hidden) + " more  ")
		}
		if key := a.env.Keys.Label(keymap.Stop); i == n-1 && len(importing) == 0 && key != "" && !a.env.ReadOnly {
			hint += text.Safe(key) + " stops it "
		}
		a.drawBulk(c, &b, hint)
		c.End()
	}
}

func (a *app) drawImport(c *paint.Canvas, im *act.Importing, last bool) {
	c.Gap(1)
	c.Put(themes.Text, "Importing "+text.Clean(filepath.Base(im.File))+" into "+text.Clean(im.Queue)+" ")
	words := "being checked"
	if im.Rows > 0 {
		words = text.Plural(im.Rows, "row")
	}
	c.Put(themes.Muted, text.Safe(a.env.Glyphs.Sep+" "+words))
	if key := a.env.Keys.Label(keymap.Stop); last && key != "" {
		c.Right(themes.Muted, text.Safe(key)+" stops it ")
	}
	c.End()
}

func (a *app) drawBulk(c *paint.Canvas, b *engine.BulkState, hint text.Safe) {
	const meter = 16
	e := a.env
	c.Gap(1)
	if b.By != e.Actor {
		c.Put(themes.Muted, text.Truncate(text.Clean(b.By), 16, e.Glyphs.Ellipsis)+": ")
	}
	c.Put(themes.Text, text.Safe(act.Doing(b.Verb)+" "))
	if c.Width() >= 100 {
		share := 0.0
		if b.Of > 0 {
			share = float64(b.Tried()) / float64(b.Of)
		}
		for i := range meter {
			if cell := e.Glyphs.Meter(i, meter, share); cell == " " {
				c.Put(themes.MeterTrack, text.Safe(e.Glyphs.Track))
			} else {
				c.Put(themes.MeterFill, text.Safe(cell))
			}
		}
		c.Gap(1)
	}
	c.Put(themes.Text, text.Safe(text.Count(int64(b.Tried()))+" of "+text.Count(int64(b.Of))))
	sep := " " + text.Safe(e.Glyphs.Sep) + " "
	if bad := b.Tried() - b.Done; bad > 0 {
		c.Put(themes.Warn, sep+text.Safe(text.Count(int64(bad)))+" not done")
	}
	if b.Rate.Items > 0 {
		c.Put(themes.Muted, sep+text.Safe(b.Rate.String()))
	}
	if left := timeLeft(b); left > 0 {
		c.Put(themes.Muted, sep+env.Span(left)+" left")
	}
	c.Right(themes.Muted, hint)
}

// timeLeft is how long an act has yet to go at the pace it had so far, once
// there is enough to tell.
func timeLeft(b *engine.BulkState) time.Duration {
	if b.Speed <= 0 || b.Tried() < 5 {
		return 0
	}
	return time.Duration(float64(b.Of-b.Tried()) / b.Speed * float64(time.Second))
}

// stop asks whether the import or the bulk act begun last is to end; one's own
// before others'.
func (a *app) stop() tea.Cmd {
	if importing := a.desk.Importing(); len(importing) > 0 {
		im := importing[len(importing)-1]
		a.dialogs = append(a.dialogs, dialog.NewConfirm(a.env, dialog.Confirm{
			Title: "Stop importing " + text.Clean(filepath.Base(im.File)) + "?", Yes: "Stop",
			Lines: []text.Safe{"Where all rows or none are wanted, none stays; else what is stored stays, and the outcome tells how to go on."},
			Then: func(env.Env, dialog.Answer) screen.Effects {
				im.Stop()
				return screen.Effects{}
			},
		}))
		return nil
	}
	running := a.running()
	if why := act.Barred(a.env, keymap.Stop); why != "" || len(running) == 0 {
		words := text.Safe("No act on many items is under way")
		if why != "" {
			words = "Can't stop anything: " + text.Clean(why)
		}
		a.toasts.Add(screen.Toast{Level: screen.Warning, Text: words, Brief: true}, a.env.Now)
		return nil
	}
	b := running[len(running)-1]
	for _, other := range running {
		if other.By == a.env.Actor {
			b = other
		}
	}
	whose := text.Safe("")
	if b.By != a.env.Actor {
		whose = ", which " + text.Clean(b.By) + " began"
	}
	a.dialogs = append(a.dialogs, dialog.NewConfirm(a.env, dialog.Confirm{
		Title: "Stop " + text.Safe(lower(act.Doing(b.Verb))) + " " + text.Safe(text.Plural(int64(b.Of), "item")) + whose + "?",
		Lines: []text.Safe{"What is done stays done; the rest is left as it is."}, Yes: "Stop",
		Then: func(env.Env, dialog.Answer) screen.Effects { return screen.Do(a.desk.Stop(b.ID)) },
	}))
	return nil
}

// done says how far an act has come, and what becomes of the rest if it ends.
func done(b *engine.BulkState) text.Safe {
	return text.Safe(text.Count(int64(b.Done)) + " are done and stay done; the rest is left as it is.")
}

func lower(s string) string { return string(s[0]|0x20) + s[1:] }

// quitWords say what quitting does to acts under way; none where nothing is.
func (a *app) quitWords() []text.Safe {
	ends := a.engine == EngineHere && a.env.Lost == nil
	var words []text.Safe
	if ends {
		for _, b := range a.running() {
			words = append(words, text.Safe(act.Doing(b.Verb)+" "+text.Plural(int64(b.Of), "item"))+" ends with the engine in this console:", "  "+done(&b))
		}
	}
	switch {
	case len(words) > 0 || a.acts == 0:
		return words
	case len(a.running()) > 0:
		return []text.Safe{"It goes on in the engine; its outcome will not be shown here."}
	}
	return []text.Safe{"What has been handed in goes on; its outcome will not be shown."}
}
