package bolt

import (
	"bytes"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"signalbox/store"
)

var (
	jobsBucket        = []byte("jobs")
	attachmentsBucket = []byte("attachments")
	chunksBucket      = []byte("chunks")
)

// The jobs bucket holds several tables, told apart by the first byte of a key.
const (
	jobRecord  = 'r' // number                → record
	jobID      = 'i' // id                    → number; it stays when the job is deleted
	jobCounter = 'c' // number                → counters
	jobLive    = 'o' // number                → nothing, while EndedAt is 0
	jobQueue   = 'q' // queue, 0, number      → nothing
	jobKey     = 'k' // queue, 0, key         → number, of open jobs
	jobItem    = 'm' // number, item          → nothing
	jobDelayed = 'd' // number, ready at, item → weight
	jobLog     = 'l' // number, line          → line
)

// jobMade is the key of the highest number given out.
var jobMade = []byte{'s'}

// top is a bucket of the file's root as one transaction sees it.
type top struct {
	bucket *bbolt.Bucket // nil when nothing was ever put there
	cursor *bbolt.Cursor
	looked bool
}

// jobTables is what one transaction has opened of the jobs.
type jobTables struct {
	jobs, attachments, chunks, slots top
	met                              map[string]*job // nil: there is none of this id
}

// job is one job as one transaction sees it.
type job struct {
	number uint64
	known  *store.Job // its record, once read
	counts jobCounts
	dirty  bool // counts must be written
}

// jobCounts are what is counted of a job's items by weight, and of its log.
type jobCounts struct {
	store.JobCounts        // Delayed: entries in the delayed table
	logged          uint64 // highest Seq given out
	oldest          uint64 // lowest Seq kept
}

func (n *jobCounts) code(c *coder) {
	c.int64(1, &n.Available)
	c.int64(2, &n.Delayed)
	c.int64(3, &n.InFlight)
	c.int64(4, &n.Done)
	c.int64(5, &n.Failed)
	c.int64(6, &n.Cancelled)
	c.int64(7, &n.Withheld)
	c.uint(8, &n.logged)
	c.uint(9, &n.oldest)
	c.int64(10, &n.Waiting)
	n.Total = n.Available + n.InFlight + n.Done + n.Failed + n.Cancelled
}

func jobFields(c *coder, j *store.Job) {
	c.str(1, &j.ID)
	c.str(2, &j.Queue)
	c.str(3, &j.Kind)
	status := uint64(j.Status)
	c.uint(4, &status)
	j.Status = store.JobStatus(status)
	c.str(5, &j.PausedBy)
	c.str(6, &j.Initiator)
	c.str(7, &j.SingletonKey)
	c.str(8, (*string)(&j.Metadata))
	c.bool(9, &j.Filling)
	c.time(10, &j.CreatedAt)
	c.time(11, &j.EndedAt)
	c.int(12, &j.Hook.Tries)
	c.str(13, &j.Hook.Error)
	c.time(14, &j.Hook.RanAt)
	c.uint(15, &j.Revision)
	c.int64(16, &j.Final.Done)
	c.int64(17, &j.Final.Failed)
	c.int64(18, &j.Final.Cancelled)
	c.int64(19, &j.Final.Total)
	c.int64(20, &j.Gone.Done)
	c.int64(21, &j.Gone.Failed)
	c.int64(22, &j.Gone.Cancelled)
	j.Gone.Total = j.Gone.Done + j.Gone.Failed + j.Gone.Cancelled
	c.int(23, &j.Feeds)
}

func logLine(c *coder, l *store.LogLine) {
	c.time(1, &l.At)
	c.str(2, &l.Level)
	c.str(3, &l.Text)
	c.str(4, (*string)(&l.Fields))
}

func attachment(c *coder, a *store.Attachment) {
	c.str(1, &a.Type)
	c.int64(2, &a.Size)
	c.time(3, &a.CreatedAt)
	c.str(4, &a.CreatedBy)
}

