package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/config"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/screen/item"
	"signalbox/tui/screen/items"
	"signalbox/tui/screen/palette"
	"signalbox/tui/screen/settings"
	"signalbox/tui/text"
)

// palette lists what can be done from where the person is: what the screen in
// front answers to, with the reason where it would do nothing; the places; the
// queues by name; settings.
func (a *app) palette() screen.Dialog {
	var all []palette.Entry
	all = append(all, a.verbs()...)
	for i := range a.places {
		p := &a.places[i]
		number, _ := keymap.Screen(p.number)
		all = append(all, palette.Entry{
			Words: p.name, Also: "go to screen", What: "Show " + p.name, Key: text.Safe(a.env.Keys.Label(number)),
			Do: screen.Want(screen.Go{Number: p.number}),
		})
	}
	all = append(all, a.queues()...)
	all = append(all, a.jobEntries()...)
	all = append(all, a.choices()...)
	leaves := func(p palette.Entry) bool { return p.Words == text.Safe(keymap.Quit) }
	if i := slices.IndexFunc(all, leaves); i >= 0 { // of what fits alike, leaving comes last
		quit := all[i]
		all = append(slices.Delete(all, i, i+1), quit)
	}
	return palette.New(all, a.typedEntries)
}

// verbs are the actions that do something here.
func (a *app) verbs() []palette.Entry {
	var all []palette.Entry
	refusing, _ := a.top().(screen.Refusing)
	for _, group := range a.env.Keys.Help(a.top().Scope()) {
		for _, b := range group.Bindings {
			if _, place := b.Action.Number(); place || movement(b) || !a.answers(b.Action) {
				continue
			}
			entry := palette.Entry{
				Words: text.Safe(strings.ReplaceAll(string(b.Action), "-", " ")), What: text.Safe(b.Long), Also: b.Help,
				Key: text.Safe(a.env.Keys.LabelIn(a.top().Scope(), b.Action)), Do: screen.Want(screen.Press{Action: b.Action}),
			}
			if word := a.special(b.Action); word != "" {
				entry.Also += " " + string(word)
			}
			if refusing != nil {
				entry.Refuse = refusing.Refuses(a.env, b.Action)
			}
			all = append(all, entry)
		}
	}
	return all
}

// movement says that an action is only of use as a key.
func movement(b keymap.Binding) bool {
	return b.Group == "Move" || b.Action == keymap.Palette || b.Action == keymap.Interrupt
}

func (a *app) queues() []palette.Entry {
	if a.env.Snap == nil {
		return nil
	}
	var all []palette.Entry
	for i := range a.env.Snap.Queues {
		q := &a.env.Snap.Queues[i]
		all = append(all, palette.Entry{
			Words: "queue " + text.Clean(q.Name), Also: "go to queue " + q.Name + " " + q.Folder,
			What: text.Clean(q.Description), Do: a.toQueue(q.Name, ""),
		})
	}
	return all
}

// toQueue shows the items of a queue, filtered.
func (a *app) toQueue(name, filter string) screen.Effects {
	effects := screen.Want(screen.Go{Number: 2, Above: []screen.Screen{items.New(a.desk, items.Queue(name))}})
	if filter != "" {
		effects.Want(screen.Narrow{Filter: filter})
	}
	return effects
}

// choices are the settings, each value by its name.
func (a *app) choices() []palette.Entry {
	all := []palette.Entry{{
		Words: "settings", Also: "theme keymap zone mouse glyphs preferences config", What: "Theme, keys, zone, mouse, glyphs; saved in the settings",
		Key: text.Safe(a.env.Keys.Label(keymap.Settings)), Do: screen.Want(screen.Press{Action: keymap.Settings}),
	}}
	for _, s := range a.settings() {
		for _, v := range s.Values {
			if v == "" {
				v = config.Auto
			}
			value := v
			if v == config.Auto {
				value = ""
			}
			all = append(all, palette.Entry{
				Words: text.Clean(s.Name + " " + v), Also: string(s.Label), What: s.Help(value),
				Do: screen.Want(screen.Set{Name: s.Name, Value: value}),
			})
		}
	}
	return all
}

