// Package queueform asks for what a queue is to be: a new one, the settings of
// one that is there, and a file to bring in.
package queueform

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/form"
)

// refuse says why nothing can be changed now, as a toast; false where it can.
func refuse(e env.Env, what string, a keymap.Action, queues ...string) (screen.Effects, bool) {
	why := act.Barred(e, a, queues...)
	if why == "" {
		return screen.Effects{}, false
	}
	return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: text.Clean("Can't " + what + ": " + why)}}), true
}

// New asks for a queue to be added.
func New(e env.Env, d act.Desk, to screen.Addr) screen.Effects {
	if effects, refused := refuse(e, "add a queue", keymap.New); refused {
		return effects
	}
	return screen.Want(screen.Ask{Dialog: newForm(d, to, nil, nil)})
}

// births are the fields of a queue that are for its life.
func births() []form.Field {
	return []form.Field{
		{Name: "name", Label: "name", Page: pageQueue, Hint: "Small letters, digits, - and _, parts with dots: finance.orders"},
		{Name: "family", Label: "family", Page: pageQueue, Value: "transactions", Options: []string{"transactions", "jobs"}, Hint: "transactions: business rows, each retry a linked copy. jobs: automation work, retried in place"},
		{Name: "encrypted", Label: "encrypted", Page: pageQueue, Value: "no", Options: yesNo(), Hint: "Contents at rest, with the key of SIGNALBOX_KEY_FILE; for the queue's whole life"},
	}
}

// begun is a queue with the defaults of the family that was chosen.
func begun(v form.Values) store.Queue {
	family := store.Transactions
	if v["family"] == "jobs" {
		family = store.Jobs
	}
	return engine.DefaultQueue(v["name"], family)
}

func newForm(d act.Desk, to screen.Addr, typed form.Values, err error) screen.Dialog {
	fields := births()
	for _, f := range fieldsOf(d, func(v form.Values) store.Queue { return begun(v) }) {
		f.Value = f.Default(form.Values{})
		fields = append(fields, f)
	}
	return form.New(form.Form{
		Title: "Add a queue", Yes: "add it", Fields: fields, Typed: typed,
		Check: func(v form.Values) (string, error) {
			if v["name"] == "" {
				return "name", store.Invalid("the name", "a queue needs one", "type it")
			}
			q := begun(v)
			_, field, err := patch(&q, v)
			return field, err
		},
		Then: func(_ env.Env, v form.Values) screen.Effects {
			q := begun(v)
			settings, _, _ := patch(&q, v) // checked
			settings["encrypted"] = v["encrypted"] == "yes"
			return d.AddQueue(to, q, settings, func(err error) screen.Dialog { return newForm(d, to, v, err) })
		},
	}, fieldOf(err, typed), err)
}

// Settings asks for other settings of a queue.
func Settings(e env.Env, d act.Desk, to screen.Addr, q store.Queue) screen.Effects {
	if effects, refused := refuse(e, "change settings", keymap.QueueSet, q.Name); refused {
		return effects
	}
	return screen.Want(screen.Ask{Dialog: settingsForm(d, to, q, nil, nil)})
}

// settingsForm asks for settings of a queue as it was seen. What the person did
// not touch is not sent; and where somebody else has changed a setting since,
// the form begins anew with that, keeping what was typed.
func settingsForm(d act.Desk, to screen.Addr, seen store.Queue, typed form.Values, err error) screen.Dialog {
	fields := fieldsOf(d, func(form.Values) store.Queue { return seen })
	for i := range fields {
		fields[i].Value, fields[i].Default = fields[i].Default(nil), nil
	}
	return form.New(form.Form{
		Title: "Settings of " + text.Clean(seen.Name), Yes: "apply", Fields: fields, Typed: typed,
		Check: func(v form.Values) (string, error) {
			_, field, err := patch(&seen, v)
			return field, err
		},
		Then: func(e env.Env, v form.Values) screen.Effects {
			changed, _, _ := patch(&seen, v) // checked
			if len(changed) == 0 {
				return screen.Want(screen.Say{Toast: screen.Toast{Text: "Nothing was changed", Brief: true}})
			}
			again := func(now store.Queue, err error) screen.Dialog {
				return settingsForm(d, to, now, touched(&seen, v), err)
			}
			now, known := e.Queue(seen.Name)
			if err := since(&seen, &now.Queue); known && err != nil {
				return screen.Want(screen.Ask{Dialog: again(now.Queue, err)})
			}
			if known { // its counts may have moved it on
				seen.Revision = now.Revision
			}
			return d.SetQueue(to, seen, changed, func(err error) screen.Dialog { return again(seen, err) })
		},
	}, fieldOf(err, typed), err)
}

// touched are the fields that hold something else than the queue had.
func touched(seen *store.Queue, v form.Values) form.Values {
	changed := form.Values{}
	for _, s := range settings() {
		if v[s.name] != s.of(seen) {
			changed[s.name] = v[s.name]
		}
	}
	return changed
}

// since says which setting somebody else changed after it was seen.
func since(seen, now *store.Queue) error {
	for _, s := range settings() {
		if was, is := s.of(seen), s.of(now); was != is {
			return store.Conflict(string(s.label), fmt.Sprintf("somebody changed it to %q since you saw %q", is, was), "look again, then apply")
		}
	}
	return nil
}

// fieldsOf are the fields of the settings, with those of a queue as defaults.
func fieldsOf(d act.Desk, of func(form.Values) store.Queue) []form.Field {
	var all []form.Field
	for _, s := range settings() {
		f := form.Field{
			Name: s.name, Label: s.label, Hint: s.hint, Options: s.options, Page: s.page, When: s.when,
			Default: func(v form.Values) string {
				q := of(v)
				return s.of(&q)
			},
		}
		if s.long {
			f.Write = func(field, text string) tea.Cmd { return d.Write(field, text, schemaBegin) }
		}
		all = append(all, f)
	}
	return all
}
