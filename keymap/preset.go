package keymap

import (
	"strings"

	"signalbox/store"
	"signalbox/tui/text"
)

// DefaultPreset is the preset that the console starts with.
const DefaultPreset = "default"

// Presets names the sets of keys that Load knows.
func Presets() []string { return []string{DefaultPreset, "vim", "k9s"} }

// preset gives the key lists in which a preset differs from the defaults.
// Every preset keeps the arrows.
func preset(name string) (map[Action][]string, error) {
	switch name {
	case "", DefaultPreset:
		return nil, nil
	case "vim":
		return vim(), nil
	case "k9s":
		return k9s(), nil
	}
	mend := "use one of " + strings.Join(Presets(), ", ")
	if near := text.Nearest(name, Presets()); near != "" {
		mend = "did you mean " + near + "?"
	}
	return nil, store.Invalid("keymap preset "+quote(name), "there is no such preset", mend)
}

// vim adds the editor's motions.
func vim() map[Action][]string {
	return map[Action][]string{
		Left:     keys("left", "h"),
		Right:    keys("right", "l"),
		PageUp:   keys("pgup", "ctrl+b", "ctrl+u"),
		PageDown: keys("pgdown", "ctrl+f", "ctrl+d"),
		Back:     keys("esc", "ctrl+o"),
		NextPane: keys("tab", "ctrl+w"),
		Fold:     keys("space", "Z"),
		FastMore: keys("right", "l"),
		FastLess: keys("left", "h"),
		SlowMore: keys("shift+right", "L"),
		SlowLess: keys("shift+left", "H"),
	}
}

// k9s follows the keys of that tool where it has the same verb.
func k9s() map[Action][]string {
	return map[Action][]string{
		Left:      keys("left", "h"),
		Right:     keys("right", "l"),
		PageUp:    keys("pgup", "ctrl+b"),
		PageDown:  keys("pgdown", "ctrl+f"),
		Back:      keys("esc", "["),
		MarkRange: keys("ctrl+space"),
		Unmark:    keys("ctrl+\\"),
		Columns:   keys("ctrl+w"),
		Explain:   keys("d", "w"),
		CopyIDs:   keys("c"),
		CopyJSON:  keys("y"),
		Note:      keys("i"),
		EditRetry: keys("e"),
		Export:    keys("ctrl+s"),
	}
}
