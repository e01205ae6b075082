package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/spf13/cobra"

	"signalbox/engine"
	"signalbox/store"
)

func (a *app) robotCommand() *cobra.Command {
	var r robot
	var wait, limit string
	c := &cobra.Command{
		Use: "robot --queue Q -- CMD [ARG…]", Short: "Claim items and work them with a command, on and on", Args: takes("CMD", "[ARG…]"),
		Long: "A robot in one line: claim items, run a command for each, keep their leases alive while it runs, settle them by what it says, and go on. " +
			"It runs here, also far from the queue's own settings, and does not use a slot.\n\n" +
			"The command gets the item as a JSON object on stdin, and SIGNALBOX_ITEM, SIGNALBOX_QUEUE, SIGNALBOX_ATTEMPT and SIGNALBOX_JOB. " +
			"Exit code 0 completes the item, with what it printed as the output; 65 is a business exception, with the last line of stderr as the reason; any other code is a system exception. " +
			"With --n over 1 it gets up to that many items in one run, and may print an array of results, as commands of a queue do.\n\n" +
			"It prints a line for each settled item. The first SIGINT, SIGTERM or SIGHUP takes no new work and lets running work finish for 25 seconds; " +
			"what is left is given back at no cost. The second gives it back at once. Exit code 4 when --wait is over and there was nothing at all.",
		Example: "signalbox robot --queue invoices -- python3 post.py\nsignalbox robot --queue invoices --parallel 4 --wait 0s -- ./post.sh",
	}
	f := c.Flags()
	f.StringVar(&r.ask.Queue, "queue", "", "the queue")
	f.StringVar(&r.ask.Robot, "robot", "", "who works the items (default made of the host and the process)")
	f.IntVar(&r.ask.N, "n", 1, "items for one run of the command, at most")
	f.IntVar(&r.parallel, "parallel", 1, "runs at once")
	f.StringVar(&wait, "wait", "", "stop when nothing came for so long, as in 30s; 0s: when there is nothing (default never)")
	f.StringVar(&limit, "timeout", "", "longest run of the command (default the queue's)")
	f.StringVar(&r.ask.Reference, "reference", "", "only items whose reference begins so")
	f.BoolVar(&r.ask.Exact, "exact", false, "the reference must be equal")
	f.StringVar(&r.ask.Job, "job", "", "only items of this job")
	f.StringVar(&r.ask.Filter, "filter", "", "only items that match, as in 'priority:high' or 'jq:\".total > 100\"'")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if c.ArgsLenAtDash() > 0 {
			return usage(fmt.Sprintf("argument %q", args[0]), "the command stands after --", "write -- before it")
		}
		if r.ask.Queue == "" {
			return needsQueue(c)
		}
		if r.ask.N < 1 {
			return usage("--n "+strconv.Itoa(r.ask.N), "a run takes at least 1 item", "use 1 or more")
		}
		if r.parallel < 1 || r.parallel > mostParallel {
			return usage("--parallel "+strconv.Itoa(r.parallel), fmt.Sprintf("from 1 to %d runs at once", mostParallel), "choose a number in this range")
		}
		if r.ends = wait != ""; r.ends {
			if r.wait, err = duration("wait", wait); err != nil {
				return err
			}
		}
		if r.timeout, err = optionalDuration("timeout", limit); err != nil {
			return err
		}
		if _, err := exec.LookPath(args[0]); err != nil { // before an item is claimed for it
			return usage(fmt.Sprintf("command %q", args[0]), reasonOf(err).Error(), "name a program that is here, with its path")
		}
		if r.ask.Robot == "" {
			host, _ := os.Hostname()
			r.ask.Robot = fmt.Sprintf("robot/%s/%d", host, os.Getpid())
		}
		if r.lines, err = a.format(a.unless(asTable, asJSONL)); err != nil {
			return err
		}
		if r.lines == asCSV {
			return usage("--format csv", "a robot's lines are no table", "use table or jsonl")
		}
		r.app, r.consumer = a, store.Consumer{Kind: engine.Command, Argv: args}
		return r.run(engine.WithActor(c.Context(), r.ask.Robot))
	}
	return c
}

// mostParallel is how many runs a robot has at once at most: each is a program.
const mostParallel = 1000

// unless gives the format for a person where stdout is a terminal, and else the
// one for programs.
func (a *app) unless(person, program string) string {
	if a.IsTerminal(a.Stdout) {
		return person
	}
	return program
}

// optionalDuration reads a flag's duration; "" is none.
func optionalDuration(flag, value string) (store.Duration, error) {
	if value == "" {
		return 0, nil
	}
	return duration(flag, value)
}
