package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"signalbox/config/syntax"
	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/text"
)

// queueFile is a file of queues:
//
//	[[queue]]
//	name = "invoices"
//	family = "transactions"
//	retries = 3                          # what is not said has the family's default
//	consumer.argv = ["/opt/robots/work"]
//	schemas.payload = '{"required": ["zip"]}'
type queueFile struct {
	name   string // for messages
	lines  tomlLines
	queues []declared
}

// declared is a queue as a file wants it.
type declared struct {
	store.Queue
	index int             // in the file
	said  map[string]bool // the settings that the file names
}

// openQueueFile reads a file of queues, "-" for stdin. Relative programs and folders of
// consumers are meant from the file's folder.
func (a *app) openQueueFile(path string) (*queueFile, error) {
	f := &queueFile{name: path}
	if path == "-" {
		f.name = "stdin"
	}
	_, data, err := a.document(path)
	if err != nil {
		return nil, err
	}
	f.lines = findTOMLLines(string(data))
	return f, f.read(string(data))
}

func (f *queueFile) read(data string) error {
	var doc map[string]any
	if _, err := toml.Decode(data, &doc); err != nil {
		if line, rule, mend, ok := syntax.Fault(err); ok {
			return usage(fmt.Sprintf("%s:%d", f.name, line), rule, mend)
		}
		return usage(f.name, err.Error(), "write it as TOML")
	}
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		if key != "queue" {
			return f.fault(-1, key, usage(fmt.Sprintf("key %q", key), "there is no such key", "write each queue under [[queue]]"))
		}
	}
	blocks, err := blocksOf(doc["queue"])
	if err != nil {
		if _, one := doc["queue"].(map[string]any); one {
			return f.fault(0, "", err) // its line is that of a block
		}
		return f.fault(-1, "queue", err)
	}
	for i, block := range blocks {
		d, err := f.declare(i, block)
		if err != nil {
			return err
		}
		if n := slices.IndexFunc(f.queues, func(o declared) bool { return o.Name == d.Name }); n >= 0 {
			return f.fault(i, "name", usage(fmt.Sprintf("queue %q", d.Name), "it is in the file twice", "take one out"))
		}
		f.queues = append(f.queues, d)
	}
	return nil
}

// blocksOf gives the queues of a file: blocks under [[queue]], or a list of
// tables within a line.
func blocksOf(queue any) ([]map[string]any, error) {
	switch v := queue.(type) {
	case nil:
		return nil, nil
	case []map[string]any:
		return v, nil
	case map[string]any:
		return nil, usage("[queue]", "queues are a list of blocks", "write it in two brackets: [[queue]]")
	case []any:
		var blocks []map[string]any
		for _, one := range v {
			block, ok := one.(map[string]any)
			if !ok {
				return nil, usage("queue "+asWritten(one), "it is no block of settings", "write each queue under [[queue]]")
			}
			blocks = append(blocks, block)
		}
		return blocks, nil
	}
	return nil, usage("queue "+asWritten(queue), "it is no block of settings", "write each queue under [[queue]]")
}

// asWritten is a value for a message.
func asWritten(value any) string {
	b, err := store.Encode(value)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(value))
	}
	return string(b)
}

// declare reads one block over the defaults of its family.
func (f *queueFile) declare(index int, block map[string]any) (declared, error) {
	d := declared{index: index, said: map[string]bool{}}
	values := map[string]any{}
	flatten("", block, values)
	if err := f.checkKeys(index, values); err != nil {
		return d, err
	}
	name, ok := values["name"].(string)
	if v, given := values["name"]; given && !ok {
		return d, f.fault(index, "name", usage("name "+asWritten(v), "it is not a text", `write it as name = "invoices"`))
	}
	if name == "" {
		return d, f.fault(index, "name", usage("a queue", "it needs a name", `write it as name = "invoices"`))
	}
	family := store.Jobs
	if v, ok := values["family"]; ok {
		word, ok := v.(string)
		var err error
		if family, err = store.ParseFamily(word); err != nil || !ok {
			return d, f.fault(index, "family", usage("family "+asWritten(v), "a family is jobs or transactions", `write it as family = "jobs" or family = "transactions"`))
		}
	}
	d.Queue = engine.DefaultQueue(name, family)
	for _, s := range queueSettings() {
		if v, ok := values[s.key]; ok {
			d.said[s.key] = true
			if err := s.set(&d.Queue, v); err != nil {
				return d, f.fault(index, s.key, err)
			}
		}
	}
	switch {
	case d.said["consumer.kind"]:
	case len(d.Consumer.Argv) > 0:
		d.Consumer.Kind = engine.Command
	case d.Consumer.URL != "":
		d.Consumer.Kind = engine.HTTP
	}
	return d, nil
}

