package engine

import "signalbox/store"

// Standings of a waiting item that has a due or risk date.
const (
	OnTime  = "ok"
	AtRisk  = "risk"
	Overdue = "overdue"
)

// standing says how a waiting item stands to its dates; "" when it does not
// wait or has none.
func standing(i *store.Item, now store.Time) string {
	switch {
	case !i.Status.Waiting() || i.DueAt == 0 && i.RiskAt == 0:
		return ""
	case i.DueAt != 0 && i.DueAt <= now:
		return Overdue
	case i.RiskAt != 0 && i.RiskAt <= now:
		return AtRisk
	}
	return OnTime
}
