package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/keymap"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/screen/help"
	"signalbox/tui/screen/settings"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// tickMsg is a second gone by.
type tickMsg struct{}

// minuteMsg is a whole minute reached.
type minuteMsg struct{}

// barrierMsg is answered when all messages before it have been dealt with.
type barrierMsg struct{ done chan<- struct{} }

// route gives a message to its owner: the terminal's own and the feed's to the
// root, answers to the screen that asked, keys to whoever has the keyboard.
func (a *app) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg, tea.ColorProfileMsg, tea.BackgroundColorMsg, tea.FocusMsg, tea.BlurMsg, tea.ResumeMsg:
		a.terminal(msg)
		return nil
	case fedMsg:
		return a.fed(msg)
	case tickMsg:
		a.ticking = false
		return a.second()
	case minuteMsg:
		a.minutes = false
		a.dirty = a.dirty || !a.feed.frozen
		return nil
	case screen.Reply:
		return a.deliver(msg)
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		return a.typed(screen.Pasted{Text: msg.Content})
	case tea.MouseClickMsg:
		return a.click(msg)
	case tea.MouseWheelMsg:
		return a.wheel(msg)
	case turnMsg:
		return a.turn()
	case screen.Found, screen.Written:
		return a.typed(msg)
	case broken:
		a.broke("a command", msg.value, msg.stack)
	case clippedMsg:
		a.clipped(msg)
	case savedMsg:
		a.saved(msg)
	case barrierMsg:
		close(msg.done)
	}
	return nil
}

// terminal takes in what the terminal says of itself.
func (a *app) terminal(msg tea.Msg) {
	a.dirty = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.env.Width, a.env.Height = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		a.look.profile = msg.Profile
		a.restyle()
	case tea.BackgroundColorMsg:
		a.look.dark = msg.IsDark()
		a.restyle()
	case tea.FocusMsg:
		a.env.Focused = true
		a.mouse.raises = true
	case tea.BlurMsg:
		a.env.Focused = false
		a.mouse.raises = false
	}
	if a.feed.frozen {
		_, resized := msg.(tea.WindowSizeMsg)
		_, resumed := msg.(tea.ResumeMsg)
		a.dirty = resized || resumed
	}
}

// second lets what hangs on the clock move on.
func (a *app) second() tea.Cmd {
	if a.feed.frozen {
		return nil
	}
	a.toasts.Expire(a.env.Now)
	a.dirty = true
	if s, ok := a.top().(screen.Settling); ok && !s.Holding(a.env) {
		return a.apply(a.top().Update(a.env, screen.Fed{}))
	}
	return nil
}

// deliver gives an answer to the screen that asked, wherever it is by now.
func (a *app) deliver(msg screen.Reply) tea.Cmd {
	_, finished := msg.(screen.Finisher)
	if finished {
		a.acts--
		a.bulkOver(msg)
	}
	if reply, ok := msg.(screen.Awaited); ok && reply.Awaited() {
		a.awaits = false
	}
	// A frozen picture gives way only to the outcome of an act.
	redraw := finished || !a.feed.frozen
	for i := range a.places {
		for _, s := range a.places[i].stack {
			if s.ID() == msg.Address().Screen {
				a.dirty = a.dirty || redraw
				return a.applyIn(&a.places[i], s.Update(a.env, msg))
			}
		}
	}
	// Nobody is left to tell the outcome of an act, so the root does.
	if told, ok := msg.(screen.Teller); ok {
		a.dirty = a.dirty || redraw
		cmd := a.apply(told.Tell())
		if finished { // what is shown has just been changed
			cmd = tea.Batch(cmd, a.wake())
		}
		return cmd
	}
	return nil
}

// scope is where keys have their meaning now.
func (a *app) scope() keymap.Scope {
	if n := len(a.dialogs); n > 0 {
		return a.dialogs[n-1].Scope()
	}
	return a.top().Scope()
}

