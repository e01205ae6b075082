package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"signalbox/engine"
	"signalbox/store"
)

// settings turns flags into a patch of a queue's settings.
type settings struct {
	app   *app
	flags *pflag.FlagSet
}

// settingFlags are the flags that stand for a setting: --retry-window is
// retry_window.
type settingFlags struct{ texts, durations, numbers, switches, lists [][2]string }

func queueFlags() settingFlags {
	return settingFlags{
		texts: [][2]string{
			{"folder", "where it is kept, as in /finance/ap"},
			{"description", "what the queue is for"},
			{"lane", "whose slots it uses: fast (short holds) or slow (long ones)"},
			{"on-expiry", "when a lease runs out: reclaim or abandon"},
			{"retain-settled-then", "what then becomes of settled items: keep, delete or archive (beside the store)"},
			{"retain-excepted-then", "what then becomes of failed, excepted and abandoned items: keep, delete or archive (beside the store)"},
		},
		durations: [][2]string{
			{"lease", "how long a claim holds without a sign of life (0s = it never runs out)"},
			{"retry-window", "time over which the retries spread"},
			{"retry-floor", "shortest wait before a retry"},
			{"attempt-timeout", "longest run of one attempt (0 = none)"},
			{"sla", "due date for items added without one, from their adding"},
			{"sla-risk", "risk date for items added without one, from their adding"},
			{"retain-settled", "how long settled items stay after the last that happened to them, as in 30d"},
			{"retain-excepted", "how long failed, excepted and abandoned items stay that nobody has verified"},
		},
		numbers: [][2]string{
			{"batch-size", "items a drain takes at once, 1 to 1000"},
			{"max-drains", "drains of the queue at once (0 = as slots allow)"},
			{"max-reclaims", "expired claims before an item is abandoned (0 = no limit)"},
			{"retries", "retries of a failed item, 0 to 16"},
		},
		switches: [][2]string{
			{"paused", "hand out nothing"},
			{"retry-abandoned", "an expired claim counts as a retry"},
			{"unique-references", "refuse a reference that is in the queue already"},
			{"encrypted", "keep contents encrypted at rest, with the key of SIGNALBOX_KEY_FILE; only when the queue is added"},
		},
		lists: [][2]string{
			{"mask", "payload field not shown on screens and in lists (may be repeated)"},
			{"links", "further folder in which it is shown (may be repeated)"},
		},
	}
}

func consumerFlags() settingFlags {
	return settingFlags{
		texts: [][2]string{
			{"consumer", "who works the items: manual (robots), command (the default after --) or http (the default with --url)"},
			{"url", "where the http consumer posts the items"},
			{"dir", "folder in which the command runs"},
		},
		durations: [][2]string{{"timeout", "longest run of the command, or wait for the answer to a request (30s when not given)"}},
		switches:  [][2]string{{"shell", "run the command through sh -c"}},
		lists: [][2]string{
			{"env", "variable for the command: NAME=VALUE (may be repeated)"},
			{"header", "header of the http consumer's requests: 'Name: value' (may be repeated; never shown)"},
		},
	}
}

// schemaFlags are the flags of a queue's schemas, which stand together in the
// settings.
func schemaFlags() [][2]string {
	return [][2]string{
		{"payload", "what payloads must look like: a JSON Schema, @FILE, or none"},
		{"output", "what the outputs of successes must look like: a JSON Schema, @FILE, or none"},
		{"analytics", "what their analytics must look like: a JSON Schema, @FILE, or none"},
	}
}

func schemaFlag(content string) string { return content + "-schema" }

func (a *app) addSettings(c *cobra.Command) settings {
	f := c.Flags()
	for _, set := range []settingFlags{queueFlags(), consumerFlags()} {
		for _, d := range append(set.texts, set.durations...) {
			f.String(d[0], "", d[1])
		}
		for _, d := range set.numbers {
			f.Int(d[0], 0, d[1])
		}
		for _, d := range set.switches {
			f.Bool(d[0], false, d[1])
		}
		for _, d := range set.lists {
			f.StringArray(d[0], nil, d[1])
		}
	}
	for _, d := range schemaFlags() {
		f.String(schemaFlag(d[0]), "", d[1])
	}
	return settings{a, f}
}

// patch gives the settings whose flags were given as a JSON object.
func (s settings) patch(command []string) (json.RawMessage, error) {
	patch, err := s.read(queueFlags())
	if err != nil {
		return nil, err
	}
	consumer, err := s.read(consumerFlags())
	if err != nil {
		return nil, err
	}
	schemas, err := s.schemas()
	if err != nil {
		return nil, err
	}
	if len(schemas) > 0 {
		patch["schemas"] = schemas
	}
	if kind, ok := consumer["consumer"]; ok {
		consumer["kind"] = kind
		delete(consumer, "consumer")
	} else if len(command) > 0 {
		consumer["kind"] = engine.Command
	} else if url, _ := consumer["url"].(string); url != "" {
		consumer["kind"] = engine.HTTP
	}
	if headers, ok := consumer["header"]; ok {
		consumer["headers"] = headers
		delete(consumer, "header")
	}
	if len(command) > 0 {
		consumer["argv"] = command
	}
	if err := checkConsumer("", consumer); err != nil {
		return nil, err
	}
	if len(consumer) > 0 {
		patch["consumer"] = consumer
	}
	return store.Encode(patch)
}

// schemas reads the schemas' flags; none is null.
func (s settings) schemas() (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	for _, d := range schemaFlags() {
		flag := schemaFlag(d[0])
		v, _ := s.flags.GetString(flag)
		switch {
		case !s.flags.Changed(flag):
			continue
		case v == "none":
			values[d[0]] = json.RawMessage("null")
			continue
		}
		text, err := s.app.content(flag, v)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, new(map[string]any)); err != nil {
			return nil, usage("--"+flag, "it is no JSON object", "give a JSON Schema, @FILE, or none")
		}
		values[d[0]] = text
	}
	return values, nil
}

func (s settings) read(set settingFlags) (map[string]any, error) {
	values := map[string]any{}
	put := func(flag string, value any) { values[strings.ReplaceAll(flag, "-", "_")] = value }
	for _, d := range set.texts {
		if v, _ := s.flags.GetString(d[0]); s.flags.Changed(d[0]) {
			put(d[0], v)
		}
	}
	for _, d := range set.durations {
		if v, _ := s.flags.GetString(d[0]); s.flags.Changed(d[0]) {
			if _, err := duration(d[0], v); err != nil {
				return nil, err
			}
			put(d[0], v)
		}
	}
	for _, d := range set.numbers {
		if v, _ := s.flags.GetInt(d[0]); s.flags.Changed(d[0]) {
			put(d[0], v)
		}
	}
	for _, d := range set.switches {
		if v, _ := s.flags.GetBool(d[0]); s.flags.Changed(d[0]) {
			put(d[0], v)
		}
	}
	for _, d := range set.lists {
		if v, _ := s.flags.GetStringArray(d[0]); s.flags.Changed(d[0]) {
			put(d[0], v)
		}
	}
	return values, nil
}
