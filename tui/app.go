// Package tui is the console: a terminal program that shows what an engine
// does and lets a person act on it.
//
// The engine's picture comes in as snapshots, one command in flight at a time;
// long lists and single items are read by commands of the screens; keys go out
// as acts. The root in this package routes all of that and owns the stacks of
// screens and dialogs; it knows nothing of queues or items. What is seen is
// drawn from state alone and kept until something changes, so a picture that
// stays the same costs nothing and writes nothing.
package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/keymap"
	"signalbox/themes"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/paint"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/progress"
	"signalbox/tui/widget/toast"
)

// place is one of the numbered screens with what has been opened from it.
type place struct {
	number int
	name   text.Safe
	count  func(env.Env) int64 // what waits there, nil where nothing does
	stack  []screen.Screen
}

func (p *place) top() screen.Screen { return p.stack[len(p.stack)-1] }

type app struct {
	env      env.Env
	desk     act.Desk
	clock    func() time.Time
	title    text.Safe
	file     string // where settings are kept, "" for nowhere
	demo     bool
	look     look
	prefs    prefs
	mouse    mouse
	guard    guard
	keeper   keeper
	tea      *tea.Program // whose frames are paced
	pace     pace
	feed     feed
	places   []place
	speeds   *progress.Speeds // of the jobs, kept up whatever is in front
	at       int              // the place shown
	dialogs  []screen.Dialog
	toasts   toast.List
	acts     int             // under way
	pause    act.Switch      // whose key also resumes
	awaits   bool            // a question is on its way
	undo     screen.Undo     // of the act done last
	ended    map[uint64]bool // bulk acts whose end has been told
	engine   EngineAt
	clippers [][]string // programs that reach the desktop's clipboard
	ticking  bool       // a tick is on its way
	minutes  bool       // the next minute is waited for
	still    bool       // neither feed nor clock: one frame is all that is wanted
	dirty    bool
	whole    *paint.Canvas // reused from frame to frame, as is the screen's
	body     *paint.Canvas
	view     tea.View
}

// look is what the theme follows from.
type look struct {
	dark    bool
	profile colorprofile.Profile
	plain   bool                     // the terminal has no shapes but ASCII
	themes  map[string]*themes.Theme // the person's own, by name
	names   []string                 // of all themes, in the order of the key
}

// Init implements tea.Model.
func (a *app) Init() tea.Cmd {
	a.pace.of(a.tea)
	cmds := []tea.Cmd{a.wake(), a.ask()}
	if a.prefs.Theme == "" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// Update implements tea.Model.
func (a *app) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer a.rescue("an update")
	a.pace.up()
	a.env.Now = a.clock()
	cmd = a.route(msg)
	return a, tea.Batch(cmd, a.tick(), a.minute())
}

// View implements tea.Model.
func (a *app) View() tea.View {
	defer a.rescue("a drawing")
	if a.dirty && a.guard.err == nil {
		a.dirty = false
		a.view = a.draw()
	}
	return a.view
}

// tick asks for the next second, if anything on the screen needs it.
func (a *app) tick() tea.Cmd {
	if a.ticking || a.still || a.feed.frozen || !a.needsClock() {
		return nil
	}
	a.ticking = true
	ctx := a.feed.ctx
	return func() tea.Msg {
		sleep(ctx, time.Second)
		return tickMsg{}
	}
}

// minute asks for the next whole minute, which the clock in the header shows
// and which is all that an idle console writes.
func (a *app) minute() tea.Cmd {
	if a.minutes || a.still || a.feed.frozen {
		return nil
	}
	a.minutes = true
	ctx, left := a.feed.ctx, time.Minute-time.Duration(a.env.Now.UnixNano()%int64(time.Minute))
	return func() tea.Msg {
		sleep(ctx, left)
		return minuteMsg{}
	}
}

func (a *app) needsClock() bool {
	if a.toasts.Fading() || len(a.desk.Importing()) > 0 {
		return true
	}
	top := a.top()
	if s, ok := top.(screen.Ticking); ok && a.env.Lost == nil && s.Ticks(a.env) {
		return true
	}
	s, ok := top.(screen.Settling)
	return ok && s.Holding(a.env)
}

func (a *app) top() screen.Screen { return a.places[a.at].top() }

