package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
	"signalbox/tui/screen"
)

func TestExplain(t *testing.T) {
	c := group(t)
	c.press("w")
	c.shows("Why finance.orders/4 stands where it does", "queue finance.orders is paused by grace", "what helps: p resumes the queue", "until 14:15:09, in 12m00s")
	c.press("esc", "enter", "w")
	c.shows("Why finance.orders/4")
}

func TestCopyHidesMaskedFields(t *testing.T) {
	c := group(t)
	c.press("y")
	c.shows("Sent finance.orders/4 to the clipboard")
	effects := c.app.desk.CopyJSON(screen.Addr{}, []store.ID{{Queue: "finance.orders", Number: 4}}, c.app.env.Mask)
	told := effects.Cmds[0]()
	words, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(words), "DE89") || !strings.Contains(string(words), "10251") {
		t.Fatalf("%s", words)
	}
}

func TestCopyTakesTheMarkedAndSaysWhatIsTooMuch(t *testing.T) {
	e := fake.Lifelike()
	for range 1100 {
		e.Put(engine.Record{Item: store.Item{Queue: "finance.orders", Status: store.Successful}, Payload: []byte(`{"a":"` + strings.Repeat("x", 900) + `"}`)})
	}
	e.Change(nil)
	c := open(t, e, 120, 40)
	c.press("2", "down", "enter")
	for n, want := range map[int]string{3: "Sent 3 items as JSON", 90: "Not copied: 90 items as JSON are"} {
		c.press("backspace")
		for range n {
			c.press("space")
		}
		c.press("y")
		c.shows(fmt.Sprintf("Sent %d ids to the clipboard", n))
		c.press("Y")
		c.shows(want)
	}
	c.press("a", "Y")
	c.shows("Not copied: 1,160 items are more than a clipboard is for", "signalbox item list -o json")
}

// The desktop's own clipboard is reached by its program, which is named; not
// from the other end of an SSH connection.
func TestCopyReachesTheDesktop(t *testing.T) {
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken")
	install := func(script string) {
		if err := os.WriteFile(filepath.Join(folder, "wl-copy"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	desktop := func(more ...string) func(*Options) {
		return func(o *Options) { o.Environ = append(o.Environ, append(more, "WAYLAND_DISPLAY=wayland-0")...) }
	}
	install("cat > " + taken + "; echo noise; echo noise >&2")
	c := group(t, desktop())
	c.press("y")
	c.shows("Copied finance.orders/4 to the clipboard, by wl-copy")
	if got, err := os.ReadFile(taken); err != nil || string(got) != "finance.orders/4" {
		t.Fatalf("%q %v", got, err)
	}
	c = group(t, desktop("SSH_CONNECTION=1.2.3.4"))
	c.press("y")
	c.shows("Sent finance.orders/4 to the clipboard, where the terminal allows it (OSC 52)")
	install("exit 3")
	c = group(t, desktop())
	c.press("y")
	c.shows("wl-copy did not take finance.orders/4: exit status 3")
}

// The editor is a program of the test's; what it leaves becomes the payload,
// with the masked fields as they were.
func TestEditAndRetry(t *testing.T) {
	c := group(t, inPlace)
	script := filepath.Join(t.TempDir(), "edit.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsed -i 's/VINET/TOMSP/' \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	c.press("E")
	if len(c.engine.Retries) != 1 {
		t.Fatalf("%d retries\n%s", len(c.engine.Retries), c.picture())
	}
	payload := string(c.engine.Retries[0].Payload)
	if !strings.Contains(payload, "TOMSP") || !strings.Contains(payload, "DE89370400440532013000") {
		t.Fatal(payload)
	}
}

func TestRefusedEditIsKept(t *testing.T) {
	c := group(t, inPlace)
	script := filepath.Join(t.TempDir(), "break.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho '{\"order\":' > \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	c.press("E")
	c.shows("Could not retry with another payload", "Your edit is kept in")
	if len(c.engine.Retries) != 0 {
		t.Fatal("retried")
	}
}

// A mark that was changed has no value: nothing is retried, and the file stays.
func TestAlteredMarkIsRefusedAndKept(t *testing.T) {
	c := group(t, inPlace)
	script := filepath.Join(t.TempDir(), "alter.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsed -i 's/••••1/••••7/' \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	c.press("E")
	c.shows("stands for no masked value", "Your edit is kept in")
	if len(c.engine.Retries) != 0 {
		t.Fatal("retried")
	}
}

// inPlace runs the editor where the test stands.
func inPlace(o *Options) {
	o.Exec = func(command *exec.Cmd, then tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return then(command.Run()) }
	}
}
