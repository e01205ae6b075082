package keymap

// defaults gives every action with the keys of the default preset, in the
// order of the help screen.
func defaults() []Binding {
	var all []Binding
	for _, group := range []struct {
		title    string
		bindings []Binding
	}{
		{"Move", moving()},
		{"Screens", screens()},
		{"Find and mark", finding()},
		{"Act", acting()},
		{"In the verbs menu only", dangerous()},
		{"View", viewing()},
		{"Split", splitting()},
		{"Dialogs and fields", answering()},
		{"Program", program()},
	} {
		for _, b := range group.bindings {
			b.Group = group.title
			all = append(all, b)
		}
	}
	return all
}

func on(scopes ...Scope) []Scope { return scopes }

func keys(names ...string) []string { return names }

func moving() []Binding {
	everywhere := on(Global, Menu, HelpView, Command, Dialog)
	return []Binding{
		{Action: Up, Keys: keys("up", "k"), Help: "up", Long: "Move to the row above", Scopes: everywhere},
		{Action: Down, Keys: keys("down", "j"), Help: "down", Long: "Move to the row below", Scopes: everywhere},
		{Action: Left, Keys: keys("left"), Help: "left", Long: "Move or scroll to the left", Scopes: on(Slots, Table, Page, Timeline, Dialog)},
		{Action: Right, Keys: keys("right"), Help: "right", Long: "Move or scroll to the right", Scopes: on(Slots, Table, Page, Timeline, Dialog)},
		{Action: Top, Keys: keys("g", "home"), Help: "top", Long: "Go to the first row", Scopes: on(Global, Menu, HelpView)},
		{Action: Bottom, Keys: keys("G", "end"), Help: "bottom", Long: "Go to the last row", Scopes: on(Global, Menu, HelpView)},
		{Action: PageUp, Keys: keys("pgup"), Help: "page up", Long: "Go up by a page", Scopes: everywhere},
		{Action: PageDown, Keys: keys("pgdown"), Help: "page down", Long: "Go down by a page", Scopes: everywhere},
		{Action: Open, Keys: keys("enter"), Help: "open", Long: "Open what the cursor is on", Scopes: on(Slots, Table, Page, Timeline, Menu)},
		{Action: Back, Keys: keys("esc"), Help: "back", Long: "Go back a step: close, clear the filter, leave the page; never quits",
			Scopes: on(Global, SplitEdit, Dialog, Menu, HelpView, Input, Command)},
		{Action: NextPane, Keys: keys("tab"), Help: "next pane", Long: "Go to the next pane, button or field", Scopes: on(Global, Dialog, Input)},
		{Action: PrevPane, Keys: keys("shift+tab"), Help: "previous pane", Long: "Go to the previous pane, button or field", Scopes: on(Global, Dialog, Input, Command)},
	}
}

func screens() []Binding {
	names := []string{"slots", "queues", "jobs", "abandoned", "review", "timeline", "events", "robots", "split lab"}
	all := make([]Binding, len(names))
	for i, name := range names {
		screen, _ := Screen(i + 1)
		all[i] = Binding{Action: screen, Keys: keys(string(rune('1' + i))), Help: name, Long: "Show " + name, Scopes: on(Global)}
		switch screen {
		case Screen6, Screen9:
			all[i].Later = true
		}
	}
	return all
}

func finding() []Binding {
	searchable := on(Slots, Table, Page, Timeline, HelpView)
	return []Binding{
		{Action: Filter, Keys: keys("/"), Help: "filter", Long: "Filter rows: words, field:value, age:>2h, ! to turn it round", Scopes: searchable},
		{Action: NextMatch, Keys: keys("n"), Help: "next", Long: "On an item's page: the next match of the search, else the next item of the list it was opened from", Scopes: on(Page)},
		{Action: PrevMatch, Keys: keys("N"), Help: "previous", Long: "On an item's page: the match or item before", Scopes: on(Page)},
		{Action: Palette, Keys: keys(":"), Help: "command", Long: "Type a command, with completion", Scopes: on(Global)},
		{Action: Mark, Keys: keys("space"), Help: "mark", Long: "Mark or unmark this row", Scopes: on(Table)},
		{Action: MarkRange, Keys: keys("V"), Help: "mark range", Long: "Mark from here to where the cursor goes next", Scopes: on(Table)},
		{Action: MarkAll, Keys: keys("a"), Help: "mark all", Long: "Mark all that match the filter, beyond what is shown", Scopes: on(Table)},
		{Action: Unmark, Keys: keys("backspace"), Help: "unmark", Long: "Take away every mark", Scopes: on(Table)},
		{Action: Sort, Keys: keys("s"), Help: "sort", Long: "Choose the column to sort by; the same one again turns the order round", Scopes: on(Slots, Table)},
		{Action: Columns, Keys: keys("o"), Help: "columns", Long: "Choose the columns", Scopes: on(Slots, Table)},
		{Action: Folders, Keys: keys("F"), Help: "by folder", Long: "List the queues by folder, each folder with the sum of its numbers, or all in one list", Scopes: on(Table)},
	}
}

