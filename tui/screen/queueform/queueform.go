// Package queueform asks for what a queue is to be: a new one, the settings of
// one that is there, and a file to bring in.
package queueform

import (
	"os/exec"
	"path/filepath"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/form"
)

// refuse says why nothing can be changed now, as a toast; false where it can.
func refuse(e env.Env, what string) (screen.Effects, bool) {
	why := act.Barred(e)
	if why == "" {
		return screen.Effects{}, false
	}
	return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: text.Clean("Can't " + what + ": " + why)}}), true
}

// New asks for a queue to be added.
func New(e env.Env, d act.Desk, to screen.Addr) screen.Effects {
	if effects, refused := refuse(e, "add a queue"); refused {
		return effects
	}
	return screen.Want(screen.Ask{Dialog: newForm(d, to, nil, nil)})
}

func newForm(d act.Desk, to screen.Addr, typed form.Values, err error) screen.Dialog {
	value := func(name, otherwise string) string {
		if v, ok := typed[name]; ok {
			return v
		}
		return otherwise
	}
	field := ""
	if err != nil {
		field = fieldOf(err)
	}
	return form.New(form.Form{
		Title: "Add a queue", Yes: "add it",
		Fields: []form.Field{
			{Name: "name", Label: "name", Value: value("name", ""), Hint: "Small letters, digits, - and _, parts with dots: finance.orders"},
			{Name: "family", Label: "family", Value: value("family", "transactions"), Options: []string{"transactions", "jobs"}, Hint: "transactions: business rows, each retry a linked copy. jobs: automation work, retried in place"},
			{Name: "lane", Label: "lane", Value: value("lane", "fast"), Options: []string{"fast", "slow"}, Hint: "Whose slots it uses: fast for short holds, slow for long ones"},
			{Name: "command", Label: "command", Value: value("command", ""), Hint: "A program that works the items in slots: ./work.sh --book. Empty: robots pull them"},
			{Name: "retries", Label: "retries", Value: value("retries", "0"), Hint: "Of a failed item, 0 to 16"},
			{Name: "description", Label: "description", Value: value("description", ""), Hint: "What the queue is for"},
		},
		Check: func(v form.Values) (string, error) {
			_, field, err := queueOf(v)
			return field, err
		},
		Then: func(_ env.Env, v form.Values) screen.Effects {
			q, _, _ := queueOf(v) // checked
			return d.AddQueue(to, q, func(err error) screen.Dialog { return newForm(d, to, v, err) })
		},
	}, field, err)
}

// queueOf makes a queue of what was typed, and says which field is wrong.
func queueOf(v form.Values) (q store.Queue, field string, err error) {
	if v["name"] == "" {
		return q, "name", store.Invalid("the name", "a queue needs one", "type it")
	}
	var family store.Family
	if err := family.UnmarshalText([]byte(v["family"])); err != nil {
		return q, "family", err
	}
	q = engine.DefaultQueue(v["name"], family)
	q.Lane, q.Description = v["lane"], v["description"]
	retries, err := readNumber(v["retries"])
	if err != nil {
		return q, "retries", err
	}
	q.Retries = retries.(int)
	words, err := argv(v["command"])
	if err != nil || len(words) == 0 {
		return q, "command", err
	}
	// The engine runs elsewhere, so the program is named whole.
	if words[0], err = program(words[0]); err != nil {
		return q, "command", err
	}
	q.Consumer = store.Consumer{Kind: engine.Command, Argv: words}
	return q, "", nil
}

// program makes the name of a program whole.
func program(name string) (string, error) {
	if !strings.ContainsRune(name, filepath.Separator) {
		return name, nil // it is looked for where programs are
	}
	path, err := filepath.Abs(form.Path(name))
	if err != nil {
		return "", err
	}
	if _, err := exec.LookPath(path); err != nil {
		return "", store.Invalid("program "+path, "there is none that can be run", "check the path, and chmod +x")
	}
	return path, nil
}

// Settings asks for other settings of a queue.
func Settings(e env.Env, d act.Desk, to screen.Addr, q store.Queue) screen.Effects {
	if effects, refused := refuse(e, "change settings"); refused {
		return effects
	}
	return screen.Want(screen.Ask{Dialog: settingsForm(d, to, q, nil, nil)})
}

func settingsForm(d act.Desk, to screen.Addr, q store.Queue, typed form.Values, err error) screen.Dialog {
	field := ""
	if err != nil {
		field = fieldOf(err)
	}
	return form.New(form.Form{
		Title: "Settings of " + text.Clean(q.Name), Yes: "apply", Fields: fields(&q, typed),
		Check: func(v form.Values) (string, error) {
			_, field, err := patch(&q, v)
			return field, err
		},
		Then: func(_ env.Env, v form.Values) screen.Effects {
			changed, _, _ := patch(&q, v) // checked
			if len(changed) == 0 {
				return screen.Want(screen.Say{Toast: screen.Toast{Text: "Nothing was changed", Brief: true}})
			}
			return d.SetQueue(to, q.Name, changed, func(err error) screen.Dialog { return settingsForm(d, to, q, v, err) })
		},
	}, field, err)
}

// Import asks for a file and the queue that it is to be brought into.
func Import(e env.Env, d act.Desk, to screen.Addr, queue string) screen.Effects {
	if effects, refused := refuse(e, "import"); refused {
		return effects
	}
	return screen.Want(screen.Ask{Dialog: importForm(e, d, to, form.Values{"queue": queue}, nil)})
}

// The two ways with bad rows, as the form has them.
const (
	badStop = "store nothing"
	badSkip = "pass them over"
)

func importForm(e env.Env, d act.Desk, to screen.Addr, typed form.Values, err error) screen.Dialog {
	field, bad := "", badStop
	if err != nil {
		field = fieldOf(err)
	}
	if typed["bad"] != "" {
		bad = typed["bad"]
	}
	return form.New(form.Form{
		Title: "Import a file", Yes: "import",
		Fields: []form.Field{
			{Name: "file", Label: "file", Value: typed["file"], Path: true, Hint: "CSV, JSON lines or a JSON array; tab completes"},
			{Name: "queue", Label: "into queue", Value: typed["queue"], Hint: "One that is not there yet is added, as transactions that robots pull"},
			{Name: "reference", Label: "reference", Value: typed["reference"], Hint: "The column that names an item, as in orderID. Empty: the column Reference, where there is one"},
			{Name: "bad", Label: "bad rows", Value: bad, Options: []string{badStop, badSkip}, Hint: "signalbox item import --mode independent also keeps them in a file"},
		},
		Check: func(v form.Values) (string, error) {
			switch {
			case v["file"] == "":
				return "file", store.Invalid("the file", "none is named", "type its name")
			case v["queue"] == "":
				return "queue", store.Invalid("the queue", "none is named", "type its name")
			}
			return "", nil
		},
		Then: func(e env.Env, v form.Values) screen.Effects {
			_, known := e.Queue(v["queue"])
			im := act.Import{
				Queue: engine.DefaultQueue(v["queue"], store.Transactions), New: !known, File: form.Path(v["file"]),
				Reference: v["reference"], Skip: v["bad"] == badSkip, Zone: e.Place, Now: e.Now,
			}
			return d.Import(to, im, func(err error) screen.Dialog { return importForm(e, d, to, v, err) })
		},
	}, field, err)
}
