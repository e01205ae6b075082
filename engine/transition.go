package engine

import (
	"fmt"
	"slices"

	"signalbox/store"
)

// Event is what happens to an item.
type Event string

// Every event that can change an item's status.
const (
	EventClaim      Event = "claim"
	EventClaimStart Event = "claim+start" // a claim that starts the item at once
	EventStart      Event = "start"
	EventComplete   Event = "complete"
	EventBusiness   Event = "business-exception"
	EventSystem     Event = "system-exception"
	EventExpire     Event = "lease-expired"
	EventRelease    Event = "release" // given back at no cost
	EventPostpone   Event = "postpone"
	EventRetry      Event = "retry" // by an operator
	EventDelete     Event = "delete"
	EventUndo       Event = "undo"     // an operator's act is taken back
	EventWithdraw   Event = "withdraw" // of the copy that a retry made, when it is taken back
	EventCancel     Event = "cancel"   // its job was cancelled
)

// guard narrows a row of the table by what the queue's settings and the item's
// budgets say.
type guard string

const (
	always     guard = ""
	retryLeft  guard = "retries left"
	reclaim    guard = "on_expiry reclaim, reclaims left"
	expiryPays guard = "on_expiry abandon, retry_abandoned, retries left"
	unverified guard = "not verified"
	wasSo      guard = "it was so before an operator's act, unchanged since"
	untouched  guard = "a copy, unchanged since it was made"
)

// transition is one row: in this family, from this status, the event leads to
// the next status if the guard holds. Rows are tried in order.
type transition struct {
	family store.Family
	from   []store.Status
	event  Event
	guard  guard
	to     store.Status
}

// transitions is the whole life of an item. Every store is changed through it;
// what is not in it is not allowed.
var transitions = []transition{
	{store.Jobs, []store.Status{store.Queued}, EventClaim, always, store.Claimed},
	{store.Jobs, []store.Status{store.Queued}, EventClaimStart, always, store.Claimed},
	{store.Jobs, []store.Status{store.Claimed}, EventStart, always, store.Claimed},
	{store.Jobs, []store.Status{store.Claimed}, EventComplete, always, store.Completed},
	{store.Jobs, []store.Status{store.Claimed}, EventBusiness, always, store.Failed},
	{store.Jobs, []store.Status{store.Claimed}, EventSystem, retryLeft, store.Queued},
	{store.Jobs, []store.Status{store.Claimed}, EventSystem, always, store.Failed},
	{store.Jobs, []store.Status{store.Claimed}, EventExpire, reclaim, store.Queued},
	{store.Jobs, []store.Status{store.Claimed}, EventExpire, expiryPays, store.Queued},
	{store.Jobs, []store.Status{store.Claimed}, EventExpire, always, store.Abandoned},
	{store.Jobs, []store.Status{store.Claimed}, EventRelease, always, store.Queued},
	{store.Jobs, []store.Status{store.Claimed}, EventPostpone, always, store.Queued},
	{store.Jobs, []store.Status{store.Queued, store.Claimed}, EventCancel, always, store.Cancelled},
	{store.Jobs, []store.Status{store.Failed, store.Abandoned}, EventRetry, unverified, store.Queued},
	{store.Jobs, []store.Status{store.Queued, store.Completed, store.Failed, store.Abandoned, store.Cancelled}, EventDelete, always, store.Deleted},
	{store.Jobs, []store.Status{store.Queued, store.Failed, store.Deleted}, EventUndo, wasSo, store.Failed},
	{store.Jobs, []store.Status{store.Queued, store.Abandoned, store.Deleted}, EventUndo, wasSo, store.Abandoned},
	{store.Jobs, []store.Status{store.Queued, store.Deleted}, EventUndo, wasSo, store.Queued},
	{store.Jobs, []store.Status{store.Deleted}, EventUndo, wasSo, store.Completed},
	{store.Jobs, []store.Status{store.Deleted}, EventUndo, wasSo, store.Cancelled},

	{store.Transactions, []store.Status{store.Pending}, EventClaim, always, store.Claimed},
	{store.Transactions, []store.Status{store.Pending}, EventClaimStart, always, store.Processing},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventStart, always, store.Processing},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventComplete, always, store.Successful},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventBusiness, always, store.BusinessException},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventSystem, retryLeft, store.Retried},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventSystem, always, store.SystemException},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventExpire, reclaim, store.Pending},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventExpire, expiryPays, store.Retried},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventExpire, always, store.Abandoned},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventRelease, always, store.Pending},
	{store.Transactions, []store.Status{store.Claimed, store.Processing}, EventPostpone, always, store.Pending},
	{store.Transactions, []store.Status{store.Pending, store.Claimed, store.Processing}, EventCancel, always, store.Cancelled},
	{store.Transactions, []store.Status{store.BusinessException, store.SystemException, store.Abandoned}, EventRetry, unverified, store.Retried},
	{store.Transactions, []store.Status{store.Pending, store.Successful, store.BusinessException, store.SystemException, store.Abandoned, store.Retried, store.Cancelled}, EventDelete, always, store.Deleted},
	{store.Transactions, []store.Status{store.Pending}, EventWithdraw, untouched, store.Deleted},
	{store.Transactions, []store.Status{store.Retried, store.BusinessException, store.Deleted}, EventUndo, wasSo, store.BusinessException},
	{store.Transactions, []store.Status{store.Retried, store.SystemException, store.Deleted}, EventUndo, wasSo, store.SystemException},
	{store.Transactions, []store.Status{store.Retried, store.Abandoned, store.Deleted}, EventUndo, wasSo, store.Abandoned},
	{store.Transactions, []store.Status{store.Pending, store.Deleted}, EventUndo, wasSo, store.Pending},
	{store.Transactions, []store.Status{store.Deleted}, EventUndo, wasSo, store.Successful},
	{store.Transactions, []store.Status{store.Deleted}, EventUndo, wasSo, store.Retried},
	{store.Transactions, []store.Status{store.Deleted}, EventUndo, wasSo, store.Cancelled},
}

