package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"signalbox/store"
)

// MaxRetryAfter is how long a settle may put off a retry.
const MaxRetryAfter = 24 * time.Hour

func validateConsumer(thing string, c *store.Consumer) error {
	switch c.Kind {
	case Manual:
		if what := given(c); what != "" {
			return store.Invalid(thing, "a manual queue's items are pulled by robots, so it takes no "+what, "leave it out, or choose the consumer command or http")
		}
	case Handler:
	case Command:
		if len(c.Argv) == 0 || c.Argv[0] == "" {
			return store.Invalid(thing, "a command consumer needs a program", "give it after --, as in `-- ./robot.sh`")
		}
	case HTTP:
		if c.URL == "" {
			return store.Invalid(thing, "an http consumer needs a URL", "give it with --url")
		}
	default:
		return store.Invalid(thing, fmt.Sprintf("consumer %q: manual, command or http", c.Kind), "set one of these; handler is for programs that embed the engine")
	}
	if c.URL != "" {
		if err := validateURL(c.URL); err != nil {
			return err
		}
	}
	for _, h := range c.Headers {
		if err := validateHeader(h); err != nil {
			return err
		}
	}
	return nil
}

// given names a setting of other consumers that is there; "" = none.
func given(c *store.Consumer) string {
	switch {
	case len(c.Argv) > 0 || c.Shell:
		return "command"
	case c.URL != "":
		return "url"
	case len(c.Headers) > 0:
		return "header"
	case len(c.Env) > 0:
		return "env"
	case c.Dir != "":
		return "dir"
	case c.Timeout != 0:
		return "timeout"
	}
	return ""
}

func validateURL(text string) error {
	u, err := url.Parse(text)
	bad := func(rule, mend string) error {
		shown := text
		if u != nil {
			shown = u.Redacted()
		}
		return store.Invalid(fmt.Sprintf("url %q", shown), rule, mend)
	}
	const form = "write it as https://example.com/work"
	switch {
	case err != nil:
		return bad("it is no URL", form)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return bad("items are posted to an http or https URL with a host", form)
	case u.User != nil:
		return bad("a URL holds no password: it would be shown", "give it with --header 'Authorization: …'")
	case u.Fragment != "":
		return bad("what follows # is never sent", "leave it out")
	}
	return nil
}

// ownHeaders are those that the posting itself sets.
var ownHeaders = map[string]bool{"content-length": true, "transfer-encoding": true, "connection": true, "host": true, "trailer": true, "upgrade": true}

// validateHeader never tells a header's value, which may be a secret.
func validateHeader(h string) error {
	name, value, ok := strings.Cut(h, ":")
	thing := fmt.Sprintf("header %q", name)
	switch {
	case !ok:
		return store.Invalid("a header", "a header is a name, a colon and a value", "write it as 'Authorization: Bearer …'")
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !headerRune(r) }):
		return store.Invalid(thing, "a header's name has letters, digits and -", "write it as X-Api-Key")
	case ownHeaders[strings.ToLower(name)]:
		return store.Invalid(thing, "it is set by the engine", "leave it out")
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return store.Invalid(thing, "its value has a control character", "leave that out")
	case strings.TrimSpace(value) == Veil:
		return store.Invalid(thing, "its value is the mask that stands for it on screens", "give the value itself")
	}
	return nil
}

func headerRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// VeilHeaders gives a consumer's headers with their values hidden, for screens.
func VeilHeaders(headers []string) []string {
	if headers == nil {
		return nil
	}
	veiled := make([]string, len(headers))
	for i, h := range headers {
		name, _, _ := strings.Cut(h, ":")
		veiled[i] = name + ": " + Veil
	}
	return veiled
}

// veilPatch gives a patch of settings as the history may tell it: without the
// values of headers, and without the revision that was seen, which is no setting.
func veilPatch(patch json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(patch, &fields) == nil {
		n := len(fields)
		maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, "revision") })
		if len(fields) < n {
			patch, _ = store.Encode(fields) // what was just read can be written
		}
	}
	return inField(patch, "consumer", func(consumer json.RawMessage) json.RawMessage {
		return inField(consumer, "headers", func(raw json.RawMessage) json.RawMessage {
			var headers []string
			if json.Unmarshal(raw, &headers) != nil {
				return json.RawMessage(quotedVeil)
			}
			veiled, _ := store.Encode(VeilHeaders(headers)) // texts always marshal
			return veiled
		})
	})
}

// inField changes the fields of an object that decode as the named one, which
// they do in any case; an object without any stays as it is.
func inField(raw json.RawMessage, name string, change func(json.RawMessage) json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	found := false
	for key, value := range fields {
		if strings.EqualFold(key, name) {
			fields[key], found = change(value), true
		}
	}
	if !found {
		return raw
	}
	changed, _ := store.Encode(fields)
	return changed
}
