package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/store"
	"signalbox/tui/text"
	"signalbox/tui/widget/toast"
)

// Frame gives one picture of a screen as it stands now, with escape sequences
// for what profile allows, and needs no terminal. The screen is named as in
// the line of places, or by its number.
func Frame(ctx context.Context, o Options, screen string, w, h int, profile colorprofile.Profile) (string, error) {
	a, err := newApp(ctx, &o)
	if err != nil {
		return "", err
	}
	if err := a.open(screen); err != nil {
		return "", err
	}
	a.still, a.toasts = true, toast.List{} // a picture has no one to tell
	a.look.profile = profile
	a.env.Width, a.env.Height = w, h
	a.restyle()
	snap, err := o.Engine.Watch(ctx, 0)
	if err != nil {
		return "", err
	}
	a.drive(a.wake())
	a.drive(a.fed(fedMsg{snap: snap}))
	return a.View().Content, nil
}

// open shows the place that name means.
func (a *app) open(name string) error {
	names := make([]string, len(a.places))
	for i := range a.places {
		names[i] = string(a.places[i].name)
	}
	at := slices.Index(names, strings.ToLower(name))
	for i := range a.places {
		if string(rune('0'+a.places[i].number)) == name {
			at = i
		}
	}
	if at < 0 {
		mend := "use one of " + strings.Join(names, ", ")
		if near := text.Nearest(name, names); near != "" {
			mend = "did you mean " + near + "?"
		}
		return store.Invalid("screen \""+string(text.Clean(name))+"\"", "there is no such screen", mend)
	}
	a.at = at
	return nil
}

// drive runs commands in place until none is left, where no program does.
func (a *app) drive(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, each := range batch {
			a.drive(each)
		}
		return
	}
	if msg != nil {
		_, next := a.Update(msg)
		a.drive(next)
	}
}
