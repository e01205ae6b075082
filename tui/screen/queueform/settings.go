package queueform

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/text"
	"signalbox/tui/widget/form"
)

// The pages of the form, in their order.
const (
	pageQueue    = "queue"
	pageConsumer = "consumer"
	pageClaims   = "claims"
	pageRetries  = "retries"
	pageDates    = "dates"
	pageContents = "contents"
)

// schemaBegin is what an editor is given for a schema that is yet to be.
const schemaBegin = "{\n  \"type\": \"object\",\n  \"required\": [],\n  \"properties\": {}\n}\n"

// setting is one of a queue's settings as a form asks for it: its JSON name, its
// value as text, and what a text means.
type setting struct {
	name    string
	label   text.Safe
	page    text.Safe
	hint    text.Safe
	options []string
	when    func(form.Values) bool
	long    bool
	of      func(*store.Queue) string
	read    func(*store.Queue, string) (any, error)
}

// settings lists what can be changed of a queue that is there.
func settings() []setting {
	return slices.Concat(ofQueue(), ofConsumer(), ofClaims(), ofRetries(), ofDates(), ofContents())
}

func ofQueue() []setting {
	return onPage(pageQueue,
		words("description", "description", "What the queue is for", func(q *store.Queue) *string { return &q.Description }),
		words("folder", "folder", "Where it is kept: / or /finance/ap", func(q *store.Queue) *string { return &q.Folder }),
		list("links", "also in folders", "Further folders that show it, with blanks between them; quotes keep blanks together", func(q *store.Queue) []string { return q.Links }),
		choice("lane", "lane", "Whose slots it uses: fast for short holds, slow for long ones", []string{"fast", "slow"}, func(q *store.Queue) *string { return &q.Lane }),
		flag("paused", "paused", "Hand out nothing; what is in flight goes on", func(q *store.Queue) *bool { return &q.Paused }),
	)
}

func ofConsumer() []setting {
	kinds := []string{engine.Manual, engine.Command, engine.HTTP}
	posts, runs, works := consumedBy(engine.HTTP), consumedBy(engine.Command), consumedBy(engine.Command, engine.HTTP, engine.Handler)
	consumer := func(q *store.Queue) *store.Consumer { return &q.Consumer }
	return onPage(pageConsumer,
		choice("consumer.kind", "consumer", "manual: robots pull. command: a program works the items in slots. http: they are posted", kinds, func(q *store.Queue) *string { return &consumer(q).Kind }),
		setting{
			name: "consumer.argv", label: "command", hint: "A program and its arguments: ./work.sh --book 'two words'", when: runs,
			of: func(q *store.Queue) string { return join(consumer(q).Argv) }, read: readArgv,
		},
		when(runs, flag("consumer.shell", "through a shell", "Run it by sh -c, for pipes and variables", func(q *store.Queue) *bool { return &consumer(q).Shell })),
		when(runs, setting{
			name: "consumer.dir", label: "in folder", hint: "The folder in which it runs",
			of: func(q *store.Queue) string { return consumer(q).Dir }, read: func(_ *store.Queue, s string) (any, error) { return whole(s) },
		}),
		when(runs, list("consumer.env", "variables", "Of its environment: REGION=eu 'NAME=two words'", func(q *store.Queue) []string { return consumer(q).Env })),
		when(posts, words("consumer.url", "url", "Where the items are posted: https://robots.example/orders", func(q *store.Queue) *string { return &consumer(q).URL })),
		setting{
			name: "consumer.headers", label: "headers", hint: "Of the request, each in quotes: 'Authorization: Bearer …'. Values are never shown", when: posts,
			of: func(q *store.Queue) string { return join(engine.VeilHeaders(consumer(q).Headers)) }, read: readHeaders,
		},
		when(works, span("consumer.timeout", "timeout", "Of a run or an answer; 0s: 30s for http, none for a command", func(q *store.Queue) *store.Duration { return &consumer(q).Timeout })),
		when(works, number("batch_size", "batch size", "Items that a drain takes at once, 1 to 1000", func(q *store.Queue) *int { return &q.BatchSize })),
		when(works, number("max_drains", "drains at once", "0: as many as slots allow", func(q *store.Queue) *int { return &q.MaxDrains })),
	)
}

