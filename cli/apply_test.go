package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const queuesFile = `# two queues
[[queue]]
name = "ap.invoices"
family = "transactions"
lane = "slow"
retries = 3
mask = ["iban"]
schemas.payload = '{"required": ["zip"]}'

[[queue]]
name = "runs"
paused = true
lease = "1h"
[queue.consumer]
argv = ["./work.sh", "it's \"so\""]
env = ["A=1"]
`

// settings are all queues' settings, without numbers and what only the engine
// sets.
func (r *rig) settings() string {
	r.t.Helper()
	queues := parse[[]map[string]any](r.t, r.ok("queue", "list", "-o", "json"))
	for _, q := range queues {
		for _, own := range []string{"created_at", "revision", "paused_by", "counts", "oldest_waiting_at", "delayed"} {
			delete(q, own)
		}
	}
	b, err := json.MarshalIndent(queues, "", " ")
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

type change struct {
	Queue, Setting string
	Now, Then      any
}

func TestApply(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.file("work.sh", "#!/bin/sh\n")
		file := r.file("queues.toml", queuesFile)
		before := r.settings()
		planned := parse[[]change](t, r.ok("queue", "apply", "-f", file, "--dry-run", "-o", "json"))
		if r.settings() != before {
			t.Error("a dry run changed something")
		}
		done := parse[[]change](t, r.ok("queue", "apply", "-f", file, "-o", "json"))
		if len(done) != 11 || len(planned) != len(done) || done[0].Then != "transactions" || done[0].Now != nil {
			t.Errorf("planned %v, did %v", planned, done)
		}
		after := r.settings()
		invoices, runs := parse[queue](t, r.ok("queue", "show", "ap.invoices")), parse[queue](t, r.ok("queue", "show", "runs"))
		if invoices.Family != "transactions" || invoices.Lane != "slow" || invoices.Retries != 3 || invoices.Lease != "5m" {
			t.Errorf("added %+v", invoices)
		}
		if !runs.Paused || runs.Consumer.Kind != "command" || runs.Consumer.Argv[0] != filepath.Join(r.dir, "work.sh") {
			t.Errorf("added %+v", runs)
		}
		if out := r.ok("queue", "apply", "-f", file); out != "nothing to change: 2 queues are as "+file+" says\n" || r.settings() != after {
			t.Errorf("the second time: %s", out)
		}
		if out := r.ok("queue", "apply", "-f", file, "-o", "json"); out != "[]\n" {
			t.Errorf("the third time: %s", out)
		}
		r.ok("queue", "show", "q") // which the file does not name

		r.ok("queue", "set", "ap.invoices", "--retries", "5", "--mask", "name", "--description", "by hand", "--payload-schema", "none")
		if out := r.ok("queue", "apply", "-f", file, "--dry-run"); !strings.Contains(out, "ap.invoices  retries          5         3") {
			t.Errorf("the difference is\n%s", out)
		}
		r.ok("queue", "apply", "-f", file)
		if r.settings() != after {
			t.Errorf("%s\nis not\n%s", r.settings(), after)
		}
	})
}

// A file that does not speak of pausing leaves a queue that somebody paused.
func TestApplyAndPaused(t *testing.T) {
	r := newRig(t)
	quiet, loud := r.file("quiet.toml", "[[queue]]\nname = 'q'\n"), r.file("loud.toml", "[[queue]]\nname = 'q'\npaused = false\n")
	r.ok("queue", "apply", "-f", quiet)
	r.ok("queue", "pause", "q")
	if out := r.ok("queue", "apply", "-f", quiet); !strings.HasPrefix(out, "nothing to change: 1 queue is") {
		t.Errorf("%s", out)
	}
	r.ok("queue", "apply", "-f", loud)
	if parse[queue](t, r.ok("queue", "show", "q")).Paused {
		t.Error("it is still paused")
	}
	r.stdin = "[[queue]]\nname = 'q'\npaused = true\n"
	r.ok("queue", "apply", "-f", "-")
	if out := r.ok("queue", "list"); !strings.Contains(out, "paused by kim") {
		t.Errorf("%s", out)
	}
}