func acting() []Binding {
	rows := on(Table, Page)
	all := on(Slots, Table, Page)
	return []Binding{
		{Action: Retry, Keys: keys("r"), Help: "retry", Long: "Retry this row or the marked; one row at once, more after a question", Scopes: rows},
		{Action: Verify, Keys: keys("v"), Help: "verify", Long: "Mark as verified: looked at, not to be retried", Scopes: rows},
		{Action: Assign, Keys: keys("A"), Help: "assign", Long: "Assign a reviewer", Scopes: rows},
		{Action: Note, Keys: keys("c"), Help: "note", Long: "Write a note on the review, or in a question one that goes with it", Scopes: on(Table, Page, Dialog)},
		{Action: ClearReview, Help: "clear review", Long: "Take back verdict, reviewer and note", Scopes: rows, Menu: true},
		{Action: EditRetry, Keys: keys("E"), Help: "edit, retry", Long: "Edit the payload in $EDITOR, then retry", Scopes: rows},
		{Action: Pause, Keys: keys("p"), Help: "pause", Long: "Pause or resume the queue or the job; on the events, stop following them", Scopes: append(on(Why), rows...)},
		{Action: New, Keys: keys("N"), Help: "new queue", Long: "Add a queue", Scopes: on(Slots, Table)},
		{Action: QueueSet, Keys: keys("O"), Help: "settings", Long: "Change the settings of this queue", Scopes: on(Table, Why)},
		{Action: Import, Keys: keys("I"), Help: "import", Long: "Bring a file into a queue: CSV, JSON lines, a JSON array", Scopes: on(Slots, Table, Why)},
		{Action: Verbs, Keys: keys("x"), Help: "verbs", Long: "List every verb, with the reason where one is unavailable", Scopes: rows},
		{Action: Explain, Keys: keys("w"), Help: "why", Long: "Explain why this item, job or queue is not running, and what would help", Scopes: all},
		{Action: Undo, Keys: keys("u"), Help: "undo", Long: "Take back the last retry, delete, verdict, assignment, note, pause or split change", Scopes: on(Global)},
		{Action: Stop, Keys: keys("X"), Help: "stop", Long: "Stop an act on many items that is under way; what is done stays done", Scopes: on(Global)},
		{Action: CopyIDs, Keys: keys("y"), Help: "copy ids", Long: "Copy the ids of this row or the marked", Scopes: all},
		{Action: CopyJSON, Keys: keys("Y"), Help: "copy json", Long: "Copy this item or the marked as JSON, masked fields hidden", Scopes: all},
		{Action: Export, Keys: keys("e"), Help: "export", Long: "Export what is shown to a file, as CSV or JSON lines; on a job, save one of its files", Scopes: all},
	}
}

func dangerous() []Binding {
	return []Binding{
		{Action: Delete, Help: "delete", Long: "Delete items that no robot holds, or a job that has ended; asks for their number", Scopes: on(Table, Page), Danger: true},
		{Action: Cancel, Help: "cancel", Long: "Cancel a job: what waits and what runs; asks for how much that is", Scopes: on(Table, Page), Danger: true},
		{Action: Purge, Help: "purge", Long: "Remove for good what is deleted or settled", Scopes: on(Slots, Table, Page), Danger: true, Later: true},
	}
}