// flatten gives each setting in a block its whole key.
func flatten(prefix string, block, to map[string]any) {
	for name, v := range block {
		key := prefix + name
		inner, ok := v.(map[string]any)
		if ok && (key == "consumer" || key == "schemas") {
			flatten(key+".", inner, to)
			continue
		}
		to[key] = v
	}
}

// groupExample is a line of each group of settings.
var groupExample = map[string]string{
	"consumer": `consumer.argv = ["./work.sh"]`,
	"schemas":  `schemas.payload = '{"required": ["zip"]}'`,
}

// turnedRound is schemas.payload for payload_schema, as its flag is called.
func turnedRound(key string) string {
	of, ok := strings.CutSuffix(key, "_schema")
	if !ok {
		return ""
	}
	return "schemas." + of
}

func (f *queueFile) checkKeys(index int, values map[string]any) error {
	known := []string{"name", "family"}
	for _, s := range queueSettings() {
		known = append(known, s.key)
	}
	var first error
	at := 0
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(known, key) {
			continue
		}
		if key == "consumer" || key == "schemas" { // else it would have been taken apart
			return f.fault(index, key, usage(key+" "+asWritten(values[key]), "it is no group of settings", "write them one by one, as in "+groupExample[key]))
		}
		mend := "see the settings in what `signalbox queue dump` prints, or `signalbox queue set --help`"
		if dotted := strings.Replace(key, "_", ".", 1); slices.Contains(known, dotted) {
			mend = "did you mean " + dotted + "?"
		} else if turned := turnedRound(key); slices.Contains(known, turned) { // as its flag is called
			mend = "did you mean " + turned + "?"
		} else if near := text.Nearest(key, known); near != "" {
			mend = "did you mean " + near + "?"
		}
		if line := f.lines.of(index, key); first == nil || line < at {
			first, at = f.fault(index, key, usage("key "+strconv.Quote(key), "there is no such setting", mend)), line
		}
	}
	return first
}

// fault names the place of what is wrong.
func (f *queueFile) fault(index int, key string, err error) error {
	if line := f.lines.of(index, key); line > 0 {
		return fmt.Errorf("%s:%d: %w", f.name, line, err)
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// tomlLines knows on which lines the keys of a file of queues stand, which the
// decoder does not tell: by the queue's index (-1: before the first) and key.
type tomlLines map[tomlKey]int

type tomlKey struct {
	index int
	key   string // "" is the block itself
}

func findTOMLLines(data string) tomlLines {
	lines, index, section, quoted := tomlLines{}, -1, "", ""
	for i, line := range strings.Split(data, "\n") {
		line = strings.TrimSpace(line)
		if quoted != "" { // within a text of several lines
			if strings.Contains(line, quoted) {
				quoted = ""
			}
			continue
		}
		if header, ok := strings.CutPrefix(line, "["); ok {
			header, _, _ = strings.Cut(strings.TrimLeft(header, "[ "), "]")
			key := strings.ReplaceAll(header, " ", "")
			if key == "queue" {
				index++
				section, key = "", ""
			} else {
				key = strings.TrimPrefix(key, "queue.")
				section = key + "."
			}
			lines[tomlKey{index, key}] = i + 1
			continue
		}
		left, right, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		key := strings.NewReplacer(" ", "", `"`, "", "'", "").Replace(left)
		lines[tomlKey{index, section + key}] = i + 1
		for _, mark := range []string{`"""`, "'''"} {
			if strings.Count(right, mark) == 1 {
				quoted = mark
			}
		}
	}
	return lines
}

// of finds the line of a key or of the first one in it, or else of what it
// stands in; 0 when unknown.
func (l tomlLines) of(index int, key string) int {
	for {
		if line, ok := l[tomlKey{index, key}]; ok {
			return line
		}
		first := 0
		for k, line := range l {
			if k.index == index && strings.HasPrefix(k.key, key+".") && (first == 0 || line < first) {
				first = line
			}
		}
		if first > 0 {
			return first
		}
		if key == "" {
			return 0
		}
		key = key[:max(strings.LastIndex(key, "."), 0)]
	}
}