func TestDumpReadsBack(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.ok("queue", "add", "plain", "--family", "transactions")
		r.ok("queue", "add", "all.of-it", "--folder", "/a", "--description", "tab\t, \u009b, \u202e and it's \"\\\"", "--lane", "slow", "--on-expiry", "abandon",
			"--lease", "36h30m15s", "--retry-window", "0", "--retry-floor", "1500ms", "--attempt-timeout", "1m", "--sla", "2h", "--sla-risk", "1h",
			"--batch-size", "7", "--max-drains", "2", "--max-reclaims", "0", "--retries", "16", "--paused", "--retry-abandoned", "--unique-references",
			"--mask", "a", "--mask", "b", "--payload-schema", withZip, "--output-schema", `{"const":"it's"}`, "--analytics-schema", `{}`,
			"--dir", r.dir, "--timeout", "5s", "--shell", "--env", "A=b c", "--", "exit 0")
		dump := r.ok("queue", "dump")
		if dump != r.ok("queue", "dump") {
			t.Error("two dumps differ")
		}
		if !strings.Contains(dump, "\n[[queue]]\nname = \"plain\"\nfamily = \"transactions\"\n\n[[queue]]\nname = \"q\"\n") || strings.ContainsAny(dump, "\t\u009b\u202e") {
			t.Errorf("the dump is\n%s", dump)
		}
		file := r.file("queues.toml", dump)
		if out := r.ok("queue", "apply", "-f", file); !strings.HasPrefix(out, "nothing to change: 3 queues") {
			t.Errorf("applied where it is from: %s", out)
		}
		other := newRig(t)
		other.ok("queue", "apply", "-f", file)
		if again := other.ok("queue", "dump"); again != dump {
			t.Errorf("read back it is\n%s\nand was\n%s", again, dump)
		}
		if got, want := other.settings(), r.settings(); got != want {
			t.Errorf("%s\nis not\n%s", got, want)
		}

		if one := r.ok("queue", "dump", "q"); strings.Count(one, "[[queue]]") != 1 {
			t.Errorf("one queue is\n%s", one)
		}
		r.fails(3, `queue "none": not found`, "queue", "dump", "q", "none")

		r.ok("job", "start", "reindex") // makes a built-in queue
		if again := r.ok("queue", "dump"); again != dump {
			t.Errorf("beside a built-in queue it is\n%s", again)
		}
		r.fails(2, "it is built in", "queue", "dump", "signalbox.reindex")
		r.fails(2, "a dump is TOML", "queue", "dump", "-o", "json")
	})
}

