package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/store/memory"
)

func (a *app) queueDump() *cobra.Command {
	return &cobra.Command{
		Use: "dump [NAME…]", Short: "Print queues as a file that apply takes", Args: takes("[NAME…]"),
		Long:    "Print queues as TOML, all but the built-in ones or those that are named: of each its name, its family, and the settings that are not the family's default.",
		Example: "signalbox queue dump > queues.toml",
		RunE: func(c *cobra.Command, args []string) error {
			if a.output != "" {
				return usage("--format "+a.output, "a dump is TOML", "leave it out, or use `signalbox queue list`")
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				queues, err := s.Queues(ctx)
				if err != nil {
					return err
				}
				for _, name := range args {
					switch {
					case !slices.ContainsFunc(queues, func(q engine.QueueState) bool { return q.Name == name }):
						return store.NoQueue(name)
					case engine.Builtin(name):
						return usage(fmt.Sprintf("queue %q", name), "it is built in, which no file can declare", "leave it out")
					}
				}
				queues = slices.DeleteFunc(queues, func(q engine.QueueState) bool {
					return len(args) > 0 && !slices.Contains(args, q.Name) || engine.Builtin(q.Name)
				})
				return a.dump(queues)
			})
		},
	}
}

func (a *app) dump(queues []engine.QueueState) error {
	w := bufio.NewWriter(a.Stdout)
	if slices.ContainsFunc(queues, func(q engine.QueueState) bool { return len(q.Consumer.Headers) > 0 }) {
		fmt.Fprintln(w, "# It holds headers of http consumers, which may be secrets.")
	}
	fmt.Fprintln(w, "# Queues, for `signalbox queue apply -f FILE`. What is not said has its family's default.")
	for _, q := range queues {
		fmt.Fprintf(w, "\n[[queue]]\nname = %s\nfamily = %s\n", tomlText(q.Name), tomlText(q.Family.String()))
		plain := engine.DefaultQueue(q.Name, q.Family)
		for _, s := range queueSettings() {
			if !s.same(&q.Queue, &plain) {
				fmt.Fprintf(w, "%s = %s\n", s.key, s.toml(&q.Queue))
			}
		}
	}
	return w.Flush()
}

func (a *app) queueApply() *cobra.Command {
	var path string
	var dry bool
	c := &cobra.Command{
		Use: "apply -f FILE", Short: "Make queues be as a file says", Args: takes(),
		Long: "Make queues be as a file says, which is what `signalbox queue dump` prints: queues that are missing are added, settings that differ are changed, " +
			"and queues that the file does not name stay as they are. A setting that it does not say gets its family's default, " +
			"but for paused, which then stays as it is. All is checked before anything is changed.",
		Example: "signalbox queue apply -f queues.toml --dry-run",
	}
	c.Flags().StringVarP(&path, "file", "f", "", "the file, or - for stdin")
	c.Flags().BoolVar(&dry, "dry-run", false, "only print what would change")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if path == "" {
			return usage("`"+c.CommandPath()+"`", "it needs -f FILE", "write one with `signalbox queue dump`")
		}
		if _, err := a.format(asTable); err != nil {
			return err // before anything is changed
		}
		f, err := a.openQueueFile(path)
		if err != nil {
			return err
		}
		if err := f.check(c.Context(), filepath.Dir(path)); err != nil {
			return err
		}
		open := a.make
		if dry {
			open = a.do
		}
		return open(c.Context(), func(ctx context.Context, s Service) error { return a.apply(ctx, s, f, dry) })
	}
	return c
}

// check makes consumers' paths whole and holds each queue against the engine's
// rules, by adding it to an engine that nobody else sees.
func (f *queueFile) check(ctx context.Context, folder string) (err error) {
	e, err := engine.Open(ctx, memory.New(), engine.Options{Key: make([]byte, engine.KeySize)})
	if err != nil {
		return err
	}
	defer e.Close()
	for i := range f.queues {
		q := &f.queues[i]
		if err := q.wholeConsumer(folder); err != nil {
			return f.fault(q.index, "consumer", err)
		}
		if _, err := e.AddQueue(ctx, q.Queue); err != nil {
			return f.fault(q.index, "", err)
		}
	}
	return nil
}

func (d *declared) wholeConsumer(folder string) error {
	c := &d.Consumer
	whole := map[string]any{"dir": c.Dir, "argv": c.Argv, "env": c.Env, "shell": c.Shell}
	if err := checkConsumer(folder, whole); err != nil {
		if e, ok := errors.AsType[*store.Error](err); ok {
			err = usage("consumer."+strings.TrimPrefix(e.Thing, "--"), e.Rule, e.Mend)
		}
		return err
	}
	c.Dir, c.Argv = whole["dir"].(string), whole["argv"].([]string)
	return nil
}

