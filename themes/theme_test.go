package themes

import (
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"signalbox/store"
)

// each runs f for every built-in theme.
func each(t *testing.T, f func(*testing.T, *Theme)) {
	t.Helper()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			th, ok := Builtin(name)
			if !ok {
				_, err := Load(builtin, builtinPath(name))
				t.Fatal(err)
			}
			f(t, th)
		})
	}
}

func TestBuiltinThemesAreReadable(t *testing.T) {
	each(t, func(t *testing.T, th *Theme) {
		if err := th.Check(); err != nil {
			t.Error(err)
		}
	})
	if th, _ := Builtin("contrast"); th.contrast < 7 {
		t.Errorf("contrast asks for %v only", th.contrast)
	}
}

func TestEveryColourHasItsOwnValueForEachKindOfTerminal(t *testing.T) {
	each(t, func(t *testing.T, th *Theme) {
		s, _ := read(builtin, builtinPath(th.Name), nil)
		for name, e := range s.palette {
			if n := len(fields(e.value)); n != int(noColor) {
				t.Errorf("%s:%d: %s has %d values", e.file, e.line, name, n)
			}
		}
	})
}

// parameters gives the numbers of every SGR sequence that th can write.
func parameters(th *Theme) []string {
	var all []string
	add := func(sgr string) {
		if sgr != "" {
			all = append(all, strings.TrimSuffix(strings.TrimPrefix(sgr, "\x1b["), "m"))
		}
	}
	for r := range roles {
		add(th.Prefix(r))
		for surface := range roles {
			add(th.On(surface, r))
		}
	}
	return all
}

func TestColoursFitTheTerminal(t *testing.T) {
	attribute := `[12347]`
	basic := `(?:[39][0-7]|10[0-7]|4[0-7])`
	for profile, allowed := range map[colorprofile.Profile]string{
		colorprofile.TrueColor: attribute + `|` + basic + `|[34]8;2;\d+;\d+;\d+|[34]8;5;\d+`,
		colorprofile.ANSI256:   attribute + `|` + basic + `|[34]8;5;\d+`,
		colorprofile.ANSI:      attribute + `|` + basic,
		colorprofile.ASCII:     attribute,
		colorprofile.NoTTY:     `x`,
	} {
		legal := regexp.MustCompile(`^(?:(?:` + allowed + `)(?:;|$))+$`)
		each(t, func(t *testing.T, th *Theme) {
			for _, p := range parameters(th.For(profile)) {
				if !legal.MatchString(p) {
					t.Errorf("%s: %q", profile, p)
				}
			}
		})
	}
}

func TestAnsi16UsesTheTerminalsPaletteEverywhere(t *testing.T) {
	th, _ := Builtin("ansi16")
	for _, p := range parameters(th) {
		if strings.Contains(p, "8;") {
			t.Errorf("ansi16 writes %q", p)
		}
	}
}

func TestMonoHasNoColour(t *testing.T) {
	th, _ := Builtin("mono")
	for _, p := range parameters(th) {
		for _, n := range strings.Split(p, ";") {
			if v, _ := strconv.Atoi(n); v >= 30 {
				t.Errorf("mono writes %q", p)
			}
		}
	}
}

// What a person acts on must stand out without colours.
func TestEmphasisSurvivesWithoutColour(t *testing.T) {
	each(t, func(t *testing.T, th *Theme) {
		bare := th.For(colorprofile.ASCII)
		for _, r := range []Role{Cursor, Selection, Mark, Match, Alert, Title, StateException, StateFault, StateStuck, Danger} {
			if bare.Prefix(r) == "" {
				t.Errorf("%s is plain", r)
			}
		}
		if bare.Prefix(Cursor) == bare.Prefix(CursorBlur) {
			t.Error("the cursor of an unfocused pane looks like the focused one")
		}
	})
}

func TestDefaultsKeepTheTerminalsBackground(t *testing.T) {
	painted := map[Role]bool{Cursor: true, CursorBlur: true, Selection: true, Alert: true}
	each(t, func(t *testing.T, th *Theme) {
		for r := range roles {
			if bg := th.looks[trueColor][r].bg; bg != nil && !painted[r] {
				t.Errorf("%s paints %v", r, bg)
			}
		}
	})
}