func viewing() []Binding {
	return []Binding{
		{Action: Fold, Keys: keys("space"), Help: "fold", Long: "Fold or unfold this part of the JSON", Scopes: on(Page)},
		{Action: Reveal, Keys: keys("M"), Help: "show masked", Long: "Show masked fields, which the item's history records; again to hide them", Scopes: on(Page)},
		{Action: ZoomIn, Keys: keys("+", "="), Help: "zoom in", Long: "Show less time, larger", Scopes: on(Timeline), Later: true},
		{Action: ZoomOut, Keys: keys("-"), Help: "zoom out", Long: "Show more time, smaller", Scopes: on(Timeline), Later: true},
		{Action: Freeze, Keys: keys("f"), Help: "freeze", Long: "Hold the picture still, to read or select text; again to go on", Scopes: on(Global)},
		{Action: Mouse, Keys: keys("m"), Help: "mouse", Long: "Turn the mouse on or off; off, the terminal selects text", Scopes: on(Global)},
		{Action: Zone, Keys: keys("z"), Help: "zone", Long: "Show times as local, UTC or relative", Scopes: on(Global)},
		{Action: Theme, Keys: keys("T"), Help: "theme", Long: "Try the next theme", Scopes: on(Global)},
		{Action: Settings, Keys: keys(","), Help: "settings", Long: "Theme, keys, zone, glyphs and mouse, seen at once; saved in the settings", Scopes: on(Global)},
	}
}

func splitting() []Binding {
	editing := on(SplitEdit, Lab)
	return []Binding{
		{Action: Split, Keys: keys("S"), Help: "split", Long: "Edit the lane split; nothing changes until applied", Scopes: on(Slots)},
		{Action: FastMore, Keys: keys("right"), Help: "fast +", Long: "Reserve a slot more for the fast lane", Scopes: editing},
		{Action: FastLess, Keys: keys("left"), Help: "fast -", Long: "Reserve a slot less for the fast lane", Scopes: editing},
		{Action: SlowMore, Keys: keys("shift+right"), Help: "slow +", Long: "Reserve a slot more for the slow lane", Scopes: editing},
		{Action: SlowLess, Keys: keys("shift+left"), Help: "slow -", Long: "Reserve a slot less for the slow lane", Scopes: editing},
		{Action: PoolMore, Keys: keys("+", "="), Help: "pool +", Long: "Add a slot to the pool", Scopes: editing},
		{Action: PoolLess, Keys: keys("-"), Help: "pool -", Long: "Take a slot from the pool", Scopes: editing},
		{Action: SplitAuto, Keys: keys("a"), Help: "auto", Long: "Go back to quarters: the default split", Scopes: editing},
		{Action: AddSplit, Keys: keys("n"), Help: "add split", Long: "Add a split to compare", Scopes: on(Lab), Later: true},
		{Action: RemoveSplit, Keys: keys("backspace"), Help: "drop split", Long: "Take this split out of the comparison", Scopes: on(Lab), Later: true},
	}
}

func answering() []Binding {
	return []Binding{
		{Action: Apply, Keys: keys("enter"), Help: "apply", Long: "Accept the text, press the button, apply the split",
			Scopes: on(SplitEdit, Lab, Dialog, Input, Command)},
		{Action: Yes, Keys: keys("y"), Help: "yes", Long: "Go ahead", Scopes: on(Dialog)},
		{Action: No, Keys: keys("n"), Help: "no", Long: "Leave it", Scopes: on(Dialog)},
		{Action: Complete, Keys: keys("tab"), Help: "complete", Long: "Take over the suggestion", Scopes: on(Command)},
		{Action: Editor, Keys: keys("ctrl+x"), Help: "editor", Long: "In a form, write a long text such as a schema in $EDITOR", Scopes: on(Command)},
	}
}

func program() []Binding {
	always := Scopes()
	return []Binding{
		{Action: Help, Keys: keys("?"), Help: "help", Long: "Show what every key does here; / searches", Scopes: on(Global, SplitEdit, Dialog, Menu, HelpView)},
		{Action: Suspend, Keys: keys("ctrl+z"), Help: "suspend", Long: "Put the program to sleep; fg wakes it", Scopes: always},
		{Action: Quit, Keys: keys("q"), Help: "quit", Long: "Quit; asks while an act runs, or while this console's own engine is at work", Scopes: on(Global, SplitEdit, HelpView)},
		{Action: Interrupt, Keys: keys("ctrl+c"), Help: "quit now", Long: "Quit from anywhere", Scopes: always},
	}
}
