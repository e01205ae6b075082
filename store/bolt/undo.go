package bolt

import "signalbox/store"

// undo describes what an item was before an operator's act; its fields follow
// those of the item's changing part.
func undo(c *coder, u **store.Undo) {
	if c.reading {
		*u = &store.Undo{}
	}
	v := *u
	c.str(28, &v.Event)
	c.uint(29, &v.Left)
	status := uint64(v.Status)
	c.uint(30, &status)
	v.Status = store.Status(status)
	review := uint64(v.Review.Status)
	c.uint(31, &review)
	v.Review.Status = store.ReviewStatus(review)
	c.str(32, &v.Review.Reviewer)
	c.str(33, &v.Review.Note)
	c.time(34, &v.Review.At)
	c.int(35, &v.Spent)
	c.int(36, &v.Reclaims)
	c.bool(37, &v.Retryable)
	c.time(38, &v.EndedAt)
	c.time(39, &v.AvailableAt)
	c.time(40, &v.DeferUntil)
	c.bytes(41, &v.Payload)
}
