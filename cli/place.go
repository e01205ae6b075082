package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"signalbox/store"
)

// place is where a store is kept.
type place struct {
	memory bool
	path   string
}

// String is the store as people name it.
func (p place) String() string {
	if p.memory {
		return "memory:"
	}
	return "bolt:" + p.path
}

func (p place) socket() string { return p.path + ".sock" }

// archive is the folder of what retention archives, "" where there is no place.
func (p place) archive() string {
	if p.memory {
		return ""
	}
	return p.path + ".archive"
}

// holds refuses a place that holds no store yet, which reading would make.
func (p place) holds() error {
	if p.memory {
		return nil
	}
	info, err := os.Stat(p.path)
	refused := &store.Error{Code: store.CodeUnavailable, Mend: "create it with `signalbox queue add …` or check --store"}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		refused.Thing = "there is no store at " + p.path
	case err != nil:
		return store.Unavailable("store "+p.path, errors.Unwrap(err), "check the path and its rights")
	case info.IsDir():
		refused.Thing, refused.Rule, refused.Mend = "store "+p.path, "it is a folder", "name a file in it with --store"
	case info.Size() == 0:
		refused.Thing, refused.Rule = "there is no store at "+p.path, "the file is empty"
	default:
		return nil
	}
	return refused
}

// where reads --store and its substitutes. Links are followed, so that all
// commands find one socket beside one file.
func (a *app) where() (place, error) {
	name := a.store
	if name == "" {
		name = a.Getenv("SIGNALBOX_STORE")
	}
	if name == "" {
		data := a.Getenv("XDG_DATA_HOME")
		if data == "" {
			data = xdg.DataHome
		}
		name = "bolt:" + filepath.Join(data, "signalbox", "signalbox.db")
	}
	if name == "memory:" {
		return place{memory: true}, nil
	}
	path, ok := strings.CutPrefix(name, "bolt:")
	if !ok || path == "" {
		return place{}, usage(fmt.Sprintf("store %q", name), "a store is bolt:PATH or memory:", "write bolt: and the file's path")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return place{}, store.Unavailable("store "+name, err, "")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return place{path: path}, nil
}
