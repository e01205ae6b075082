//go:build unix

package drain_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// program makes a rig with one transactions queue, orders, that is worked by a
// script of testdata.
func program(t *testing.T, change func(*store.Queue), script string, args ...string) *rig {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	t.Cleanup(r.close)
	r.queue("orders", func(q *store.Queue) {
		q.Family = store.Transactions
		q.Consumer = store.Consumer{Kind: engine.Command, Argv: append([]string{"sh", path}, args...)}
		if change != nil {
			change(q)
		}
	})
	return r
}

// work runs programs until n of the queue's items have the status.
func (r *rig) work(s store.Status, n int64) {
	r.t.Helper()
	r.start(drain.Options{KillDelay: 100 * time.Millisecond})
	r.done("orders", s, n)
}

func TestAProgramIsToldWhatItWorksOn(t *testing.T) {
	dir := t.TempDir()
	r := program(t, func(q *store.Queue) {
		q.Consumer.Env = []string{"COLOUR=red"}
		q.Consumer.Dir = dir
	}, "env.sh")
	id := r.add("orders", `{"n":1}`)[0]
	r.work(store.Successful, 1)
	want := fmt.Sprintf(`{"queue":"orders","item":"orders/1","attempt":"1","job":"","colour":"red","dir":%q,"got":"item"}`, dir)
	if got := string(r.item(id).Output); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestHowAProgramEndsIsTheResult(t *testing.T) {
	tests := []struct {
		script string
		args   []string
		status store.Status
		reason string
		output string
	}{
		{"text.sh", nil, store.Successful, "", `{"text":"two\nlines <b>"}`},
		{"say.sh", []string{"0", `[1,2]`}, store.Successful, "", `{"text":"[1,2]"}`},
		{"say.sh", []string{"0", ``}, store.Successful, "", ``},
		{"deaf.sh", nil, store.Successful, "", `{"deaf":true}`},
		{"mute.sh", []string{"65"}, store.BusinessException, "exit status 65, and nothing on stderr", ""},
		{"mute.sh", []string{"75"}, store.SystemException, "exit status 75, and nothing on stderr", ""},
		{"complain.sh", []string{"65"}, store.BusinessException, "no such supplier: ACME", ""},
		{"complain.sh", []string{"1"}, store.SystemException, "no such supplier: ACME", ""},
		{"crash.sh", nil, store.SystemException, "signal: segmentation fault", ""},
		{"bytes.sh", []string{"0"}, store.Successful, "", `{"text":"a` + "\u2400b\uFFFDc" + `"}`},
		{"bytes.sh", []string{"1"}, store.SystemException, "bad \u2400 byte \uFFFD", ""},
		{"bigobject.sh", []string{"60000"}, store.SystemException, "result refused: ", ""},
		{"bigobject.sh", []string{"3000000"}, store.SystemException, "the output is too long", ""},
	}
	for _, tt := range tests {
		t.Run(tt.script+strings.Join(tt.args, " "), func(t *testing.T) {
			r := program(t, nil, tt.script, tt.args...)
			id := r.add("orders", fmt.Sprintf(`{"n":%q}`, strings.Repeat("1", 200_000)))[0]
			r.work(tt.status, 1)
			if rec := r.want(id, tt.status, tt.reason); string(rec.Output) != tt.output {
				t.Errorf("output %.200s, want %s", rec.Output, tt.output)
			}
		})
	}
}

func TestAFloodOfOutputIsCutAndSaidSo(t *testing.T) {
	for _, code := range []string{"0", "1"} {
		r := program(t, nil, "flood.sh", code)
		id := r.add("orders", `{}`)[0]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		status := map[string]store.Status{"0": store.Successful, "1": store.SystemException}[code]
		r.work(status, 1)
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 32 {
			t.Errorf("%d MB were allocated for 100 MB of output", mb)
		}
		rec := r.item(id)
		if status == store.SystemException {
			if !strings.HasPrefix(rec.Error.Details, "[") || !strings.Contains(rec.Error.Details, "bytes before this were cut]") || rec.Error.Reason != "last word" {
				t.Errorf("reason %.60q, details %.60q", rec.Error.Reason, rec.Error.Details)
			}
			continue
		}
		var out struct {
			Text  string
			Cut   bool
			Bytes int
		}
		if err := json.Unmarshal(rec.Output, &out); err != nil || !out.Cut || out.Bytes != 50_000_000 || len(rec.Output) != engine.MaxOutput {
			t.Errorf("%d characters kept of %d, cut %v: %v", len(rec.Output), out.Bytes, out.Cut, err)
		}
	}
}

func TestAMissingProgramIsAConsumerErrorUntilItIsThere(t *testing.T) {
	for _, shell := range []bool{false, true} {
		r := program(t, func(q *store.Queue) {
			q.Family = store.Jobs
			q.Consumer.Argv, q.Consumer.Shell = []string{"no-such-program", "-v"}, shell
			q.Retries, q.RetryWindow, q.RetryFloor = 1, 0, 0
		}, "text.sh")
		id := r.add("orders", `{}`)[0]
		r.work(store.Failed, 1)
		r.want(id, store.Failed, "consumer error: ")
		if text := r.queueNow("orders").ConsumerError; !strings.Contains(text, "no-such-program") || !strings.Contains(text, "not found") {
			t.Errorf("consumer error %q", text)
		}
		r.set("orders", `{"consumer":{"kind":"command","argv":["true"],"shell":false}}`)
		r.add("orders", `{}`)
		r.done("orders", store.Completed, 1)
		if text := r.queueNow("orders").ConsumerError; text != "" {
			t.Errorf("consumer error %q though it works", text)
		}
	}
}

// What can't be run says which file and why, whatever the system's own words are.
func TestProgramsThatCantBeRun(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for reason, path := range map[string]string{
		"no such file or directory":                              filepath.Join(dir, "none"),
		"permission denied":                                      file("plain", "#!/bin/sh\n", 0o600),
		"the interpreter that its first line names is not there": file("script", "#!/no/such/interpreter\n", 0o700),
		"exec format error":                                      file("garbage", "\x7fELF garbage", 0o700),
	} {
		r := program(t, func(q *store.Queue) { q.Consumer.Argv = []string{path} }, "text.sh")
		id := r.add("orders", `{}`)[0]
		r.work(store.SystemException, 1)
		r.want(id, store.SystemException, fmt.Sprintf("consumer error: program %q: %s", path, reason))
	}
}

func TestAShellRunsTheWordsAsOneLine(t *testing.T) {
	r := program(t, func(q *store.Queue) {
		q.Consumer.Argv, q.Consumer.Shell = []string{"echo", "a", "|", "tr", "a", "b"}, true
	}, "text.sh")
	id := r.add("orders", `{}`)[0]
	r.work(store.Successful, 1)
	if got := string(r.item(id).Output); got != `{"text":"b"}` {
		t.Errorf("output %s", got)
	}
}

func TestABatchAnswersForEachItem(t *testing.T) {
	r := program(t, func(q *store.Queue) { q.BatchSize = 10 }, "wave.sh")
	ids := r.addN("orders", 5)
	r.work(store.SystemException, 3)
	if rec := r.want(ids[0], store.Successful, ""); string(rec.Output) != `{"n":1}` {
		t.Errorf("output %s", rec.Output)
	}
	r.want(ids[1], store.BusinessException, "no such customer")
	if rec := r.want(ids[2], store.SystemException, "busy"); rec.Error.Details != "retry after 5" {
		t.Errorf("details %q", rec.Error.Details)
	}
	r.want(ids[3], store.SystemException, `unknown status "great"`)
	r.want(ids[4], store.SystemException, "leave this item out")
}

// Results that are wrong in one place say so of the items that they are wrong about.
func TestABatchWithWrongAnswers(t *testing.T) {
	for said, reasons := range map[string][3]string{
		`[{"id":"orders/1","status":"success"},{"id":"orders/1","status":"business"},{"id":"orders/2","status":"success"},{"id":"orders/3","status":"success"}]`: {
			"the results name this item 2 times", "", "",
		},
		`[{"id":"orders/1","status":"success"},{"id":"orders/2","status":"success"},{"id":"order/3","status":"success"}]`: {
			"", "", `leave this item out; they name "order/3", which was not given`,
		},
		`[{"status":"success"}]`:         {`leave this item out; they name "", which`, "leave this item out", "leave this item out"},
		`[1]`:                            {"a result is a JSON number; they are objects with id", "a result is", "a result is"},
		`[{"id":"orders/1","status":7}]`: {"the status of one is a JSON number", "the status of one", "the status of one"},
		`[{"id":"orders/1","status":"success","output":[1]},{"id":"orders/2","status":"success","output":null},{"id":"orders/3","status":"system"}]`: {"", "", "no reason was given"},
	} {
		r := program(t, func(q *store.Queue) { q.BatchSize = 10 }, "say.sh", "0", said)
		ids := r.addN("orders", 3)
		failures := int64(0)
		for _, reason := range reasons {
			if reason != "" {
				failures++
			}
		}
		r.work(store.SystemException, failures)
		for n, id := range ids {
			if status := store.Successful; reasons[n] == "" {
				r.want(id, status, "")
			} else {
				r.want(id, store.SystemException, reasons[n])
			}
		}
	}
}

func TestABatchWithoutAnswersIsSettledByTheExitCode(t *testing.T) {
	tests := []struct {
		code, says string
		status     store.Status
		reason     string
	}{
		{"0", "all well", store.Successful, ""},
		{"0", "", store.Successful, ""},
		{"65", "", store.BusinessException, "exit status 65"},
		{"1", "", store.SystemException, "exit status 1"},
		{"0", `[{"id":7}]`, store.SystemException, "the results can't be read"},
		{"0", `[]`, store.SystemException, "leave this item out"},
		{"3", `[]`, store.SystemException, "exit status 3"},
		{"0", `[done]`, store.Successful, ""},
	}
	for _, tt := range tests {
		t.Run(tt.code+tt.says, func(t *testing.T) {
			r := program(t, func(q *store.Queue) { q.BatchSize = 10 }, "say.sh", tt.code, tt.says)
			ids := r.addN("orders", 3)
			r.work(tt.status, 3)
			for _, id := range ids {
				r.want(id, tt.status, tt.reason)
			}
		})
	}
}
