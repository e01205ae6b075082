package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"signalbox/store"
)

// Events that webhooks are told of.
const (
	JobEvent       = "job"       // a job has ended
	AbandonedEvent = "abandoned" // items were abandoned
)

var webhookEvents = []string{JobEvent, AbandonedEvent, AtRiskEvent, OverdueEvent}

// maxWebhooks bounds how many addresses one event goes to.
const maxWebhooks = 20

// Notification is what a webhook is told, as an item of the notify queue.
type Notification struct {
	Webhook string          `json:"webhook"` // its name
	Event   string          `json:"event"`
	At      store.Time      `json:"at"`
	Data    json.RawMessage `json:"data"`
}

// AddWebhook adds an address, or replaces the one of its name. Without events it
// is told of all. CodeInvalid for an address that is none.
func (e *Engine) AddWebhook(ctx context.Context, w store.Webhook) (store.Webhook, error) {
	if len(w.Events) == 0 {
		w.Events = webhookEvents
	}
	if err := validateWebhook(&w); err != nil {
		return w, err
	}
	err := e.change(ctx, func(t *tx) error {
		list, err := t.Webhooks()
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(o store.Webhook) bool { return o.Name == w.Name })
		if len(list) >= maxWebhooks {
			return store.Conflict("webhook "+w.Name, fmt.Sprintf("there are %d already", len(list)), "remove one first")
		}
		w.CreatedAt, w.CreatedBy = t.now, t.actor
		return firstOf(t.PutWebhooks(append(list, w)), t.Append(t.record("", "webhook-add", w.Name)))
	})
	w.Secret = ""
	return w, err
}

func validateWebhook(w *store.Webhook) error {
	thing := fmt.Sprintf("webhook %q", w.Name)
	u, err := url.Parse(w.URL)
	switch {
	case len(w.Name) > 128 || !nameRule.MatchString(w.Name):
		return store.Invalid(thing, "a name is at most 128 of a-z 0-9 _ - in parts joined by dots", "write it as ops")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(w.URL) > 2048:
		return store.Invalid(fmt.Sprintf("address %q", w.URL), "a webhook is at http:// or https://", "write it as https://example.org/hook")
	case u.User != nil:
		return store.Invalid(thing, "its address holds a name or password", "leave them out; what is sent is signed with the secret")
	case len(w.Secret) > 1024:
		return store.Invalid("the secret", "it is longer than 1,024 bytes", "use a shorter one")
	}
	for _, event := range w.Events {
		if !slices.Contains(webhookEvents, event) {
			return store.Invalid(fmt.Sprintf("event %q", event), "there is none of this name", "use "+strings.Join(webhookEvents, ", "))
		}
	}
	return nil
}

// RemoveWebhook removes an address, or CodeNotFound.
func (e *Engine) RemoveWebhook(ctx context.Context, name string) error {
	return e.change(ctx, func(t *tx) error {
		list, err := t.Webhooks()
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(list), func(w store.Webhook) bool { return w.Name == name })
		if len(left) == len(list) {
			return noWebhook(name)
		}
		return firstOf(t.PutWebhooks(left), t.Append(t.record("", "webhook-remove", name)))
	})
}

func noWebhook(name string) error {
	return store.NotFound(fmt.Sprintf("webhook %q", name), "see `signalbox notify list`")
}

// Webhooks lists the addresses by name, without their secrets.
func (e *Engine) Webhooks(ctx context.Context) (list []store.Webhook, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		list, err = r.Webhooks()
		return err
	})
	list = append([]store.Webhook{}, list...)
	slices.SortFunc(list, func(a, b store.Webhook) int { return strings.Compare(a.Name, b.Name) })
	for n := range list {
		list[n].Secret = ""
	}
	return list, err
}

// Webhook gives one address with its secret, for who sends to it.
func (e *Engine) Webhook(ctx context.Context, name string) (w store.Webhook, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		list, err := r.Webhooks()
		for _, w = range list {
			if w.Name == name {
				return nil
			}
		}
		return firstOf(err, noWebhook(name))
	})
	return w, err
}

// announce tells the webhooks of an event, each by an item of the notify queue.
func (t *tx) announce(event string, data any) error {
	list, err := t.Webhooks()
	if err != nil || len(list) == 0 {
		return err
	}
	b, err := store.Encode(data)
	if err != nil {
		return err
	}
	for _, w := range list {
		if !slices.Contains(w.Events, event) {
			continue
		}
		q, err := t.builtin(NotifyQueue)
		if err != nil {
			return err
		}
		if _, err := t.addBuiltin(&q, "", "", 0, Notification{w.Name, event, t.now, b}); err != nil {
			return err
		}
	}
	return nil
}

// abandonedData is what webhooks are told of abandoned items.
type abandonedData struct {
	Queue string     `json:"queue"`
	Count int        `json:"count"`
	Items []store.ID `json:"items"` // the first hundred
}
