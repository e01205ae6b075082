package bolt

import (
	"encoding/binary"

	"signalbox/store"
)

// recordVersion is the first byte of every record.
const recordVersion = 1

// fixed describes the part of an item that claims and settles leave alone.
// It is kept with the payload.
func fixed(c *coder, i *store.Item) {
	family := uint64(i.Family)
	c.uint(1, &family)
	i.Family = store.Family(family)
	c.str(2, &i.Reference)
	c.str(3, &i.Key)
	priority := int64(i.Priority)
	c.int64(4, &priority)
	i.Priority = store.Priority(priority)
	c.int(5, &i.MaxAttempts)
	c.int(6, &i.RetryNo)
	if chain := i.Chain; c.reading || chain != i.ID() {
		c.id(7, &i.Chain, i.Queue)
	}
	c.id(8, &i.Previous, i.Queue)
	c.time(9, &i.DueAt)
	c.time(10, &i.RiskAt)
	c.time(11, &i.CreatedAt)
	c.str(12, &i.CreatedBy)
	c.str(13, &i.Job)
	c.int(14, &i.Weight)
}

// changing describes the part of an item that every step of its life
// rewrites. Its status is in the key.
func changing(c *coder, i *store.Item) {
	c.uint(1, &i.Revision)
	c.uint(2, &i.LastChange)
	c.int(3, &i.Attempts)
	c.int(4, &i.Failures)
	c.int(5, &i.Spent)
	c.int(6, &i.Reclaims)
	c.uint(7, &i.Fence)
	c.bool(8, &i.Retryable)
	c.str(9, &i.Progress)
	c.id(10, &i.Next, i.Queue)
	c.str(11, &i.ClaimedBy)
	c.time(12, &i.ClaimedAt)
	c.time(13, &i.LeaseUntil)
	c.time(14, &i.StartedAt)
	c.time(15, &i.EndedAt)
	c.time(16, &i.AvailableAt)
	c.time(17, &i.DeferUntil)
	if c.field(18, i.Error == nil) {
		failure(c, &i.Error)
	}
	review := uint64(i.Review.Status)
	c.uint(22, &review)
	i.Review.Status = store.ReviewStatus(review)
	c.str(23, &i.Review.Reviewer)
	c.str(24, &i.Review.Note)
	c.time(25, &i.Review.At)
	c.str(26, &i.Group)
	if c.field(27, i.Undo == nil) {
		undo(c, &i.Undo)
	}
	c.bool(50, &i.Withheld)
	c.bool(51, &i.DueTold)
	c.bool(52, &i.RiskTold)
	c.bool(53, &i.Tally.Known)
	c.int(54, &i.Tally.Done)
	c.int(55, &i.Tally.Failed)
}

// failure leaves out the details, which are kept with the result.
func failure(c *coder, f **store.Failure) {
	if c.reading {
		*f = &store.Failure{}
	}
	c.str(19, &(*f).Kind)
	c.str(20, &(*f).Reason)
	c.time(21, &(*f).At)
}

// appendHead writes an item's fixed part as it stands before the payload:
// version, length, fields.
func appendHead(b []byte, i *store.Item) []byte {
	start := len(b)
	c := coder{buf: append(b, recordVersion, 0)}
	fixed(&c, i)
	n := len(c.buf) - start - 2
	if n < 0x80 {
		c.buf[start+1] = byte(n)
		return c.buf
	}
	fields := append([]byte(nil), c.buf[start+2:]...)
	return append(binary.AppendUvarint(c.buf[:start+1], uint64(n)), fields...)
}

// splitItem parts an item record into its head, as appendHead wrote it, the
// head's fields and the payload.
func splitItem(record []byte) (head, fields, payload []byte, err error) {
	c, err := versioned(record)
	if err != nil {
		return nil, nil, nil, err
	}
	fields = c.readBytes()
	if c.bad {
		return nil, nil, nil, errDamaged
	}
	return record[:len(record)-len(c.buf)], fields, c.buf, nil
}

func appendState(b []byte, i *store.Item) []byte {
	c := coder{buf: append(b, recordVersion)}
	changing(&c, i)
	return c.buf
}

