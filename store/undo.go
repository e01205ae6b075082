package store

// Undo is what an item was before an operator's act on it, kept with the item
// until it changes again: what taking the act back restores.
type Undo struct {
	Event       string // the act, as the history names it
	Left        uint64 // the item's revision as the act left it
	Status      Status
	Review      Review
	Spent       int
	Reclaims    int
	Retryable   bool
	EndedAt     Time
	AvailableAt Time
	DeferUntil  Time
	Payload     []byte // nil where the act left it as it was
}
