package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/engine/builtin"
	"signalbox/engine/drain"
	"signalbox/server"
	"signalbox/server/socket"
	"signalbox/server/wire"
	"signalbox/store"
)

// host is an engine of our own that goes on: its drains work queues, and others
// reach it on the socket beside its store.
type host struct {
	engine *engine.Engine
	where  place
	drains *drain.Scheduler
	unhook func()     // no completion hook is run any more
	served chan error // ends the server's life
	stop   context.CancelFunc
	log    io.Closer
}

// farewell is how long requests under way have when a server stops.
const farewell = 5 * time.Second

// hosting makes a host, or gives the client of the engine that holds the store
// already. An engine in memory has no socket.
func (a *app) hosting(ctx context.Context) (*host, *client.Client, error) {
	where, err := a.where()
	if err != nil {
		return nil, nil, err
	}
	h := &host{where: where, stop: func() {}}
	log := slog.New(slog.DiscardHandler)
	if !where.memory {
		if log, h.log, err = openLog(where.path + ".log"); err != nil {
			return nil, nil, err
		}
	}
	s, err := a.find(ctx, where, log)
	if err != nil {
		return nil, nil, errors.Join(err, h.closeLog())
	}
	if other, ok := s.(*client.Client); ok {
		return nil, other, h.closeLog()
	}
	h.engine = s.(*engine.Engine)
	if !where.memory {
		if err := h.serve(ctx, log); err != nil {
			return nil, nil, errors.Join(err, h.engine.Close(), h.closeLog())
		}
	}
	h.drains = drain.Start(context.WithoutCancel(ctx), h.engine, drain.Options{
		Logger: log, Env: h.env(), Handlers: builtin.Handlers(h.engine), Abreast: builtin.Abreast(),
	})
	if h.unhook, err = h.engine.RunHooks(h.engine.BuiltinHooks()); err != nil {
		hurry, cancel := context.WithCancel(ctx)
		cancel()
		_, closed := h.close(hurry)
		return nil, nil, errors.Join(err, closed)
	}
	return h, nil, nil
}

// env tells programs which store they work for, so that commands in them reach
// this engine.
func (h *host) env() []string {
	if h.where.memory {
		return nil
	}
	return []string{"SIGNALBOX_STORE=" + h.where.String(), "SIGNALBOX_CONNECT="}
}

// openLog opens the log beside a store, whose folder may have to be made.
func openLog(path string) (*slog.Logger, io.Closer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, store.Unavailable("log "+path, err, "choose another place with --store")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, store.Unavailable("log "+path, err, "choose another place with --store")
	}
	return slog.New(slog.NewTextHandler(f, nil)), f, nil
}

// serve answers on the socket until stop.
func (h *host) serve(ctx context.Context, log *slog.Logger) error { // nil = no log
	l, err := socket.Listen(h.where.socket())
	if err != nil {
		return err
	}
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.served = make(chan error, 1)
	handler := server.Handler(h.engine, server.Options{Health: health(h.where), Log: log, Metrics: h.engine.Metrics})
	go func() { h.served <- server.Serve(ctx, l, handler, farewell) }()
	return nil
}

func health(p place) wire.Health { return wire.Health{Store: p.String(), PID: os.Getpid()} }

// close ends all in good order: no new work, what runs may finish until hurry
// ends, then the socket, the engine and its store.
func (h *host) close(hurry context.Context) (drain.Left, error) {
	var left drain.Left
	if h.drains != nil {
		left = h.drains.Stop(hurry)
	}
	if h.unhook != nil {
		h.unhook()
	}
	h.stop()
	var err error
	if h.served != nil {
		err = <-h.served
	}
	return left, errors.Join(err, h.engine.Close(), h.closeLog())
}

func (h *host) closeLog() error {
	if h.log == nil {
		return nil
	}
	return h.log.Close()
}

// leftBehind words what a stop left.
func leftBehind(l drain.Left) string {
	text := fmt.Sprintf("%s finished while stopping, %d given back", counted(l.Finished, "item"), l.GivenBack)
	if l.Lost > 0 {
		text += fmt.Sprintf(", %d held until their leases end", l.Lost)
	}
	if l.Stuck > 0 {
		text += ", " + counted(l.Stuck, "consumer") + " did not stop"
	}
	return text
}
