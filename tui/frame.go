package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/screen/item"
	"signalbox/tui/screen/items"
	"signalbox/tui/text"
	"signalbox/tui/widget/toast"
)

// Frame gives one picture of a screen as it stands now, with escape sequences
// for what profile allows, and needs no terminal. The screen is named as in
// the line of places, or by its number; a queue's name is the list of its items,
// an item's id its page, and so is a job's, or "job" with its id; "job" alone is
// the newest that goes on.
func Frame(ctx context.Context, o Options, name string, w, h int, profile colorprofile.Profile) (string, error) {
	a, err := newApp(ctx, &o)
	if err != nil {
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
	a.drive(a.fed(fedMsg{snap: snap}))
	if err := a.open(name); err != nil {
		return "", err
	}
	a.drive(a.wake())
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
	if above := a.named(name); at < 0 && above != nil {
		a.at = slices.IndexFunc(a.places, func(p place) bool { return p.number == 2 })
		p := &a.places[a.at]
		p.stack = append(p.stack, above...)
		return nil
	}
	if jobs := a.env.Snap.Jobs; at < 0 && name == "job" && len(jobs) > 0 { // the newest that goes on
		return a.openJob(jobs[0].ID)
	}
	if id, ok := strings.CutPrefix(name, "job "); at < 0 && ok {
		return a.openJob(id)
	}
	if _, ok := a.env.Job(name); at < 0 && ok {
		return a.openJob(name)
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

// named gives the screens above the queues that a queue or an item is shown on,
// nil where nothing has that name.
func (a *app) named(name string) []screen.Screen {
	if _, ok := a.env.Queue(name); ok {
		return []screen.Screen{items.New(a.desk, items.Queue(name))}
	}
	id, err := store.ParseID(name)
	if _, ok := a.env.Queue(id.Queue); err != nil || !ok {
		return nil
	}
	return []screen.Screen{items.New(a.desk, items.Queue(id.Queue)), item.New(a.desk, id, item.Walk{})}
}

// openJob shows the page of a job.
func (a *app) openJob(id string) error {
	if err := a.desk.FindJob(id); err != nil {
		return err
	}
	a.drive(a.apply(a.toJob(id)))
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
