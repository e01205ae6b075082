package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/config"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/text"
)

// keyRow is an action as key list and key show print it.
type keyRow struct {
	Action string   `json:"action"`
	Keys   []string `json:"keys"`
	Help   string   `json:"help"`
	Group  string   `json:"group"`
	Scopes []string `json:"scopes"`
	InMenu bool     `json:"in_menu,omitempty"`
}

func keyRowOf(b keymap.Binding) keyRow {
	r := keyRow{Action: string(b.Action), Keys: b.Keys, Help: b.Long, Group: b.Group, InMenu: b.InMenu()}
	if r.Keys == nil {
		r.Keys = []string{}
	}
	for _, s := range b.Scopes {
		r.Scopes = append(r.Scopes, string(s))
	}
	return r
}

func (a *app) keyCommands() *cobra.Command {
	return group("key", "The keys of the console: list, show, check", []string{"keys"},
		a.keyListCommand(), a.keyShowCommand(), a.keyCheckCommand())
}

func (a *app) keyListCommand() *cobra.Command {
	var preset string
	c := &cobra.Command{
		Use: "list", Short: "List every action with its keys, as the settings have them", Args: takes(),
		Example: "signalbox key list\nsignalbox key list --keymap vim",
	}
	c.Flags().StringVar(&preset, "keymap", "", "the keys of a preset instead: "+strings.Join(keymap.Presets(), ", "))
	c.RunE = func(c *cobra.Command, _ []string) error {
		keys, err := a.keysOf(preset)
		if err != nil {
			return err
		}
		p, err := printing(a, keyColumns(), asTable)
		if err != nil {
			return err
		}
		for _, b := range keys.Bindings() {
			if err := p.row(keyRowOf(b)); err != nil {
				return err
			}
		}
		return p.end()
	}
	return c
}

// keysOf gives a preset's keys, or those of the settings.
func (a *app) keysOf(preset string) (*keymap.Map, error) {
	if preset != "" {
		return keymap.Load(preset, nil)
	}
	return a.keys()
}

func keyColumns() columns[keyRow] {
	return columns[keyRow]{table: []column[keyRow]{
		{name: "action", value: func(r keyRow) string { return r.Action }},
		{name: "keys", value: keyWords},
		{name: "where", value: func(r keyRow) string { return places(r.Scopes) }},
		{name: "what it does", value: func(r keyRow) string { return r.Help }},
	}}
}

func keyWords(r keyRow) string {
	if len(r.Keys) == 0 && r.InMenu {
		return "in the menu"
	}
	return strings.Join(r.Keys, " ")
}

// places shortens a list of scopes.
func places(scopes []string) string {
	if len(scopes) == len(keymap.Scopes()) {
		return "everywhere"
	}
	return strings.Join(scopes, ",")
}

func (a *app) keyShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ACTION|KEY", Short: "Show the keys of an action, or what a key does and where", Args: takes("ACTION|KEY"),
		Example: "signalbox key show retry\nsignalbox key show ctrl+r",
		RunE: func(_ *cobra.Command, args []string) error {
			keys, err := a.keys()
			if err != nil {
				return err
			}
			if b, ok := keys.Binding(keymap.Action(args[0])); ok {
				return a.printOne(keyRowOf(b))
			}
			return a.showKey(keys, args[0])
		},
	}
}

// showKey tells what a key does in each scope.
func (a *app) showKey(keys *keymap.Map, name string) error {
	key, err := keymap.ParseKey(name)
	if err != nil {
		mend := "`signalbox key list` names the actions"
		if near := text.Nearest(name, keys.Names()); near != "" {
			mend = "did you mean " + near + "?"
		}
		return &store.Error{Code: store.CodeNotFound, Thing: fmt.Sprintf("%q", name), Rule: "it is no action and no key", Mend: mend}
	}
	var uses []keyUse
	for _, scope := range keymap.Scopes() {
		if action, ok := keys.Action(scope, key); ok {
			b, _ := keys.Binding(action)
			uses = append(uses, keyUse{string(scope), string(action), b.Long})
		}
	}
	format, err := a.format(asTable)
	if err != nil {
		return err
	}
	if format != asTable {
		return printAll(a, keyUseColumns(), asTable, uses)
	}
	for _, u := range uses { // a line for a person, without a head
		if _, err := fmt.Fprintf(a.Stdout, "%-10s %-14s %s\n", u.Scope, u.Action, u.Help); err != nil {
			return err
		}
	}
	if len(uses) == 0 {
		_, err = fmt.Fprintf(a.Stdout, "%s does nothing.\n", key)
	}
	return err
}

// keyUse is what a key does in a scope.
type keyUse struct {
	Scope  string `json:"scope"`
	Action string `json:"action"`
	Help   string `json:"help"`
}

func keyUseColumns() columns[keyUse] {
	return columns[keyUse]{table: []column[keyUse]{
		{name: "scope", value: func(u keyUse) string { return u.Scope }},
		{name: "action", value: func(u keyUse) string { return u.Action }},
		{name: "help", value: func(u keyUse) string { return u.Help }},
	}}
}

func (a *app) keyCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Check the settings: keys, and everything else in the file", Args: takes(),
		RunE: func(*cobra.Command, []string) error {
			path, named := a.configPath()
			c, err := config.Load(path, named)
			if c.Theme != "" {
				_, wrong := themes.Find(a.ownThemes(), c.Theme)
				err = errors.Join(err, wrong)
			}
			return a.tellFaults(err, fmt.Sprintf("%s: nothing is wrong; %s changed", path, counted(len(c.Keys), "action")))
		},
	}
}
