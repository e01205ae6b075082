package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"signalbox/engine/intake"
	"signalbox/store"
	"signalbox/tui/text"
)

// exit tells an error on one line, of a refused file each kind of fault below it, and gives its exit code: the one place where
// codes become exit codes. A silent error has already been told.
func (a *app) exit(err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = &store.Error{Code: store.CodeFailed, Thing: "interrupted"}
	}
	err = a.unsaid(err)
	if silent, ok := errors.AsType[told](err); ok {
		return int(silent.code)
	}
	fmt.Fprintln(a.Stderr, "signalbox: "+string(text.Clean(err.Error())))
	if refused, ok := errors.AsType[*intake.Refused](err); ok {
		for _, line := range refused.Kinds {
			fmt.Fprintln(a.Stderr, "  "+string(text.Clean(line)))
		}
	}
	return int(store.CodeOf(err))
}

// told is a failure that the command's output has told already.
type told struct{ code store.Code }

func (told) Error() string { return "told" }

// usage is an error of how the command was called.
func usage(thing, rule, mend string) error { return store.Invalid(thing, rule, mend) }

// contain makes every command of the tree leave its error in failure instead of
// handing it to cobra.
func contain(root *cobra.Command, failure *error) {
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		*failure = badFlag(c, err)
		return nil // the command does not run all the same
	})
	containRuns(root, failure)
}

func containRuns(c *cobra.Command, failure *error) {
	check, run := c.Args, c.RunE
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if check != nil {
			if *failure = check(c, args); *failure != nil {
				return nil
			}
		}
		*failure = run(c, args)
		return nil
	}
	for _, sub := range c.Commands() {
		containRuns(sub, failure)
	}
}
