package list

import (
	"slices"

	"signalbox/keymap"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
	"signalbox/tui/widget/table"
)

// Rows is a table, whatever it lists.
type Rows interface {
	Choices() []table.Choice
	Show(title text.Safe, shown bool)
	Sort(title text.Safe)
}

// Columns asks which columns are to be shown, and says of those that are why
// they can't be seen.
func Columns(rows Rows) screen.Effects {
	choices := rows.Choices()
	options := make([]dialog.Option, len(choices))
	for i, c := range choices {
		options[i] = dialog.Option{Name: c.Title, On: c.Shown}
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewPick(dialog.Pick{
		Title: "Columns", Options: options, Many: true, Room: len("nothing in it yet"),
		Note: func(at int) text.Safe { return rows.Choices()[at].Lack },
		Then: func(_ env.Env, at int, on bool) screen.Effects {
			rows.Show(choices[at].Title, on)
			return screen.Effects{}
		},
	})})
}

// Sort asks which column the rows are to stand in order of; then tells it.
// Choosing the one they stand in order of turns that round.
func Sort(e env.Env, rows Rows, then func(e env.Env, title text.Safe) screen.Effects) screen.Effects {
	choices := orders(rows)
	if len(choices) == 0 {
		return screen.Effects{}
	}
	options := make([]dialog.Option, len(choices))
	for i, c := range choices {
		options[i] = dialog.Option{Name: c.Title, On: c.Now}
		if c.Now {
			options[i].What = "turn round " + text.Safe(e.Glyphs.SortDown)
			if c.Desc {
				options[i].What = "turn round " + text.Safe(e.Glyphs.SortUp)
			}
		}
	}
	return screen.Want(screen.Ask{Dialog: dialog.NewPick(dialog.Pick{
		Title: "Sort by", Options: options,
		Then: func(e env.Env, at int, _ bool) screen.Effects { return then(e, choices[at].Title) },
	})})
}

// orders are the columns that rows can be put in order of.
func orders(rows Rows) []table.Choice {
	return slices.DeleteFunc(rows.Choices(), func(c table.Choice) bool { return !c.Order })
}

// Answers says that an action is one that all lists answer to.
func Answers(a keymap.Action) bool {
	return a == keymap.Sort || a == keymap.Columns || a == keymap.Export
}
