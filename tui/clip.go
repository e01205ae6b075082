package tui

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// clipWithin is how long a program for the clipboard may take.
const clipWithin = 3 * time.Second

// clippers are programs that put their input on the clipboard of the desktop
// that the environment tells of. At the other end of an SSH connection that is
// not the person's, which only the terminal reaches.
func clippers(environ []string) [][]string {
	switch {
	case lookup(environ, "SSH_CONNECTION") != "", lookup(environ, "SSH_TTY") != "":
		return nil
	case runtime.GOOS == "darwin":
		return [][]string{{"pbcopy"}}
	case lookup(environ, "WAYLAND_DISPLAY") != "":
		return [][]string{{"wl-copy"}}
	case lookup(environ, "DISPLAY") != "":
		return [][]string{{"xclip", "-selection", "clipboard"}, {"xsel", "--clipboard", "--input"}}
	}
	return nil
}

// clippedMsg tells which program took a text, or why it did not.
type clippedMsg struct {
	what text.Safe
	by   string
	err  error
}

// clip hands a text to the terminal's clipboard, which does not answer, and to
// the desktop's where there is a program for it.
func (a *app) clip(c screen.Clip) tea.Cmd {
	a.toasts.Add(screen.Toast{Text: "Sent " + c.What + " to the clipboard, where the terminal allows it (OSC 52)"}, a.env.Now)
	cmds := []tea.Cmd{tea.SetClipboard(c.Text)}
	for _, words := range a.clippers {
		if path, err := exec.LookPath(words[0]); err == nil {
			ctx := a.feed.ctx
			cmds = append(cmds, a.guarded(func() tea.Msg {
				return clippedMsg{c.What, words[0], clipBy(ctx, path, words[1:], c.Text)}
			}))
			break
		}
	}
	return tea.Batch(cmds...)
}

func clipBy(ctx context.Context, path string, args []string, words string) error {
	ctx, cancel := context.WithTimeout(ctx, clipWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = strings.NewReader(words)
	return cmd.Run()
}

// clipped tells the outcome.
func (a *app) clipped(msg clippedMsg) {
	a.dirty = a.dirty || !a.feed.frozen
	toast := screen.Toast{Text: "Copied " + msg.what + " to the clipboard, by " + text.Clean(msg.by)}
	if msg.err != nil {
		toast = screen.Toast{Level: screen.Warning, Text: text.Clean(msg.by + " did not take " + string(msg.what) + ": " + msg.err.Error() + "; the terminal may have, where it allows it (OSC 52)")}
	}
	a.toasts.Add(toast, a.env.Now)
}
