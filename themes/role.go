// Package themes gives every mark on the screen its look.
//
// Code names roles (what a thing means), theme files give roles their colours
// and attributes, and a Theme turns a role into an escape sequence, a style or
// a colour for what the terminal can show. Glyphs does the same for shapes, so
// that no meaning hangs on colour alone. The terminal's own background is kept
// everywhere except under cursors, selections and badges.
package themes

import "signalbox/store"

// Role is what a piece of text or a mark means.
type Role uint8

// The roles. Their names in theme files are those of Role.String.
const (
	Text   Role = iota
	Muted       // words around what matters
	Accent      // the one accent: focus, links
	Title
	Key    // a key in the footer
	Header // the line at the top
	Footer // the line at the bottom
	Badge  // which store this is
	Alert  // badge of a store that needs care, read-only and frozen marks
	Border
	BorderFocus
	Cursor     // the row in hand
	CursorBlur // the same in a pane that has no focus
	Selection  // the button or suggestion that enter would take
	Mark       // a marked row
	Match      // what the filter found
	Disabled

	StateIdle
	StateRunning
	StateWaiting
	StateDelayed
	StateDone
	StateAbandoned
	StateException // business: a person must look
	StateFault     // system: a retry may do
	StateStuck     // held longer than expected
	StateClosing   // a slot above the pool's new size

	LaneFast
	LaneSlow
	LaneCommons
	FastYoung // a fast slot held for a short while
	FastRipe  // a fast slot held nearly as long as expected
	SlowYoung
	SlowRipe

	MeterFill
	MeterTrack
	Graph

	Warn
	Danger
	Info
	OK

	JSONKey
	JSONString
	JSONNumber
	JSONWord // true, false, null

	roles // how many there are
)

// String gives the role's name in theme files.
func (r Role) String() string {
	if r < roles {
		return roleNames()[r]
	}
	return "unknown"
}

// Roles lists every role.
func Roles() []Role {
	all := make([]Role, roles)
	for i := range all {
		all[i] = Role(i)
	}
	return all
}

func roleNames() [roles]string {
	return [roles]string{
		Text: "text", Muted: "muted", Accent: "accent", Title: "title", Key: "key",
		Header: "header", Footer: "footer", Badge: "badge", Alert: "alert",
		Border: "border", BorderFocus: "border-focus",
		Cursor: "cursor", CursorBlur: "cursor-blur", Selection: "selection",
		Mark: "mark", Match: "match", Disabled: "disabled",
		StateIdle: "state-idle", StateRunning: "state-running", StateWaiting: "state-waiting",
		StateDelayed: "state-delayed", StateDone: "state-done", StateAbandoned: "state-abandoned",
		StateException: "state-exception", StateFault: "state-fault",
		StateStuck: "state-stuck", StateClosing: "state-closing",
		LaneFast: "lane-fast", LaneSlow: "lane-slow", LaneCommons: "lane-commons",
		FastYoung: "fast-young", FastRipe: "fast-ripe", SlowYoung: "slow-young", SlowRipe: "slow-ripe",
		MeterFill: "meter-fill", MeterTrack: "meter-track", Graph: "graph",
		Warn: "warn", Danger: "danger", Info: "info", OK: "ok",
		JSONKey: "json-key", JSONString: "json-string", JSONNumber: "json-number", JSONWord: "json-word",
	}
}

// readable says that a role is used for words, whose contrast is measured;
// the others are lines and surfaces.
func (r Role) readable() bool {
	switch r {
	case Border, BorderFocus, MeterTrack, Disabled:
		return false
	}
	return true
}

// StatusRole is the look of an item's status.
func StatusRole(s store.Status) Role {
	switch s {
	case store.Queued, store.Pending:
		return StateWaiting
	case store.Claimed, store.Processing:
		return StateRunning
	case store.Completed, store.Successful:
		return StateDone
	case store.BusinessException:
		return StateException
	case store.Failed, store.SystemException:
		return StateFault
	case store.Abandoned:
		return StateAbandoned
	}
	return StateIdle
}

// HeldRole is the look of a slot held for share of the time that is expected:
// it ripens from young to ripe, and past the whole it is stuck.
func HeldRole(slow bool, share float64) Role {
	switch {
	case share > 1:
		return StateStuck
	case share > 0.6 && slow:
		return SlowRipe
	case share > 0.6:
		return FastRipe
	case share > 0.2 && slow:
		return LaneSlow
	case share > 0.2:
		return LaneFast
	case slow:
		return SlowYoung
	}
	return FastYoung
}
