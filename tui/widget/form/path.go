package form

import (
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/tui/screen"
)

// complete finds how the name of a file goes on: as far as all that begin so
// are alike. It reads a folder, so it is a command.
func complete(typed string) tea.Cmd {
	return func() tea.Msg { return screen.Found{For: typed, Text: completed(typed)} }
}

func completed(typed string) string {
	folder, begin := filepath.Split(typed)
	entries, err := os.ReadDir(Path(folder))
	if err != nil {
		return typed
	}
	var common string
	n := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, begin) || begin == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if isFolder(folder, entry) {
			name += string(filepath.Separator)
		}
		if n++; n == 1 {
			common = name
		} else {
			common = shared(common, name)
		}
	}
	if n == 0 {
		return typed
	}
	return folder + common
}

func isFolder(folder string, entry os.DirEntry) bool {
	if entry.IsDir() {
		return true
	}
	info, err := os.Stat(filepath.Join(Path(folder), entry.Name())) // a link to one
	return err == nil && info.IsDir()
}

// shared is how two names begin alike.
func shared(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.ToValidUTF8(a[:n], "")
}

// Path is a file's name as typed, with ~ for the home folder.
func Path(typed string) string {
	if rest, ok := strings.CutPrefix(typed, "~"); ok && (rest == "" || rest[0] == filepath.Separator) {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	if typed == "" {
		return "."
	}
	return typed
}