// top gives the handle of a bucket of the root.
func (r *reader) top(name []byte) *top {
	h := &r.jobTables.jobs
	switch name[0] {
	case attachmentsBucket[0]:
		h = &r.jobTables.attachments
	case chunksBucket[0]:
		h = &r.jobTables.chunks
	case slotsBucket[0]:
		h = &r.jobTables.slots
	}
	if !h.looked {
		h.looked = true
		if h.bucket = r.bolt.Bucket(name); h.bucket != nil {
			h.cursor = h.bucket.Cursor()
		}
	}
	return h
}

// value gives the value of a key of a bucket of the root, nil when it is not
// there; a value that is empty counts as there.
func (r *reader) value(name, key []byte) []byte {
	h := r.top(name)
	if h.bucket == nil {
		return nil
	}
	if k, v := h.cursor.Seek(key); bytes.Equal(k, key) {
		if v == nil {
			v = []byte{}
		}
		return v
	}
	return nil
}

// keyOf writes a key of the jobs bucket: its table, then numbers.
func keyOf(table byte, numbers ...uint64) []byte {
	b := make([]byte, 1, 1+8*len(numbers))
	b[0] = table
	for _, n := range numbers {
		b = appendNumber(b, n)
	}
	return b
}

func idKey(id string) []byte { return append([]byte{jobID}, id...) }

func singletonKey(queue, key string) []byte {
	return append(append(append([]byte{jobKey}, queue...), 0), key...)
}

func jobQueueKey(queue string, number uint64) []byte {
	return appendNumber(append(append([]byte{jobQueue}, queue...), 0), number)
}

func delayedKey(number uint64, at store.Time, item uint64) []byte {
	return appendNumber(appendTime(keyOf(jobDelayed, number), at), item)
}

// chunkKey is also the key of the attachment a name's chunks make, followed by
// 0 and the chunk's index.
func chunkKey(number uint64, name string) []byte {
	return append(numberKey(number), name...)
}

// job opens a job for this transaction; nil when there is none.
func (r *reader) job(id string) (*job, error) {
	if j, ok := r.jobTables.met[id]; ok {
		return j, nil
	}
	var j *job
	if number := numberOf(r.value(jobsBucket, idKey(id))); number != 0 {
		var err error
		if j, err = r.jobOf(number); err != nil {
			return nil, damagedJob(id, err)
		}
	}
	if r.jobTables.met == nil {
		r.jobTables.met = map[string]*job{}
	}
	r.jobTables.met[id] = j
	return j, nil
}

// jobOf opens a job by its number; nil when it was deleted.
func (r *reader) jobOf(number uint64) (*job, error) {
	v := r.value(jobsBucket, keyOf(jobCounter, number))
	if v == nil {
		return nil, nil
	}
	j := &job{number: number}
	return j, decode(v, func(c *coder, n *jobCounts) { n.code(c) }, &j.counts)
}

// there is job for what must be there.
func (r *reader) there(id string) (*job, error) {
	j, err := r.job(id)
	if err == nil && j == nil {
		err = store.NoJob(id)
	}
	return j, err
}

// Job implements store.Reader.
func (r *reader) Job(id string) (store.Job, error) {
	j, err := r.there(id)
	if err != nil {
		return store.Job{}, err
	}
	if j.known == nil {
		v := store.Job{Number: j.number}
		if err := decode(r.value(jobsBucket, keyOf(jobRecord, j.number)), jobFields, &v); err != nil {
			return store.Job{}, damagedJob(id, err)
		}
		j.known = &v
	}
	return *j.known, nil
}

