package themes

import "signalbox/store"

// Glyphs are the shapes of the console. Each is one column wide, needs no
// variation selector, and is no emoji, so that every terminal gives it the
// width that the program counts. All glyphs of one kind differ, because
// without colours they are all there is.
type Glyphs struct {
	status  [store.Statuses]string
	Delayed string // waiting, but not before a time to come

	// A slot's work is known by its place: fast above, slow below, as the
	// brackets of the lanes run above and below the strip.
	SlotFree    string
	SlotFast    string
	SlotSlow    string
	SlotStuck   string
	SlotClosing string
	SlotUnknown string // the pool could not be read

	LaneFast    string
	LaneSlow    string
	LaneCommons string

	Cursor   string // gutter of the row in hand
	Mark     string // gutter of a marked row
	Focus    string // before the title of the pane in focus
	Ellipsis string
	Sep      string // between parts of a line
	Folded   string
	Unfolded string
	SortUp   string
	SortDown string
	Up       string
	Down     string
	Left     string
	Right    string
	Retried  string // link from an item to its retry
	Warn     string
	Danger   string
	Info     string
	Bullet   string // before each line of a list
	OK       string
	On       string // a lamp: connected, running
	Off      string
	Paused   string
	Frozen   string
	Locked   string // masked, or read-only

	Bar     []string // a cell from empty to full
	Track   string   // an empty cell of a meter
	Spark   []string // a column from lowest to highest
	Shades  []string // parts of a stacked bar, to tell them apart without colour
	Spinner []string

	Line Lines
}

// Lines draw frames, rules and the brackets of lane ranges.
type Lines struct {
	H, V                                       string
	TopLeft, TopRight, BottomLeft, BottomRight string
	TeeLeft, TeeRight, TeeUp, TeeDown, Cross   string
	Dash                                       string // a rule that gives way
}

// Status is the shape of an item's status.
func (g *Glyphs) Status(s store.Status) string {
	if int(s) < len(g.status) && g.status[s] != "" {
		return g.status[s]
	}
	return g.SlotUnknown
}

// StatusGlyph is the shape of an item's status in g.
func StatusGlyph(g *Glyphs, s store.Status) string { return g.Status(s) }

// Meter gives the cell i of a meter of width cells that is full to share.
func (g *Glyphs) Meter(i, width int, share float64) string {
	steps := len(g.Bar) - 1
	filled := int(min(max(share, 0), 1)*float64(width*steps)) - i*steps
	switch {
	case filled <= 0:
		return g.Track
	case filled >= steps:
		return g.Bar[steps]
	}
	return g.Bar[filled]
}

// Column gives the step of a sparkline for v of most. What is not nothing is
// never drawn as nothing.
func (g *Glyphs) Column(v, most float64) string {
	top := len(g.Spark) - 1
	if most <= 0 || v <= 0 {
		return g.Spark[0]
	}
	return g.Spark[min(max(int(v/most*float64(top)+0.5), 1), top)]
}

// Unicode gives the shapes for terminals with a Unicode font.
func Unicode() *Glyphs {
	return &Glyphs{
		status: [store.Statuses]string{
			store.Queued: "○", store.Pending: "○",
			store.Claimed: "◐", store.Processing: "●",
			store.Completed: "✓", store.Successful: "✓",
			store.Failed: "✗", store.SystemException: "✗",
			store.BusinessException: "◆",
			store.Abandoned:         "⊘",
			store.Retried:           "↻",
			store.Cancelled:         "–",
			store.Deleted:           "×",
		},
		Delayed:  "◌",
		SlotFree: "·", SlotFast: "▀", SlotSlow: "▄",
		SlotStuck: "█", SlotClosing: "╳", SlotUnknown: "?",
		LaneFast: "»", LaneSlow: "≈", LaneCommons: "◇",
		Cursor: "▌", Mark: "■", Focus: "▸", Ellipsis: "…", Sep: "·",
		Folded: "▸", Unfolded: "▾", SortUp: "▴", SortDown: "▾",
		Up: "↑", Down: "↓", Left: "←", Right: "→", Retried: "↻",
		Warn: "▲", Danger: "✗", Info: "•", Bullet: "•", OK: "✓",
		On: "●", Off: "○", Paused: "‖", Frozen: "∗", Locked: "▣",
		Bar:   []string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
		Track: "─", Spark: []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Shades:  []string{"█", "▓", "▒", "░", "─"},
		Spinner: []string{"◜", "◝", "◞", "◟"},
		Line: Lines{
			H: "─", V: "│", TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
			TeeLeft: "├", TeeRight: "┤", TeeUp: "┴", TeeDown: "┬", Cross: "┼", Dash: "╌",
		},
	}
}

// ASCII gives shapes for the Linux console, dumb terminals and fonts without
// the others.
func ASCII() *Glyphs {
	return &Glyphs{
		status: [store.Statuses]string{
			store.Queued: ".", store.Pending: ".",
			store.Claimed: ":", store.Processing: "*",
			store.Completed: "+", store.Successful: "+",
			store.Failed: "x", store.SystemException: "x",
			store.BusinessException: "!",
			store.Abandoned:         "A",
			store.Retried:           "@",
			store.Cancelled:         "-",
			store.Deleted:           "/",
		},
		Delayed:  "~",
		SlotFree: ".", SlotFast: "f", SlotSlow: "s",
		SlotStuck: "!", SlotClosing: "x", SlotUnknown: "?",
		LaneFast: ">", LaneSlow: "~", LaneCommons: "=",
		Cursor: ">", Mark: "*", Focus: ">", Ellipsis: "~", Sep: "-",
		Folded: "+", Unfolded: "-", SortUp: "^", SortDown: "v",
		Up: "^", Down: "v", Left: "<", Right: ">", Retried: "@",
		Warn: "!", Danger: "x", Info: "i", Bullet: "-", OK: "+",
		On: "*", Off: "o", Paused: "=", Frozen: "#", Locked: "#",
		Bar:   []string{" ", "#"},
		Track: ".", Spark: []string{" ", ".", ":", "-", "=", "#"},
		Shades:  []string{"#", "=", "+", "-", "."},
		Spinner: []string{"|", "/", "-", "\\"},
		Line: Lines{
			H: "-", V: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
			TeeLeft: "+", TeeRight: "+", TeeUp: "+", TeeDown: "+", Cross: "+", Dash: "-",
		},
	}
}
