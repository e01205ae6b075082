package bolt

import (
	"bytes"
	"encoding/binary"
	"strings"

	"signalbox/store"
)

// jobInventory is what is known of one job.
type jobInventory struct {
	job     store.Job
	counts  jobCounts
	counted store.JobCounts // as its items have it
	logged  uint64          // highest line of its log

	uncounted bool // its counters can't be read
}

// jobs reads all jobs' records and counters.
func (a *audit) jobs() {
	a.byID, a.byNumber = map[string]*jobInventory{}, map[uint64]*jobInventory{}
	a.eachJob(jobRecord, func(k, v []byte) {
		j := &jobInventory{job: store.Job{Number: numberOf(k)}}
		if decode(v, jobFields, &j.job) != nil || len(k) != 1+numberLen || j.job.ID == "" {
			number, record := numberOf(k), bytes.Clone(v)
			a.found(func(m *mender) error { return m.rejob(number, record) }, "job number %d: its record can't be read", number).top(a, jobsBucket, k)
			a.byNumber[number] = j
			return
		}
		a.byID[j.job.ID], a.byNumber[j.job.Number] = j, j
		a.jobEntries(&j.job)
		c := a.b.Bucket(jobsBucket).Get(keyOf(jobCounter, j.job.Number))
		if decode(c, func(c *coder, n *jobCounts) { n.code(c) }, &j.counts) != nil {
			j.counts, j.uncounted = jobCounts{}, true
			a.found(func(m *mender) error { return m.recountJob(j) }, "job %s: its counters can't be read", j.job.ID).top(a, jobsBucket, keyOf(jobCounter, j.job.Number))
		}
	})
}

// eachJob goes through one of the tables of the jobs bucket.
func (a *audit) eachJob(table byte, fn func(k, v []byte)) {
	b := a.b.Bucket(jobsBucket)
	if b == nil {
		return
	}
	c := b.Cursor()
	for k, v := c.Seek([]byte{table}); len(k) > 0 && k[0] == table; k, v = c.Next() {
		fn(k, v)
	}
}

// jobEntries wants a job where it must be found.
func (a *audit) jobEntries(j *store.Job) {
	want := map[string][]byte{
		string(idKey(j.ID)):                    numberKey(j.Number),
		string(jobQueueKey(j.Queue, j.Number)): nil,
	}
	if j.EndedAt == 0 {
		want[string(keyOf(jobLive, j.Number))] = nil
	}
	if j.Status.Open() && j.SingletonKey != "" {
		want[string(singletonKey(j.Queue, j.SingletonKey))] = numberKey(j.Number)
	}
	for key, value := range want {
		a.wantJob(j, []byte(key), value)
	}
}

// wantJob notes an entry about a job that is there, and finds one that is not.
func (a *audit) wantJob(j *store.Job, key, value []byte) *finding {
	if a.wanted == nil {
		a.wanted = map[byte]int{}
	}
	c := a.b.Bucket(jobsBucket).Cursor()
	if k, v := c.Seek(key); bytes.Equal(k, key) && bytes.Equal(v, value) {
		a.wanted[key[0]]++
		return &finding{}
	}
	f := a.found(func(m *mender) error { return m.putTop(jobsBucket, key, value) }, "job %s: the entry %q of it is missing", j.ID, key[:1])
	return f.top(a, jobsBucket, key).top(a, jobsBucket, keyOf(jobRecord, j.Number))
}

// inJob counts an item in its job, and wants it there.
func (a *audit) inJob(q *inventory, i *store.Item, delayed bool) {
	j := a.byID[i.Job]
	if !inJob(i) || j == nil || j.job.Queue != q.name {
		return
	}
	j.counted.Add(i, 1)
	a.wantJob(&j.job, keyOf(jobItem, j.job.Number, i.Number), nil).item(q, i.Number)
	if !delayed && lateFor(i, standing{}) { // one withheld before these were entered is not
		delayed = a.b.Bucket(jobsBucket).Get(delayedKey(j.job.Number, i.ReadyAt(), i.Number)) != nil
	}
	if delayed {
		j.counted.Delayed += int64(i.Weight)
		a.wantJob(&j.job, delayedKey(j.job.Number, i.ReadyAt(), i.Number), binary.AppendUvarint(nil, uint64(i.Weight))).item(q, i.Number)
	}
}

