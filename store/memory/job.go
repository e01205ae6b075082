package memory

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signalbox/store"
)

// jobs is the part of a state about jobs. A job in place is never changed, only
// replaced.
type jobs struct {
	byID  map[string]*job // nil: there was one of this id
	made  uint64          // the highest number given out
	hooks []store.Webhook
}

type job struct {
	record      store.Job
	log         []store.LogLine
	logged      uint64 // the highest Seq given out
	attachments map[string]store.Attachment
	chunks      map[string]map[uint64][]byte // by name and index
}

func newJobs() jobs { return jobs{byID: map[string]*job{}} }

func (j jobs) copy() jobs { return jobs{maps.Clone(j.byID), j.made, j.hooks} }

func (j jobs) job(id string) (*job, error) {
	if found := j.byID[id]; found != nil {
		return found, nil
	}
	return nil, store.NoJob(id)
}

// of names a queue's jobs.
func (j jobs) of(queue string) (ids []string) {
	for id, found := range j.byID {
		if found != nil && found.record.Queue == queue {
			ids = append(ids, id)
		}
	}
	return ids
}

// inJob says that an item counts for a job.
func inJob(i *store.Item, job string) bool { return i.Job == job && i.Weight != 0 }

// tally counts an item in its job, or with n = -1 takes it off.
func (q *queue) tally(i *store.Item, n int64) {
	if i.Status.Waiting() && i.Withheld {
		q.withheld += n
	}
	if i.Job == "" || i.Weight == 0 {
		return
	}
	c := q.tallies[i.Job]
	c.Add(i, n)
	q.tallies[i.Job] = c
}

// Job implements store.Reader.
func (s *state) Job(id string) (store.Job, error) {
	j, err := s.job(id)
	if err != nil {
		return store.Job{}, err
	}
	return j.record, nil
}

// JobCounts implements store.Reader.
func (s *state) JobCounts(id string, now store.Time) (store.JobCounts, error) {
	j, err := s.job(id)
	if err != nil {
		return store.JobCounts{}, err
	}
	q, err := s.queue(j.record.Queue)
	if err != nil {
		return store.JobCounts{}, err
	}
	c := q.tallies[id]
	late := func(i *store.Item) {
		at := i.ReadyAt()
		if !inJob(i, id) || at <= now {
			return
		}
		if c.Delayed += int64(i.Weight); c.NextAvailableAt == 0 || at < c.NextAvailableAt {
			c.NextAvailableAt = at
		}
	}
	for r := range all(q.delayed) {
		late(&r.item)
	}
	if c.Withheld > 0 { // they stand in no index
		for r := range all(q.items) {
			if r.item.Status.Waiting() && r.item.Withheld {
				late(&r.item)
			}
		}
	}
	return c, nil
}

// Jobs implements store.Reader.
func (s *state) Jobs(by store.JobQuery) iter.Seq2[store.Job, error] {
	var list []store.Job
	for _, j := range s.byID {
		if j == nil || by.Queue != "" && j.record.Queue != by.Queue || by.Live && j.record.EndedAt != 0 || by.Before != 0 && j.record.Number >= by.Before {
			continue
		}
		list = append(list, j.record)
	}
	slices.SortFunc(list, func(a, b store.Job) int { return int(b.Number) - int(a.Number) })
	return func(yield func(store.Job, error) bool) {
		for _, j := range list {
			if !yield(j, nil) {
				return
			}
		}
	}
}

// OpenJob implements store.Reader.
func (s *state) OpenJob(queue, key string) (string, error) {
	for id, j := range s.byID {
		if j != nil && j.record.Queue == queue && j.record.SingletonKey == key && key != "" && j.record.Status.Open() {
			return id, nil
		}
	}
	return "", nil
}

// JobLog implements store.Reader.
func (s *state) JobLog(id string, after uint64, limit int) ([]store.LogLine, error) {
	j, err := s.job(id)
	if err != nil {
		return nil, err
	}
	var list []store.LogLine
	for _, line := range j.log {
		if line.Seq > after && len(list) < limit {
			list = append(list, line)
		}
	}
	return list, nil
}

// Attachments implements store.Reader.
func (s *state) Attachments(id string) ([]store.Attachment, error) {
	j, err := s.job(id)
	if err != nil {
		return nil, err
	}
	byName := func(a, b store.Attachment) int { return strings.Compare(a.Name, b.Name) }
	return slices.SortedFunc(maps.Values(j.attachments), byName), nil
}

// Chunks implements store.Reader.
func (s *state) Chunks(id, name string) ([]store.Chunk, error) {
	j, err := s.job(id)
	if err != nil {
		return nil, err
	}
	var list []store.Chunk
	for _, index := range slices.Sorted(maps.Keys(j.chunks[name])) {
		list = append(list, store.Chunk{Index: index, Size: int64(len(j.chunks[name][index]))})
	}
	return list, nil
}