// JobCounts implements store.Reader. Of the delayed items those that are due are
// looked at one by one, or those that are not, whichever are fewer: of a running job
// the first wait for no more than a Ripen, of a paused one for its going on.
func (r *reader) JobCounts(id string, now store.Time) (store.JobCounts, error) {
	j, err := r.there(id)
	if err != nil {
		return store.JobCounts{}, err
	}
	c := j.counts.JobCounts
	if c.Delayed == 0 {
		return c, nil
	}
	prefix := keyOf(jobDelayed, j.number)
	border := delayedKey(j.number, now+1, 0)
	bucket := r.top(jobsBucket).bucket
	due, later := bucket.Cursor(), bucket.Cursor()
	atDue, dueWeight := due.Seek(prefix)
	atLater, laterWeight := later.Seek(border)
	if bytes.HasPrefix(atLater, prefix) {
		c.NextAvailableAt = timeOf(atLater[len(prefix):])
	}
	past, ahead := int64(0), int64(0)
	for {
		if atDue == nil || bytes.Compare(atDue, border) >= 0 {
			c.Delayed -= past
			return c, nil
		}
		if !bytes.HasPrefix(atLater, prefix) {
			c.Delayed = ahead
			return c, nil
		}
		past, ahead = past+weighed(dueWeight), ahead+weighed(laterWeight)
		atDue, dueWeight = due.Next()
		atLater, laterWeight = later.Next()
	}
}

func weighed(v []byte) int64 {
	weight, _ := binary.Uvarint(v)
	return int64(weight)
}

// OpenJob implements store.Reader.
func (r *reader) OpenJob(queue, key string) (string, error) {
	number := numberOf(r.value(jobsBucket, singletonKey(queue, key)))
	if number == 0 || key == "" {
		return "", nil
	}
	var v store.Job
	if err := decode(r.value(jobsBucket, keyOf(jobRecord, number)), jobFields, &v); err != nil {
		return "", damagedJob(key, err)
	}
	return v.ID, nil
}

// JobLog implements store.Reader.
func (r *reader) JobLog(id string, after uint64, limit int) ([]store.LogLine, error) {
	j, err := r.there(id)
	if err != nil {
		return nil, err
	}
	var list []store.LogLine
	cursor, prefix := r.top(jobsBucket).bucket.Cursor(), keyOf(jobLog, j.number)
	for k, v := cursor.Seek(keyOf(jobLog, j.number, after+1)); bytes.HasPrefix(k, prefix) && len(list) < limit; k, v = cursor.Next() {
		line := store.LogLine{Seq: numberOf(k)}
		if err := decode(v, logLine, &line); err != nil {
			return list, damagedJob(id, err)
		}
		list = append(list, line)
	}
	return list, nil
}

// Attachments implements store.Reader.
func (r *reader) Attachments(id string) ([]store.Attachment, error) {
	j, err := r.there(id)
	if err != nil {
		return nil, err
	}
	h := r.top(attachmentsBucket)
	if h.bucket == nil {
		return nil, nil
	}
	var list []store.Attachment
	cursor, prefix := h.bucket.Cursor(), numberKey(j.number)
	for k, v := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = cursor.Next() {
		a := store.Attachment{Name: string(k[len(prefix):])}
		if err := decode(v, attachment, &a); err != nil {
			return list, damagedJob(id, err)
		}
		list = append(list, a)
	}
	return list, nil
}

// Chunks implements store.Reader.
func (r *reader) Chunks(id, name string) ([]store.Chunk, error) {
	j, err := r.there(id)
	if err != nil {
		return nil, err
	}
	h := r.top(chunksBucket)
	if h.bucket == nil {
		return nil, nil
	}
	var list []store.Chunk
	cursor, prefix := h.bucket.Cursor(), append(chunkKey(j.number, name), 0)
	for k, v := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = cursor.Next() {
		if len(k) == len(prefix)+numberLen {
			list = append(list, store.Chunk{Index: numberOf(k), Size: int64(len(v))})
		}
	}
	return list, nil
}

// Chunk implements store.Reader.
func (r *reader) Chunk(id, name string, index uint64) ([]byte, error) {
	j, err := r.there(id)
	if err != nil {
		return nil, err
	}
	v := r.value(chunksBucket, appendNumber(append(chunkKey(j.number, name), 0), index))
	if v == nil {
		return nil, store.NotFound("chunk of "+name+" of job "+id, "see `signalbox job attachment "+id+"`")
	}
	return bytes.Clone(v), nil
}

func damagedJob(id string, err error) error { return damaged("job "+id, err) }
