package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strconv"

	"signalbox/store"
)

// unsetAll removes the keys of a bucket of the root that start with a prefix.
func (t *tx) unsetAll(name, prefix []byte) {
	h := t.top(name)
	if h.bucket == nil {
		return
	}
	var keys [][]byte
	c := h.bucket.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		t.unset(name, k)
	}
}

// PutJob implements store.Tx.
func (t *tx) PutJob(v *store.Job) error {
	q, err := t.queue(v.Queue)
	if err != nil {
		return err
	}
	if len(v.ID) > maxIndexed || len(v.SingletonKey) > maxIndexed {
		return store.Invalid("job "+strconv.Quote(v.ID), "an id or key has at most "+strconv.Itoa(maxIndexed)+" bytes", "shorten it")
	}
	if v.Status.Open() {
		if holder, err := t.OpenJob(v.Queue, v.SingletonKey); err != nil || holder != "" && holder != v.ID {
			return cmp.Or(err, store.TakenKey(v.SingletonKey, holder))
		}
	}
	var old store.Job
	if v.Number == 0 {
		err = t.newJob(v)
	} else {
		old, err = t.Job(v.ID)
		if err == nil && (old.Number != v.Number || old.Queue != v.Queue) {
			err = store.Conflict("job "+strconv.Quote(v.ID), "a job keeps its queue and number", "start another one")
		}
	}
	if err != nil {
		return err
	}
	v.Revision = old.Revision + 1
	record := *v
	t.jobTables.met[v.ID].known = &record
	t.set(jobsBucket, keyOf(jobRecord, v.Number), encode(nil, jobFields, v))
	t.indexJob(q, &old, v)
	return t.broken
}

// newJob gives a job its number, and an id where it has none.
func (t *tx) newJob(v *store.Job) error {
	if v.ID != "" && t.value(jobsBucket, idKey(v.ID)) != nil {
		return store.Conflict("job "+strconv.Quote(v.ID), "there is or was one of this id", "choose another")
	}
	made := numberOf(t.value(jobsBucket, jobMade)) + 1
	for v.ID == "" {
		if id := v.Queue + "-" + strconv.FormatUint(made, 10); t.value(jobsBucket, idKey(id)) == nil {
			v.ID = id
			break
		}
		made++
	}
	v.Number = made
	if t.jobTables.met == nil {
		t.jobTables.met = map[string]*job{}
	}
	t.jobTables.met[v.ID] = &job{number: made, dirty: true}
	t.set(jobsBucket, jobMade, numberKey(made))
	t.set(jobsBucket, idKey(v.ID), numberKey(made))
	t.set(jobsBucket, jobQueueKey(v.Queue, made), nil)
	return t.broken
}

// indexJob moves a job's entries from what it was to what it is.
func (t *tx) indexJob(q *queue, old, now *store.Job) {
	if was, is := old.Number != 0 && old.EndedAt == 0, now.EndedAt == 0; was != is {
		if key := keyOf(jobLive, now.Number); is {
			t.set(jobsBucket, key, nil)
		} else {
			t.unset(jobsBucket, key)
		}
	}
	was, is := "", ""
	if old.Status.Open() {
		was = old.SingletonKey
	}
	if now.Status.Open() {
		is = now.SingletonKey
	}
	if was == is {
		return
	}
	if key := singletonKey(q.name, was); was != "" && numberOf(t.value(jobsBucket, key)) == now.Number {
		t.unset(jobsBucket, key)
	}
	if is != "" {
		t.set(jobsBucket, singletonKey(q.name, is), numberKey(now.Number))
	}
}

