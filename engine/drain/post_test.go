package drain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
)

// posted makes a rig with one transactions queue, orders, whose items are
// posted to a server.
func posted(t *testing.T, change func(*store.Queue), handle http.HandlerFunc) *rig {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return postedTo(t, server.URL, change)
}

func postedTo(t *testing.T, url string, change func(*store.Queue)) *rig {
	t.Helper()
	r := newRig(t)
	t.Cleanup(r.close)
	r.queue("orders", func(q *store.Queue) {
		q.Family = store.Transactions
		q.Consumer = store.Consumer{Kind: engine.HTTP, URL: url}
		if change != nil {
			change(q)
		}
	})
	return r
}

func answer(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func TestAnItemIsPosted(t *testing.T) {
	seen := make(chan string, 1)
	r := posted(t, func(q *store.Queue) {
		q.Consumer.Headers = []string{"X-Key: a", "x-key: b", "content-type: application/vnd.item+json"}
	},
		func(w http.ResponseWriter, q *http.Request) {
			var item struct {
				ID      string
				Payload json.RawMessage
			}
			if err := json.NewDecoder(q.Body).Decode(&item); err != nil {
				t.Error(err)
			}
			h := q.Header
			seen <- fmt.Sprint(q.Method, " ", item.ID, " ", string(item.Payload), h["X-Key"], h["Content-Type"], h["Signalbox-Queue"], h["Signalbox-Item"], h["Signalbox-Attempt"])
			answer(201, `{"booked": true}`)(w, q)
		})
	id := r.add("orders", `{"n":1}`)[0]
	r.work(store.Successful, 1)
	if got, want := <-seen, `POST orders/1 {"n":1}[a b] [application/vnd.item+json] [orders] [orders/1] [1]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(r.item(id).Output); got != `{"booked": true}` {
		t.Errorf("the output is %s", got)
	}
}

func TestTheAnswerIsTheResult(t *testing.T) {
	tests := []struct {
		code   int
		body   string
		status store.Status
		reason string
		output string
	}{
		{200, `{"a":1}`, store.Successful, "", `{"a":1}`},
		{204, ``, store.Successful, "", ``},
		{200, "two\nlines", store.Successful, "", `{"text":"two\nlines"}`},
		{200, "bad \xff byte", store.Successful, "", `{"text":"bad ` + "\uFFFD" + ` byte"}`},
		{200, `{"a":"` + strings.Repeat("x", 60_000) + `"}`, store.SystemException, "result refused: ", ""},
		{200, `{"a":"` + strings.Repeat("x", 3_000_000) + `"}`, store.SystemException, "the output is too long", ""},
		{422, `{"reason":"no such supplier"}`, store.BusinessException, "no such supplier", ""},
		{422, `{"error":"no such supplier"}`, store.BusinessException, "no such supplier", ""},
		{422, `{"error":{"message":"no such supplier"}}`, store.BusinessException, "no such supplier", ""},
		{422, `{"title":"t","detail":"no such supplier"}`, store.BusinessException, "no such supplier", ""},
		{422, "no such supplier\nat all", store.BusinessException, "no such supplier", ""},
		{422, ``, store.BusinessException, "answered 422 Unprocessable Entity", ""},
		{422, `<html>`, store.BusinessException, "answered 422 Unprocessable Entity", ""},
		{400, `{"reason":"what?"}`, store.SystemException, "answered 400 Bad Request: what?", ""},
		{500, ``, store.SystemException, "answered 500 Internal Server Error", ""},
		{503, `down`, store.SystemException, "answered 503 Service Unavailable: down", ""},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.code, " ", test.body[:min(len(test.body), 20)]), func(t *testing.T) {
			r := posted(t, nil, answer(test.code, test.body))
			id := r.add("orders", `{}`)[0]
			r.work(test.status, 1)
			if rec := r.want(id, test.status, test.reason); string(rec.Output) != test.output {
				t.Errorf("the output is %s", rec.Output)
			}
		})
	}
}

func TestABatchIsPostedAndAnsweredForEachItem(t *testing.T) {
	three := func(q *store.Queue) { q.BatchSize = 3 }
	for name, test := range map[string]struct {
		code   int
		answer string
		want   [3]store.Status
	}{
		"array":    {200, `[{"id":"orders/1","status":"success","output":{"a":1}},{"id":"orders/3","status":"business","error":"no"}]`, [3]store.Status{store.Successful, store.SystemException, store.BusinessException}},
		"none":     {200, ``, [3]store.Status{store.Successful, store.Successful, store.Successful}},
		"business": {422, `no`, [3]store.Status{store.BusinessException, store.BusinessException, store.BusinessException}},
		"some":     {422, `[{"id":"orders/2","status":"success"}]`, [3]store.Status{store.SystemException, store.Successful, store.SystemException}},
		"system":   {500, `[{"id":"orders/2","status":"success"}]`, [3]store.Status{store.SystemException, store.SystemException, store.SystemException}},
		"unclear":  {200, `[{"id":"orders/1","status":"fine"},{"id":2}]`, [3]store.Status{store.SystemException, store.SystemException, store.SystemException}},
	} {
		t.Run(name, func(t *testing.T) {
			r := posted(t, three, func(w http.ResponseWriter, q *http.Request) {
				var wave struct{ Items []struct{ ID string } }
				if err := json.NewDecoder(q.Body).Decode(&wave); err != nil || len(wave.Items) != 3 || q.Header.Get("Signalbox-Item") != "" {
					t.Errorf("got %+v, %v", wave, err)
				}
				answer(test.code, test.answer)(w, q)
			})
			ids := r.addN("orders", 3)
			counts := map[store.Status]int64{}
			for _, s := range test.want {
				counts[s]++
			}
			r.start(drain.Options{})
			for s, n := range counts {
				r.done("orders", s, n)
			}
			for i, id := range ids {
				if got := r.item(id).Status; got != test.want[i] {
					t.Errorf("%s is %s, want %s", id, got, test.want[i])
				}
			}
		})
	}
}

func TestRetryAfterSetsTheNextAvailability(t *testing.T) {
	soon := time.Now().Add(90 * time.Second).UTC()
	for _, test := range []struct {
		header string
		least  time.Duration
		most   time.Duration
	}{
		{"120", 120 * time.Second, 120 * time.Second},
		{soon.Format(http.TimeFormat), 60 * time.Second, 90 * time.Second},
		{"1", 10 * time.Second, 10 * time.Second}, // the queue's floor
		{"99999999999999999999", 24 * time.Hour, 24 * time.Hour},
		{"999999999", 24 * time.Hour, 24 * time.Hour},
		{"soon", 12342 * time.Second, 12342 * time.Second}, // unreadable: the queue's delay
		{"", 12342 * time.Second, 12342 * time.Second},
	} {
		t.Run(test.header, func(t *testing.T) {
			r := posted(t, func(q *store.Queue) { q.Family, q.Retries = store.Jobs, 3 }, func(w http.ResponseWriter, _ *http.Request) {
				if test.header != "" {
					w.Header().Set("Retry-After", test.header)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			r.start(drain.Options{})
			id := r.add("orders", `{}`)[0]
			r.settledOnce(id)
			i := r.item(id)
			history, err := r.History(r.ctx, id, 1)
			if err != nil {
				t.Fatal(err)
			}
			if d := i.AvailableAt.Sub(history[0].At); d < test.least || d > test.most {
				t.Errorf("it is available after %s", d)
			}
		})
	}
}

// settledOnce waits until an item has been reported on.
func (r *rig) settledOnce(id store.ID) {
	r.t.Helper()
	for seen := uint64(0); ; {
		snap, err := r.Watch(r.ctx, seen)
		if err != nil {
			r.t.Fatal(err)
		}
		seen = snap.Revision
		if i := r.item(id); i.Failures > 0 && !i.Status.InFlight() {
			return
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var followed atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	t.Cleanup(other.Close)
	for _, code := range []int{301, 302, 307, 308} {
		r := posted(t, nil, func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, other.URL, code) })
		id := r.add("orders", `{}`)[0]
		r.work(store.SystemException, 1)
		r.want(id, store.SystemException, "redirects are not followed")
	}
	if followed.Load() {
		t.Error("an item went elsewhere")
	}
}

func TestWhatCantBeReachedIsAConsumerErrorUntilItCan(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	r := postedTo(t, "http://"+address+"/?token=secret", nil)
	r.add("orders", `{}`)
	r.work(store.SystemException, 1)
	q, err := r.Queue(r.ctx, "orders")
	if err != nil || !strings.Contains(q.ConsumerError, "connection refused") || strings.Contains(q.ConsumerError, "secret") {
		t.Errorf("the consumer error is %q, %v", q.ConsumerError, err)
	}
	if l, err = net.Listen("tcp", address); err != nil {
		t.Skip("its port was taken meanwhile")
	}
	server := &http.Server{Handler: answer(200, "")}
	go server.Serve(l)
	t.Cleanup(func() { _ = server.Close() })
	r.add("orders", `{}`)
	r.done("orders", store.Successful, 1)
	if q, _ := r.Queue(r.ctx, "orders"); q.ConsumerError != "" {
		t.Errorf("the consumer error is still %q", q.ConsumerError)
	}
}

func TestACertificateThatNobodyKnowsIsRefused(t *testing.T) {
	server := httptest.NewUnstartedServer(answer(200, ""))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	r := postedTo(t, server.URL, nil)
	id := r.add("orders", `{}`)[0]
	r.work(store.SystemException, 1)
	r.want(id, store.SystemException, "its certificate is signed by an authority that is not trusted here")
	if q, _ := r.Queue(r.ctx, "orders"); q.ConsumerError == "" {
		t.Error("there is no consumer error")
	}
}

func TestAnAnswerThatBreaksOffIsNone(t *testing.T) {
	r := posted(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"a":1}`)
	})
	id := r.add("orders", `{}`)[0]
	r.work(store.SystemException, 1)
	r.want(id, store.SystemException, "closed before the answer was whole")
}

