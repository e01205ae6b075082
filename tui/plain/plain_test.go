package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

// told runs commands as a pipe would hand them in.
func tell(t *testing.T, e *fake.Engine, change func(*Options), lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	o := Options{
		Engine: e, Actor: "ada", Place: time.UTC, Clock: fake.Epoch,
		Input: strings.NewReader(strings.Join(lines, "\n") + "\n"), Output: &out,
	}
	if change != nil {
		change(&o)
	}
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func says(t *testing.T, got string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(got, w) {
			t.Errorf("it does not say %q:\n%s", w, got)
		}
	}
}

func TestListsAsLines(t *testing.T) {
	e := fake.Lifelike()
	says(t, tell(t, e, nil), "23 of 25 slots are busy.", "5 queues.", "Type help")
	says(t, tell(t, e, nil, "slots"), "Slot 1: fast work, finance.orders/30, held for 2s", "2 slots free.", "In line for the slow lane, place 1")
	says(t, tell(t, e, nil, "queues"), "Queue finance.orders, transactions, fast lane: 10 waiting", "paused by ada", "consumer error: exec")
	says(t, tell(t, e, nil, "groups"), "a business exception, a person must look: no postal code.")
	says(t, tell(t, e, nil, "robots"), "claims-desk-2 in insurance.claims and finance.orders: holds 4")
	says(t, tell(t, e, nil, "show finance.orders/4"), "INV-10251, business-exception: no postal code", `"iban":"••••"`)
	says(t, tell(t, e, nil, "history finance.orders/4", "why finance.orders/4"), "finance.orders/4: add", "What helps: signalbox queue resume")
	says(t, tell(t, e, nil, "help"), "retry ID[,ID] [NOTE]: give an item, or several, to the robots again.")
}

func TestActsByWord(t *testing.T) {
	e := fake.Lifelike()
	says(t, tell(t, e, nil, "retry finance.orders/4 asked the customer", "VERIFY finance.orders/13", "assign finance.orders/22 grace", "note finance.orders/22 call back", "pause finance.orders"),
		"Done: finance.orders/4 is pending", "Done: finance.orders/13 is business-exception", "Queue finance.orders is paused")
	if len(e.Retries) != 1 || e.Retries[0].Note != "asked the customer" || e.Retries[0].Targets[0].Revision == 0 || len(e.Reviews) != 3 || e.Reviews[1].Reviewer != "grace" {
		t.Errorf("retries %+v, reviews %+v", e.Retries, e.Reviews)
	}
}

func TestMistakesAreTold(t *testing.T) {
	e := fake.Lifelike()
	says(t, tell(t, e, nil, "rety x", "frobnicate", "retry", "retry x", "show finance.orders/999", "more", "", "items", "quit", "status"),
		`There is no command "rety"; did you mean retry?`, "help lists them", "retry needs ID", "an item's id is its queue", "999", "There is no list")
	got := tell(t, e, func(o *Options) { o.ReadOnly = true }, "retry finance.orders/4", "pause finance.orders")
	says(t, got, "Not done: this console is read-only.")
	if len(e.Retries) != 0 {
		t.Error("a read-only console acted")
	}
}

// Words that a command has no use for are not left aside: they say that more, or
// another thing, was meant than would be done.
func TestWordsTooManyAreRefused(t *testing.T) {
	for _, c := range commands() {
		args := strings.Fields(c.args)
		if len(args) > 0 && slices.Contains([]string{"FILTER", "NOTE", "TEXT", "JSON", "VALUE"}, strings.Trim(args[len(args)-1], "[]")) {
			continue
		}
		line := c.name + strings.Repeat(" 7", len(args)) + " more of it"
		says(t, tell(t, fake.Lifelike(), nil, line), "Not done: "+c.name+" takes ", `leave out "more of it", or see help `+c.name+".")
	}
	e := fake.Lifelike()
	says(t, tell(t, e, nil, "retry finance.orders/4 finance.orders/22", "verify finance.orders/4, finance.orders/22"),
		"named with a comma and no space: retry finance.orders/4,finance.orders/22.", "verify finance.orders/4,finance.orders/22.")
	if len(e.Retries)+len(e.Reviews) != 0 {
		t.Errorf("retries %+v, reviews %+v", e.Retries, e.Reviews)
	}
}

// What the shell's commands and the screens are called is understood too.
func TestOtherWords(t *testing.T) {
	for other, name := range synonyms {
		if !slices.ContainsFunc(commands(), func(c command) bool { return c.name == name }) || slices.ContainsFunc(commands(), func(c command) bool { return c.name == other }) {
			t.Errorf("%s for %s", other, name)
		}
	}
	says(t, tell(t, fake.Lifelike(), nil, "explain finance.orders/4"), "queue finance.orders is paused by grace")
}

// What data holds stays on its line, and is never an escape.
func TestNoEscapes(t *testing.T) {
	e := fake.New()
	evil := "\x1b[2J\nnext\r\u202e\u009b31m\x07"
	payload, _ := json.Marshal(map[string]string{evil: evil})
	e.Change(func(s *engine.Snapshot) {
		s.Store = evil
		s.Queues = []engine.QueueState{{Queue: store.Queue{Name: "q", Paused: true, PausedBy: evil, ConsumerError: evil}}}
	})
	e.Put(engine.Record{Item: store.Item{Queue: "q", Status: store.Failed, Reference: evil, Group: evil, Error: &store.Failure{Reason: evil}}, Payload: payload, Output: []byte(evil)})
	e.Change(nil)
	got := tell(t, e, func(o *Options) { o.Title = evil }, "queues", "show q/1", "groups", "history q/1", evil)
	for _, r := range got {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) {
			t.Fatalf("%U is in the output:\n%q", r, got)
		}
	}
	if strings.Contains(got, "\nnext") {
		t.Errorf("a line feed got through:\n%s", got)
	}
}

// Changes are told as they come, at most once a second, until quiet.
func TestChangesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := fake.New()
		e.Log(store.Change{Event: "ancient"})
		in, typed := io.Pipe()
		var out safe
		ended := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			ended <- Run(ctx, Options{Engine: e, Actor: "ada", Place: time.UTC, Clock: fake.Epoch, Input: in, Output: &out})
		}()
		synctest.Wait()
		log := []store.Change{{Event: "ancient"}}
		for i := range 30 {
			log = append(log, store.Change{At: store.At(fake.Epoch()), Queue: "q", Number: uint64(i + 1), Event: "add", To: store.Pending, Actor: "ada"})
		}
		e.Log(log...)
		synctest.Wait()
		says(t, out.String(), "14:03:09 q/20: add, now pending, by ada.", "And 10 more changes.")
		if strings.Contains(out.String(), "ancient") {
			t.Error("what was before is told")
		}
		_, _ = io.WriteString(typed, "quiet\n")
		e.Log(append(log, store.Change{Event: "later", Queue: "q"})...)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if strings.Contains(out.String(), "later") {
			t.Error("told although quiet")
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = typed.Close()
		synctest.Wait()
	})
}

// safe is a buffer for two goroutines.
type safe struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safe) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safe) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