// One bad queue keeps all from being applied, and the error names its line.
func TestApplyRefuses(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "kept", "--family", "transactions")
	path := filepath.Join(r.dir, "queues.toml")
	good := "[[queue]]\nname = 'good'\n\n"
	for words, text := range map[string]string{
		`:5: key "retires": there is no such setting; did you mean retries?`:            good + "[[queue]]\nretires = 3\nname = 'x'\n",
		`:6: key "consumer.comand": there is no such setting`:                           good + "[[queue]]\nname = 'x'\nconsumer.comand = 'sh'\n",
		`:7: key "consumer.arg": there is no such setting; did you mean consumer.argv?`: good + "[[queue]]\nname = 'x'\n[queue.consumer]\narg = ['sh']\n",
		`:1: key "queues": there is no such key; write each queue under [[queue]]`:      "[[queues]]\nname = 'x'\n",
		`:4: a queue: it needs a name`:                                                  good + "[[queue]]\nretries = 3\n",
		`:5: queue "good": it is in the file twice`:                                     good + "[[queue]]\nname = 'good'\n",
		`:6: retries "3": it is not a whole number; write it as 3`:                      good + "[[queue]]\nname = 'x'\nretries = '3'\n",
		`:6: lease 5: it is not a duration`:                                             good + "[[queue]]\nname = 'x'\nlease = 5\n",
		`:6: lease "soon": it is not a duration`:                                        good + "[[queue]]\nname = 'x'\nlease = 'soon'\n",
		`:6: mask "iban": it is not a list of texts`:                                    good + "[[queue]]\nname = 'x'\nmask = 'iban'\n",
		`:6: schemas.payload: it is no JSON Schema in quotes`:                           good + "[[queue]]\nname = 'x'\nschemas.payload = 'zip'\n",
		`:4: queue "x": lane "middle": a lane is fast or slow`:                          good + "[[queue]]\nname = 'x'\nlane = 'middle'\n",
		`:6: family "both": `:                                                           good + "[[queue]]\nname = 'x'\nfamily = 'both'\n",
		`:4: queue "kept": it is of family transactions, and a queue keeps its family`:  good + "[[queue]]\nname = 'kept'\n",
		`:6: consumer.dir /nowhere: there is no such folder`:                            good + "[[queue]]\nname = 'x'\nconsumer.dir = '/nowhere'\n",
		`:9: key "nmae": there is no such setting; did you mean name?`:                  good + "[[queue]]\nname = 'x'\ndescription = '''\nnmae = 1\n'''\nnmae = 1\n",
		`:2: expected`: "[[queue]]\nname 'x'\n",
		`:3: queue 5: it is no block of settings; write each queue under [[queue]]`:         "\n\nqueue = 5\n",
		`:1: queue "x": it is no block of settings`:                                         "queue = 'x'\n",
		`:1: queue [1]: it is no block of settings`:                                         "queue = [[1], [2]]\n",
		`:1: queue 2: it is no block of settings`:                                           "queue = [{name = 'x'}, 2]\n",
		`:1: [queue]: queues are a list of blocks; write it in two brackets: [[queue]]`:     "[queue]\nname = 'x'\n",
		`:2: name 5: it is not a text; write it as name = "invoices"`:                       "[[queue]]\nname = 5\n",
		`:3: family 3: a family is jobs or transactions; write it as family = "jobs"`:       "[[queue]]\nname = 'x'\nfamily = 3\n",
		`:3: consumer "x": it is no group of settings; write them one by one`:               "[[queue]]\nname = 'x'\nconsumer = 'x'\n",
		`:3: schemas 1: it is no group of settings`:                                         "[[queue]]\nname = 'x'\nschemas = 1\n",
		`:3: key "payload_schema": there is no such setting; did you mean schemas.payload?`: "[[queue]]\nname = 'x'\npayload_schema = 1\n",
		`:3: key "queue.name": it is there twice; take one out`:                             "[[queue]]\nname = 'x'\nname = 'y'\n",
		`:2: key "queue": it is there twice, in two forms; take one out`:                    "queue = 1\n[[queue]]\nname = 'x'\n",
		`:3: number 99999999999999999999: it is too large; write a smaller one`:             "[[queue]]\nname = 'x'\nretries = 99999999999999999999\n",
	} {
		r.file("queues.toml", text)
		r.fails(2, path+words, "queue", "apply", "-f", path)
	}
	r.fails(2, "it needs -f FILE", "queue", "apply")
	r.fails(2, "it can't be read: no such file", "queue", "apply", "-f", path+".none")

	r.file("queues.toml", good)
	r.fails(2, "no such format", "queue", "apply", "-f", path, "-o", "xml")
	r.fails(3, "not found", "queue", "show", "good")
	r.fails(6, "read-only", "queue", "apply", "-f", path, "--read-only")
	r.ok("queue", "apply", "-f", path, "--read-only", "--dry-run")
	other := newRig(t)
	other.fails(7, "there is no store", "queue", "apply", "-f", path, "--dry-run")
	if left, err := os.ReadDir(other.dir); err != nil || len(left) > 0 {
		t.Errorf("a dry run made %v, %v", left, err)
	}
}
