package cli

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/adrg/xdg"

	"signalbox/config"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/text"
)

// configPath is where the settings are, and whether somebody named the place.
func (a *app) configPath() (path string, named bool) {
	if a.config != "" {
		return a.config, true
	}
	home := a.Getenv("XDG_CONFIG_HOME")
	if home == "" {
		home = xdg.ConfigHome
	}
	return config.Path(home), false
}

// ownThemes is the folder of the person's themes.
func (a *app) ownThemes() fs.FS {
	path, _ := a.configPath()
	return config.ThemesIn(path)
}

// loadConfig reads the settings. Of several faults the first is told, and how
// many more there are.
func (a *app) loadConfig() (config.Config, error) {
	c, err := config.Load(a.configPath())
	faults := config.Faults(err)
	if len(faults) <= 1 {
		return c, err
	}
	return c, store.Invalid(faults[0].Error(), counted(len(faults)-1, "more fault"), "`signalbox key check` lists them")
}

// keys gives the keymap of the settings.
func (a *app) keys() (*keymap.Map, error) {
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	return keymap.Load(c.Keymap, c.Keys)
}

// tellFaults prints faults line by line, or the word that there are none; the
// exit code of faults is that of bad input.
func (a *app) tellFaults(err error, none string) error {
	format, bad := a.format(asTable)
	if bad == nil && format == asCSV {
		bad = usage("--format csv", "a check has no columns", "use json or table")
	}
	if bad != nil {
		return bad
	}
	lines := []string{}
	for _, fault := range config.Faults(err) {
		lines = append(lines, fault.Error())
	}
	wrong := len(lines) > 0
	if format != asTable {
		bad = a.writeJSON(a.Stdout, struct {
			Problems []string `json:"problems"`
		}{lines})
	} else if !wrong {
		lines = []string{none}
	}
	for _, line := range lines {
		if format == asTable && bad == nil {
			_, bad = fmt.Fprintln(a.Stdout, text.Clean(line))
		}
	}
	if bad == nil && wrong {
		return told{store.CodeInvalid}
	}
	return bad
}

// wordsOnly refuses a format for a command that prints none of them.
func (a *app) wordsOnly(prints string) error {
	format, err := a.format(asTable)
	if err == nil && format != asTable {
		err = usage("--format "+format, "this command prints "+prints, "leave it out")
	}
	return err
}

// warnOfTheme tells what is wrong with the theme chosen; a picture is drawn all
// the same.
func (a *app) warnOfTheme(name string) {
	if name == "" {
		return
	}
	_, err := themes.Find(a.ownThemes(), name)
	for _, fault := range config.Faults(err) {
		fmt.Fprintln(a.Stderr, "signalbox: "+string(text.Clean(fault.Error())))
	}
}

// reports is the folder for reports of the console's faults.
func (a *app) reports() string {
	home := a.Getenv("XDG_STATE_HOME")
	if home == "" {
		home = xdg.StateHome
	}
	return filepath.Join(home, "signalbox")
}
