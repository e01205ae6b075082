package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/server"
	"signalbox/server/socket"
	"signalbox/server/wire"
	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/memory"
)

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), memory.New(), engine.Options{Name: "memory:"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// serve answers for s on a socket, and gives its path and how to stop it.
func serve(t testing.TB, s server.Service) (path string, stop func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.sock")
	l, err := socket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(ctx, l, server.Handler(s, server.Options{Health: wire.Health{Store: "memory:", PID: 7}}), time.Minute)
	}()
	stop = func() {
		if cancel(); done != nil {
			if err := <-done; err != nil {
				t.Error(err)
			}
			done = nil
		}
	}
	t.Cleanup(stop)
	return path, stop
}

func connect(t testing.TB, path string, o client.Options) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// telling writes down what a service answers, times left out.
type telling struct {
	t     testing.TB
	text  strings.Builder
	times *regexp.Regexp
}

func (l *telling) tell(what string, answer any, err error) {
	l.t.Helper()
	b, jsonErr := json.Marshal(answer)
	if jsonErr != nil {
		l.t.Fatal(jsonErr)
	}
	if v := reflect.ValueOf(answer); v.Kind() == reflect.Slice && v.IsNil() {
		b = []byte("[]") // a list of nothing is a list
	}
	problem := ""
	if err != nil {
		problem = l.times.ReplaceAllString(fmt.Sprintf(" error %d %v", store.CodeOf(err), err), "T")
		b = nil
	}
	fmt.Fprintf(&l.text, "%s: %s%s\n", what, l.times.ReplaceAllString(string(b), "T"), problem)
}

// outcomes also tells each one's error behind its text.
func (l *telling) outcomes(what string, answers []engine.Outcome, err error) {
	l.t.Helper()
	l.tell(what, answers, err)
	for _, o := range answers {
		if o.Err != nil {
			l.tell(what+" of "+o.Item.String(), nil, o.Err)
		}
	}
}