// jobStrays finds what belongs to no job or item, and holds counters against
// what was counted.
func (a *audit) jobStrays() {
	for _, table := range []byte{jobCounter, jobLive, jobQueue, jobKey, jobItem, jobDelayed} {
		n := 0
		a.eachJob(table, func(k, v []byte) { n++ })
		if n != a.wanted[table] {
			a.jobStray(table)
		}
	}
	highest := uint64(0)
	a.eachJob(jobID, func(k, v []byte) { highest = max(highest, numberOf(v)) })
	if b := a.b.Bucket(jobsBucket); b != nil && numberOf(b.Get(jobMade)) < highest {
		a.found(func(m *mender) error { return m.putTop(jobsBucket, jobMade, numberKey(highest)) }, "the number of jobs that were made says %d, there is a job %d", numberOf(b.Get(jobMade)), highest).top(a, jobsBucket, jobMade)
	}
	a.jobLogs()
	a.jobFiles()
	for _, j := range a.byID {
		has := j.counts.JobCounts
		has.NextAvailableAt = 0
		if has != j.counted || j.counts.logged < j.logged {
			a.found(func(m *mender) error { return m.recountJob(j) }, "job %s: its counters say %+v, its items %+v", j.job.ID, has, j.counted)
		}
	}
}

// jobStray looks at each entry of a table.
func (a *audit) jobStray(table byte) {
	a.eachJob(table, func(k, v []byte) {
		if a.jobBelongs(table, k, v) {
			return
		}
		key, value := bytes.Clone(k), bytes.Clone(v)
		a.found(func(m *mender) error { return m.removeTop(jobsBucket, key) }, "an entry %q of jobs is of nothing: %x", key[:1], key[1:]).
			top(a, jobsBucket, key).top(a, jobsBucket, keyOf(jobRecord, jobNumber(table, key, value))).
			when(func() bool { return !a.jobBelongs(table, key, value) })
	})
}

// jobNumber gives the number of the job that an entry of a table is about.
func jobNumber(table byte, k, v []byte) uint64 {
	switch {
	case table == jobKey:
		return numberOf(v)
	case (table == jobItem || table == jobDelayed) && len(k) > numberLen:
		return binary.BigEndian.Uint64(k[1:])
	}
	return numberOf(k)
}

func (a *audit) jobBelongs(table byte, k, v []byte) bool {
	switch table {
	case jobCounter:
		return a.byNumber[numberOf(k)] != nil && len(k) == 1+numberLen
	case jobLive, jobQueue:
		j := a.byNumber[numberOf(k)]
		return j != nil && (table == jobLive && j.job.EndedAt == 0 || bytes.Equal(k, jobQueueKey(j.job.Queue, j.job.Number)) || j.job.ID == "")
	case jobKey:
		j := a.byNumber[numberOf(v)]
		return j != nil && j.job.Status.Open() && bytes.Equal(k, singletonKey(j.job.Queue, j.job.SingletonKey))
	}
	if len(k) < 1+2*numberLen {
		return false
	}
	j := a.byNumber[binary.BigEndian.Uint64(k[1:])]
	if j == nil || a.queues[j.job.Queue] == nil {
		return false
	}
	q := a.queues[j.job.Queue]
	i, _, _ := q.find(numberOf(k), nil)
	if i == nil || i.Job != j.job.ID || !inJob(i) {
		return false
	}
	return table == jobItem || bytes.Equal(k, delayedKey(j.job.Number, i.ReadyAt(), i.Number)) &&
		(lateFor(i, standing{}) || q.has(delayed, appendNumber(appendTime(nil, i.ReadyAt()), i.Number)))
}

