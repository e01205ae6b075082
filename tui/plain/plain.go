// Package plain is the console without a screen: changes come as lines, and
// lines typed are commands. It is for screen readers, for pipes, and for
// terminals that can do nothing else; no escape sequence ever leaves it.
//
//	stdin ── reader ──▶ lines ──┐
//	engine ── watcher ─▶ news ──┼─▶ one loop ──▶ stdout
//	                    ctx ────┘
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/text"
	"signalbox/tui/widget/progress"
)

// Options say what is to be shown, and to whom. All but Title are required.
type Options struct {
	Engine   act.Engine
	Title    string
	Actor    string // who acts, for the history
	ReadOnly bool
	Place    *time.Location // of the times shown
	Clock    func() time.Time
	Input    io.Reader
	Output   io.Writer
}

const (
	// gap is the least time between two looks at what is new.
	gap = time.Second
	// told is the most changes told of one look; the others are counted.
	told = 20
	// paging is how many rows a list shows at a time.
	paging = 20
)

// session is one run.
type session struct {
	Options
	ctx    context.Context
	out    *bufio.Writer
	follow bool
	filter string // of the changes told
	last   uint64 // the newest change told
	notice uint64 // the newest notice told
	snap   *engine.Snapshot
	list   *engine.ListRequest // what `more` goes on with
	ended  bool

	asked   question // what waits for a yes
	undo    func() error
	bulk    uint64 // the act on many begun here that runs
	watched watched
	speeds  *progress.Speeds
}

// news is the watcher's answer.
type news struct {
	snap *engine.Snapshot
	err  error
}

// Run tells what happens and does what is typed until the input ends, somebody
// quits, or ctx ends. What has been read is done in any case.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(engine.WithActor(ctx, o.Actor))
	s := &session{Options: o, ctx: ctx, out: bufio.NewWriter(o.Output), follow: true, speeds: progress.NewSpeeds()}
	if err := s.begin(); err != nil {
		cancel()
		return err
	}
	lines, news := make(chan string), make(chan news)
	var group sync.WaitGroup
	after := s.snap.Revision
	group.Go(func() { s.watch(after, news) })
	go s.read(lines) // a read can't be interrupted; it ends with the input
	err := s.loop(lines, news)
	cancel()
	group.Wait()
	return errors.Join(err, s.out.Flush())
}

// begin says where this is and how it stands.
func (s *session) begin() error {
	snap, err := s.Engine.Watch(s.ctx, 0)
	if err != nil {
		return err
	}
	s.snap = snap
	if n := len(snap.Notices); n > 0 {
		s.notice = snap.Notices[n-1].Seq
	}
	if source, ok := s.Engine.(act.Streamer); ok {
		got, err := source.Stream(s.ctx, engine.StreamRequest{Limit: 1})
		if err != nil {
			return err
		}
		s.last = got.Last
	}
	s.say("Signalbox %s, store %s.", or(s.Title, "console"), snap.Store)
	s.status()
	s.say("Changes are told as they come. Type help for the commands, quit to leave.")
	return s.out.Flush()
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// read hands over the lines typed.
func (s *session) read(lines chan<- string) {
	defer close(lines)
	scanner := bufio.NewScanner(s.Input)
	for scanner.Scan() {
		select {
		case lines <- scanner.Text():
		case <-s.ctx.Done():
			return
		}
	}
}

// watch hands over snapshots newer than after, no more than one for each gap.
func (s *session) watch(after uint64, to chan<- news) {
	for s.ctx.Err() == nil {
		snap, err := s.Engine.Watch(s.ctx, after)
		if err == nil {
			after = snap.Revision
		}
		select {
		case to <- news{snap, err}:
		case <-s.ctx.Done():
			return
		}
		pause := time.NewTimer(gap)
		select {
		case <-pause.C:
		case <-s.ctx.Done():
		}
		pause.Stop()
	}
}

func (s *session) loop(lines <-chan string, news <-chan news) error {
	lost := false
	for !s.ended {
		select {
		case <-s.ctx.Done():
			return nil
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			s.command(line)
		case n := <-news:
			switch {
			case s.ctx.Err() != nil:
			case n.err != nil && !lost:
				s.say("The engine does not answer: %v. It is asked again every second.", n.err)
			case n.err == nil:
				if lost {
					s.say("The engine answers again.")
				}
				s.news(n.snap)
			}
			lost = n.err != nil
		}
		if err := s.out.Flush(); err != nil {
			return fmt.Errorf("the output: %w", err)
		}
	}
	return nil
}

// news tells what has happened since the last look.
func (s *session) news(snap *engine.Snapshot) {
	s.snap = snap
	for i := range snap.Notices {
		if n := &snap.Notices[i]; n.Seq > s.notice {
			s.notice = n.Seq
			s.say("Notice: %s.", n.Text)
		}
	}
	s.gotOn()
	s.manyGotOn()
	source, ok := s.Engine.(act.Streamer)
	if !ok || !s.follow {
		return
	}
	got, err := source.Stream(s.ctx, engine.StreamRequest{Filter: s.filter, From: s.last, Newer: true, Limit: 10 * told})
	if err != nil {
		s.say("The changes could not be read: %v.", err)
		return
	}
	n := len(got.Changes)
	for i := n - 1; i >= max(n-told, 0); i-- {
		s.change(&got.Changes[i])
	}
	switch {
	case got.More:
		s.say("And many more changes. quiet stops telling them; follow with a filter tells fewer.")
		s.last = got.Last
	case n > told:
		s.say("And %s more changes.", text.Count(int64(n-told)))
		s.last = max(got.Last, s.last)
	default:
		s.last = max(got.Last, s.last)
	}
}

// change tells one change.
func (s *session) change(c *store.Change) {
	of := "the pool"
	switch {
	case c.Number > 0:
		of = store.ID{Queue: c.Queue, Number: c.Number}.String()
	case c.Queue != "":
		of = "queue " + c.Queue
	}
	words := fmt.Sprintf("%s %s: %s", s.clock(c.At), of, c.Event)
	if c.To != 0 && c.To != c.From {
		words += ", now " + c.To.String()
	}
	words += ", by " + env.Robot(c.Actor)
	if c.Why != "" {
		words += ": " + c.Why
	}
	s.say("%s.", words)
}

func (s *session) clock(t store.Time) string { return t.Time().In(s.Place).Format("15:04:05") }

// say writes a line. Whatever data holds, it stays one line of plain text.
func (s *session) say(format string, args ...any) {
	words := text.Clean(fmt.Sprintf(format, args...))
	for strings.HasSuffix(string(words), "..") {
		words = words[:len(words)-1]
	}
	_, _ = s.out.WriteString(string(words) + "\n") // Flush tells the error
}
