package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"signalbox/engine"
	"signalbox/store"
)

// setting is one setting of a queue as files name it. What stands in a table
// of its own, as the consumer's settings do, has dots in its key.
type setting struct {
	key string
	at  func(*store.Queue) any // a pointer to it
}

// queueSettings are all settings but name and family, in the order in which
// files are written.
func queueSettings() []setting {
	type q = *store.Queue
	return []setting{
		{"folder", func(q q) any { return &q.Folder }},
		{"links", func(q q) any { return &q.Links }},
		{"encrypted", func(q q) any { return &q.Encrypted }},
		{"description", func(q q) any { return &q.Description }},
		{"lane", func(q q) any { return &q.Lane }},
		{"batch_size", func(q q) any { return &q.BatchSize }},
		{"max_drains", func(q q) any { return &q.MaxDrains }},
		{"paused", func(q q) any { return &q.Paused }},
		{"lease", func(q q) any { return &q.Lease }},
		{"on_expiry", func(q q) any { return &q.OnExpiry }},
		{"max_reclaims", func(q q) any { return &q.MaxReclaims }},
		{"retries", func(q q) any { return &q.Retries }},
		{"retry_window", func(q q) any { return &q.RetryWindow }},
		{"retry_floor", func(q q) any { return &q.RetryFloor }},
		{"retry_abandoned", func(q q) any { return &q.RetryAbandoned }},
		{"attempt_timeout", func(q q) any { return &q.AttemptTimeout }},
		{"unique_references", func(q q) any { return &q.UniqueReferences }},
		{"sla", func(q q) any { return &q.SLA }},
		{"sla_risk", func(q q) any { return &q.SLARisk }},
		{"retain_settled", func(q q) any { return &q.RetainSettled }},
		{"retain_settled_then", func(q q) any { return &q.RetainSettledThen }},
		{"retain_excepted", func(q q) any { return &q.RetainExcepted }},
		{"retain_excepted_then", func(q q) any { return &q.RetainExceptedThen }},
		{"mask", func(q q) any { return &q.Mask }},
		{"consumer.kind", func(q q) any { return &q.Consumer.Kind }},
		{"consumer.argv", func(q q) any { return &q.Consumer.Argv }},
		{"consumer.shell", func(q q) any { return &q.Consumer.Shell }},
		{"consumer.dir", func(q q) any { return &q.Consumer.Dir }},
		{"consumer.env", func(q q) any { return &q.Consumer.Env }},
		{"consumer.url", func(q q) any { return &q.Consumer.URL }},
		{"consumer.headers", func(q q) any { return &q.Consumer.Headers }},
		{"consumer.timeout", func(q q) any { return &q.Consumer.Timeout }},
		{"schemas.payload", func(q q) any { return &q.Schemas.Payload }},
		{"schemas.output", func(q q) any { return &q.Schemas.Output }},
		{"schemas.analytics", func(q q) any { return &q.Schemas.Analytics }},
	}
}

// json is the setting's value, null for none.
func (s setting) json(q *store.Queue) json.RawMessage {
	b, err := store.Encode(s.at(q))
	if err != nil || slices.Contains([]string{"[]", `""`}, string(b)) {
		return json.RawMessage("null")
	}
	return b
}

// shown is the setting's value as screens may show it.
func (s setting) shown(q *store.Queue) json.RawMessage {
	if s.key != "consumer.headers" {
		return s.json(q)
	}
	veiled := *q
	veiled.Consumer.Headers = engine.VeilHeaders(q.Consumer.Headers)
	return s.json(&veiled)
}

// same says that two queues agree in the setting. Schemas are compared as
// values, whatever their white space and order.
func (s setting) same(a, b *store.Queue) bool {
	return bytes.Equal(s.canonical(a), s.canonical(b))
}

func (s setting) canonical(q *store.Queue) []byte {
	raw := s.json(q)
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return raw
	}
	b, err := store.Encode(v)
	if err != nil {
		return raw
	}
	return b
}

// set gives the setting a value as TOML has it. A schema is JSON in a text.
func (s setting) set(q *store.Queue, value any) error {
	to := s.at(q)
	raw, err := store.Encode(value)
	if schema, is := to.(*store.JSON); is {
		text, isText := value.(string)
		if !isText || json.Unmarshal([]byte(text), new(map[string]any)) != nil {
			return usage(s.key, "it is no JSON Schema in quotes", `write it as '{"required": ["zip"]}'`)
		}
		*schema = store.JSON(text)
		return nil
	}
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err == nil {
		return nil
	}
	kind, form := kindIn(to)
	return usage(fmt.Sprintf("%s %s", s.key, raw), "it is not "+kind, "write it as "+form)
}

// kindIn words what a setting holds, and how that is written in TOML.
func kindIn(to any) (kind, form string) {
	switch to.(type) {
	case *int:
		return "a whole number", "3"
	case *bool:
		return "true or false", "true"
	case *store.Duration:
		return "a duration", `"90s", "10m", "24h" or "30d"`
	case *[]string:
		return "a list of texts", `["one", "two"]`
	}
	return "a text", `"text"`
}

// toml writes the setting's value as TOML.
func (s setting) toml(q *store.Queue) string {
	switch v := s.at(q).(type) {
	case *string:
		return tomlText(*v)
	case *store.Duration:
		return tomlText(v.String())
	case *store.JSON:
		return tomlText(string(*v))
	case *[]string:
		texts := make([]string, len(*v))
		for i, text := range *v {
			texts[i] = tomlText(text)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case *int:
		return strconv.Itoa(*v)
	case *bool:
		return strconv.FormatBool(*v)
	}
	return ""
}

// tomlText writes a text so that it fits on a line and a terminal shows all of
// it; without escapes where there is no need of any.
func tomlText(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
	if plain && strings.ContainsAny(s, `"\`) && !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	return b.String() + `"`
}
