package store

import "fmt"

// Family says how a queue's items are retried.
type Family uint8

// The two families.
const (
	// Jobs are run-level automation work, retried in place.
	Jobs Family = iota + 1
	// Transactions are business rows; each retry is a linked copy.
	Transactions
)

var familyNames = [...]string{Jobs: "jobs", Transactions: "transactions"}

// String gives the family's name, or "" for the zero value.
func (f Family) String() string { return nameOf(familyNames[:], int(f)) }

// ParseFamily reads a family's name.
func ParseFamily(s string) (Family, error) {
	if i := indexOf(familyNames[:], s); i > 0 {
		return Family(i), nil
	}
	return 0, Invalid("family "+quote(s), "a family is jobs or transactions", "use --family jobs or --family transactions")
}

// MarshalText implements encoding.TextMarshaler.
func (f Family) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Family) UnmarshalText(b []byte) (err error) {
	*f, err = ParseFamily(string(b))
	return err
}

// Status is where an item stands in its life. The rules about which status
// may follow which are the engine's; a store only keeps and indexes it.
type Status uint8

// Every status of both families.
const (
	Queued Status = iota + 1
	Pending
	Claimed
	Processing
	Completed
	Successful
	Failed
	BusinessException
	SystemException
	Abandoned
	Retried
	Cancelled
	Deleted

	// Statuses is one more than the highest status: the size of an array
	// indexed by status.
	Statuses = int(Deleted) + 1
)

var statusNames = [Statuses]string{
	Queued: "queued", Pending: "pending", Claimed: "claimed", Processing: "processing",
	Completed: "completed", Successful: "successful", Failed: "failed",
	BusinessException: "business-exception", SystemException: "system-exception",
	Abandoned: "abandoned", Retried: "retried", Cancelled: "cancelled", Deleted: "deleted",
}

// String gives the status's name, or "" for the zero value.
func (s Status) String() string { return nameOf(statusNames[:], int(s)) }

// ParseStatus reads one of our own status names; other systems' names are
// translated by the engine's filter.
func ParseStatus(name string) (Status, error) {
	if i := indexOf(statusNames[:], name); i > 0 {
		return Status(i), nil
	}
	return 0, Invalid("status "+quote(name), "no item has this status", "use one of queued, pending, claimed, processing, completed, successful, failed, business-exception, system-exception, abandoned, retried, cancelled, deleted")
}

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(b []byte) (err error) {
	if len(b) == 0 {
		*s = 0
		return nil
	}
	*s, err = ParseStatus(string(b))
	return err
}

// Waiting says that the item can be claimed once it is due.
func (s Status) Waiting() bool { return s == Queued || s == Pending }

// InFlight says that a robot holds the item.
func (s Status) InFlight() bool { return s == Claimed || s == Processing }

// Priority orders waiting items; the zero value is normal.
type Priority int8

// The three priorities, in claim order.
const (
	High   Priority = -1
	Normal Priority = 0
	Low    Priority = 1
)

// String gives the priority's name.
func (p Priority) String() string {
	switch p {
	case High:
		return "high"
	case Low:
		return "low"
	}
	return "normal"
}

// ParsePriority reads a priority's name in any case; "" is normal.
func ParsePriority(s string) (Priority, error) {
	switch lower(s) {
	case "high":
		return High, nil
	case "", "normal":
		return Normal, nil
	case "low":
		return Low, nil
	}
	return 0, Invalid("priority "+quote(s), "a priority is high, normal or low", "use one of these")
}

// MarshalText implements encoding.TextMarshaler.
func (p Priority) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Priority) UnmarshalText(b []byte) (err error) {
	*p, err = ParsePriority(string(b))
	return err
}

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func indexOf(names []string, s string) int {
	for i, name := range names {
		if name == s && s != "" {
			return i
		}
	}
	return -1
}
