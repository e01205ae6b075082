package lane

import "signalbox/store"

// Slot states.
const (
	Free    = "free"
	Busy    = "busy"
	Closing = "closing" // above the pool's new size, held until let go
)

// Holder is who holds a slot, or waits for one.
type Holder struct {
	Lane  Lane       `json:"lane"`
	Queue string     `json:"queue,omitempty"`
	Job   string     `json:"job,omitempty"`
	Item  string     `json:"item,omitempty"` // the item being worked now, "" between items
	Robot string     `json:"robot,omitempty"`
	Since store.Time `json:"since"`
}

// Of says whose work holds the slot: a queue's, or that of a program which took it by
// itself.
func (h *Holder) Of() string {
	if h.Queue != "" {
		return h.Queue
	}
	return h.Robot
}

// SlotState is one slot as seen from outside.
type SlotState struct {
	Number int     `json:"number"`
	Lane   Lane    `json:"lane"` // fast, commons or slow: the part it belongs to
	State  string  `json:"state"`
	Holder *Holder `json:"holder,omitempty"`
}

// LaneState is one lane's reserve and range.
type LaneState struct {
	Reserve int `json:"reserve"`
	First   int `json:"first"`
	Last    int `json:"last"`
	Waiting int `json:"waiting"`
}

// CommonsState is the range both lanes may use; Last < First when it is empty.
type CommonsState struct {
	Size  int `json:"size"`
	First int `json:"first"`
	Last  int `json:"last"`
}

// Waiter is one place in a lane's waiting line.
type Waiter struct {
	Lane  Lane   `json:"lane"`
	Queue string `json:"queue,omitempty"`
	Job   string `json:"job,omitempty"`
	Item  string `json:"item,omitempty"`
	Robot string `json:"robot,omitempty"`
	Place int    `json:"place"` // in the lane's line, from 1
	// Ahead is how many came before and want a slot that this one could use
	// too: its own lane's, and while there are commons also the other's.
	Ahead int `json:"ahead"`
	// Expected is how much longer the wait should take, as seen when the
	// picture was made; 0 when recent holds don't tell.
	Expected store.Duration `json:"expected,omitzero"`
	Since    store.Time     `json:"since"`
}

// Standing words the waiter's place: how many turns are ahead, and how long it
// should take.
func (w *Waiter) Standing() string { return standing(w.Place, w.Ahead, w.Expected) }

// State is the pool at one instant; it is never changed after it is made.
type State struct {
	Pool    int          `json:"pool"`
	Auto    bool         `json:"auto"`
	Busy    int          `json:"busy"`
	Fast    LaneState    `json:"fast"`
	Commons CommonsState `json:"commons"`
	Slow    LaneState    `json:"slow"`
	Slots   []SlotState  `json:"slots"`   // in order of number, closing ones last
	Waiting []Waiter     `json:"waiting"` // in order of arrival, both lanes
}

// Place finds the place in line of the waiter with the given robot name.
func (s *State) Place(robot string) (w Waiter, ok bool) {
	for _, w := range s.Waiting {
		if w.Robot == robot {
			return w, true
		}
	}
	return Waiter{}, false
}