// typedEntries are what only the words typed make possible.
func (a *app) typedEntries(typed string) []palette.Entry {
	typed = strings.TrimSpace(typed)
	var all []palette.Entry
	if id, err := store.ParseID(strings.TrimPrefix(typed, "item ")); err == nil {
		if _, known := a.env.Queue(id.Queue); known {
			all = append(all, palette.Entry{
				Words: "item " + text.Clean(id.String()), What: "Open the item",
				Do: screen.Want(screen.Push{Screen: item.New(a.desk, id, item.Walk{})}),
			})
		}
	}
	if id, ok := strings.CutPrefix(typed, "job "); ok && strings.TrimSpace(id) != "" {
		if _, shown := a.env.Job(strings.TrimSpace(id)); !shown { // one of long ago
			all = append(all, palette.Entry{Words: "job " + text.Clean(strings.TrimSpace(id)), What: "Open the job", Do: a.toJob(strings.TrimSpace(id))})
		}
	}
	words, ok := strings.CutPrefix(typed, "/")
	if !ok {
		words, ok = strings.CutPrefix(typed, "filter ")
	}
	if ok || strings.Contains(typed, ":") {
		if !ok {
			words = typed
		}
		all = append(all, a.filters(strings.TrimSpace(words))...)
	}
	return all
}

// filters are the ways to filter by words: here, or in the queue they name.
func (a *app) filters(words string) []palette.Entry {
	var all []palette.Entry
	if _, ok := a.top().(screen.Filtering); ok {
		all = append(all, palette.Entry{
			Words: "filter " + text.Clean(words), What: "Filter what is shown here", Do: screen.Want(screen.Narrow{Filter: words}),
		})
	}
	for word := range strings.FieldsSeq(words) {
		name, ok := strings.CutPrefix(word, "queue:")
		if _, known := a.env.Queue(name); ok && known {
			rest := strings.Join(slices.DeleteFunc(strings.Fields(words), func(w string) bool { return w == word }), " ")
			all = append(all, palette.Entry{
				Words: text.Clean("filter " + words), What: text.Clean("Filter the items of " + name), Do: a.toQueue(name, rest),
			})
		}
	}
	return all
}

// goOpen shows a place with screens above its own.
func (a *app) goOpen(g screen.Go) tea.Cmd {
	for i := range a.places {
		if p := &a.places[i]; p.number == g.Number {
			a.at = i
			if len(g.Above) > 0 {
				p.stack = append(p.stack[:1:1], g.Above...)
			}
		}
	}
	return a.wake()
}

// narrow filters the screen in front.
func (a *app) narrow(filter string) tea.Cmd {
	if s, ok := a.top().(screen.Filtering); ok {
		return a.apply(s.Narrow(a.env, filter))
	}
	return nil
}

// settings are what the person may set, with what each value means.
func (a *app) settings() []settings.Setting {
	words := func(of map[string]text.Safe) func(string) text.Safe {
		return func(v string) text.Safe { return of[v] }
	}
	rows := []settings.Setting{
		{Name: "theme", Label: "Theme", Values: append([]string{""}, a.look.names...), Help: themeHelp},
		{Name: "keymap", Label: "Keys", Values: keymap.Presets(), Help: words(map[string]text.Safe{
			"": "The keys of docs/keys.md", "default": "The keys of docs/keys.md", "vim": "With the motions of vim", "k9s": "As in k9s, where it has the same verb",
		})},
		{Name: "zone", Label: "Times", Values: config.Zones(), Help: words(map[string]text.Safe{
			"local": "In the zone of this machine", "utc": "In UTC", "relative": "As ages: 12s ago, in 3m",
		})},
		{Name: "glyphs", Label: "Shapes", Values: []string{"", "unicode", "ascii"}, Help: words(map[string]text.Safe{
			"": "As the terminal is known to have them", "unicode": "Lines, blocks and arrows", "ascii": "Nothing but ASCII, for terminals without a font",
		})},
		{Name: "mouse", Label: "Mouse", Values: []string{"off", "on"}, Help: words(map[string]text.Safe{
			"off": "The terminal selects text as ever", "on": "Clicks select and open, the wheel scrolls; hold shift to select text",
		})},
	}
	for i := range rows {
		rows[i].Now = a.setting(rows[i].Name)
		if rows[i].Now == "" && rows[i].Name == "keymap" {
			rows[i].Now = keymap.DefaultPreset
		}
	}
	return rows
}

func themeHelp(name string) text.Safe {
	switch name {
	case "":
		return "Dark or light, as the terminal's background is"
	case "dark", "light":
		return text.Safe("For " + name + " terminals")
	case "ansi16":
		return "Only the 16 colours of your terminal's palette"
	case "contrast":
		return "Every word at 7:1 or more"
	case "deuter":
		return "Told apart without red and green"
	case "tritan":
		return "Told apart without blue and yellow"
	case "mono":
		return "No colour at all"
	}
	return "Your own, from the themes folder"
}