func ofClaims() []setting {
	return onPage(pageClaims,
		span("lease", "lease", "How long a claim holds without a sign of life: 5m; 0s for ever", func(q *store.Queue) *store.Duration { return &q.Lease }),
		choice("on_expiry", "on expiry", "What becomes of an item whose lease ran out", []string{engine.Reclaim, engine.Abandon}, func(q *store.Queue) *string { return &q.OnExpiry }),
		number("max_reclaims", "reclaims", "Expired claims before an item is abandoned; 0 no limit", func(q *store.Queue) *int { return &q.MaxReclaims }),
		span("attempt_timeout", "attempt timeout", "The longest run of one attempt; 0s none", func(q *store.Queue) *store.Duration { return &q.AttemptTimeout }),
		flag("unique_references", "unique references", "Refuse a reference that is in the queue already", func(q *store.Queue) *bool { return &q.UniqueReferences }),
	)
}

func ofRetries() []setting {
	return onPage(pageRetries,
		number("retries", "retries", "Of a failed item, 0 to 16", func(q *store.Queue) *int { return &q.Retries }),
		span("retry_window", "retry window", "Time over which the retries spread: 24h", func(q *store.Queue) *store.Duration { return &q.RetryWindow }),
		span("retry_floor", "retry floor", "The shortest wait before a retry: 10s", func(q *store.Queue) *store.Duration { return &q.RetryFloor }),
		flag("retry_abandoned", "retry abandoned", "An expired claim counts as a retry", func(q *store.Queue) *bool { return &q.RetryAbandoned }),
	)
}

func ofDates() []setting {
	then := []string{engine.ThenKeep, engine.ThenDelete, engine.ThenArchive}
	return onPage(pageDates,
		span("sla", "due after", "Due date of items added without one: 48h; 0s none", func(q *store.Queue) *store.Duration { return &q.SLA }),
		span("sla_risk", "at risk after", "Risk date likewise", func(q *store.Queue) *store.Duration { return &q.SLARisk }),
		span("retain_settled", "settled stay", "Done, retried, cancelled, deleted and verified items, from the last that happened to them: 30d", func(q *store.Queue) *store.Duration { return &q.RetainSettled }),
		choice("retain_settled_then", "settled then", "Archives are files beside the store, which can be imported again", then, func(q *store.Queue) *string { return &q.RetainSettledThen }),
		span("retain_excepted", "exceptions stay", "Failed, excepted and abandoned items that nobody has verified: 180d", func(q *store.Queue) *store.Duration { return &q.RetainExcepted }),
		choice("retain_excepted_then", "exceptions then", "Archives are files beside the store, which can be imported again", then, func(q *store.Queue) *string { return &q.RetainExceptedThen }),
	)
}

func ofContents() []setting {
	return onPage(pageContents,
		setting{
			name: "mask", label: "masked fields", hint: "Payload fields kept from screens and lists, with commas",
			of: func(q *store.Queue) string { return strings.Join(q.Mask, ", ") }, read: readMask,
		},
		schema("payload", "What payloads must look like, or the item is a business exception", func(q *store.Queue) *store.JSON { return &q.Schemas.Payload }),
		schema("output", "What the outputs of successes must look like", func(q *store.Queue) *store.JSON { return &q.Schemas.Output }),
		schema("analytics", "What their analytics must look like", func(q *store.Queue) *store.JSON { return &q.Schemas.Analytics }),
	)
}

func onPage(page text.Safe, all ...setting) []setting {
	for i := range all {
		all[i].page = page
	}
	return all
}