// story calls every operation of a service, in good and in bad ways.
func story(t testing.TB, s server.Service) string {
	ctx := engine.WithActor(t.Context(), "kim")
	l := &telling{t: t, times: regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)}
	do := l.tell

	q := engine.DefaultQueue("ap.invoices", store.Transactions)
	q.UniqueReferences = true
	state, err := s.AddQueue(ctx, q)
	do("add queue", state, err)
	state, err = s.AddQueue(ctx, q)
	do("add it again", state, err)
	state, err = s.SetQueue(ctx, q.Name, json.RawMessage(`{"retries":2,"retry_floor":"0s","retry_window":"0s"}`))
	do("set", state, err)
	state, err = s.SetQueue(ctx, q.Name, json.RawMessage(`{"nonsense":2}`))
	do("set nonsense", state, err)
	_, err = s.Queue(ctx, "nope")
	do("queue", nil, err)

	added, err := s.Add(ctx, engine.AddRequest{Queue: q.Name, Items: []engine.NewItem{
		{Payload: json.RawMessage("{ \"a\" : \"<&>\u2028\" }"), Reference: "R1", Key: "K1", Priority: store.High},
		{Payload: json.RawMessage(`{}`)},
		{Payload: json.RawMessage(`{}`), Reference: "R3"},
		{Payload: json.RawMessage(`{}`), DeferUntil: store.At(time.Now().Add(time.Hour))},
	}})
	do("add", added, err)
	added, err = s.Add(ctx, engine.AddRequest{Queue: q.Name, Items: []engine.NewItem{
		{Payload: json.RawMessage(`{"broken"`)}, {Payload: json.RawMessage(`{}`), Key: "K1"}, {Payload: json.RawMessage(`{}`), Reference: "R1"},
	}, Mode: engine.Independent})
	do("add some", added, err)
	for i, r := range added {
		do(fmt.Sprintf("some %d", i), r.Existing, r.Err)
	}
	added, err = s.Add(ctx, engine.AddRequest{Queue: q.Name, Items: []engine.NewItem{{Payload: json.RawMessage("{\"\xff\":1}")}}})
	do("add none", added, err)
	for i, r := range added {
		do(fmt.Sprintf("none %d", i), nil, r.Err)
	}

	page, err := s.List(ctx, engine.ListRequest{Queue: q.Name, Limit: 2})
	do("list", page, err)
	page, err = s.List(ctx, engine.ListRequest{Filter: "reference:R", After: page.Items[0].ID(), Desc: false, Statuses: []store.Status{store.Pending}})
	do("list on", page, err)
	page, err = s.List(ctx, engine.ListRequest{Filter: `status:nonsense`})
	do("list nonsense", page, err)
	targets, err := s.Select(ctx, engine.ListRequest{Queue: q.Name})
	do("select", targets, err)

	records, err := s.Claim(ctx, engine.ClaimRequest{Queue: q.Name, Robot: "r1", N: 3})
	do("claim", records, err)
	if len(records) != 3 {
		t.Fatalf("claimed %d items:\n%s", len(records), l.text.String())
	}
	none, err := s.Claim(ctx, engine.ClaimRequest{Queue: q.Name, Robot: "r1"})
	do("claim nothing", none, err)
	held := make([]engine.Holding, 3)
	for i := range records {
		held[i] = engine.Holding{Item: records[i].ID(), Fence: records[i].Fence}
	}
	stale := engine.Holding{Item: held[0].Item, Fence: held[0].Fence + 9}
	record, err := s.Start(ctx, held[0])
	do("start", record, err)
	_, err = s.Start(ctx, stale)
	do("start stale", nil, err)
	do("progress", nil, s.Progress(ctx, held[0], "half \x1b way"))
	do("progress stale", nil, s.Progress(ctx, stale, "x"))
	outcomes, err := s.Renew(ctx, append(held, stale))
	l.outcomes("renew", outcomes, err)
	do("postpone", nil, s.Postpone(ctx, held[2], store.At(time.Now().Add(time.Hour))))
	outcomes, err = s.Settle(ctx, []engine.Settlement{
		{Item: held[0].Item, Fence: held[0].Fence, Status: engine.Success, Output: json.RawMessage("not \x00 json")},
		{Item: held[1].Item, Fence: held[1].Fence, Status: engine.Business, Reason: "no postal code", Details: "line 3"},
		{Item: held[2].Item, Fence: held[2].Fence, Status: engine.Success},
		{Item: store.ID{Queue: q.Name, Number: 99}, Fence: 1, Status: engine.Success},
		{Item: held[0].Item, Fence: held[0].Fence, Status: "great"},
	})
	l.outcomes("settle", outcomes, err)
	record, err = s.Item(ctx, held[0].Item)
	do("item", record, err)
	_, err = s.Item(ctx, store.ID{Queue: q.Name, Number: 99})
	do("no item", nil, err)

	groups, err := s.Groups(ctx, q.Name)
	do("groups", groups, err)
	outcomes, err = s.Review(ctx, engine.ReviewRequest{Targets: []engine.Target{{Item: held[1].Item}, {Item: held[0].Item}}, Action: engine.Assign, Reviewer: "kim"})
	l.outcomes("review", outcomes, err)
	outcomes, err = s.Review(ctx, engine.ReviewRequest{Action: "shrug", Targets: []engine.Target{{Item: held[1].Item}}})
	l.outcomes("review so so", outcomes, err)
	outcomes, err = s.Retry(ctx, engine.RetryRequest{Targets: []engine.Target{{Item: held[1].Item}}, Payload: json.RawMessage(`{ "mended": 1 }`), Note: "mended"})
	l.outcomes("retry", outcomes, err)
	outcomes, err = s.Retry(ctx, engine.RetryRequest{Targets: []engine.Target{{Item: held[1].Item, Revision: 1}}})
	l.outcomes("retry stale", outcomes, err)
	history, err := s.History(ctx, held[1].Item, 0)
	do("history", history, err)
	changes, err := s.Changes(ctx, 2, 3)
	do("changes", changes, err)

	records, err = s.Claim(ctx, engine.ClaimRequest{Item: outcomesNext(t, s, held[1].Item), Robot: "r2", NoStart: true})
	do("claim by id", records, err)
	outcomes, err = s.Release(ctx, []engine.Holding{{Item: records[0].ID(), Fence: records[0].Fence}})
	l.outcomes("release", outcomes, err)

	high, none1, until := store.High, store.Time(0), store.At(time.Now().Add(time.Hour))
	waits := records[0].ID()
	record, err = s.Edit(ctx, engine.EditRequest{Target: engine.Target{Item: waits}, Payload: json.RawMessage("{ \"b\" : 2 }"), Priority: &high, DeferUntil: &until})
	do("edit", record, err)
	record, err = s.Edit(ctx, engine.EditRequest{Target: engine.Target{Item: waits}, DeferUntil: &none1})
	do("edit a date off", record, err)
	for what, edit := range map[string]engine.EditRequest{
		"settled": {Target: engine.Target{Item: held[0].Item}, Priority: &high},
		"stale":   {Target: engine.Target{Item: waits, Revision: 1}, Priority: &high},
		"empty":   {Target: engine.Target{Item: waits}, Payload: json.RawMessage{}},
	} {
		_, err = s.Edit(ctx, edit)
		if err == nil {
			t.Errorf("editing %s gave no error", what)
		}
	}
	explained, err := s.Explain(ctx, held[0].Item)
	do("explain", explained, err)
	_, err = s.Explain(ctx, store.ID{Queue: q.Name, Number: 99})
	do("explain nothing", nil, err)

	outcomes, records, err = s.Next(ctx, []engine.Settlement{{Item: held[0].Item, Fence: 1, Status: engine.Success}}, engine.ClaimRequest{Queue: q.Name, Robot: "r1", N: 1})
	l.outcomes("next", outcomes, nil)
	do("next claimed", records, err)
	outcomes, none, err = s.Next(ctx, []engine.Settlement{{Item: records[0].ID(), Fence: records[0].Fence, Status: engine.Success, Output: json.RawMessage("no json")}}, engine.ClaimRequest{Queue: q.Name, Robot: "r1", Reference: "none such"})
	l.outcomes("next settled", outcomes, nil)
	do("next claimed nothing", len(none), err)
	outcomes, _, err = s.Next(ctx, nil, engine.ClaimRequest{Queue: q.Name})
	l.outcomes("next without a robot", outcomes, err)

	outcomes, err = s.Delete(ctx, engine.DeleteRequest{Targets: []engine.Target{{Item: held[2].Item}, {Item: held[2].Item}, {Item: store.ID{Queue: q.Name, Number: 99}}}, Note: "not wanted"})
	l.outcomes("delete", outcomes, err)
	outcomes, err = s.Undo(ctx, engine.UndoRequest{Targets: []engine.Target{{Item: held[2].Item}, {Item: held[2].Item}}})
	l.outcomes("undo", outcomes, err)
	bulkStory(ctx, s, l, q.Name)
	added, err = s.Add(ctx, engine.AddRequest{Queue: q.Name, Items: []engine.NewItem{{}, {Payload: json.RawMessage{}}}})
	do("add empty payloads", added, err)

	pool, err := s.SetPool(ctx, engine.SplitRequest{Size: 12, Fast: 2, Slow: 3})
	do("set pool", pool, err)
	pool, err = s.SetPool(ctx, engine.SplitRequest{Size: 2})
	do("set pool too small", pool, err)
	pool, err = s.Pool(ctx)
	do("pool", pool, err)
	snapshot, err := s.Watch(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	do("watch", []any{snapshot.Store, snapshot.Slots, snapshot.Groups, len(snapshot.Queues)}, nil)

	state, err = s.PauseQueue(ctx, q.Name, true)
	do("pause", state, err)
	_, err = s.Claim(ctx, engine.ClaimRequest{Queue: q.Name, Robot: "r1"})
	do("claim paused", nil, err)
	state, err = s.PauseQueue(ctx, q.Name, false)
	do("resume", state, err)
	do("delete", nil, s.DeleteQueue(ctx, q.Name, false))
	do("delete by force", nil, s.DeleteQueue(ctx, q.Name, true))
	queues, err := s.Queues(ctx)
	do("queues", queues, err)
	return l.text.String()
}

