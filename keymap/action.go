// Package keymap says which key does what, where, and under which name.
//
// Every action is defined once, with its keys, its words and the scopes in
// which it applies. Load lays a preset and the user's own keys over these
// defaults and refuses what cannot work; the result, a Map, turns key presses
// into actions and is the one source for footers, the help screen and
// docs/keys.md. Screens switch on actions, never on keys.
package keymap

// Action is something that a key can do. Its value is its name in the config.
type Action string

// Moving about.
const (
	Up       Action = "up"
	Down     Action = "down"
	Left     Action = "left"
	Right    Action = "right"
	Top      Action = "top"
	Bottom   Action = "bottom"
	PageUp   Action = "page-up"
	PageDown Action = "page-down"
	Open     Action = "open"
	Back     Action = "back"
	NextPane Action = "next-pane"
	PrevPane Action = "prev-pane"
)

// The screens by number.
const (
	Screen1 Action = "screen-1"
	Screen2 Action = "screen-2"
	Screen3 Action = "screen-3"
	Screen4 Action = "screen-4"
	Screen5 Action = "screen-5"
	Screen6 Action = "screen-6"
	Screen7 Action = "screen-7"
	Screen8 Action = "screen-8"
	Screen9 Action = "screen-9"
)

// Finding and choosing.
const (
	Filter    Action = "filter"
	NextMatch Action = "next-match"
	PrevMatch Action = "prev-match"
	Palette   Action = "palette"
	Mark      Action = "mark"
	MarkRange Action = "mark-range"
	MarkAll   Action = "mark-all"
	Unmark    Action = "unmark"
	Sort      Action = "sort"
	Columns   Action = "columns"
	Folders   Action = "folders"
)

// Acting on rows.
const (
	Retry       Action = "retry"
	Verify      Action = "verify"
	Assign      Action = "assign"
	Note        Action = "note"
	ClearReview Action = "clear-review"
	EditRetry   Action = "edit-retry"
	Verbs       Action = "verbs"
	Explain     Action = "explain"
	Undo        Action = "undo"
	Stop        Action = "stop"
	Pause       Action = "pause"
	New         Action = "new-queue"
	QueueSet    Action = "queue-settings"
	Import      Action = "import"
	CopyIDs     Action = "copy-ids"
	CopyJSON    Action = "copy-json"
	Export      Action = "export"
	Fold        Action = "fold"
	Reveal      Action = "reveal"
)

// Verbs that cannot be taken back. They are reached through Verbs only.
const (
	Delete Action = "delete"
	Cancel Action = "cancel"
	Purge  Action = "purge"
)

// The picture and the program.
const (
	Freeze    Action = "freeze"
	Mouse     Action = "mouse"
	Zone      Action = "zone"
	Theme     Action = "theme"
	Settings  Action = "settings"
	ZoomIn    Action = "zoom-in"
	ZoomOut   Action = "zoom-out"
	Help      Action = "help"
	Suspend   Action = "suspend"
	Quit      Action = "quit"
	Interrupt Action = "interrupt"
)

// Editing a lane split.
const (
	Split       Action = "split"
	FastMore    Action = "fast-more"
	FastLess    Action = "fast-less"
	SlowMore    Action = "slow-more"
	SlowLess    Action = "slow-less"
	PoolMore    Action = "pool-more"
	PoolLess    Action = "pool-less"
	SplitAuto   Action = "split-auto"
	AddSplit    Action = "add-split"
	RemoveSplit Action = "remove-split"
)

// Answering dialogs and text fields.
const (
	Apply    Action = "apply"
	Yes      Action = "yes"
	No       Action = "no"
	Complete Action = "complete"
	Editor   Action = "editor"
)

// Screen gives the action that shows screen n of 1..9.
func Screen(n int) (Action, bool) {
	if n < 1 || n > 9 {
		return "", false
	}
	return Action("screen-" + string(rune('0'+n))), true
}

// Number gives the screen that a shows, if a is one of Screen1..Screen9.
func (a Action) Number() (int, bool) {
	if len(a) == len(Screen1) && a >= Screen1 && a <= Screen9 {
		return int(a[len(a)-1] - '0'), true
	}
	return 0, false
}

// Binding is an action with its keys, its words and its places.
type Binding struct {
	Action Action
	Keys   []string
	Help   string  // a word or two, for footers
	Long   string  // a sentence, for the help screen
	Group  string  // heading in the help screen
	Scopes []Scope // where it applies, besides scopes that inherit one of these
	Danger bool    // cannot be taken back: has no key, only a place in Verbs
	Menu   bool    // has no key to begin with, only a place in Verbs
	Later  bool    // not built yet: its keys are kept for it, and no more is said
}

// InMenu says that an action is reached through the verbs menu.
func (b Binding) InMenu() bool { return b.Danger || b.Menu }