// consumedBy says that the consumer chosen is one of some kinds.
func consumedBy(kinds ...string) func(form.Values) bool {
	return func(v form.Values) bool { return slices.Contains(kinds, v["consumer.kind"]) }
}

func when(asked func(form.Values) bool, s setting) setting {
	s.when = asked
	return s
}

func words(name string, label, hint text.Safe, at func(*store.Queue) *string) setting {
	return setting{
		name: name, label: label, hint: hint, of: func(q *store.Queue) string { return *at(q) },
		read: func(_ *store.Queue, s string) (any, error) { return s, nil },
	}
}

func choice(name string, label, hint text.Safe, options []string, at func(*store.Queue) *string) setting {
	s := words(name, label, hint, at)
	s.options = options
	return s
}

func list(name string, label, hint text.Safe, of func(*store.Queue) []string) setting {
	return setting{
		name: name, label: label, hint: hint, of: func(q *store.Queue) string { return join(of(q)) },
		read: func(_ *store.Queue, s string) (any, error) { return split(s) },
	}
}

func number(name string, label, hint text.Safe, at func(*store.Queue) *int) setting {
	return setting{
		name: name, label: label, hint: hint, of: func(q *store.Queue) string { return strconv.Itoa(*at(q)) },
		read: func(_ *store.Queue, s string) (any, error) {
			n, err := strconv.Atoi(s)
			if err != nil || n < 0 {
				return nil, store.Invalid(fmt.Sprintf("%s %q", label, s), "it is no whole number from 0 on", "write digits")
			}
			return n, nil
		},
	}
}

func span(name string, label, hint text.Safe, at func(*store.Queue) *store.Duration) setting {
	return setting{
		name: name, label: label, hint: hint, of: func(q *store.Queue) string { return at(q).String() },
		read: func(_ *store.Queue, s string) (any, error) {
			d, err := store.ParseDuration(s)
			return store.Duration(d), err
		},
	}
}

func yesNo() []string { return []string{"no", "yes"} }

func flag(name string, label, hint text.Safe, at func(*store.Queue) *bool) setting {
	return setting{
		name: name, label: label, hint: hint, options: yesNo(),
		of: func(q *store.Queue) string {
			if *at(q) {
				return "yes"
			}
			return "no"
		},
		read: func(_ *store.Queue, s string) (any, error) {
			if !slices.Contains(yesNo(), s) {
				return nil, store.Invalid(fmt.Sprintf("%s %q", name, s), "it is yes or no", "write one of the two")
			}
			return s == "yes", nil
		},
	}
}

func schema(content, hint text.Safe, at func(*store.Queue) *store.JSON) setting {
	return setting{
		name: "schemas." + string(content), label: content + " schema", hint: hint, long: true,
		of: func(q *store.Queue) string { return string(*at(q)) },
		read: func(_ *store.Queue, s string) (any, error) {
			if path, ok := strings.CutPrefix(s, "@"); ok {
				return act.FromFile(form.Path(path)), nil
			}
			return act.Object(s)
		},
	}
}

func readMask(_ *store.Queue, s string) (any, error) {
	masked := []string{}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		masked = append(masked, word)
	}
	return masked, nil
}

// readHeaders reads headers; one that stands there veiled keeps its value.
func readHeaders(q *store.Queue, s string) (any, error) {
	headers, err := split(s)
	veiled := engine.VeilHeaders(q.Consumer.Headers)
	for i, h := range headers {
		if at := slices.Index(veiled, h); at >= 0 {
			headers[i] = q.Consumer.Headers[at]
		}
	}
	return headers, err
}

// readArgv reads a command. The engine runs elsewhere, so a program that is
// named by its place is named whole.
func readArgv(_ *store.Queue, s string) (any, error) {
	argv, err := split(s)
	if err != nil || len(argv) == 0 || !strings.ContainsRune(argv[0], filepath.Separator) {
		return argv, err
	}
	argv[0], err = whole(argv[0])
	return argv, err
}

func whole(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(form.Path(path))
}