func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	a.mouse.raises = false
	if a.feed.frozen { // a dialog may have come since; its keys wait until it is seen
		action, _ := a.pressed(a.top().Scope(), msg)
		return a.frozenKey(action)
	}
	scope := a.scope()
	action, ok := a.pressed(scope, msg)
	if a.toasts.KeyPressed() {
		a.dirty = true
	}
	if a.awaits && action != keymap.Interrupt && action != keymap.Suspend {
		return a.await(action)
	}
	if !ok {
		if scope == keymap.Input || scope == keymap.Command {
			return a.typed(screen.Typed{Press: msg})
		}
		return nil
	}
	return a.press(action)
}

// await swallows a key that is meant for a question which is not seen yet: it
// must not act on what stands behind. Going back gives the question up.
func (a *app) await(action keymap.Action) tea.Cmd {
	if action != keymap.Back {
		return nil
	}
	a.awaits = false
	return a.apply(a.top().Update(a.env, screen.Forget{}))
}

// pressed is what a key press does in a scope. Where the person's layout has
// another letter on it, and the terminal tells, the key of the common layout
// counts; but not where letters are typed.
func (a *app) pressed(scope keymap.Scope, msg tea.KeyPressMsg) (keymap.Action, bool) {
	action, ok := a.env.Keys.Action(scope, msg.String())
	if ok || msg.BaseCode == 0 || msg.BaseCode == msg.Code || scope == keymap.Input || scope == keymap.Command {
		return action, ok
	}
	base := tea.KeyPressMsg{Code: msg.BaseCode, Mod: msg.Mod}
	switch msg.Mod {
	case 0:
		base.Text = string(msg.BaseCode)
	case tea.ModShift:
		base.Text = strings.ToUpper(string(msg.BaseCode))
	}
	return a.env.Keys.Action(scope, base.String())
}

// frozenKey lets a still picture be released or left, nothing else.
func (a *app) frozenKey(action keymap.Action) tea.Cmd {
	switch action {
	case keymap.Freeze, keymap.Back:
		return a.release()
	case keymap.Quit: // there may be a question, which must be seen
		return tea.Batch(a.release(), a.program(action))
	case keymap.Interrupt, keymap.Suspend:
		return a.program(action)
	}
	return nil
}

// press carries out an action: the program's own, the dialog's in front, then
// the console's, then the screen's.
func (a *app) press(action keymap.Action) tea.Cmd {
	a.dirty = true
	if action == keymap.Interrupt || action == keymap.Suspend {
		return a.program(action)
	}
	if action != keymap.Pause {
		a.pause = act.Switch{}
	} else if !a.pause.Takes(a.env.Now) {
		return nil
	}
	if n := len(a.dialogs); n > 0 {
		front := a.dialogs[n-1]
		if action == keymap.Help && front.Scope() != keymap.HelpView {
			a.dialogs = append(a.dialogs, help.New(front.Scope(), answersOf(front), wordOf(front)))
			return nil
		}
		return a.apply(front.Update(a.env, screen.Key{Action: action}))
	}
	if b, ok := a.env.Keys.Binding(action); ok && b.Later {
		a.toasts.Add(screen.Toast{Text: "Not built yet: " + text.Safe(b.Help), Brief: true}, a.env.Now)
		return nil
	}
	if number, ok := action.Number(); ok {
		return a.goTo(number)
	}
	switch action {
	case keymap.Quit:
		return a.program(action)
	case keymap.Help:
		a.dialogs = append(a.dialogs, help.New(a.top().Scope(), a.answers, a.special))
	case keymap.Freeze:
		a.feed.freeze(a.env.Now)
	case keymap.Zone:
		a.env.Zone = a.env.Zone.Next()
	case keymap.Theme:
		a.nextTheme()
	case keymap.Mouse:
		a.toggleMouse()
	case keymap.Palette:
		a.dialogs = append(a.dialogs, a.palette())
	case keymap.Settings:
		a.dialogs = append(a.dialogs, settings.New(a.settings(), text.Clean(a.file)))
	case keymap.Undo:
		return a.takeBack()
	case keymap.Stop:
		return a.stop()
	case keymap.Back:
		return a.back()
	default:
		return a.act(action)
	}
	return nil
}

