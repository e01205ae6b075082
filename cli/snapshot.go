package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"signalbox/tui"
)

func (a *app) snapshotCommand() *cobra.Command {
	var size, color string
	c := &cobra.Command{
		Use: "snapshot SCREEN", Short: "Print one picture of a screen of the console", Args: takes("SCREEN"),
		Example: "signalbox snapshot slots --size 120x40",
	}
	c.Flags().StringVar(&size, "size", "120x40", "how large, as columns x rows")
	c.Flags().StringVar(&color, "color", "auto", "when to colour: always, never, or auto (on a terminal)")
	c.RunE = func(c *cobra.Command, args []string) error {
		w, h, err := parseSize(size)
		if err != nil {
			return err
		}
		profile, err := a.colors(color)
		if err != nil {
			return err
		}
		return a.do(c.Context(), func(ctx context.Context, s Service) error {
			o, err := a.screenOptions(s)
			if err != nil {
				return err
			}
			a.warnOfTheme(o.Config.Theme)
			frame, err := tui.Frame(ctx, o, args[0], w, h, profile)
			if err != nil {
				return err
			}
			if profile == colorprofile.NoTTY {
				frame = ansi.Strip(frame)
			}
			_, err = fmt.Fprintln(a.Stdout, frame)
			return err
		})
	}
	return c
}

func parseSize(s string) (w, h int, err error) {
	if n, err := fmt.Sscanf(s, "%dx%d", &w, &h); n != 2 || err != nil || w < 1 || h < 1 || w > 1000 || h > 1000 {
		return 0, 0, usage(fmt.Sprintf("--size %q", s), "it is not a size up to 1000x1000", "write it as 120x40")
	}
	return w, h, nil
}

// colors says what the picture may hold: NoTTY is plain text.
func (a *app) colors(when string) (colorprofile.Profile, error) {
	switch {
	case when != "always" && when != "never" && when != "auto":
		return 0, usage(fmt.Sprintf("--color %q", when), "it is not when to colour", "use always, never or auto")
	case when == "always" && !a.noColor:
		return colorprofile.TrueColor, nil
	case when == "never" || !a.IsTerminal(a.Stdout):
		return colorprofile.NoTTY, nil
	case a.noColor:
		return colorprofile.ASCII, nil
	}
	return colorprofile.Detect(os.Stdout, os.Environ()), nil
}
