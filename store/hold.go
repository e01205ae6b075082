package store

// Hold is a stretch of time in which a slot was held: by one holder, or by
// several of one queue and job that followed each other closely.
type Hold struct {
	Slot  int    `json:"slot"`
	Lane  string `json:"lane"` // the holder's: fast or slow
	Queue string `json:"queue,omitempty"`
	Job   string `json:"job,omitempty"`
	Item  string `json:"item,omitempty"` // the last one worked
	Robot string `json:"robot,omitempty"`
	From  Time   `json:"from"`
	To    Time   `json:"to,omitzero"` // 0 = it is held now
	// Times is how many holders followed each other, and Held how long they
	// held it together, which is less than from From to To.
	Times int      `json:"times"`
	Held  Duration `json:"held"`
	// Cut says that the engine ended without a word of this hold's end: To is
	// the last sign of life.
	Cut bool `json:"cut,omitempty"`
}