// act gives an action to the screen in front. That it means nothing there, or
// can do nothing now, is told, but for a step where there is nowhere to go.
func (a *app) act(action keymap.Action) tea.Cmd {
	b, _ := a.env.Keys.Binding(action)
	say := func(words text.Safe) {
		a.toasts.Add(screen.Toast{Level: screen.Warning, Text: words, Brief: true}, a.env.Now)
	}
	scope := a.top().Scope()
	typing := scope == keymap.Input || scope == keymap.Command
	if b.Group != "Move" && !typing && !a.top().Answers(action) {
		say(text.Safe(a.env.Keys.LabelIn(scope, action)+" ("+b.Help+")") + " does nothing on " + a.top().Title())
		return nil
	}
	effects := a.top().Update(a.env, screen.Key{Action: action})
	if s, ok := a.top().(screen.Refusing); ok && len(effects.Cmds) == 0 && len(effects.Intents) == 0 {
		if why := s.Refuses(a.env, action); why != "" {
			say("Can't " + text.Safe(b.Help) + ": " + why)
		}
	}
	return a.apply(effects)
}

// answersOf says which actions a dialog answers to: all of its scope, unless it
// says otherwise.
func answersOf(d screen.Dialog) func(keymap.Action) bool {
	if some, ok := d.(interface{ Answers(keymap.Action) bool }); ok {
		return some.Answers
	}
	return func(keymap.Action) bool { return true }
}

// wordOf gives the dialog's own words for actions, "" for the keymap's.
func wordOf(d screen.Dialog) func(keymap.Action) text.Safe {
	if own, ok := d.(screen.Wording); ok {
		return own.Word
	}
	return func(keymap.Action) text.Safe { return "" }
}

// answers says that an action does something now.
func (a *app) answers(action keymap.Action) bool {
	if number, ok := action.Number(); ok {
		return slices.ContainsFunc(a.places, func(p place) bool { return p.number == number })
	}
	switch action {
	case keymap.Quit, keymap.Interrupt, keymap.Suspend, keymap.Help, keymap.Freeze, keymap.Zone, keymap.Theme, keymap.Undo, keymap.Back,
		keymap.Stop, keymap.Mouse, keymap.Palette, keymap.Settings:
		return true
	}
	return a.top().Answers(action)
}

// back undoes a step: a toast that waits to be read, a screen's own state
// (which it tells by wanting Leave), a screen.
func (a *app) back() tea.Cmd {
	if a.toasts.Dismiss() {
		return nil
	}
	return a.apply(a.top().Update(a.env, screen.Key{Action: keymap.Back}))
}

// program carries out what concerns the program itself.
func (a *app) program(action keymap.Action) tea.Cmd {
	switch action {
	case keymap.Quit:
		return a.quit()
	case keymap.Suspend:
		return tea.Suspend
	}
	return tea.Quit
}

// typed gives text to the field that has the keyboard. Elsewhere a paste would
// be a row of key presses that nobody meant, so it is dropped.
func (a *app) typed(msg tea.Msg) tea.Cmd {
	if a.feed.frozen {
		return nil
	}
	if s := a.scope(); s != keymap.Input && s != keymap.Command {
		return nil
	}
	a.dirty = true
	if n := len(a.dialogs); n > 0 {
		return a.apply(a.dialogs[n-1].Update(a.env, msg))
	}
	return a.apply(a.top().Update(a.env, msg))
}

func quitDialog(e env.Env, title text.Safe, lines ...text.Safe) screen.Dialog {
	return dialog.NewConfirm(e, dialog.Confirm{
		Title: title, Lines: lines, Yes: "Quit",
		Then: func(env.Env, dialog.Answer) screen.Effects { return screen.Do(tea.Quit) },
	})
}
