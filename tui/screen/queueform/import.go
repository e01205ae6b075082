package queueform

import (
	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/widget/form"
)

// Import asks for a file and the queue that it is to be brought into.
func Import(e env.Env, d act.Desk, to screen.Addr, queue string) screen.Effects {
	if effects, refused := refuse(e, "import", keymap.Import, named(queue)...); refused {
		return effects
	}
	return screen.Want(screen.Ask{Dialog: importForm(e, d, to, form.Values{"queue": queue}, nil)})
}

// named is the queue where one is named.
func named(queue string) []string {
	if queue == "" {
		return nil
	}
	return []string{queue}
}

// ways are what can be done about bad rows, in the form's words and the engine's.
func ways() (words []string, mode map[string]string) {
	words = []string{"store nothing", "stop at the first", "store the others"}
	return words, map[string]string{words[0]: engine.AllOrNothing, words[1]: engine.StopOnFirstFailure, words[2]: engine.Independent}
}

func importForm(e env.Env, d act.Desk, to screen.Addr, typed form.Values, err error) screen.Dialog {
	options, mode := ways()
	field, bad := "", options[0]
	if err != nil {
		field = fieldOf(err, typed)
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
			{Name: "bad", Label: "bad rows", Value: bad, Options: options, Hint: "Those that are not stored stand in a new file beside it, FILE.rejects, to be mended and imported"},
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
				Reference: v["reference"], Mode: mode[v["bad"]], Zone: e.Place, Now: e.Now,
			}
			return d.Import(to, im, func(err error) screen.Dialog { return importForm(e, d, to, v, err) })
		},
	}, field, err)
}
