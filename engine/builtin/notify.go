package builtin

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/engine/reach"
	"signalbox/store"
)

const (
	sendTimeout = 20 * time.Second
	answerKept  = 4 << 10 // bytes of an answer that are looked at
)

// notifier works the items of the notify queue.
type notifier struct {
	e      *engine.Engine
	client *http.Client
}

// newClient gives a client that follows no redirect: a webhook's address is the
// one that was agreed on.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       sendTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// delivery is the body of what is sent.
type delivery struct {
	ID    store.ID        `json:"id"` // the same for each try
	Event string          `json:"event"`
	At    store.Time      `json:"at"`
	Data  json.RawMessage `json:"data"`
}

// work sends one notification. An answer other than 2xx is a failure, which is
// tried again when it says in Retry-After, or by the queue's settings; only 410 says
// that nobody wants it.
func (n *notifier) work(ctx context.Context, r engine.Record) (json.RawMessage, error) {
	var told engine.Notification
	if err := json.Unmarshal(r.Payload, &told); err != nil {
		return nil, store.Invalid("item "+r.ID().String(), "it is no notification: "+store.Unreadable(err), "")
	}
	w, err := n.e.Webhook(ctx, told.Webhook)
	if err != nil {
		return nil, err
	}
	body, err := store.Encode(delivery{r.ID(), told.Event, told.At, told.Data})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return nil, store.Invalid("webhook "+w.Name, err.Error(), "add it again")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "signalbox")
	request.Header.Set("Signalbox-Event", told.Event)
	request.Header.Set("Signalbox-Delivery", r.ID().String())
	Sign(request.Header, w.Secret, time.Now(), body)
	answer, err := n.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("webhook %s: %s", w.Name, reach.Why(err))
	}
	defer answer.Body.Close()
	word, _ := io.ReadAll(io.LimitReader(answer.Body, answerKept)) // for people only
	switch {
	case answer.StatusCode/100 == 2:
		return store.Encode(map[string]int{"status": answer.StatusCode})
	case answer.StatusCode == http.StatusGone:
		return nil, store.Invalid("webhook "+w.Name, "it answered "+answer.Status, "remove it with `signalbox notify remove "+w.Name+"`")
	}
	return nil, &drain.Later{
		Err:   fmt.Errorf("webhook %s answered %s: %s", w.Name, answer.Status, bytes.TrimSpace(word)),
		After: drain.RetryAfter(answer.Header, time.Now()),
	}
}

// Sign writes the time and, with a secret, the signature of what is sent: v1= and
// the HMAC-SHA256, in hex, of the time in seconds, a point and the body. Who
// receives it compares both, and refuses times long past.
func Sign(h http.Header, secret string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h.Set("Signalbox-Timestamp", stamp)
	if secret == "" {
		return
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	h.Set("Signalbox-Signature", "v1="+hex.EncodeToString(mac.Sum(nil)))
}
