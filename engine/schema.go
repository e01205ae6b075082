package engine

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"signalbox/store"
)

// maxViolations is how many breaches of a schema a reason lists.
const maxViolations = 10

// schemas keeps schemas compiled, by their text. Settings are few and change
// seldom; what no queue uses any more stays until the engine stops.
type schemas struct {
	compiled sync.Map // text → *jsonschema.Schema
	payloads sync.Map // name of a queue → the rule for payloads that it was seen to have last
}

// noLoader keeps a schema from reaching for files or addresses.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s; a schema must stand alone", url)
}

// compile reads a schema's text.
func compile(text store.JSON) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	if describesArray(doc) {
		return nil, errors.New("it describes an array; contents are objects of plain values and objects")
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile("schema.json")
	if wrong, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok { // which names a file that is none
		err = errors.New("it is no JSON Schema: " + faultIn(wrong.Err))
	}
	return schema, err
}

// faultIn says at which place of a schema the first fault is, and what it is.
func faultIn(err error) string {
	wrong, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return oneLine(err)
	}
	for len(wrong.Causes) > 0 {
		wrong = wrong.Causes[0]
	}
	return fmt.Sprintf("at /%s: %s", strings.Join(wrong.InstanceLocation, "/"), wrong.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
}

// describesArray says that a schema allows some value to be an array. Names of
// properties are no keywords, and examples are no schemas.
func describesArray(doc any) bool {
	node, ok := doc.(map[string]any)
	if !ok {
		return false
	}
	if allowsArray(node["type"]) || node["items"] != nil || node["prefixItems"] != nil {
		return true
	}
	for keyword, v := range node {
		switch keyword {
		case "enum", "const", "default", "examples", "type", "required":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			named, _ := v.(map[string]any)
			for _, schema := range named {
				if describesArray(schema) {
					return true
				}
			}
		default:
			list, _ := v.([]any)
			for _, schema := range append(list, v) {
				if describesArray(schema) {
					return true
				}
			}
		}
	}
	return false
}

func allowsArray(types any) bool {
	if list, ok := types.([]any); ok {
		return slices.Contains(list, any("array"))
	}
	return types == "array"
}

func validateSchemas(thing string, s *store.Schemas) error {
	for name, text := range map[string]store.JSON{"payload": s.Payload, "output": s.Output, "analytics": s.Analytics} {
		if text == "" {
			continue
		}
		if _, err := compile(text); err != nil {
			return store.Invalid(thing, "its "+name+" schema: "+oneLine(err), "give a JSON Schema that stands alone")
		}
	}
	return nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// breach says how content breaks a schema, "" when it keeps it or there is
// none. Of what is encrypted it says by which rule, and not what is in it.
func (s *schemas) breach(text store.JSON, content []byte, encrypted bool) string {
	if text == "" {
		return ""
	}
	known, ok := s.compiled.Load(text)
	if !ok {
		schema, err := compile(text)
		if err != nil {
			return "the queue's schema can't be used: " + oneLine(err)
		}
		known, _ = s.compiled.LoadOrStore(text, schema)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		return "it can't be read as JSON"
	}
	return worded(known.(*jsonschema.Schema).Validate(value), encrypted)
}

// worded lists the breaches in a reviewer's words: where, and what is wrong.
func worded(err error, encrypted bool) string {
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return ""
	}
	var list []string
	english := message.NewPrinter(language.English)
	var walk func(*jsonschema.ValidationError)
	walk = func(v *jsonschema.ValidationError) {
		for _, cause := range v.Causes {
			walk(cause)
		}
		if len(v.Causes) > 0 {
			return
		}
		text := v.ErrorKind.LocalizedString(english)
		if at := strings.Join(v.InstanceLocation, "."); at != "" {
			text = at + ": " + text
		}
		if encrypted {
			_, rule, _ := strings.Cut(v.SchemaURL, "#")
			text = "rule " + strings.Join(append([]string{rule}, v.ErrorKind.KeywordPath()...), "/")
		}
		list = append(list, text)
	}
	walk(invalid)
	if more := len(list) - maxViolations; more > 0 {
		list = append(list[:maxViolations], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

// violations are the breaches of one call's payloads, and what they were held
// against.
type violations struct {
	by    rule
	texts []string // nil: there is no schema
}

// rule is a queue's schema for payloads, "" = none, and whether contents are
// kept out of the words about a breach.
type rule struct {
	schema store.JSON
	sealed bool
}

func (v violations) of(i int) string {
	if v.texts == nil {
		return ""
	}
	return v.texts[i]
}

func (v violations) refusal(i int) error {
	if text := v.of(i); text != "" {
		return store.Invalid("payload", text, "mend it, or add it without strict for a person to see")
	}
	return nil
}

// violations holds payloads against a rule.
func (s *schemas) violations(by rule, items []NewItem) violations {
	v := violations{by: by}
	if by.schema == "" {
		return v
	}
	v.texts = make([]string, len(items))
	for i := range items {
		if text := s.breach(by.schema, items[i].Payload, by.sealed); text != "" {
			v.texts[i] = cleanText("payload breaks the schema: "+text, maxReason)
		}
	}
	return v
}

// keeps refuses an edited payload that breaks the schema: who edits is there to
// mend it.
func (s *schemas) keeps(q *store.Queue, payload []byte) error {
	if text := s.breach(q.Schemas.Payload, payload, q.Encrypted); text != "" {
		return store.Invalid("payload", "breaks the schema: "+text, "mend it")
	}
	return nil
}

// heldAgainst does it ahead of the commit, where it holds up nobody else's, by
// the rule that the queue was seen to have last. Whether it still has that is
// for heldStill to say.
func (s *schemas) heldAgainst(r *AddRequest) violations {
	known, _ := s.payloads.Load(r.Queue)
	by, _ := known.(rule)
	return s.violations(by, r.Items)
}

// heldStill gives the violations by the rule that the queue has now.
func (s *schemas) heldStill(v violations, q *store.Queue, items []NewItem) violations {
	by := rule{q.Schemas.Payload, q.Encrypted}
	if v.by == by || by.schema == "" && v.texts == nil {
		return v
	}
	s.payloads.Store(q.Name, by)
	return s.violations(by, items)
}

// exceptAtOnce makes a new item one that waits for a person instead of a robot.
func (t *tx) exceptAtOnce(i *store.Item, reason string) {
	i.Status = store.BusinessException
	if i.Family == store.Jobs {
		i.Status = store.Failed
	}
	i.EndedAt = t.now
	i.Error = &store.Failure{Kind: Business, Reason: reason, At: t.now}
	i.Group = groupOf(i)
}

// resultViolation says how a success breaks the queue's schemas.
func (s *schemas) resultViolation(q *store.Queue, r *Settlement) string {
	for _, c := range []struct {
		name    string
		schema  store.JSON
		content []byte
	}{{"output", q.Schemas.Output, r.Output}, {"analytics", q.Schemas.Analytics, r.Analytics}} {
		if len(c.content) == 0 {
			c.content = []byte("{}")
		}
		if text := s.breach(c.schema, c.content, q.Encrypted); text != "" {
			return cleanText(c.name+" breaks the schema: "+text, maxReason)
		}
	}
	return ""
}