// Chunk implements store.Reader.
func (s *state) Chunk(id, name string, index uint64) ([]byte, error) {
	j, err := s.job(id)
	if err != nil {
		return nil, err
	}
	data, ok := j.chunks[name][index]
	if !ok {
		return nil, store.NotFound(fmt.Sprintf("chunk %d of %q of job %q", index, name, id), "")
	}
	return bytes.Clone(data), nil
}

// PutJob implements store.Tx.
func (t *tx) PutJob(v *store.Job) error {
	if _, err := t.queue(v.Queue); err != nil {
		return err
	}
	if v.Status.Open() {
		if holder, _ := t.OpenJob(v.Queue, v.SingletonKey); holder != "" && holder != v.ID {
			return store.TakenKey(v.SingletonKey, holder)
		}
	}
	if v.Number != 0 {
		old, err := t.job(v.ID)
		if err != nil {
			return err
		}
		if old.record.Number != v.Number || old.record.Queue != v.Queue {
			return store.Conflict("job "+strconv.Quote(v.ID), "a job keeps its queue and number", "start another one")
		}
		v.Revision = old.record.Revision + 1
		t.rewriteJob(v.ID, func(j *job) { j.record = *v })
		return nil
	}
	if _, taken := t.byID[v.ID]; taken {
		return store.Conflict("job "+strconv.Quote(v.ID), "there is or was one of this id", "choose another")
	}
	for t.made++; v.ID == ""; t.made++ {
		id := fmt.Sprintf("%s-%d", v.Queue, t.made)
		if _, taken := t.byID[id]; !taken {
			v.ID = id
			break
		}
	}
	v.Number, v.Revision = t.made, 1
	t.byID[v.ID] = &job{record: *v}
	return nil
}

// rewriteJob puts a changed copy of a job, which is there, in its place.
func (t *tx) rewriteJob(id string, fn func(*job)) {
	j := *t.byID[id]
	j.attachments, j.chunks = maps.Clone(j.attachments), maps.Clone(j.chunks)
	fn(&j)
	t.byID[id] = &j
}

// DeleteJob implements store.Tx.
func (t *tx) DeleteJob(id string) error {
	if _, err := t.job(id); err != nil {
		return err
	}
	t.byID[id] = nil
	return nil
}

// ForgetJob implements store.Tx.
func (t *tx) ForgetJob(id string) error {
	if _, err := t.job(id); err != nil {
		return err
	}
	delete(t.byID, id)
	return nil
}

// AppendLog implements store.Tx.
func (t *tx) AppendLog(id string, line *store.LogLine, keep int) error {
	if _, err := t.job(id); err != nil {
		return err
	}
	t.rewriteJob(id, func(j *job) {
		j.logged++
		line.Seq = j.logged
		j.log = append(j.log[:len(j.log):len(j.log)], *line)
		j.log = j.log[max(0, len(j.log)-keep):]
	})
	return nil
}

// PutChunk implements store.Tx.
func (t *tx) PutChunk(id, name string, index uint64, data []byte) error {
	if _, err := t.job(id); err != nil {
		return err
	}
	t.rewriteJob(id, func(j *job) {
		if j.chunks == nil {
			j.chunks = map[string]map[uint64][]byte{}
		}
		chunks := maps.Clone(j.chunks[name])
		if chunks == nil {
			chunks = map[uint64][]byte{}
		}
		chunks[index] = bytes.Clone(data)
		j.chunks[name] = chunks
	})
	return nil
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
	t.rewriteJob(id, func(j *job) {
		if j.attachments == nil {
			j.attachments = map[string]store.Attachment{}
		}
		j.attachments[a.Name] = *a
	})
	return nil
}

// DropChunk implements store.Tx.
func (t *tx) DropChunk(id, name string, index uint64) error {
	if _, err := t.job(id); err != nil {
		return err
	}
	t.rewriteJob(id, func(j *job) {
		if chunks := maps.Clone(j.chunks[name]); chunks != nil {
			delete(chunks, index)
			j.chunks[name] = chunks
		}
	})
	return nil
}

// DropChunks implements store.Tx.
func (t *tx) DropChunks(id, name string) error {
	if _, err := t.job(id); err != nil {
		return err
	}
	t.rewriteJob(id, func(j *job) {
		delete(j.attachments, name)
		delete(j.chunks, name)
	})
	return nil
}

// Webhooks implements store.Reader.
func (s *state) Webhooks() ([]store.Webhook, error) { return cloneHooks(s.hooks), nil }

// PutWebhooks implements store.Tx.
func (t *tx) PutWebhooks(list []store.Webhook) error {
	t.hooks = cloneHooks(list)
	return nil
}

func cloneHooks(list []store.Webhook) []store.Webhook {
	list = slices.Clone(list)
	for n := range list {
		list[n].Events = slices.Clone(list[n].Events)
	}
	return list
}