// bulkStory acts on many, to the end and not.
func bulkStory(ctx context.Context, s server.Service, l *telling, queue string) {
	tell := func(what string, b engine.BulkState, err error) {
		b.Speed = 0
		l.tell(what, b, err)
	}
	all := []engine.ListRequest{{Queue: queue, Filter: "status:waiting"}}
	_, err := s.StartBulk(ctx, engine.BulkRequest{Verb: "shrug", Select: all})
	l.tell("bulk shrug", nil, err)
	b, err := s.StartBulk(ctx, engine.BulkRequest{Verb: engine.BulkDelete, Select: all, Targets: []engine.Target{{Item: store.ID{Queue: queue, Number: 4}}, {Item: store.ID{Queue: queue, Number: 99}}}})
	for err == nil && b.Running() {
		b, err = s.WatchBulk(ctx, b.ID, b.Revision)
	}
	tell("bulk delete", b, err)
	page, err := s.BulkResults(ctx, engine.ResultsRequest{ID: b.ID, After: 1, Failed: true})
	l.outcomes("bulk results", page.Results, err)
	l.tell("bulk results", []any{page.Next, page.More}, err)
	b, err = s.CancelBulk(ctx, b.ID)
	tell("bulk cancel", b, err)
	_, err = s.WatchBulk(ctx, 7_000_000, 0)
	l.tell("bulk none", nil, err)
	b, err = s.StartBulk(ctx, engine.BulkRequest{Verb: engine.BulkUndo, Of: b.ID, Rate: engine.Rate{Items: 1, Per: time.Hour}})
	for err == nil && b.Running() {
		b, err = s.WatchBulk(ctx, b.ID, b.Revision)
	}
	tell("bulk undo", b, err)
	bulks, err := s.Bulks(ctx)
	l.tell("bulks", len(bulks), err)
}

