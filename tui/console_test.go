package tui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"signalbox/config"
	"signalbox/tui/act"
	"signalbox/tui/internal/fake"
)

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files anew")
	if os.Getenv(childMode) != "" {
		child(os.Getenv(childMode))
		return
	}
	flag.Parse()
	folder, err := os.MkdirTemp("", "signalbox-tui-") // for drafts, which are kept when refused
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("TMPDIR", folder); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// console drives the root by hand: no program, no terminal, no time of its
// own. Commands run in place; the clock stands until it is moved.
type console struct {
	t      testing.TB
	app    *app
	port   act.Engine
	engine *fake.Engine // the port, where it is a fake
	now    time.Time
	quit   bool
}

func open(t testing.TB, e *fake.Engine, w, h int, change ...func(*Options)) *console {
	t.Helper()
	c := openOn(t, e, w, h, change...)
	c.engine = e
	return c
}

func openOn(t testing.TB, e act.Engine, w, h int, change ...func(*Options)) *console {
	t.Helper()
	c := &console{t: t, port: e, now: fake.Epoch()}
	o := Options{
		Engine: e, Title: "production", Actor: "ada", Config: config.Config{Theme: "dark"}, Place: time.UTC,
		Clock: func() time.Time { return c.now }, Environ: []string{"TERM=xterm-256color"},
	}
	for _, fn := range change {
		fn(&o)
	}
	a, err := newApp(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	a.still = true
	c.app = a
	c.send(tea.ColorProfileMsg{Profile: colorprofile.NoTTY})
	c.send(tea.WindowSizeMsg{Width: w, Height: h})
	c.run(a.wake())
	c.feed()
	return c
}

// send gives the root a message and carries out what follows from it.
func (c *console) send(msg tea.Msg) {
	_, cmd := c.app.Update(msg)
	c.run(cmd)
}

func (c *console) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, each := range msg {
			c.run(each)
		}
	case tea.QuitMsg:
		c.quit = true
	default:
		c.send(msg)
	}
}

// feed hands over a snapshot newer than the one shown, if there is one.
func (c *console) feed() {
	snap, err := c.port.Watch(c.t.Context(), 0)
	if err != nil {
		c.t.Fatal(err)
	}
	if snap.Revision > c.app.feed.after {
		c.send(fedMsg{snap: snap})
	}
}

// press presses keys by name: "j", "G", "enter", "shift+left".
func (c *console) press(names ...string) *console {
	for _, name := range names {
		c.send(keyOf(name))
	}
	return c
}

// text types characters one by one.
func (c *console) text(s string) *console {
	for _, r := range s {
		c.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return c
}

func (c *console) wait(d time.Duration) *console {
	c.now = c.now.Add(d)
	return c
}

func keyOf(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "shift": tea.ModShift, "alt": tea.ModAlt}[mod]
		name = rest
	}
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	}
	if code, ok := codes[name]; ok {
		k.Code = code
		if name == "space" {
			k.Text = " "
		}
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// picture is what stands on the screen.
func (c *console) picture() string { return c.app.View().Content }

func (c *console) shows(words ...string) {
	c.t.Helper()
	for _, w := range words {
		if !strings.Contains(c.picture(), w) {
			c.t.Fatalf("the screen does not show %q:\n%s", w, c.picture())
		}
	}
}

func (c *console) hides(words ...string) {
	c.t.Helper()
	for _, w := range words {
		if strings.Contains(c.picture(), w) {
			c.t.Fatalf("the screen still shows %q:\n%s", w, c.picture())
		}
	}
}

// golden compares a picture with the one kept under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got+"\n" {
		t.Errorf("%s differs; go test ./tui -update writes it anew.\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}