func TestARequestEndsWithItsTime(t *testing.T) {
	for name, change := range map[string]func(*store.Queue){
		"of the consumer": func(q *store.Queue) { q.Consumer.Timeout = store.Duration(50 * time.Millisecond) },
		"of the attempt":  func(q *store.Queue) { q.AttemptTimeout = store.Duration(50 * time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{}, 1)
			r := posted(t, change, func(_ http.ResponseWriter, q *http.Request) {
				_, _ = io.Copy(io.Discard, q.Body) // or the server does not see the other end go
				<-q.Context().Done()
				ended <- struct{}{}
			})
			id := r.add("orders", `{}`)[0]
			r.work(store.SystemException, 1)
			r.want(id, store.SystemException, "timed out after 50ms")
			<-ended
			if q, _ := r.Queue(r.ctx, "orders"); q.ConsumerError != "" {
				t.Errorf("the consumer error is %q", q.ConsumerError)
			}
		})
	}
}

func TestAnEndlessAnswerEndsWithItsTime(t *testing.T) {
	r := posted(t, func(q *store.Queue) { q.AttemptTimeout = store.Duration(100 * time.Millisecond) }, func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 32<<10); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	id := r.add("orders", `{}`)[0]
	r.start(drain.Options{})
	r.settledOnce(id) // by its time, or since no more than its bound is read
}

func TestALostLeaseEndsTheRequest(t *testing.T) {
	ended := make(chan struct{}, 1)
	began := make(chan struct{}, 1)
	r := posted(t, nil, func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		began <- struct{}{}
		<-q.Context().Done()
		ended <- struct{}{}
	})
	r.set("orders", `{"lease":"1s"}`)
	r.renew = func(_ context.Context, hs []engine.Holding) ([]engine.Outcome, error) {
		return []engine.Outcome{{Item: hs[0].Item, Result: engine.Stale}}, nil
	}
	r.add("orders", `{}`)
	r.start(drain.Options{})
	<-began
	<-ended
}

func TestStopGivesTheRequestsItemBack(t *testing.T) {
	began := make(chan struct{}, 1)
	r := posted(t, nil, func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		began <- struct{}{}
		<-q.Context().Done()
	})
	id := r.add("orders", `{}`)[0]
	r.start(drain.Options{})
	<-began
	if left := r.Abort(); left.GivenBack != 1 {
		t.Errorf("left %+v", left)
	}
	r.want(id, store.Pending, "")
}