// DeleteJob implements store.Tx. It keeps the id, so that it never names
// another job.
func (t *tx) DeleteJob(id string) error {
	v, err := t.Job(id)
	if err != nil {
		return err
	}
	number := v.Number
	if v.Status.Open() && numberOf(t.value(jobsBucket, singletonKey(v.Queue, v.SingletonKey))) == number {
		t.unset(jobsBucket, singletonKey(v.Queue, v.SingletonKey))
	}
	for _, key := range [][]byte{keyOf(jobRecord, number), keyOf(jobCounter, number), keyOf(jobLive, number), jobQueueKey(v.Queue, number)} {
		t.unset(jobsBucket, key)
	}
	for _, table := range []byte{jobItem, jobDelayed, jobLog} {
		t.unsetAll(jobsBucket, keyOf(table, number))
	}
	t.unsetAll(attachmentsBucket, numberKey(number))
	t.unsetAll(chunksBucket, numberKey(number))
	t.jobTables.met[id] = nil
	return t.broken
}

// ForgetJob implements store.Tx.
func (t *tx) ForgetJob(id string) error {
	if err := t.DeleteJob(id); err != nil {
		return err
	}
	t.unset(jobsBucket, idKey(id))
	return t.broken
}

// dropJobs deletes a queue's jobs.
func (t *tx) dropJobs(queue string) error {
	var ids []string
	for j, err := range t.Jobs(store.JobQuery{Queue: queue}) {
		if err == nil { // what can't be read is left, and can't be found by its queue
			ids = append(ids, j.ID)
		}
	}
	for _, id := range ids {
		if err := t.DeleteJob(id); err != nil {
			return err
		}
	}
	return nil
}

// AppendLog implements store.Tx.
func (t *tx) AppendLog(id string, line *store.LogLine, keep int) error {
	j, err := t.there(id)
	if err != nil {
		return err
	}
	n := &j.counts
	n.logged++
	line.Seq, j.dirty = n.logged, true
	t.set(jobsBucket, keyOf(jobLog, j.number, line.Seq), encode(nil, logLine, line))
	for n.oldest = max(n.oldest, 1); n.logged-n.oldest >= uint64(keep); n.oldest++ {
		t.unset(jobsBucket, keyOf(jobLog, j.number, n.oldest))
	}
	return t.broken
}

// PutChunk implements store.Tx.
func (t *tx) PutChunk(id, name string, index uint64, data []byte) error {
	j, err := t.there(id)
	if err != nil {
		return err
	}
	if name == "" || len(name) > maxIndexed || bytes.IndexByte([]byte(name), 0) >= 0 {
		return store.Invalid("name "+strconv.Quote(name), "a file's name has 1 to "+strconv.Itoa(maxIndexed)+" bytes, none of them 0", "choose another")
	}
	t.set(chunksBucket, appendNumber(append(chunkKey(j.number, name), 0), index), bytes.Clone(data))
	return t.broken
}

// PutAttachment implements store.Tx.
func (t *tx) PutAttachment(id string, a *store.Attachment) error {
	chunks, err := t.Chunks(id, a.Name)
	if err != nil {
		return err
	}
	a.Size = 0
	for _, c := range chunks {
		a.Size += c.Size
	}
	t.set(attachmentsBucket, chunkKey(t.jobTables.met[id].number, a.Name), encode(nil, attachment, a))
	return t.broken
}

// DropChunk implements store.Tx.
func (t *tx) DropChunk(id, name string, index uint64) error {
	j, err := t.there(id)
	if err != nil {
		return err
	}
	t.unset(chunksBucket, appendNumber(append(chunkKey(j.number, name), 0), index))
	return t.broken
}

// DropChunks implements store.Tx.
func (t *tx) DropChunks(id, name string) error {
	j, err := t.there(id)
	if err != nil {
		return err
	}
	t.unset(attachmentsBucket, chunkKey(j.number, name))
	t.unsetAll(chunksBucket, append(chunkKey(j.number, name), 0))
	return t.broken
}

// inJob says that an item counts for its job.
func inJob(i *store.Item) bool { return i.Job != "" && i.Weight != 0 }