// next looks up the row by which the event takes the item on; the error says
// why there is none.
func next(q *store.Queue, i *store.Item, event Event) (transition, error) {
	var unmet guard
	for _, t := range transitions {
		if t.family != i.Family || t.event != event || !slices.Contains(t.from, i.Status) {
			continue
		}
		if t.holds(q, i) {
			return t, nil
		}
		unmet = t.guard
	}
	return transition{}, notAllowed(i, event, unmet)
}

func (t transition) holds(q *store.Queue, i *store.Item) bool {
	switch t.guard {
	case retryLeft:
		return i.Retryable && i.Spent < budget(q, i)
	case reclaim:
		return q.OnExpiry == Reclaim && (q.MaxReclaims == 0 || i.Reclaims < q.MaxReclaims)
	case expiryPays:
		return q.OnExpiry == Abandon && q.RetryAbandoned && i.Retryable && i.Spent < budget(q, i)
	case unverified:
		return i.Review.Status != store.Verified
	case wasSo:
		return undoable(i) && i.Undo.Status == t.to
	case untouched:
		return i.Revision == 1 && !i.Previous.IsZero()
	}
	return true
}

// budget is how many failures of the item are retried.
func budget(q *store.Queue, i *store.Item) int {
	if i.MaxAttempts > 0 {
		return i.MaxAttempts - 1
	}
	return q.Retries
}

func notAllowed(i *store.Item, event Event, unmet guard) error {
	thing := fmt.Sprintf("item %q", i.ID().String())
	if unmet == unverified {
		return store.Conflict(thing, "verified by "+i.Review.Reviewer+", so it is not to be retried any more", "clear its review first")
	}
	if Final(i.Status) && event != EventRetry && event != EventDelete && event != EventUndo {
		return store.Conflict(thing, "already final ("+i.Status.String()+")", "nothing is left to report on it")
	}
	return store.Conflict(thing, fmt.Sprintf("it is %s, and %s is not possible from there", i.Status, event), "see `signalbox item show "+i.ID().String()+"`")
}

// Final says that no settle changes an item of this status any more.
func Final(s store.Status) bool {
	switch s {
	case store.Completed, store.Successful, store.Failed, store.BusinessException, store.SystemException, store.Retried, store.Cancelled, store.Deleted:
		return true
	}
	return false
}

// Reviewable says that a person may judge an item of this status.
func Reviewable(s store.Status) bool {
	switch s {
	case store.Failed, store.BusinessException, store.SystemException, store.Abandoned:
		return true
	}
	return false
}
