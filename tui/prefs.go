package tui

import (
	"errors"
	"io/fs"
	"slices"

	tea "charm.land/bubbletea/v2"

	"signalbox/config"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// prefs are the person's settings as they stand in this console, saved or not.
type prefs struct {
	config.Config
	save func(config.Config) error
}

// zoneOf is the zone of a setting.
func zoneOf(name string) env.Zone {
	return env.Zone(max(slices.Index(config.Zones(), name), 0))
}

// own reads the person's themes, once, and says what is wrong with the one in
// use; what it leaves out is the default theme's.
func (a *app) own(folder fs.FS) {
	a.look.names, a.look.themes = themes.All(folder), map[string]*themes.Theme{}
	for _, name := range a.look.names {
		if !themes.Own(folder, name) {
			continue
		}
		t, err := themes.Find(folder, name)
		a.look.themes[name] = t
		if name == a.prefs.Theme {
			a.warn(err)
		}
	}
	if name := a.prefs.Theme; name != "" && !slices.Contains(a.look.names, name) {
		_, err := themes.Find(folder, name)
		a.warn(err)
		a.prefs.Theme = ""
	}
}

// warn tells faults that do not stop the console.
func (a *app) warn(err error) {
	for _, fault := range config.Faults(err) {
		a.toasts.Add(screen.Toast{Level: screen.Bad, Text: text.Clean(fault.Error())}, a.env.Now)
	}
}

// restyle makes looks and keys anew from what they follow from.
func (a *app) restyle() {
	name := a.prefs.Theme
	if name == "" {
		name = "light"
		if a.look.dark {
			name = "dark"
		}
	}
	theme, ok := a.look.themes[name]
	if !ok {
		theme, ok = themes.Builtin(name)
	}
	if !ok {
		theme = themes.Default(a.look.dark)
	}
	a.env.Theme = theme.For(a.look.profile)
	a.env.Glyphs = themes.Unicode()
	if a.prefs.Glyphs == "ascii" || a.prefs.Glyphs == "" && a.look.plain {
		a.env.Glyphs = themes.ASCII()
		a.env.Keys = a.env.Keys.ASCII()
	} else {
		a.env.Keys = a.env.Keys.Symbols()
	}
	a.dirty = true
}

// nextTheme goes through the themes.
func (a *app) nextTheme() {
	names := a.look.names
	next := names[(slices.Index(names, a.themeName())+1)%len(names)]
	a.set(screen.Set{Name: "theme", Value: next})
	a.toasts.Add(screen.Toast{Text: "Theme " + text.Clean(next)}, a.env.Now)
}

// themeName is the theme in use.
func (a *app) themeName() string {
	if a.prefs.Theme != "" {
		return a.prefs.Theme
	}
	return a.env.Theme.Name
}

// set changes a setting for this console.
func (a *app) set(s screen.Set) {
	switch s.Name {
	case "theme":
		a.prefs.Theme = s.Value
	case "keymap":
		a.prefs.Keymap = s.Value
		keys, err := keymap.Load(s.Value, a.prefs.Keys)
		if err != nil { // own keys may clash with another preset's
			a.warn(err)
			return
		}
		a.env.Keys = keys
	case "zone":
		a.prefs.Zone = s.Value
		a.env.Zone = zoneOf(s.Value)
	case "glyphs":
		a.prefs.Glyphs = s.Value
	case "mouse":
		a.prefs.Mouse = s.Value == "on"
	}
	a.restyle()
}

// setting is a setting's value as Set takes it.
func (a *app) setting(name string) string {
	switch name {
	case "theme":
		return a.prefs.Theme
	case "keymap":
		return a.prefs.Keymap
	case "zone":
		return config.Zones()[a.env.Zone]
	case "glyphs":
		return a.prefs.Glyphs
	}
	if a.prefs.Mouse {
		return "on"
	}
	return "off"
}

// savedMsg tells how keeping the settings went.
type savedMsg struct{ err error }

// savePrefs keeps the settings.
func (a *app) savePrefs() tea.Cmd {
	save, c := a.prefs.save, a.prefs.Config
	if zone := config.Zones()[a.env.Zone]; zoneOf(c.Zone) != a.env.Zone {
		c.Zone = zone
	}
	return func() tea.Msg {
		if save == nil {
			return savedMsg{store.Invalid("the settings", "there is no file to keep them in", "")}
		}
		return savedMsg{save(c)}
	}
}

func (a *app) saved(msg savedMsg) {
	toast := screen.Toast{Level: screen.Good, Text: "Settings saved"}
	if msg.err != nil {
		words := msg.err.Error()
		if e, ok := errors.AsType[*store.Error](msg.err); ok && e.Mend != "" {
			words = e.Error()
		}
		toast = screen.Toast{Level: screen.Bad, Text: text.Clean(words)}
	}
	a.toasts.Add(toast, a.env.Now)
	a.dirty = a.dirty || !a.feed.frozen
}