// countable refuses a new item that is to count for no job of its queue.
func (t *tx) countable(i *store.Item) error {
	if i.Weight == 0 {
		return nil
	}
	j, err := t.Job(i.Job)
	if err == nil && j.Queue != i.Queue {
		err = store.NoJob(i.Job)
	}
	return err
}

// countJob moves an item within its job's counters and tables from what it was
// to what it is. An item that is new was the zero Item.
func (t *tx) countJob(q *queue, old, now *store.Item, was, is standing) {
	if was, is := old.Status.Waiting() && old.Withheld, now.Status.Waiting() && now.Withheld; was != is {
		q.dirty = true
		if q.counters.withheld++; was {
			q.counters.withheld -= 2
		}
	}
	if !inJob(now) {
		return
	}
	j, err := t.job(now.Job)
	if err != nil {
		t.fail(err)
	}
	if j == nil {
		return
	}
	if old.Status == 0 {
		t.set(jobsBucket, keyOf(jobItem, j.number, now.Number), nil)
	}
	n, weight := &j.counts, int64(now.Weight)
	if old.Status != now.Status || old.Withheld != now.Withheld || old.Tally != now.Tally {
		j.dirty = true
		n.Add(old, -1)
		n.Add(now, 1)
	}
	from, to := lateFor(old, was), lateFor(now, is)
	if from && to && old.ReadyAt() == now.ReadyAt() && t.value(jobsBucket, delayedKey(j.number, old.ReadyAt(), now.Number)) != nil {
		return
	}
	if from {
		t.leaveDelayed(j, old.ReadyAt(), now.Number, weight)
	}
	if to {
		j.dirty = true
		n.Delayed += weight
		t.set(jobsBucket, delayedKey(j.number, now.ReadyAt(), now.Number), binary.AppendUvarint(nil, uint64(weight)))
	}
}

// lateFor says that an item stands among its job's delayed ones: as in its queue,
// and as long as it is withheld, whether or not its time has come.
func lateFor(i *store.Item, s standing) bool {
	return s.delayed || i.Status.Waiting() && i.Withheld && i.ReadyAt() != 0
}

// leaveJob takes an item that goes out of its job's counters and tables.
func (t *tx) leaveJob(q *queue, old *store.Item, was standing) {
	if old.Status.Waiting() && old.Withheld {
		q.counters.withheld--
	}
	if !inJob(old) {
		return
	}
	j, err := t.job(old.Job)
	if err != nil {
		t.fail(err)
	}
	if j == nil {
		return
	}
	j.dirty = true
	j.counts.Add(old, -1)
	t.unset(jobsBucket, keyOf(jobItem, j.number, old.Number))
	if lateFor(old, was) {
		t.leaveDelayed(j, old.ReadyAt(), old.Number, int64(old.Weight))
	}
}

// leaveDelayed takes an item off its job's delayed ones. One that was withheld before
// those were counted too is not among them.
func (t *tx) leaveDelayed(j *job, at store.Time, number uint64, weight int64) {
	key := delayedKey(j.number, at, number)
	if t.value(jobsBucket, key) == nil {
		return
	}
	j.dirty = true
	j.counts.Delayed -= weight
	t.unset(jobsBucket, key)
}

// ripenJob takes an item that has become ready off its job's delayed ones.
func (t *tx) ripenJob(q *queue, number uint64) {
	i, err := q.item(number)
	if err != nil || !inJob(&i) {
		return
	}
	if j, err := t.job(i.Job); err == nil && j != nil {
		t.leaveDelayed(j, i.ReadyAt(), number, int64(i.Weight))
	}
}

// flushJobs writes the counters that have changed over the wave.
func (t *tx) flushJobs() {
	for _, j := range t.jobTables.met {
		if j != nil && j.dirty {
			j.dirty = false
			t.set(jobsBucket, keyOf(jobCounter, j.number), encode(nil, func(c *coder, n *jobCounts) { n.code(c) }, &j.counts))
		}
	}
}