// settingChange is a setting that is not as a file says. Now is null also for a
// queue that is not there yet.
type settingChange struct {
	Queue   string          `json:"queue"`
	Setting string          `json:"setting"`
	Now     json.RawMessage `json:"now"`
	Then    json.RawMessage `json:"then"`
	set     setting
}

// step is what has to be done about one queue.
type step struct {
	want    declared
	add     bool
	changes []settingChange
}

// plan compares the queues that a file names with those that are there.
func (f *queueFile) plan(queues []engine.QueueState) (steps []step, err error) {
	for _, want := range f.queues {
		n := slices.IndexFunc(queues, func(q engine.QueueState) bool { return q.Name == want.Name })
		if n < 0 {
			steps = append(steps, newQueue(want))
			continue
		}
		now := &queues[n].Queue
		if now.Family != want.Family {
			return nil, f.fault(want.index, "family", store.Invalid(fmt.Sprintf("queue %q", want.Name),
				fmt.Sprintf("it is of family %s, and a queue keeps its family", now.Family), "say so, or choose another name"))
		}
		if s := (step{want: want, changes: changesOf(now, &want)}); len(s.changes) > 0 {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

func newQueue(want declared) step {
	family, _ := store.Encode(want.Family)
	none := json.RawMessage("null")
	s := step{want: want, add: true, changes: []settingChange{{want.Name, "family", none, family, setting{}}}}
	plain := engine.DefaultQueue(want.Name, want.Family)
	for _, c := range changesOf(&plain, &want) {
		c.Now = none
		s.changes = append(s.changes, c)
	}
	return s
}

func changesOf(now *store.Queue, want *declared) (changes []settingChange) {
	for _, s := range queueSettings() {
		if s.same(now, &want.Queue) || s.key == "paused" && !want.said[s.key] {
			continue
		}
		changes = append(changes, settingChange{want.Name, s.key, s.shown(now), s.shown(&want.Queue), s})
	}
	return changes
}

func (a *app) apply(ctx context.Context, s Service, f *queueFile, dry bool) error {
	queues, err := s.Queues(ctx)
	if err != nil {
		return err
	}
	steps, err := f.plan(queues)
	if err != nil {
		return err
	}
	var changes []settingChange
	for i, step := range steps {
		if !dry {
			if err := a.take(ctx, s, step); err != nil {
				return fmt.Errorf("after %d of %s: %w", i, counted(len(steps), "queue"), err)
			}
		}
		changes = append(changes, step.changes...)
	}
	format, err := a.format(asTable)
	if err == nil && format == asTable && len(changes) == 0 {
		verb := "are"
		if len(f.queues) == 1 {
			verb = "is"
		}
		_, err = fmt.Fprintf(a.Stdout, "nothing to change: %s %s as %s says\n", counted(len(f.queues), "queue"), verb, f.name)
		return err
	}
	return printAll(a, settingColumns(), asTable, changes)
}

// take does one step.
func (a *app) take(ctx context.Context, s Service, step step) error {
	if step.add {
		q := step.want.Queue
		if q.Paused {
			q.PausedBy = a.actor()
		}
		state, err := s.AddQueue(ctx, q)
		a.warnOfProgram(state)
		return err
	}
	patch := map[string]any{}
	for _, c := range step.changes {
		if c.Setting == "paused" {
			if _, err := s.PauseQueue(ctx, c.Queue, step.want.Paused); err != nil {
				return err
			}
			continue
		}
		value := c.set.at(&step.want.Queue)
		group, name, grouped := strings.Cut(c.Setting, ".")
		if !grouped {
			patch[c.Setting] = value
			continue
		}
		inner, ok := patch[group].(map[string]any)
		if !ok {
			inner = map[string]any{}
			patch[group] = inner
		}
		inner[name] = value
	}
	if len(patch) == 0 {
		return nil
	}
	b, err := store.Encode(patch)
	if err != nil {
		return err
	}
	state, err := s.SetQueue(ctx, step.want.Name, b)
	a.warnOfProgram(state)
	return err
}

func settingColumns() columns[settingChange] {
	type c = settingChange
	plain := func(raw json.RawMessage) string {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text // also of null, as ""
		}
		return string(raw)
	}
	return columns[c]{table: []column[c]{
		{"queue", func(c c) string { return c.Queue }, false},
		{"setting", func(c c) string { return c.Setting }, false},
		{"now", func(c c) string { return plain(c.Now) }, false},
		{"then", func(c c) string { return plain(c.Then) }, false},
	}}
}
