package builtin_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/builtin"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/memory"
)

// sent is one request that a webhook got.
type sent struct {
	header http.Header
	body   string
}

func running(t *testing.T) *engine.Engine {
	t.Helper()
	e, stop := runningOn(t, memory.New())
	t.Cleanup(stop)
	return e
}

// runningOn runs an engine with its drains and hooks on a store, until stopped.
func runningOn(t *testing.T, s store.Store) (e *engine.Engine, stop func()) {
	t.Helper()
	e, err := engine.Open(t.Context(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	drains := drain.Start(t.Context(), e, drain.Options{Handlers: builtin.Handlers(e), Abreast: builtin.Abreast()})
	unhook, err := e.RunHooks(e.BuiltinHooks())
	if err != nil {
		t.Fatal(err)
	}
	return e, func() {
		drains.Abort()
		unhook()
		_ = e.Close()
	}
}

// ended makes a job that has ended.
func ended(t *testing.T, e *engine.Engine) {
	t.Helper()
	if _, err := e.AddQueue(t.Context(), engine.DefaultQueue("q", store.Jobs)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.StartJob(t.Context(), engine.JobRequest{Queue: "q", ID: "j"}); err != nil {
		t.Fatal(err)
	}
}

// until waits for what changes of an engine bring about.
func until(t *testing.T, e *engine.Engine, here func() bool) {
	t.Helper()
	for after := uint64(0); ; {
		s, err := e.Watch(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		if after = s.Revision; here() {
			return
		}
	}
}

// settled waits for the outcome of the only notification.
func settled(t *testing.T, e *engine.Engine) (r engine.Record) {
	t.Helper()
	until(t, e, func() bool {
		var err error
		r, err = e.Item(t.Context(), store.ID{Queue: engine.NotifyQueue, Number: 1})
		return err == nil && (engine.Final(r.Status) || r.Failures > 0)
	})
	return r
}

// told waits until so many notifications have gone out.
func told(t *testing.T, e *engine.Engine, n int64) (c store.Counts) {
	t.Helper()
	until(t, e, func() bool {
		q, err := e.Queue(t.Context(), engine.NotifyQueue)
		c = q.Counts
		return err == nil && c[store.Completed] >= n
	})
	return c
}

func TestWebhooksAreSigned(t *testing.T) {
	got := make(chan sent, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- sent{r.Header, string(b)}
	}))
	defer hook.Close()
	e := running(t)
	if _, err := e.AddWebhook(t.Context(), store.Webhook{Name: "ops", URL: hook.URL, Secret: "s3cret"}); err != nil {
		t.Fatal(err)
	}
	ended(t, e)
	s := <-got
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write([]byte(s.header.Get("Signalbox-Timestamp") + "." + s.body))
	if want := "v1=" + hex.EncodeToString(mac.Sum(nil)); s.header.Get("Signalbox-Signature") != want {
		t.Errorf("signed %q, want %q", s.header.Get("Signalbox-Signature"), want)
	}
	var told struct {
		ID, Event string
		Data      engine.JobState
	}
	if err := json.Unmarshal([]byte(s.body), &told); err != nil || told.Event != "job" || told.Data.ID != "j" || told.Data.Status != store.JobDone || told.ID != s.header.Get("Signalbox-Delivery") {
		t.Errorf("told %s, %v", s.body, err)
	}
	if r := settled(t, e); r.Status != store.Completed || strings.Contains(string(r.Payload), "s3cret") {
		t.Errorf("the notification is %s with %s", r.Status, r.Payload)
	}
}

// A webhook that answers badly is tried again, one that is gone is not, and a
// redirect is not followed.
func TestWebhooksThatFail(t *testing.T) {
	for status, want := range map[int]store.Status{
		http.StatusInternalServerError: store.Queued, http.StatusFound: store.Queued, http.StatusGone: store.Failed,
	} {
		elsewhere := 0
		hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				elsewhere++
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			_, _ = w.Write(make([]byte, 1<<20)) // only its beginning is read
		}))
		e := running(t)
		if _, err := e.AddWebhook(t.Context(), store.Webhook{Name: "ops", URL: hook.URL}); err != nil {
			t.Fatal(err)
		}
		ended(t, e)
		r := settled(t, e)
		if r.Status != want || want == store.Queued && r.AvailableAt.Sub(r.Error.At) < 5*time.Second || elsewhere > 0 {
			t.Errorf("after %d it is %s, tried again at %s; %d requests went elsewhere", status, r.Status, r.AvailableAt, elsewhere)
		}
		hook.Close()
	}
}

