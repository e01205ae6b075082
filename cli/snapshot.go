package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/demo"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui"
	"signalbox/tui/svg"
)

// snapping is one run of snapshot.
type snapping struct {
	screen, size, color string
	svg                 bool
	demo                demo.Options
	settle              time.Duration
}

func (a *app) snapshotCommand() *cobra.Command {
	var s snapping
	c := &cobra.Command{
		Use: "snapshot SCREEN|QUEUE|ITEM|job [JOB]", Short: "Print one picture of a screen of the console",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "job" {
				return takes("job", "[JOB]")(c, args)
			}
			return takes("SCREEN|QUEUE|ITEM|job JOB")(c, args)
		},
		Long:    "Print one picture of a screen of the console: slots, queues, jobs, abandoned, review, events or robots, or by number; the items of a queue by its name; an item's page by its id; a job's after the word job, or without one that of the newest job that goes on.",
		Example: "signalbox snapshot slots --size 120x40\nsignalbox snapshot review --demo office --svg > review.svg",
	}
	f := c.Flags()
	f.StringVar(&s.size, "size", "120x40", "how large, as columns x rows")
	f.StringVar(&s.color, "color", "auto", "when to colour: always, never, or auto (on a terminal)")
	f.BoolVar(&s.svg, "svg", false, "as an SVG file, for documents")
	f.StringVar(&s.demo.Scenario, "demo", "", "of a scenario of the demo instead of the store")
	f.DurationVar(&s.settle, "after", 4*time.Second, "how long the demo runs before the picture")
	f.Float64Var(&s.demo.Speed, "speed", 4, "how many times faster than life the demo runs")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.wordsOnly("a picture"); err != nil {
			return err
		}
		s.screen = strings.Join(args, " ")
		if s.demo.Scenario != "" {
			return a.snapDemo(engine.WithActor(c.Context(), a.actor()), &s)
		}
		return a.do(c.Context(), func(ctx context.Context, service Service) error { return a.snap(ctx, service, &s) })
	}
	return c
}

// snap prints the picture.
func (a *app) snap(ctx context.Context, service Service, s *snapping) error {
	w, h, err := parseSize(s.size)
	if err != nil {
		return err
	}
	if s.svg && s.color == "auto" {
		s.color = "always"
	}
	profile, err := a.colors(s.color)
	if err != nil {
		return err
	}
	if id, err := store.ParseID(s.screen); err == nil {
		if _, err := service.Item(ctx, id); err != nil {
			return err
		}
	}
	o, err := a.screenOptions(service)
	if err != nil {
		return err
	}
	o.Demo = s.demo.Scenario != ""
	a.warnOfTheme(o.Config.Theme)
	frame, err := tui.Frame(ctx, o, s.screen, w, h, profile)
	if err != nil {
		return err
	}
	if profile == colorprofile.NoTTY {
		frame = ansi.Strip(frame)
	}
	if s.svg {
		return svg.Write(a.Stdout, frame, a.ground(o.Config.Theme))
	}
	_, err = fmt.Fprintln(a.Stdout, frame)
	return err
}

// ground is what a theme is made to stand on.
func (a *app) ground(name string) svg.Ground {
	theme := themes.Default(true)
	if name != "" {
		theme, _ = themes.Find(a.ownThemes(), name) // its faults have been told
	}
	back, front := theme.Ground()
	return svg.Ground{Back: back, Front: front}
}

// snapDemo lets the demo run for a while and prints the picture.
func (a *app) snapDemo(ctx context.Context, s *snapping) error {
	if s.settle < 0 || s.settle > time.Minute {
		return usage(fmt.Sprintf("--after %s", s.settle), "from 0s to 1m", "write it as 4s")
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	e, end, err := startDemo(ctx, s.demo)
	if err != nil {
		return err
	}
	wait := time.NewTimer(s.settle)
	defer wait.Stop()
	select {
	case <-wait.C:
		err = a.snap(ctx, e, s)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return errors.Join(err, end())
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
