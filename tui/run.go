package tui

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/config"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/progress"
)

// EngineAt is where the engine runs that a console shows.
type EngineAt uint8

// The places of an engine.
const (
	EngineUntold EngineAt = iota // nothing is said of it
	EngineHere                   // in this process: it ends with the console
	EngineAway                   // in another process, reached by a socket
	EngineNone                   // in none: the store is only read
)

// Options say what the console is to show, and where. Only Engine is required.
type Options struct {
	Engine act.Engine
	Title  string        // which engine this is, for the header and the window
	Actor  string        // who acts, for the history
	Config config.Config // the person's settings
	Themes fs.FS         // the person's own themes, may be nil
	// Save keeps settings changed in the console; nil where there is nowhere.
	Save func(config.Config) error
	File string // which Save writes, for people
	// Reports is the folder for reports of faults; "" that for temporary files.
	Reports  string
	At       EngineAt // where the engine runs
	ReadOnly bool
	Demo     bool
	Place    *time.Location // the local zone; nil: the system's
	Clock    func() time.Time

	Terminal *os.File  // to be kept in order whatever happens; nil: none is
	Input    io.Reader // nil: the terminal
	Output   io.Writer // nil: the terminal
	Environ  []string  // nil: the process's
	Exec     act.Exec  // how the editor gets the terminal; nil: from the program
}

// Run shows the console until it is left or ctx ends. The terminal is restored
// in every case.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a, err := newApp(ctx, &o)
	if err != nil {
		return err
	}
	a.guard.end = cancel
	if o.Terminal != nil {
		a.keeper.keep(o.Terminal, o.Reports)
		defer a.keeper.end()
	}
	_, err = a.run(tea.NewProgram(a, a.options(ctx, &o)...))
	if a.guard.err != nil {
		return a.guard.err
	}
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return nil // a signal is one of the ways out
	}
	return err
}

// run runs the program, whose frames come at the pace of its messages.
func (a *app) run(program *tea.Program) (tea.Model, error) {
	a.tea = program
	defer a.pace.stop()
	return program.Run()
}

// options are the program's settings, the same in production and in tests.
func (a *app) options(ctx context.Context, o *Options) []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(framesPerSecond), tea.WithEnvironment(o.Environ)}
	if noColor(o.Environ) {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	return options
}

// noColor says that NO_COLOR is set to anything at all.
func noColor(environ []string) bool { return lookup(environ, "NO_COLOR") != "" }

func lookup(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// newApp makes the root from options, whose gaps it fills.
func newApp(ctx context.Context, o *Options) (*app, error) {
	if o.Engine == nil {
		return nil, store.Invalid("the console", "there is no engine to show", "give it one")
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Place == nil {
		o.Place = time.Local
	}
	keys, err := keymap.Load(o.Config.Keymap, o.Config.Keys)
	if err != nil {
		return nil, err
	}
	a := &app{
		desk:   act.NewDesk(ctx, o.Engine, o.Actor, o.Exec).In(o.Place),
		ended:  map[uint64]bool{},
		clock:  o.Clock,
		title:  text.Clean(o.Title),
		file:   o.File,
		demo:   o.Demo,
		engine: o.At,
		look:   look{dark: true, profile: colorprofile.TrueColor, plain: plainGlyphs(o.Environ)},
		guard:  guard{folder: o.Reports},
		prefs:  prefs{Config: o.Config, save: o.Save},
		feed:   feed{ctx: ctx, engine: o.Engine},
		env: env.Env{
			Keys: keys, Now: o.Clock(), Place: o.Place, Zone: zoneOf(o.Config.Zone),
			Focused: true, ReadOnly: o.ReadOnly, Allow: o.Config.Allow, Actor: o.Actor,
		},
		clippers: clippers(o.Environ),
		dirty:    true,
	}
	a.own(o.Themes)
	a.restyle()
	a.speeds = progress.NewSpeeds()
	a.places = places(a.desk, a.speeds)
	return a, nil
}

// plainGlyphs says that the terminal has no font for more than ASCII.
func plainGlyphs(environ []string) bool {
	switch lookup(environ, "TERM") {
	case "linux", "dumb":
		return true
	}
	return false
}