// decodeItem puts an item together from its two records. The caller has set
// Queue, Number and Status.
func decodeItem(i *store.Item, record, state []byte) error {
	_, fields, _, err := splitItem(record)
	if err != nil {
		return err
	}
	c := coder{buf: fields, reading: true}
	fixed(&c, i)
	if err := c.end(); err != nil {
		return err
	}
	if i.Chain.IsZero() {
		i.Chain = i.ID()
	}
	if c, err = versioned(state); err != nil {
		return err
	}
	changing(&c, i)
	return c.end()
}

func result(c *coder, r *store.Result) {
	c.bytes(1, &r.Output)
	c.bytes(2, &r.Analytics)
	c.str(3, &r.Details)
}

// settings describes a queue's settings; its name is its bucket's.
func settings(c *coder, q *store.Queue) {
	family := uint64(q.Family)
	c.uint(1, &family)
	q.Family = store.Family(family)
	c.str(2, &q.Folder)
	c.str(3, &q.Description)
	c.str(4, &q.Lane)
	c.str(5, &q.Consumer.Kind)
	c.strs(6, &q.Consumer.Argv)
	c.strs(7, &q.Consumer.Env)
	c.str(8, &q.Consumer.Dir)
	c.bool(9, &q.Consumer.Shell)
	c.duration(10, &q.Consumer.Timeout)
	c.int(11, &q.BatchSize)
	c.int(12, &q.MaxDrains)
	c.bool(13, &q.Paused)
	c.str(14, &q.PausedBy)
	c.duration(15, &q.Lease)
	c.str(16, &q.OnExpiry)
	c.int(17, &q.MaxReclaims)
	c.int(18, &q.Retries)
	c.duration(19, &q.RetryWindow)
	c.duration(20, &q.RetryFloor)
	c.bool(21, &q.RetryAbandoned)
	c.duration(22, &q.AttemptTimeout)
	c.bool(23, &q.UniqueReferences)
	c.duration(24, &q.SLA)
	c.duration(25, &q.SLARisk)
	c.strs(26, &q.Mask)
	c.time(27, &q.CreatedAt)
	c.uint(28, &q.Revision)
	c.str(29, &q.ConsumerError)
	c.time(30, &q.ConsumerErrorAt)
	c.str(31, (*string)(&q.Schemas.Payload))
	c.str(32, (*string)(&q.Schemas.Output))
	c.str(33, (*string)(&q.Schemas.Analytics))
	c.duration(34, &q.RetainSettled)
	c.str(35, &q.RetainSettledThen)
	c.duration(36, &q.RetainExcepted)
	c.str(37, &q.RetainExceptedThen)
	c.strs(40, &q.Links)
	c.bool(41, &q.Encrypted)
	c.str(42, &q.Consumer.URL)
	c.strs(43, &q.Consumer.Headers)
	c.str(44, &q.KeyID)
}

func pool(c *coder, p *store.Pool) {
	c.int(1, &p.Size)
	c.int(2, &p.Fast)
	c.int(3, &p.Slow)
	c.bool(4, &p.Auto)
	c.uint(5, &p.Revision)
}

// counters are what a queue knows of itself without looking. They are
// written once a commit.
type counters struct {
	last      uint64 // highest number given out
	items     store.Counts
	delayed   int64      // entries in the delayed index
	nextLease store.Time // as entered in the due index, 0 = not in it
	nextRipe  store.Time // likewise
	withheld  int64      // waiting items that are withheld
	sla       slaCounters
	nextDate  store.Time // as nextLease
	untold    bool       // the index of dates to tell of is there
}

func (n *counters) code(c *coder) {
	c.uint(1, &n.last)
	c.int64(2, &n.delayed)
	c.time(3, &n.nextLease)
	c.time(4, &n.nextRipe)
	c.int64(5, &n.withheld)
	for s := range n.items {
		c.int64(byte(16+s), &n.items[s])
	}
	n.sla.code(c)
	c.time(46, &n.nextDate)
	c.bool(47, &n.untold)
}

// counted describes one group's count.
func counted(c *coder, g *store.Group) {
	c.int64(1, &g.Count)
	c.str(2, &g.Text)
	c.str(3, &g.Kind)
}

// encode writes a whole record with its version.
func encode[T any](b []byte, fields func(*coder, *T), v *T) []byte {
	c := coder{buf: append(b, recordVersion)}
	fields(&c, v)
	return c.buf
}

// decode reads a whole record with its version.
func decode[T any](record []byte, fields func(*coder, *T), v *T) error {
	c, err := versioned(record)
	if err != nil {
		return err
	}
	fields(&c, v)
	return c.end()
}
