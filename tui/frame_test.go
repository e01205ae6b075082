package tui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"signalbox/config"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

func frame(t *testing.T, screen string, profile colorprofile.Profile) (string, error) {
	t.Helper()
	o := Options{Engine: fake.Lifelike(), Config: config.Config{Theme: "dark"}, Place: time.UTC, Clock: fake.Epoch, Environ: []string{"TERM=xterm"}}
	return Frame(t.Context(), o, screen, 100, 30, profile)
}

func TestFrameOfEveryScreen(t *testing.T) {
	for name, words := range map[string]string{
		"slots": "slow 7–25", "queues": "insurance.claims", "4": "abandoned", "Review": "no postal code",
	} {
		got, err := frame(t, name, colorprofile.NoTTY)
		if err != nil {
			t.Fatal(err)
		}
		exact(t, got, 100, 30)
		if !strings.Contains(got, words) || strings.Contains(got, "\x1b") {
			t.Errorf("%s without %q, or with escapes:\n%s", name, words, got)
		}
	}
}

func TestFrameOfNoScreen(t *testing.T) {
	_, err := frame(t, "slotz", colorprofile.NoTTY)
	if store.CodeOf(err) != store.CodeInvalid || !strings.Contains(err.Error(), "did you mean slots?") {
		t.Fatal(err)
	}
}

// Each kind of terminal is sent only what it shows.
func TestColoursFollowTheTerminal(t *testing.T) {
	colour := regexp.MustCompile(`[\[;](3[0-7]|4[0-7]|9[0-7]|10[0-7]|38[;:]|48[;:])`)
	wide := regexp.MustCompile(`[\[;](38|48)[;:]`)
	for profile, test := range map[colorprofile.Profile]struct{ some, none *regexp.Regexp }{
		colorprofile.TrueColor: {wide, nil},
		colorprofile.ANSI:      {colour, wide},
		colorprofile.ASCII:     {nil, colour},
	} {
		got, err := frame(t, "slots", profile)
		if err != nil {
			t.Fatal(err)
		}
		codes := strings.Join(sgr.FindAllString(got, -1), "")
		if test.some != nil && !test.some.MatchString(codes) || test.none != nil && test.none.MatchString(codes) {
			t.Errorf("%v was sent %q", profile, codes[:min(len(codes), 300)])
		}
	}
}

func TestAnyNoColorIsHeeded(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "yes": true, "0": true, "": false} {
		if got := noColor([]string{"NO_COLOR=" + value}); got != want {
			t.Errorf("NO_COLOR=%q: %t", value, got)
		}
	}
}

func TestLinuxConsoleGetsASCII(t *testing.T) {
	c := open(t, fake.Lifelike(), 80, 24, func(o *Options) { o.Environ = []string{"TERM=linux"} })
	for _, keys := range [][]string{nil, {"S"}, {"esc", "2"}, {"down", "enter"}, {"enter"}, {"5"}, {"?"}} {
		c.press(keys...)
		for _, r := range c.picture() {
			if r > 0x7e {
				t.Fatalf("%q (%U) after %v:\n%s", r, r, keys, c.picture())
			}
		}
	}
}

// The word job alone is the newest job that goes on.
func TestFrameOfTheNewestJob(t *testing.T) {
	e := fake.Lifelike()
	o := Options{Engine: e, Actor: "ada", Place: time.UTC, Clock: fake.Epoch}
	got, err := Frame(t.Context(), o, "job", 120, 40, colorprofile.NoTTY)
	if err != nil || !strings.Contains(got, "triage-0302") {
		t.Fatalf("%v\n%s", err, got)
	}
	if _, err := Frame(t.Context(), Options{Engine: fake.New(), Actor: "ada", Place: time.UTC, Clock: fake.Epoch}, "job", 120, 40, colorprofile.NoTTY); err == nil {
		t.Fatal("there is none, and it was shown")
	}
}
