package engine

import (
	"context"
	"fmt"

	"signalbox/store"
)

// DispatchRequest adds one item and claims exactly that one.
type DispatchRequest struct {
	Queue        string  `json:"queue"`
	Robot        string  `json:"robot"`
	Item         NewItem `json:"item"`
	SingletonKey string  `json:"singleton_key,omitempty"` // of a job for the item; refused while one is open
}

// Dispatch adds an item and claims it in one change, so that nobody else gets it.
// When it can't be claimed nothing is added. CodeConflict for a paused queue, an
// open job with the singleton key, or an item that is there by its key.
func (e *Engine) Dispatch(ctx context.Context, d DispatchRequest) (rec Record, err error) {
	if Builtin(d.Queue) {
		return rec, reserved(d.Queue)
	}
	claim := ClaimRequest{Queue: d.Queue, Robot: d.Robot}
	if err := firstOf(validateClaim(&claim), d.Item.Validate(), (&JobRequest{SingletonKey: d.SingletonKey}).validate()); err != nil {
		return rec, err
	}
	a := AddRequest{Queue: d.Queue, Items: []NewItem{d.Item}}
	held := e.schemas.heldAgainst(&a)
	err = e.change(ctx, func(t *tx) error {
		a.Items[0] = d.Item
		if d.SingletonKey != "" {
			q, err := t.Queue(d.Queue)
			if err != nil {
				return err
			}
			s, err := t.startOnce(&q, &JobRequest{Queue: d.Queue, ID: d.Item.Job, SingletonKey: d.SingletonKey})
			if err != nil {
				return err
			}
			if s.Existing {
				return store.TakenKey(d.SingletonKey, s.ID)
			}
			a.Items[0].Job = s.ID
		}
		results := make([]AddResult, 1)
		if err := t.addAll(&a, []error{nil}, held, results); err != nil {
			return err
		}
		i := results[0].Item
		if results[0].Existing || !i.Status.Waiting() {
			return store.Conflict(fmt.Sprintf("item %q", i.ID().String()), "claim failure: it is "+i.Status.String(), "see `signalbox item show "+i.ID().String()+"`")
		}
		claim.Item = i.ID()
		records, err := t.claim(&ask{ClaimRequest: &claim})
		if err == nil {
			rec = records[0]
		}
		return err
	})
	return rec, err
}
