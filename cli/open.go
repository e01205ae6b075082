package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	berrors "go.etcd.io/bbolt/errors"

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

// do runs fn on the service and closes it. It makes no store. A format that
// there is not is refused before anything is done.
func (a *app) do(ctx context.Context, fn func(context.Context, Service) error) error {
	if _, err := a.format(asTable); err != nil {
		return err
	}
	return a.run(ctx, place.holds, fn)
}

// doOne is do for what prints one object: a format in which it can't is refused
// before anything is done.
func (a *app) doOne(ctx context.Context, fn func(context.Context, Service) error) error {
	if _, err := a.formatOfOne(); err != nil {
		return err
	}
	return a.do(ctx, fn)
}

// make is do for what may be the first thing done with a store.
func (a *app) make(ctx context.Context, fn func(context.Context, Service) error) error {
	if a.readOnly {
		return a.do(ctx, fn)
	}
	if _, err := a.format(asTable); err != nil {
		return err
	}
	return a.run(ctx, func(place) error { return nil }, fn)
}

func (a *app) run(ctx context.Context, check func(place) error, fn func(context.Context, Service) error) error {
	ctx, stop := interruptible(engine.WithActor(ctx, a.actor()))
	defer stop()
	if _, err := a.location(); err != nil {
		return err
	}
	s, err := a.open(ctx, check)
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, s), s.Close())
}

// open finds the service: the engine that was named, or what find finds at a
// place that passes the check.
func (a *app) open(ctx context.Context, check func(place) error) (Service, error) {
	if address := a.address(); address != "" {
		return a.attach(ctx, address)
	}
	where, err := a.where()
	if err != nil {
		return nil, err
	}
	if err := check(where); err != nil {
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
		if errors.Is(err, berrors.ErrInvalid) {
			return nil, &store.Error{Code: store.CodeUnavailable, Thing: "store " + where.path, Rule: "it is not a signalbox store, or its beginning is damaged", Mend: "check --store, or put a backup in its place"}
		}
		if !errors.Is(err, bolt.ErrHeld) {
			return nil, a.mayLook(where, err)
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
			return nil, stillHeld(where, err)
		}
	}
}

// mayLook tells those who may read a store and not write it how to look at it.
func (a *app) mayLook(where place, err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok || a.readOnly || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	f, cannot := os.Open(where.path)
	if cannot != nil {
		return err
	}
	told := *e
	told.Mend = "look at it with --read-only, or act as one who may write it"
	if errors.Is(err, syscall.EROFS) {
		told.Mend = "look at it with --read-only, or move it to a disk that takes writes"
	}
	return errors.Join(&told, f.Close())
}

// stillHeld says who held the store all the time, and whether that one sleeps or
// can't be reached any more.
func stillHeld(where place, err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		return err
	}
	holder, _, _ := strings.Cut(e.Rule, " (waited")
	still := &store.Error{Code: e.Code, Thing: e.Thing, Rule: fmt.Sprintf("%s (waited %s)", holder, patience), Mend: e.Mend}
	var pid int
	if _, err := fmt.Sscanf(holder, "is held by process %d", &pid); err == nil && suspended(pid) {
		still.Rule += ", which is suspended"
		still.Mend = fmt.Sprintf("resume it with fg or `kill -CONT %d`", pid)
	} else if _, err := os.Lstat(where.socket()); errors.Is(err, fs.ErrNotExist) {
		still.Mend += "; an engine whose socket " + where.socket() + " was deleted has to be restarted"
	}
	return still
}

// suspended says that a process is stopped, by ctrl-z say; where there is no
// /proc it can't be told.
func suspended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(b[bytes.LastIndexByte(b, ')')+1:]), " ")
	return strings.HasPrefix(after, "T") || strings.HasPrefix(after, "t")
}

func (a *app) start(ctx context.Context, where place, s store.Store, log *slog.Logger) (Service, error) {
	key, err := a.key()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	e, err := engine.Open(ctx, s, engine.Options{Name: where.String(), ReadOnly: a.readOnly, Logger: log, Key: key, Archive: where.archive()})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return e, nil
}

func (a *app) knock(ctx context.Context, socket string) (*client.Client, error) {
	soon, cancel := context.WithTimeout(ctx, knock)
	defer cancel()
	c, err := client.Connect(soon, socket, client.Options{ReadOnly: a.readOnly})
	if soon.Err() != nil && ctx.Err() == nil {
		err = store.Unavailable("socket "+socket, fmt.Errorf("its engine did not answer within %s", knock), "see whether that signalbox is suspended")
	}
	return c, err
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
