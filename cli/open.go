package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/memory"
)

const (
	// patience is how long a command waits for a store that is held by another
	// that answers on no socket.
	patience = 5 * time.Second
	// glance is the wait for the file's lock between two looks at the socket.
	glance = 100 * time.Millisecond
	// knock is how long a running engine has to answer.
	knock = 2 * time.Second
)

// do runs fn on the service and closes it.
func (a *app) do(ctx context.Context, fn func(context.Context, Service) error) error {
	ctx, stop := interruptible(engine.WithActor(ctx, a.actor()))
	defer stop()
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, s), s.Close())
}

// open finds the service: the engine that was named, or what find finds.
func (a *app) open(ctx context.Context) (Service, error) {
	if address := a.address(); address != "" {
		return a.attach(ctx, address)
	}
	where, err := a.where()
	if err != nil {
		return nil, err
	}
	return a.find(ctx, where, nil)
}

// find gives an engine of our own on the store, or the client of the one that
// holds it.
func (a *app) find(ctx context.Context, where place, log *slog.Logger) (Service, error) {
	if where.memory {
		return a.start(ctx, where, memory.New(), log)
	}
	for end := time.Now().Add(patience); ; {
		s, err := bolt.Open(where.path, bolt.Options{ReadOnly: a.readOnly, Timeout: glance})
		if err == nil {
			return a.start(ctx, where, s, log)
		}
		if !errors.Is(err, bolt.ErrHeld) {
			return nil, err
		}
		// A socket may be left over from an engine that died; only one that
		// answers counts.
		if c, err := a.knock(ctx, where.socket()); err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !time.Now().Before(end) {
			return nil, stillHeld(err)
		}
	}
}

// stillHeld says how long the store was waited for in all.
func stillHeld(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		return err
	}
	still := *e
	still.Rule, _, _ = strings.Cut(e.Rule, " (waited")
	still.Rule += fmt.Sprintf(" (waited %s)", patience)
	return &still
}

func (a *app) start(ctx context.Context, where place, s store.Store, log *slog.Logger) (Service, error) {
	e, err := engine.Open(ctx, s, engine.Options{Name: where.String(), ReadOnly: a.readOnly, Logger: log})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return e, nil
}

func (a *app) knock(ctx context.Context, socket string) (*client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, knock)
	defer cancel()
	return client.Connect(ctx, socket, client.Options{ReadOnly: a.readOnly})
}

// address is the running engine that was named, if one was.
func (a *app) address() string {
	if a.connect != "" || a.store != "" {
		return a.connect
	}
	return a.Getenv("SIGNALBOX_CONNECT")
}

func (a *app) attach(ctx context.Context, address string) (Service, error) {
	path, ok := strings.CutPrefix(address, "unix:")
	if !ok {
		return nil, usage(fmt.Sprintf("--connect %q", address), "an engine is reached at unix:PATH", "write unix: and the socket's path")
	}
	c, err := a.knock(ctx, path)
	if err != nil {
		return nil, err
	}
	return c, nil
}

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