func outcomesNext(t testing.TB, s server.Service, id store.ID) store.ID {
	t.Helper()
	record, err := s.Item(t.Context(), id)
	if err != nil || record.Next.IsZero() {
		t.Fatalf("%s has no copy: %v", id, err)
	}
	return record.Next
}

// What the engine answers, its client answers, word for word and code for code.
func TestClientIsTheEngine(t *testing.T) {
	own := story(t, newEngine(t))
	path, _ := serve(t, newEngine(t))
	over := story(t, connect(t, path, client.Options{}))
	if own == over {
		return
	}
	a, b := strings.Split(own, "\n"), strings.Split(over, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("first difference:\nin process  %s\nby socket   %s", a[i], b[i])
		}
	}
}

func TestPayloadsCrossByteForByte(t *testing.T) {
	e := newEngine(t)
	path, _ := serve(t, e)
	c := connect(t, path, client.Options{})
	if _, err := c.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
		t.Fatal(err)
	}
	exact := "{ \"a\" : 1.0e0,\t\"b\":\"<&>\u2028\" }"
	if _, err := c.Add(t.Context(), engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: json.RawMessage(exact)}}}); err != nil {
		t.Fatal(err)
	}
	record, err := e.Item(t.Context(), store.ID{Queue: "q", Number: 1})
	if err != nil || string(record.Payload) != exact {
		t.Errorf("payload became %q, %v", record.Payload, err)
	}
}

func TestReadOnlyClientChangesNothing(t *testing.T) {
	e := newEngine(t)
	path, _ := serve(t, e)
	c := connect(t, path, client.Options{ReadOnly: true})
	if _, err := c.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); store.CodeOf(err) != store.CodeForbidden {
		t.Errorf("adding a queue gave %v", err)
	}
	if queues, err := c.Queues(t.Context()); err != nil || len(queues) != 0 {
		t.Errorf("queues are %v, %v", queues, err)
	}
}

func TestCheckAndBackupOverTheSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	b, err := bolt.Open(path, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), b, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	socket, _ := serve(t, e)
	c := connect(t, socket, client.Options{ReadOnly: true})
	if problems, err := c.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("a check found %q, %v", problems, err)
	}
	var own, over bytes.Buffer
	if err := errors.Join(e.Backup(t.Context(), &own), c.Backup(t.Context(), &over)); err != nil || own.Len() == 0 || !bytes.Equal(own.Bytes(), over.Bytes()) {
		t.Errorf("%d bytes over the socket, %d in process, %v", over.Len(), own.Len(), err)
	}
	full := errors.New("no space left")
	if err := c.Backup(t.Context(), writer(func([]byte) (int, error) { return 0, full })); !errors.Is(err, full) {
		t.Errorf("a full disk gave %v", err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// A backup that breaks off is never taken for a whole one, and one that can't
// begin says why.
func TestBackupThatBreaksOff(t *testing.T) {
	for _, begun := range []int{0, 100, 100_000} {
		path, _ := serve(t, breaking{newEngine(t), begun})
		c := connect(t, path, client.Options{})
		var got bytes.Buffer
		err := c.Backup(t.Context(), &got)
		if store.CodeOf(err) != store.CodeUnavailable || (begun == 0) != strings.Contains(err.Error(), "damaged page") {
			t.Errorf("after %d bytes: %v", begun, err)
		}
	}
	path, _ := serve(t, newEngine(t))
	if err := connect(t, path, client.Options{}).Backup(t.Context(), io.Discard); store.CodeOf(err) != store.CodeInvalid {
		t.Errorf("a store in memory: %v", err)
	}
}

// breaking breaks off its backups.
type breaking struct {
	server.Service
	after int
}

func (b breaking) Backup(_ context.Context, w io.Writer) error {
	if b.after > 0 {
		if _, err := w.Write(make([]byte, b.after)); err != nil {
			return err
		}
	}
	return store.Unavailable("store", errors.New("damaged page"), "")
}

// A reader that is slow does not keep an engine from stopping.
func TestStoppingCutsOffASlowBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	l, err := socket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(ctx, l, server.Handler(breaking{newEngine(t), 64 << 20}, server.Options{}), time.Millisecond)
	}()
	c := connect(t, path, client.Options{})
	err = c.Backup(t.Context(), writer(func(p []byte) (int, error) {
		if cancel(); done != nil {
			if err := <-done; err == nil || !strings.Contains(err.Error(), "cut off") {
				t.Errorf("the server ended with %v", err)
			}
			done = nil
		}
		return len(p), nil
	}))
	if store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("the backup ended with %v", err)
	}
}

// A parked claim is told when the engine stops; one whose robot hung up keeps
// nothing.
func TestParkedClaims(t *testing.T) {
	e := newEngine(t)
	if _, err := e.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
		t.Fatal(err)
	}
	s := &parkedService{Engine: e, parked: make(chan struct{}, 1), left: make(chan struct{}, 1)}
	path, stop := serve(t, s)
	c := connect(t, path, client.Options{})
	r := engine.ClaimRequest{Queue: "q", Robot: "r", Wait: store.Duration(time.Minute)}

	answer := make(chan error, 1)
	ctx, hangUp := context.WithCancel(t.Context())
	go func() {
		_, err := c.Claim(ctx, r)
		answer <- err
	}()
	<-s.parked
	hangUp()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("a claim that was hung up gave %v", err)
	}
	<-s.left // the server has noticed
	if _, err := e.Add(t.Context(), engine.AddRequest{Queue: "q", Items: []engine.NewItem{{Payload: json.RawMessage(`1`)}}}); err != nil {
		t.Fatal(err)
	}
	if records, err := c.Claim(t.Context(), r); err != nil || len(records) != 1 {
		t.Errorf("the item was not free: %v, %v", records, err)
	}
	<-s.parked

	go func() {
		_, err := c.Claim(t.Context(), r)
		answer <- err
	}()
	<-s.parked
	stop()
	if err := <-answer; store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("a claim parked when the engine stopped gave %v", err)
	}
}

// parkedService tells when a claim is under way, and when one was broken off.
type parkedService struct {
	*engine.Engine
	parked chan struct{}
	left   chan struct{}
}

func (s *parkedService) Claim(ctx context.Context, r engine.ClaimRequest) ([]engine.Record, error) {
	s.parked <- struct{}{}
	records, err := s.Engine.Claim(ctx, r)
	if ctx.Err() != nil {
		s.left <- struct{}{}
	}
	return records, err
}

func TestConnectToNothing(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	for _, path := range []string{filepath.Join(dir, "none.sock"), stale} {
		if _, err := client.Connect(t.Context(), path, client.Options{}); store.CodeOf(err) != store.CodeUnavailable {
			t.Errorf("connecting to %s gave %v", filepath.Base(path), err)
		}
	}
	if _, err := os.Lstat(stale); err != nil {
		t.Fatal("the stale socket is not there")
	}
}
