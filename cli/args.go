package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"signalbox/store"
	"signalbox/tui/text"
)

// takes checks the number of arguments, which are named for the message; a name
// that ends in … may be repeated, or left out when it stands in brackets.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		least, most := len(names), len(names)
		if n := len(names); n > 0 && strings.HasSuffix(strings.TrimSuffix(names[n-1], "]"), "…") {
			most = -1
		}
		if n := len(names); n > 0 && strings.HasPrefix(names[n-1], "[") {
			least--
		}
		switch {
		case len(args) < least:
			return usage("`"+c.CommandPath()+"`", "it needs "+names[len(args)], "see `"+c.CommandPath()+" --help`")
		case most >= 0 && len(args) > most:
			return usage(fmt.Sprintf("argument %q", args[most]), "`"+c.CommandPath()+"` takes no more arguments", "see `"+c.CommandPath()+" --help`")
		}
		return nil
	}
}

// group makes a command that only holds others.
func group(use, short string, aliases []string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Aliases: aliases, RunE: helpOrRefuse}
	c.AddCommand(subs...)
	return c
}

// helpOrRefuse is what a command does that only holds others.
func helpOrRefuse(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	return unknownCommand(c, args[0])
}

// unknownCommand names what was probably meant.
func unknownCommand(c *cobra.Command, word string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usage(fmt.Sprintf("command %q", word), "`"+c.CommandPath()+"` has no such command", suggest(word, names, "", c))
}

// badFlag words an error of the flags' parser, which comes without a type where
// a value is wrong.
func badFlag(c *cobra.Command, err error) error {
	if _, ok := errors.AsType[*store.Error](err); ok {
		return err
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			if strings.Trim(short, "0123456789") == "" {
				return usage("number -"+short, "no number here is below 0", "write it without the -, see `"+c.CommandPath()+" --help`")
			}
			return usage("flag -"+name, "`"+c.CommandPath()+"` has no such flag", "see `"+c.CommandPath()+" --help`")
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return usage("flag --"+name, "`"+c.CommandPath()+"` has no such flag", suggest(name, names, "--", c))
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usage("flag --"+missing.GetFlag().Name, "it needs a value", "write it as "+form(missing.GetFlag()))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := invalid.GetFlag()
		return usage(fmt.Sprintf("flag --%s %q", flag.Name, invalid.GetValue()), "it is not "+kindOf(flag), "write it as "+form(flag))
	}
	return usage("the flags", err.Error(), "see `"+c.CommandPath()+" --help`")
}

func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 on"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "a text"
}

// form shows how a flag's value is written.
func form(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "uint64":
		return "--" + f.Name + " 10"
	case "float64":
		return "--" + f.Name + " 1.5"
	case "bool":
		return "--" + f.Name + " or --" + f.Name + "=false"
	}
	return "--" + f.Name + " VALUE"
}

func suggest(word string, names []string, prefix string, c *cobra.Command) string {
	if near := text.Nearest(word, names); near != "" {
		return "did you mean " + prefix + near + "?"
	}
	return "see `" + c.CommandPath() + " --help`"
}