// A webhook that says when it can be told again is told then, by the rules that hold
// for http consumers.
func TestWebhooksSayWhenTheyAreTriedAgain(t *testing.T) {
	for _, test := range []struct {
		status       int
		header       string
		least, most  time.Duration
		becomesFinal bool
	}{
		{status: http.StatusServiceUnavailable, header: "120", least: 120 * time.Second, most: 120 * time.Second},
		{status: http.StatusFound, header: "90", least: 90 * time.Second, most: 90 * time.Second},
		{status: http.StatusTooManyRequests, header: time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat), least: 9 * time.Minute, most: 10 * time.Minute},
		{status: http.StatusTooManyRequests, header: "1", least: 5 * time.Second, most: 5 * time.Second}, // the queue's floor
		{status: http.StatusTooManyRequests, header: "9999999", least: engine.MaxRetryAfter, most: engine.MaxRetryAfter},
		{status: http.StatusTooManyRequests, header: "soon", least: 14 * time.Second, most: 14 * time.Second}, // unreadable: the queue's delay
		{status: http.StatusTooManyRequests, least: 14 * time.Second, most: 14 * time.Second},
		{status: http.StatusGone, header: "120", becomesFinal: true},
	} {
		hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if test.header != "" {
				w.Header().Set("Retry-After", test.header)
			}
			w.WriteHeader(test.status)
		}))
		e := running(t)
		if _, err := e.AddWebhook(t.Context(), store.Webhook{Name: "ops", URL: hook.URL}); err != nil {
			t.Fatal(err)
		}
		ended(t, e)
		r := settled(t, e)
		d := r.AvailableAt.Sub(r.Error.At)
		if engine.Final(r.Status) != test.becomesFinal || !test.becomesFinal && (d < test.least || d > test.most) {
			t.Errorf("after %d with %q it is %s, tried again after %s", test.status, test.header, r.Status, d)
		}
		hook.Close()
	}
}

// Whoever answers is told while those who never do are still waited for, though
// these are more than there are drains.
func TestASlowReceiverHoldsUpNoOther(t *testing.T) {
	over := make(chan struct{})
	var gaveUp atomic.Int64
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-over:
		case <-r.Context().Done():
			gaveUp.Add(1)
		}
	}))
	defer slow.Close()
	defer close(over)
	quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer quick.Close()
	e := running(t)
	for n := range 20 {
		w := store.Webhook{Name: fmt.Sprintf("w%d", n), URL: quick.URL}
		if n%4 == 0 {
			w.URL = slow.URL
		}
		if _, err := e.AddWebhook(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	ended(t, e)
	if c := told(t, e, 15); gaveUp.Load() > 0 || c.InFlight() != 5 {
		t.Errorf("those who answer were told after %d others were given up: %v", gaveUp.Load(), c)
	}
}

// A queue of an engine that sent one notification at a time sends as many as a new
// one.
func TestAnOlderNotifyQueueSendsManyAtOnce(t *testing.T) {
	s := memory.New()
	if err := s.Update(t.Context(), func(tx store.Tx) error {
		q := engine.DefaultQueue(engine.NotifyQueue, store.Jobs)
		q.Consumer.Kind = engine.Handler
		return tx.PutQueue(&q)
	}); err != nil {
		t.Fatal(err)
	}
	e, stop := runningOn(t, s)
	defer stop()
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer hook.Close()
	if _, err := e.AddWebhook(t.Context(), store.Webhook{Name: "ops", URL: hook.URL}); err != nil {
		t.Fatal(err)
	}
	ended(t, e)
	told(t, e, 1)
	if q, err := e.Queue(t.Context(), engine.NotifyQueue); err != nil || q.BatchSize != engine.NotifyAtOnce {
		t.Errorf("batches of %d, %v", q.BatchSize, err)
	}
}
