package act

import (
	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/env"
)

// Verb is what can be done to items.
type Verb uint8

// The verbs, in the order of the menu.
const (
	NoVerb Verb = iota
	Retry
	Edit // and retry
	Verify
	Assign
	Note
	Clear
	Delete
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
	return [verbs]keymap.Action{
		Retry: keymap.Retry, Edit: keymap.EditRetry, Verify: keymap.Verify, Assign: keymap.Assign,
		Note: keymap.Note, Clear: keymap.ClearReview, Delete: keymap.Delete,
	}[v]
}

// Name is the verb as a menu has it: "Retry".
func (v Verb) Name() string {
	return [verbs]string{
		Retry: "Retry", Edit: "Edit and retry", Verify: "Verify", Assign: "Assign", Note: "Note",
		Clear: "Clear review", Delete: "Delete",
	}[v]
}

// asking is the verb as a question goes on with what it is done to.
func (v Verb) asking() string {
	switch v {
	case Note:
		return "Note on"
	case Clear:
		return "Clear the review of"
	}
	return v.Name()
}

// past is the verb as a report begins: "Retried".
func (v Verb) past() string {
	return [verbs]string{
		Retry: "Retried", Edit: "Retried, as edited,", Verify: "Verified", Assign: "Assigned", Note: "Noted on",
		Clear: "Cleared the review of", Delete: "Deleted",
	}[v]
}

// Means says in a sentence what the verb does.
func (v Verb) Means() string {
	return [verbs]string{
		Retry:  "back to the robots, with a fresh budget of attempts",
		Edit:   "with another payload, from your editor",
		Verify: "looked at and decided: not to be retried any more",
		Assign: "to a reviewer, who is to look at it",
		Note:   "words for whoever looks at it next",
		Clear:  "take verdict, reviewer and note back",
		Delete: "worked no more; payload and history are kept",
	}[v]
}

func (v Verb) review() string {
	return [verbs]string{Verify: engine.Verify, Assign: engine.Assign, Note: engine.Note, Clear: engine.Clear}[v]
}

// bulk is the engine's name of the verb on many items.
func (v Verb) bulk() string {
	switch v {
	case Retry:
		return engine.BulkRetry
	case Delete:
		return engine.BulkDelete
	}
	return v.review()
}

// Doing is the engine's name of a bulk act in words, as what goes on: "Retrying".
func Doing(bulk string) string {
	switch bulk {
	case engine.BulkRetry:
		return "Retrying"
	case engine.BulkDelete:
		return "Deleting"
	case engine.BulkUndo:
		return "Taking back"
	case engine.BulkDefer:
		return "Deferring"
	case engine.Verify:
		return "Verifying"
	case engine.Assign:
		return "Assigning"
	case engine.Note:
		return "Noting on"
	case engine.Clear:
		return "Clearing the review of"
	}
	return "Changing"
}

// Decides says that an item needs nobody's decision after the verb.
func (v Verb) Decides() bool { return v == Retry || v == Edit || v == Verify || v == Delete }

// takesNote says that a few words may go with the verb.
func (v Verb) takesNote() bool { return v == Retry || v == Verify || v == Delete }

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
func (v Verb) Refusal(e env.Env, item *store.Item) string {
	switch {
	case e.ReadOnly:
		return readOnly
	case item == nil:
		return "there is no row"
	}
	if why := forbidden(e, v.Action(), 1, item.Queue); why != "" {
		return why
	}
	return v.stands(item)
}

// stands says why the state of an item forbids the verb, "" when it does not.
func (v Verb) stands(item *store.Item) string {
	switch {
	case v == Delete && item.Status.InFlight():
		return "a robot holds it"
	case v == Delete && item.Status == store.Deleted:
		return "it is deleted already"
	case v == Delete:
		return ""
	case !Decidable(item.Status):
		return "only failed, excepted and abandoned items; this one is " + item.Status.String()
	case v == Clear && item.Review == store.Review{}:
		return "nobody has reviewed it"
	case item.Review.Status == store.Verified && (v == Retry || v == Edit):
		return "verified, so it can no longer be retried; clear its review first"
	case item.Review.Status == store.Verified && v == Verify:
		return "it is verified already"
	case item.Review.Status == store.Verified && v == Assign:
		return "it is verified; clear its review first"
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
