package keymap

// Scope is a place in which keys have their meaning. A screen's scope inherits
// Global; what takes over the keyboard (a dialog, a text field) inherits
// nothing and lists all that it answers to.
type Scope string

// Scopes that inherit Global.
const (
	Global   Scope = "global"
	Slots    Scope = "slots"
	Table    Scope = "table" // any list: queues, items, jobs, reviews, events, robots
	Page     Scope = "page"  // one item, job or queue
	Timeline Scope = "timeline"
	Lab      Scope = "lab"
)

// Scopes that stand alone.
const (
	SplitEdit Scope = "split" // editing the split on Slots
	Dialog    Scope = "dialog"
	Menu      Scope = "menu" // the verbs menu and other choices
	Why       Scope = "why"  // an explanation, with the keys that help: a menu too
	HelpView  Scope = "help"
	Input     Scope = "input"
	Command   Scope = "command" // the palette and the filter: input with completion
)

// Scopes lists every scope in the order of the documentation.
func Scopes() []Scope {
	return []Scope{Global, Slots, Table, Page, Timeline, Lab, SplitEdit, Dialog, Menu, Why, HelpView, Input, Command}
}

// parent is the scope whose bindings s takes over, "" for none.
func (s Scope) parent() Scope {
	switch s {
	case Slots, Table, Page, Timeline, Lab:
		return Global
	case Why:
		return Menu
	}
	return ""
}

// typing says that printable and editing keys belong to a text field in s.
func (s Scope) typing() bool { return s == Input || s == Command }

// within says that bindings for outer apply in s.
func (s Scope) within(outer Scope) bool {
	for ; s != ""; s = s.parent() {
		if s == outer {
			return true
		}
	}
	return false
}