func TestOnKeepsTheSurface(t *testing.T) {
	th, _ := Builtin("dark")
	if got, want := th.On(Cursor, StateFault), "\x1b[1;38;2;255;122;112;48;2;31;42;54m"; got != want {
		t.Errorf("in colour %q, want %q", got, want)
	}
	if got := th.For(colorprofile.ANSI).On(Cursor, StateFault); got != "\x1b[7m" {
		t.Errorf("in reverse %q: a state must not become a surface", got)
	}
	if got := th.On(Muted, OK); got != th.Prefix(OK) {
		t.Errorf("without a surface %q", got)
	}
}

func TestStyleAndColorAgreeWithPrefix(t *testing.T) {
	th, _ := Builtin("dark")
	for _, r := range []Role{Accent, StateStuck, Cursor, Text, Match} {
		want := th.Paint(r, "x")
		if got := th.Style(r).Render("x"); ansi.Strip(got) != "x" || (want == "x") != (got == "x") {
			t.Errorf("%s: style %q, prefix %q", r, got, want)
		}
	}
	if got := th.Color(Text); got != (lipgloss.NoColor{}) {
		t.Errorf("text is %v, want the terminal's own", got)
	}
	if got := th.Color(Accent); got != (color.RGBA{0x6c, 0xb6, 0xff, 0xff}) {
		t.Errorf("accent is %v", got)
	}
}

func TestForLeavesTheOriginalAlone(t *testing.T) {
	th, _ := Builtin("dark")
	before := th.Prefix(Accent)
	th.For(colorprofile.NoTTY)
	th.For(colorprofile.ANSI)
	if th.Prefix(Accent) != before || th.For(colorprofile.ASCII).Prefix(Title) == "" {
		t.Error("a terminal's theme changed another's")
	}
}

func TestLoad(t *testing.T) {
	fsys := fstest.MapFS{
		"mine.toml":  {Data: []byte("inherit = \"base\"\n[palette]\nhot = \"#ff0000\"\n[roles]\naccent = \"hot bold\"\nmuted = 244\n")},
		"base.toml":  {Data: []byte("inherit = \"light\"\n[roles]\naccent = \"green\"\nok = \"bright-green on hot\"\n[palette]\nhot = 196\n")},
		"dark.toml":  {Data: []byte("name = \"my dark\"\ninherit = \"dark\"\n")},
		"index.toml": {Data: []byte("inherit = \"dark\"\nroles.text = [\"#ffffff\", 15, \"bold\"]\n")},
	}
	th, err := Load(fsys, "mine.toml")
	if err != nil {
		t.Fatal(err)
	}
	if th.Name != "mine" || th.Dark {
		t.Errorf("name %q, dark %v", th.Name, th.Dark)
	}
	for r, want := range map[Role]string{
		Accent: "\x1b[1;38;2;255;0;0m",
		Muted:  "\x1b[38;5;244m",
		OK:     "\x1b[92;48;2;255;0;0m", // an heir's colours reach inherited roles
	} {
		if got := th.Prefix(r); got != want {
			t.Errorf("%s is %q, want %q", r, got, want)
		}
	}
	if th, err := Load(fsys, "dark.toml"); err != nil || th.Name != "my dark" {
		t.Errorf("a theme may inherit the built-in one of its own name: %v", err)
	}
	if th, err := Load(fsys, "index.toml"); err != nil || th.For(colorprofile.ANSI).Prefix(Text) != "\x1b[97m" {
		t.Errorf("looks by terminal: %v", err)
	}
}

func TestLoadTellsWhatIsWrongAndGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		says []string
	}{
		"bad role":        {"inherit = \"dark\"\n[roles]\naccent = \"bleu\"\n", []string{"t.toml:3", "role accent", `"bleu"`}},
		"unknown role":    {"inherit = \"dark\"\n[roles]\nacent = \"blue\"\n", []string{"t.toml:3", "acent", "did you mean accent?"}},
		"missing roles":   {"[roles]\ntext = \"default\"\n", []string{"t.toml:1", "role accent", "missing"}},
		"bad colour":      {"inherit = \"dark\"\n[palette]\nblue = \"#12345g\"\n", []string{"t.toml:3", "colour blue", "#12345g"}},
		"bad index":       {"inherit = \"dark\"\n[palette]\nblue = 256\n", []string{"t.toml:3", "256"}},
		"bad background":  {"inherit = \"dark\"\nbackground = \"paper\"\n", []string{"t.toml:2", "background", "paper"}},
		"wrong kind":      {"inherit = \"dark\"\n[roles]\naccent = true\n", []string{"t.toml:3", "role accent"}},
		"two colours":     {"inherit = \"dark\"\n[roles]\naccent = \"red blue\"\n", []string{"t.toml:3", "second colour"}},
		"open end":        {"inherit = \"dark\"\n[roles]\naccent = \"red on\"\n", []string{"t.toml:3", "nothing follows"}},
		"unknown key":     {"inherit = \"dark\"\nbackgruond = \"#000000\"\n", []string{"t.toml:2", "backgruond", "did you mean background?"}},
		"unknown section": {"inherit = \"dark\"\n\n[role]\naccent = \"blue\"\n", []string{"t.toml:3", "role", "did you mean roles?"}},
		"no text":         {"inherit = 5\n", []string{"t.toml:1: inherit: it is no text; write it in quotes"}},
		"no name":         {"inherit = \"dark\"\nname = 5\n", []string{"t.toml:2: name: it is no text"}},
		"no word":         {"inherit = \"dark\"\ndark = \"yes\"\n", []string{"t.toml:2: dark: it is not true or false; write dark = true"}},
		"no number":       {"inherit = \"dark\"\ncontrast = \"high\"\n", []string{"t.toml:2: contrast: it is no number"}},
		"no palette":      {"inherit = \"dark\"\npalette = 5\n", []string{"t.toml:2: palette: it is no section; write [palette] on a line"}},
		"no roles":        {"inherit = \"dark\"\nroles = \"x\"\n", []string{"t.toml:2: roles: it is no section"}},
		"no colour":       {"inherit = \"dark\"\nbackground = 7\n", []string{"t.toml:2: background: it is no text"}},
		"twice":           {"inherit = \"dark\"\ninherit = \"light\"\n", []string{"t.toml:2: key \"inherit\": it is there twice; take one out"}},
		"syntax":          {"inherit = \"dark\"\n[roles\n", []string{"t.toml:3"}},
		"unknown parent":  {"inherit = \"drak\"\n", []string{"drak", "did you mean dark?"}},
		"circle":          {"inherit = \"u\"\n", []string{"t.toml", "inherits itself"}},
		"no file":         {"", []string{"t.toml"}},
	} {
		fsys := fstest.MapFS{"u.toml": {Data: []byte("inherit = \"t\"\n")}}
		if c.data != "" {
			fsys["t.toml"] = &fstest.MapFile{Data: []byte(c.data)}
		}
		th, err := Load(fsys, "t.toml")
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		for _, word := range c.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %q", name, err, word)
			}
		}
		if fallback := Default(true); th == nil || th.Prefix(Accent) != fallback.Prefix(Accent) {
			t.Errorf("%s: no theme to go on with", name)
		}
	}
}

func TestFind(t *testing.T) {
	fsys := fstest.MapFS{"light.toml": {Data: []byte("name = \"my light\"\ninherit = \"light\"\n")}}
	if th, err := Find(fsys, "light"); err != nil || th.Name != "my light" {
		t.Errorf("a user's theme comes before the built-in one: %v", err)
	}
	if th, err := Find(nil, "light"); err != nil || th.Name != "light" {
		t.Errorf("built in: %v", err)
	}
	if th, err := Find(fsys, "lihgt"); err == nil || !strings.Contains(err.Error(), "did you mean light?") || th == nil {
		t.Errorf("unknown: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("inherit = \"dark\"\n[palette]\nblue = [\"#ff0000\", 1, 2]\n[roles]\naccent = \"blue on 4 bold\"\n")
	f.Add("[roles]\ntext = 3\n")
	f.Add("palette = 3")
	f.Fuzz(func(t *testing.T, data string) {
		th, _ := Load(fstest.MapFS{"t.toml": {Data: []byte(data)}}, "t.toml")
		if th == nil {
			t.Fatal("no theme")
		}
		for _, p := range parameters(th) {
			if strings.Trim(p, "0123456789;") != "" {
				t.Errorf("a theme file reached the terminal: %q", p)
			}
		}
	})
}

func TestStatusesHaveRoles(t *testing.T) {
	for s := store.Queued; int(s) < store.Statuses; s++ {
		if s.Waiting() != (StatusRole(s) == StateWaiting) || s.InFlight() != (StatusRole(s) == StateRunning) {
			t.Errorf("%s is %s", s, StatusRole(s))
		}
	}
	if StatusRole(store.BusinessException) == StatusRole(store.SystemException) {
		t.Error("business exceptions and faults look alike")
	}
}
