package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/config"
	"signalbox/store"
	"signalbox/themes"
)

// themeRow is a theme as theme list prints it.
type themeRow struct {
	Name   string `json:"name"`
	From   string `json:"from"` // built-in, or the person's own
	Ground string `json:"background"`
	InUse  bool   `json:"in_use"`
	Faults int    `json:"faults"`
}

func (a *app) themeCommands() *cobra.Command {
	return group("theme", "The themes of the console: list, show, check", []string{"themes"},
		a.themeListCommand(), a.themeShowCommand(), a.themeCheckCommand())
}

func (a *app) themeListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the themes, built in and your own", Args: takes(),
		RunE: func(*cobra.Command, []string) error {
			c, err := a.loadConfig()
			if err != nil {
				return err
			}
			p, err := printing(a, themeColumns(), asTable)
			if err != nil {
				return err
			}
			for _, name := range themes.All(a.ownThemes()) {
				if err := p.row(a.themeRow(name, c.Theme)); err != nil {
					return err
				}
			}
			return p.end()
		},
	}
}

func (a *app) themeRow(name, used string) themeRow {
	t, err := themes.Find(a.ownThemes(), name)
	row := themeRow{Name: name, From: "built-in", Ground: "light", InUse: name == used, Faults: len(config.Faults(err))}
	if t.Dark {
		row.Ground = "dark"
	}
	if themes.Own(a.ownThemes(), name) {
		row.From = "own"
	}
	return row
}

func themeColumns() columns[themeRow] {
	return columns[themeRow]{table: []column[themeRow]{
		{name: "theme", value: func(r themeRow) string { return r.Name }},
		{name: "from", value: func(r themeRow) string { return r.From }},
		{name: "background", value: func(r themeRow) string { return r.Ground }},
		{name: "in use", value: func(r themeRow) string {
			if r.InUse {
				return "yes"
			}
			return ""
		}},
		{name: "faults", right: true, value: func(r themeRow) string {
			if r.Faults == 0 {
				return ""
			}
			return fmt.Sprint(r.Faults)
		}},
	}}
}

func (a *app) themeShowCommand() *cobra.Command {
	var color string
	c := &cobra.Command{
		Use: "show NAME|FILE", Short: "Show every role of a theme", Args: takes("NAME|FILE"),
		Example: "signalbox theme show deuter",
	}
	c.Flags().StringVar(&color, "color", "auto", "when to colour: always, never, or auto (on a terminal)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := a.wordsOnly("samples"); err != nil {
			return err
		}
		profile, err := a.colors(color)
		if err != nil {
			return err
		}
		t, err := a.findTheme(args[0])
		if store.CodeOf(err) == store.CodeNotFound {
			return err
		}
		t = t.For(profile)
		for _, r := range themes.Roles() {
			sample := t.Paint(r, " "+sampleOf(r)+" ")
			if _, err := fmt.Fprintf(a.Stdout, "%-16s %s\n", r, sample); err != nil {
				return err
			}
		}
		return err
	}
	return c
}

// sampleOf is a word or a shape in which a role is seen.
func sampleOf(r themes.Role) string {
	switch r {
	case themes.Border, themes.BorderFocus:
		return "╭─────────╮"
	case themes.MeterFill, themes.MeterTrack, themes.Graph:
		return "▁▂▃▄▅▆▇████"
	case themes.FastYoung, themes.LaneFast, themes.FastRipe:
		return "▀▀ fast 12s"
	case themes.SlowYoung, themes.LaneSlow, themes.SlowRipe:
		return "▄▄ slow 12s"
	}
	return strings.ReplaceAll(r.String(), "-", " ")
}

// findTheme finds a theme by name, or in a file.
func (a *app) findTheme(name string) (*themes.Theme, error) {
	if !strings.HasSuffix(name, ".toml") {
		t, err := themes.Find(a.ownThemes(), name)
		return t, err
	}
	if _, err := os.Stat(name); err != nil {
		return themes.Default(true), &store.Error{Code: store.CodeNotFound, Thing: "theme " + name, Rule: "there is no such file", Mend: "check the path"}
	}
	return themes.Load(os.DirFS(filepath.Dir(name)), filepath.Base(name))
}

func (a *app) themeCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check [NAME|FILE…]", Short: "Check themes: roles, colours, contrast of words; all without a name", Args: takes("[NAME|FILE…]"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = themes.All(a.ownThemes())
			}
			var all []error
			for _, name := range args {
				t, err := a.findTheme(name)
				if err == nil {
					err = t.Check()
				}
				all = append(all, err)
			}
			return a.tellFaults(errors.Join(all...), counted(len(args), "theme")+": nothing is wrong")
		},
	}
}
