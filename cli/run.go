package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// jobDef is what signalbox run is given.
type jobDef struct {
	Queue        string          `json:"queue"`
	Payload      json.RawMessage `json:"payload"`
	Reference    string          `json:"reference,omitempty"`
	MaxAttempts  int             `json:"max_attempts,omitempty"`
	Retryable    *bool           `json:"retryable,omitempty"` // false: a failure is final
	Command      []string        `json:"command,omitempty"`   // instead of the queue's own
	Timeout      store.Duration  `json:"timeout,omitempty"`
	SingletonKey string          `json:"singleton_key,omitempty"`
}

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use: "run JOBDEF", Short: "Add one item, run its work here, and report it", Args: takes("JOBDEF"),
		Long: "Add one item as a file says, claim exactly that one, run its command here, settle it and print it. The file is JSON: " +
			`{"queue", "payload", "reference", "max_attempts", "retryable", "command", "timeout", "singleton_key"}; ` +
			"without a command the queue's own is run. The command gets the item on stdin and answers with its exit code, as a queue's consumer does.\n\n" +
			"Exit code 0 when it is completed, 1 when it failed, 5 when a job with the singleton key is open or the queue is paused.",
		Example: "signalbox run nightly.json\necho '{\"queue\": \"reports\", \"payload\": {\"day\": 1}, \"command\": [\"./report.sh\"]}' | signalbox run -",
		RunE: func(c *cobra.Command, args []string) error {
			def, err := a.jobDef(args[0])
			if err != nil {
				return err
			}
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				return a.answering(ctx, s, func() error { return a.runJob(ctx, s, def) })
			})
		},
	}
}

func (a *app) jobDef(path string) (def jobDef, err error) {
	name, b, err := a.document(path)
	if err != nil {
		return def, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err = d.Decode(&def)
	if err == nil {
		err = nothingMore(d)
	}
	if err != nil {
		return def, store.Misread(name, err, "see `signalbox run --help`")
	}
	switch {
	case def.Queue == "":
		err = usage(name, "it names no queue", `add "queue"`)
	case len(def.Payload) == 0:
		err = usage(name, "it has no payload", `add "payload", be it {}`)
	}
	return def, err
}

// runJob dispatches the item, runs its command and settles it.
func (a *app) runJob(ctx context.Context, s Service, def jobDef) error {
	outlivesReaders()
	q, err := s.Queue(ctx, def.Queue)
	if err != nil {
		return err
	}
	set := q.Queue
	if len(def.Command) > 0 {
		set.Consumer = store.Consumer{Kind: engine.Command, Argv: def.Command}
	}
	if set.Consumer.Kind != engine.Command {
		return usage("queue "+def.Queue, "its consumer is "+set.Consumer.Kind+", which can't be run here", `add "command" to the file`)
	}
	if def.Timeout > 0 {
		set.AttemptTimeout, set.Consumer.Timeout = def.Timeout, 0
	}
	host, _ := os.Hostname()
	rec, err := s.Dispatch(ctx, engine.DispatchRequest{
		Queue: def.Queue, Robot: fmt.Sprintf("run/%s/%d", host, os.Getpid()), SingletonKey: def.SingletonKey,
		Item: engine.NewItem{Payload: def.Payload, Reference: def.Reference, MaxAttempts: def.MaxAttempts},
	})
	if err != nil {
		return err
	}
	set.BatchSize = 1
	done := drain.Perform(ctx, s, &set, []engine.Record{rec}, nil)
	for _, h := range done.Cut {
		done.Reports = append(done.Reports, engine.Settlement{Item: h.Item, Fence: h.Fence, Status: engine.System, Reason: "interrupted"})
	}
	if len(done.Reports) == 0 {
		return store.Conflict("item "+rec.ID().String(), "its lease was lost while it ran", "see `signalbox item show "+rec.ID().String()+"`")
	}
	report := done.Reports[0]
	report.Final = def.Retryable != nil && !*def.Retryable
	return a.settleRun(ctx, s, report)
}

// settleRun reports the run, also when it was interrupted, and prints the item.
func (a *app) settleRun(ctx context.Context, s Service, report engine.Settlement) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	outcomes, err := s.Settle(ctx, []engine.Settlement{report})
	if err != nil {
		return err
	}
	if err := outcomeError(outcomes[0]); err != nil {
		return err
	}
	rec, err := s.Item(ctx, report.Item)
	if err != nil {
		return err
	}
	if err := a.printRecord(ctx, s, rec, false); err != nil {
		return err
	}
	if report.Status != engine.Success || rec.Status != store.Completed && rec.Status != store.Successful {
		reason := report.Reason
		if rec.Status.Waiting() || rec.Status == store.Retried {
			reason += " (it is retried)"
		}
		return &store.Error{Code: store.CodeFailed, Thing: "item " + rec.ID().String(), Rule: reason}
	}
	return nil
}