// wake tells the front screen that it is shown.
func (a *app) wake() tea.Cmd { return a.apply(a.top().Update(a.env, screen.Shown{})) }

// apply carries out what the screen or dialog in front wants.
func (a *app) apply(e screen.Effects) tea.Cmd { return a.applyIn(&a.places[a.at], e) }

// applyIn carries out what a screen of a place wants, which may not be the
// place shown: its answer may come after the person has gone elsewhere.
func (a *app) applyIn(p *place, e screen.Effects) tea.Cmd {
	var cmds []tea.Cmd
	for _, cmd := range e.Cmds {
		cmds = append(cmds, a.guarded(cmd))
	}
	for _, intent := range e.Intents {
		if cmd := a.carry(p, intent); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

func (a *app) carry(p *place, intent screen.Intent) tea.Cmd {
	switch i := intent.(type) {
	case screen.Push:
		p.stack = append(p.stack, i.Screen)
		return a.wake()
	case screen.Leave:
		return a.leave(p)
	case screen.Ask:
		a.dialogs = append(a.dialogs, i.Dialog)
	case screen.Close:
		if n := len(a.dialogs); n > 0 {
			a.dialogs = a.dialogs[:n-1]
		}
	case screen.Say:
		a.toasts.Add(i.Toast, a.env.Now)
	case screen.Awaits:
		a.awaits = true
	case screen.Started:
		a.acts++
	case screen.Undo:
		a.undo = i
		a.toasts.Settle()
	case screen.Set:
		a.set(i)
	case screen.Save:
		return a.savePrefs()
	case screen.Press:
		return a.press(i.Action)
	case screen.Go:
		return a.goOpen(i)
	case screen.Narrow:
		return a.narrow(i.Filter)
	case screen.Clip:
		return a.clip(i)
	}
	return nil
}

func (a *app) leave(p *place) tea.Cmd {
	if len(p.stack) == 1 {
		return nil
	}
	p.stack = p.stack[:len(p.stack)-1]
	return a.wake()
}

// goTo shows the place with a number; a second press goes back to its start.
func (a *app) goTo(number int) tea.Cmd {
	for i := range a.places {
		if a.places[i].number != number {
			continue
		}
		if a.at == i {
			a.places[i].stack = a.places[i].stack[:1]
		}
		a.at = i
		return a.wake()
	}
	a.toasts.Add(screen.Toast{Level: screen.Warning, Text: text.Safe(fmt.Sprintf("There is no screen %d", number)), Brief: true}, a.env.Now)
	return nil
}

// takeBack undoes the last act, if that one can be.
func (a *app) takeBack() tea.Cmd {
	u := a.undo
	say := func(words text.Safe) {
		a.toasts.Add(screen.Toast{Level: screen.Warning, Text: words, Brief: true}, a.env.Now)
	}
	switch why := act.Barred(a.env, keymap.Undo); {
	case why != "":
		say("Can't take anything back: " + text.Clean(why))
	case u.What == "":
		say("There is nothing to take back")
	case u.Cmd == nil:
		say("This can't be taken back: " + u.What)
	default:
		a.undo = screen.Undo{}
		a.toasts.Settle()
		a.acts++
		return u.Cmd
	}
	return nil
}

// quit ends the program, after a question while an act is under way, or while
// the engine that would end with it is at work.
func (a *app) quit() tea.Cmd {
	working := int64(0)
	if a.engine == EngineHere && !a.demo && a.env.Lost == nil {
		working = drains(a.env)
	}
	acting := a.quitWords()
	switch {
	case len(acting) > 0:
		a.dialogs = append(a.dialogs, quitDialog(a.env, "Quit while an act is under way?", acting...))
	case working > 0:
		a.dialogs = append(a.dialogs, quitDialog(a.env, "Quit, and stop the engine?",
			text.Safe(text.Plural(working, "slot"))+hold(working)+" work of the engine in this console.",
			"It gets 25 s to finish; what is left is given back, at no cost to its tries.",
			"`signalbox serve` would keep an engine running without a screen."))
	default:
		return tea.Quit
	}
	return nil
}

func hold(n int64) text.Safe {
	if n == 1 {
		return " holds"
	}
	return " hold"
}