// jobLogs reads all lines of jobs' logs.
func (a *audit) jobLogs() {
	a.eachJob(jobLog, func(k, v []byte) {
		var line store.LogLine
		j := (*jobInventory)(nil)
		if len(k) == 1+2*numberLen {
			j = a.byNumber[binary.BigEndian.Uint64(k[1:])]
		}
		if j != nil && decode(v, logLine, &line) == nil {
			j.logged = max(j.logged, numberOf(k))
			return
		}
		a.asideJob(jobsBucket, k, v, "a line of a job's log can't be read, or is of no job")
	})
}

// jobFiles wants files to be of jobs.
func (a *audit) jobFiles() {
	for _, name := range [][]byte{attachmentsBucket, chunksBucket} {
		b := a.b.Bucket(name)
		if b == nil {
			continue
		}
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			var of store.Attachment
			switch {
			case len(k) <= numberLen || a.byNumber[binary.BigEndian.Uint64(k)] == nil:
				a.asideJob(name, k, v, "a file is of no job")
			case name[0] == attachmentsBucket[0] && decode(v, attachment, &of) != nil:
				a.asideJob(name, k, v, "what is known of the file "+strings.ToValidUTF8(string(k[numberLen:]), "?")+" of a job can't be read")
			}
		}
	}
}

func (a *audit) asideJob(bucket, k, v []byte, text string) {
	key, value := bytes.Clone(k), bytes.Clone(v)
	a.found(func(m *mender) error {
		m.keep(string(bucket), "", key, value)
		return m.removeTop(bucket, key)
	}, "%s", text).top(a, bucket, key)
}

// recountJob brings a job's counters into step with its items and its log.
func (m *mender) recountJob(j *jobInventory) error {
	n := jobCounts{JobCounts: j.counted, logged: max(j.counts.logged, j.logged), oldest: j.counts.oldest}
	if now := (jobCounts{}); m.t != nil && !j.uncounted {
		if decode(m.b.Bucket(jobsBucket).Get(keyOf(jobCounter, j.job.Number)), func(c *coder, n *jobCounts) { n.code(c) }, &now) != nil {
			return nil
		}
		n = now.plus(&j.counted, &j.counts.JobCounts)
		n.logged = max(n.logged, j.logged)
	}
	if n.oldest > n.logged {
		n.oldest = 0
	}
	return m.putTop(jobsBucket, keyOf(jobCounter, j.job.Number), encode(nil, func(c *coder, n *jobCounts) { n.code(c) }, &n))
}

// plus gives counters changed by what others should be and are.
func (n jobCounts) plus(want, has *store.JobCounts) jobCounts {
	n.Available += want.Available - has.Available
	n.Delayed += want.Delayed - has.Delayed
	n.InFlight += want.InFlight - has.InFlight
	n.Done += want.Done - has.Done
	n.Failed += want.Failed - has.Failed
	n.Cancelled += want.Cancelled - has.Cancelled
	n.Waiting += want.Waiting - has.Waiting
	n.Withheld += want.Withheld - has.Withheld
	return n
}

// rejob sets a job's record aside. Where its id and queue are still known it
// gets a new one, running, so that its items go on counting for it.
func (m *mender) rejob(number uint64, record []byte) error {
	m.keep("jobs", "", keyOf(jobRecord, number), record)
	v := store.Job{Number: number, Status: store.JobRunning, Initiator: m.actor, CreatedAt: m.at, Revision: 1}
	m.a.eachJob(jobID, func(k, of []byte) {
		if numberOf(of) == number {
			v.ID = string(k[1:])
		}
	})
	m.a.eachJob(jobQueue, func(k, _ []byte) {
		if numberOf(k) == number && len(k) > 2+numberLen {
			v.Queue = string(k[1 : len(k)-numberLen-1])
		}
	})
	if v.ID == "" || m.a.queues[v.Queue] == nil {
		return m.removeTop(jobsBucket, keyOf(jobRecord, number))
	}
	return m.putTop(jobsBucket, keyOf(jobRecord, number), encode(nil, jobFields, &v))
}
