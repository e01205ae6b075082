package drain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"signalbox/engine"
	"signalbox/engine/reach"
	"signalbox/store"
)

const (
	// requestTimeout is how long a request may take when nothing else is said.
	requestTimeout = 30 * time.Second
	// postedMax bounds what one request may send, and saidMax what is read of
	// an answer, kept or not.
	postedMax = 64 << 20
	saidMax   = 64 << 20
)

// newClient makes the client that all http consumers share. It follows no
// redirects: what an item holds goes where the queue's settings say, and
// nowhere else.
func newClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 32
	t.MaxResponseHeaderBytes = 1 << 20
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// poster works items by posting them: one request per item, or per batch.
type poster struct {
	set    *store.Queue
	wave   bool // all items of a claim in one request
	client *http.Client
}

func (p *poster) together() bool { return p.wave }

// patience is short: a request ends with its context.
func (p *poster) patience(kill time.Duration) time.Duration { return kill }

func (p *poster) work(ctx context.Context, records []engine.Record) result {
	body, err := input(p.set.Name, records, p.wave)
	if err != nil {
		return failed(engine.System, "the item can't be written as JSON: "+err.Error(), "")
	}
	if len(body) > postedMax {
		return failed(engine.System, fmt.Sprintf("the batch is %d bytes of JSON; a request has at most %d: lower batch_size", len(body), postedMax), "")
	}
	a, err := p.post(ctx, records, body)
	switch {
	case ctx.Err() != nil:
		res := failed(engine.System, "stopped", "")
		res.cut = true
		return res
	case err != nil:
		return broken(reach.Why(err))
	}
	return a.result(records, p.wave)
}

// reply is what came back, as far as it is kept.
type reply struct {
	code       int
	status     string // "503 Service Unavailable"
	location   string // of a redirect
	retryAfter time.Duration
	body       head
}

func (p *poster) post(ctx context.Context, records []engine.Record, body []byte) (*reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.set.Consumer.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	p.head(r.Header, records)
	answer, err := p.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	a := &reply{
		code: answer.StatusCode, status: answer.Status, location: answer.Header.Get("Location"),
		retryAfter: RetryAfter(answer.Header, time.Now()),
		body:       head{limit: kept(records, p.wave)},
	}
	_, err = io.Copy(&a.body, io.LimitReader(answer.Body, saidMax+1))
	return a, err
}

// head sets the request's headers: those of the settings, and what a program
// would be told in its environment.
func (p *poster) head(h http.Header, records []engine.Record) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("User-Agent", "signalbox")
	seen := map[string]bool{}
	for _, line := range p.set.Consumer.Headers {
		name, value, _ := strings.Cut(line, ":")
		if name = http.CanonicalHeaderKey(name); !seen[name] {
			h.Del(name) // said twice it is sent twice, but ours gives way
			seen[name] = true
		}
		h.Add(name, strings.TrimSpace(value))
	}
	h.Set("Signalbox-Queue", p.set.Name)
	if !p.wave {
		h.Set("Signalbox-Item", records[0].ID().String())
		h.Set("Signalbox-Attempt", strconv.Itoa(records[0].Attempts))
	}
	if job := sharedJob(records); job != "" {
		h.Set("Signalbox-Job", job)
	}
}

// RetryAfter reads when an answer's Retry-After wants another try, in seconds or as
// an instant, at most engine.MaxRetryAfter from now; 0 = not said, or not readable.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(engine.MaxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), engine.MaxRetryAfter)
	}
	return 0
}

// result reads the answer: 2xx is success, 422 a business exception, anything
// else a system exception.
func (a *reply) result(records []engine.Record, wave bool) (res result) {
	details := first(string(a.body.clean()), stderrKept)
	success := a.code/100 == 2
	switch {
	case a.body.total > saidMax:
		return failed(engine.System, fmt.Sprintf("answered %s with more than %d bytes, and was not read on", a.status, saidMax), "")
	case !success && a.code != http.StatusUnprocessableEntity:
		res = failed(engine.System, a.reason(), details)
		res.reports[0].RetryAfter = store.Duration(a.retryAfter)
		return res
	case !success:
		res = failed(engine.Business, a.reason(), details)
	default:
		res = result{reports: []engine.Settlement{{Status: engine.Success}}}
	}
	if wave {
		unsaid := engine.Settlement{Status: engine.System, Reason: "the answer's results leave this item out", Details: details}
		return readWave(records, &a.body, details, res, unsaid)
	}
	if success {
		output, err := a.body.output()
		if err != nil {
			return failed(engine.System, err.Error(), "")
		}
		res.reports[0].Output = output
	}
	return res
}

// reason is why an item failed: what the answer says, or else its status.
func (a *reply) reason() string {
	said := a.said()
	switch {
	case a.code/100 == 3:
		return fmt.Sprintf("answered %s to %q; redirects are not followed", a.status, a.location)
	case a.code == http.StatusUnprocessableEntity && said != "":
		return said
	case said != "":
		return fmt.Sprintf("answered %s: %s", a.status, said)
	}
	return "answered " + a.status
}

// said finds the reason in an answer's body: a field of an object, or the first
// line of a text.
func (a *reply) said() string {
	body := bytes.TrimSpace(a.body.clean())
	var fields struct {
		Reason, Message, Detail, Title string
		Error                          answerError
	}
	if len(body) > 0 && body[0] == '{' && json.Valid(body) {
		_ = json.Unmarshal(body, &fields) // what does not fit is left out
		for _, text := range []string{fields.Reason, fields.Error.reason(), fields.Message, fields.Detail, fields.Title} {
			if text != "" {
				return text
			}
		}
		return ""
	}
	line, _, _ := bytes.Cut(body, []byte("\n"))
	if bytes.HasPrefix(line, []byte("<")) {
		return "" // a page for people
	}
	return first(strings.TrimSpace(string(line)), lineKept)
}
