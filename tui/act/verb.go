package act

import (
	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
)

// Verb is what can be done to items.
type Verb uint8

// The verbs, in the order of the menu.
const (
	NoVerb Verb = iota
	Retry
	Verify
	Assign
	Note
	verbs
)

// Verbs lists them.
func Verbs() []Verb {
	var all []Verb
	for v := Retry; v < verbs; v++ {
		all = append(all, v)
	}
	return all
}

// Of gives the verb of an action.
func Of(a keymap.Action) (Verb, bool) {
	for v := Retry; v < verbs; v++ {
		if v.Action() == a {
			return v, true
		}
	}
	return NoVerb, false
}

// Action is the key action that means the verb.
func (v Verb) Action() keymap.Action {
	return [verbs]keymap.Action{Retry: keymap.Retry, Verify: keymap.Verify, Assign: keymap.Assign, Note: keymap.Note}[v]
}

// Name is the verb as a question begins: "Retry".
func (v Verb) Name() string {
	return [verbs]string{Retry: "Retry", Verify: "Verify", Assign: "Assign", Note: "Note"}[v]
}

// past is the verb as a report begins: "Retried".
func (v Verb) past() string {
	return [verbs]string{Retry: "Retried", Verify: "Verified", Assign: "Assigned", Note: "Noted on"}[v]
}

// Means says in a sentence what the verb does.
func (v Verb) Means() string {
	return [verbs]string{
		Retry:  "back to the robots, with a fresh budget of attempts",
		Verify: "looked at and decided: not to be retried any more",
		Assign: "to a reviewer, who is to look at it",
		Note:   "words for whoever looks at it next",
	}[v]
}

func (v Verb) review() string {
	return [verbs]string{Verify: engine.Verify, Assign: engine.Assign, Note: engine.Note}[v]
}

// Decides says that an item needs nobody's decision after the verb.
func (v Verb) Decides() bool { return v == Retry || v == Verify }

// asks is the question whose answer the verb needs, "" for none.
func (v Verb) asks() string {
	switch v {
	case Assign:
		return "Reviewer"
	case Note:
		return "Note"
	}
	return ""
}

// Refusal says why the verb can't be used on an item, "" when it can.
func (v Verb) Refusal(item *store.Item, readOnly bool) string {
	switch {
	case readOnly:
		return "this console is read-only"
	case item == nil:
		return "there is no row"
	case !Decidable(item.Status):
		return "only failed, excepted and abandoned items; this one is " + item.Status.String()
	case item.Review.Status == store.Verified && v == Retry:
		return "verified, so it can no longer be retried"
	case item.Review.Status == store.Verified && v == Verify:
		return "it is verified already"
	}
	return ""
}

// Decidable says that items of a status wait for a person.
func Decidable(s store.Status) bool {
	switch s {
	case store.Failed, store.BusinessException, store.SystemException, store.Abandoned:
		return true
	}
	return false
}
