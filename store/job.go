package store

import "iter"

// JobStatus is how far a job has come.
type JobStatus uint8

// The four job statuses.
const (
	JobRunning JobStatus = iota + 1
	JobPaused
	JobDone
	JobCancelled
)

var jobStatusNames = [...]string{JobRunning: "running", JobPaused: "paused", JobDone: "done", JobCancelled: "cancelled"}

// String gives the status's name.
func (s JobStatus) String() string { return nameOf(jobStatusNames[:], int(s)) }

// Open says that items of the job may still be worked, now or after a resume.
func (s JobStatus) Open() bool { return s == JobRunning || s == JobPaused }

// MarshalText implements encoding.TextMarshaler.
func (s JobStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *JobStatus) UnmarshalText(b []byte) error {
	i := indexOf(jobStatusNames[:], string(b))
	if i < 0 {
		return Invalid("job status "+quote(string(b)), "no job has this status", "use running, paused, done or cancelled")
	}
	*s = JobStatus(i)
	return nil
}

// Job groups items of one queue under one record. An item belongs to the job
// that its Job names, for life, and counts there by its Weight.
type Job struct {
	ID           string    `json:"id"`
	Number       uint64    `json:"number"` // place among all jobs ever made, from 1; set by the store
	Queue        string    `json:"queue"`
	Kind         string    `json:"kind,omitempty"` // whose completion hook it has; "" = none
	Status       JobStatus `json:"status"`
	PausedBy     string    `json:"paused_by,omitempty"`
	Initiator    string    `json:"initiator"`
	SingletonKey string    `json:"singleton_key,omitempty"`
	Metadata     JSON      `json:"metadata,omitempty"`
	// Filling says that more items are to come, so it is not done however few
	// are left. Feeds counts the import jobs that bring some.
	Filling   bool `json:"filling,omitempty"`
	Feeds     int  `json:"-"`
	CreatedAt Time `json:"created_at"`
	// EndedAt is when its last item was accounted for; 0 while it is open, and
	// while items of a cancelled job are still to be cancelled.
	EndedAt Time `json:"ended_at,omitzero"`
	Hook    Hook `json:"hook,omitzero"`
	// Final is what it counted when it ended: its items may be removed later.
	Final JobCounts `json:"-"`
	// Gone is what it counted of the items that retention has removed: they go on
	// counting when the job does.
	Gone JobCounts `json:"-"`
	// Revision grows with every write of the job.
	Revision uint64 `json:"revision"`
}

// Hook is what became of a job's completion hook.
type Hook struct {
	Tries int    `json:"tries,omitempty"` // failed ones
	Error string `json:"error,omitempty"` // of the last try
	RanAt Time   `json:"ran_at,omitzero"` // 0 = not yet
}

// JobCounts counts a job's items by their weights, and completed ones that have a
// Tally by that. Retried items do not count, since the copies that go on in their
// place do; nor do deleted ones.
type JobCounts struct {
	Available       int64 `json:"available"` // waiting, delayed ones included
	Delayed         int64 `json:"delayed"`   // those of Available whose ReadyAt lies ahead, withheld or not
	NextAvailableAt Time  `json:"next_available_at,omitzero"`
	InFlight        int64 `json:"inflight"`
	Done            int64 `json:"done"`
	Failed          int64 `json:"failed"` // excepted and abandoned ones included
	Cancelled       int64 `json:"cancelled"`
	Total           int64 `json:"total"`
	// Waiting is the number of waiting items, Withheld that of those withheld;
	// both in items.
	Waiting  int64 `json:"-"`
	Withheld int64 `json:"-"`
}

// of gives the counter that an item of the status stands under, nil for none.
func (c *JobCounts) of(s Status) *int64 {
	switch s {
	case Queued, Pending:
		return &c.Available
	case Claimed, Processing:
		return &c.InFlight
	case Completed, Successful:
		return &c.Done
	case Failed, BusinessException, SystemException, Abandoned:
		return &c.Failed
	case Cancelled:
		return &c.Cancelled
	}
	return nil
}

// Add counts an item n times, or with a negative n takes it off; all but what
// depends on the time.
func (c *JobCounts) Add(i *Item, n int64) {
	switch at := c.of(i.Status); {
	case at == nil:
	case at == &c.Done && i.Tally.Known:
		c.Done += n * int64(i.Tally.Done)
		c.Failed += n * int64(i.Tally.Failed)
		c.Total += n * int64(i.Tally.Done+i.Tally.Failed)
	default:
		*at += n * int64(i.Weight)
		c.Total += n * int64(i.Weight)
	}
	if i.Status.Waiting() {
		if c.Waiting += n; i.Withheld {
			c.Withheld += n
		}
	}
}

// Plus gives the counts of both together; of o only what is settled counts.
func (c JobCounts) Plus(o JobCounts) JobCounts {
	c.Done, c.Failed, c.Cancelled = c.Done+o.Done, c.Failed+o.Failed, c.Cancelled+o.Cancelled
	c.Total += o.Done + o.Failed + o.Cancelled
	return c
}

// JobQuery selects jobs, newest first. Its zero value selects all.
type JobQuery struct {
	Queue  string // "" = of every queue
	Live   bool   // only those whose EndedAt is 0
	Before uint64 // go on with jobs of a lower Number; 0 = start at the newest
}

// LogLine is one line of a job's log.
type LogLine struct {
	Seq    uint64 `json:"seq"` // from 1; set by the store
	At     Time   `json:"at"`
	Level  string `json:"level"`
	Text   string `json:"text"`
	Fields JSON   `json:"fields,omitempty"`
}

// Attachment is a file that is kept with a job. Its contents are the chunks of
// its name in order of their index.
type Attachment struct {
	Name      string `json:"name"`
	Type      string `json:"type,omitempty"` // its media type
	Size      int64  `json:"size"`           // bytes
	CreatedAt Time   `json:"created_at"`
	CreatedBy string `json:"created_by,omitempty"`
}

// Chunk names one part of a file that is being put together, or is whole.
type Chunk struct {
	Index uint64
	Size  int64 // bytes
}

// JobReader reads jobs. Naming one that is not there gives CodeNotFound.
type JobReader interface {
	// Job gives one job.
	Job(id string) (Job, error)
	// JobCounts counts a job's items as of now, without looking at them.
	JobCounts(id string, now Time) (JobCounts, error)
	// Jobs yields the selected jobs, newest first. An unreadable record is
	// yielded as an error and the next follows.
	Jobs(JobQuery) iter.Seq2[Job, error]
	// OpenJob finds the open job of a queue with a singleton key; "" when there
	// is none.
	OpenJob(queue, key string) (id string, err error)
	// JobLog gives the lines of a job's log after a sequence number, oldest
	// first, at most limit.
	JobLog(id string, after uint64, limit int) ([]LogLine, error)
	// Attachments lists a job's attachments by name.
	Attachments(id string) ([]Attachment, error)
	// Chunks lists the chunks of a name by index; none when there are none.
	Chunks(id, name string) ([]Chunk, error)
	// Chunk gives one chunk's bytes, or CodeNotFound.
	Chunk(id, name string, index uint64) ([]byte, error)
	// Webhooks lists the addresses that PutWebhooks kept.
	Webhooks() ([]Webhook, error)
}

// JobTx writes jobs.
type JobTx interface {
	// PutJob adds a job, whose Number is 0, or replaces one, and bumps its
	// revision. A new one without an id gets one made of its queue and number.
	// An id never names another job, also after it was deleted, a job stays in
	// its queue, and no two open ones of a queue have one singleton key
	// (CodeConflict).
	PutJob(*Job) error
	// DeleteJob removes a job with its log and attachments. Its items stay; they
	// are not counted any more.
	DeleteJob(id string) error
	// ForgetJob deletes a job that has no items, and frees its id.
	ForgetJob(id string) error
	// AppendLog adds a line to a job's log, which keeps its newest ones.
	AppendLog(id string, line *LogLine, keep int) error
	// PutChunk keeps one chunk of a name; the same index again replaces it.
	PutChunk(id, name string, index uint64, data []byte) error
	// PutAttachment makes an attachment of the chunks of its name, and sets its
	// size; or replaces what is known of it.
	PutAttachment(id string, a *Attachment) error
	// DropChunk removes one chunk, which need not be there.
	DropChunk(id, name string, index uint64) error
	// DropChunks removes the chunks of a name, and the attachment they make.
	DropChunks(id, name string) error
	// PutWebhooks replaces all addresses that are told of events.
	PutWebhooks([]Webhook) error
}

// TakenKey is the error of a second open job with a singleton key.
func TakenKey(key, holder string) error {
	return Conflict("singleton key "+quote(key), "the open job "+holder+" has it", "wait until that has ended")
}

// NoJob is the error of a job that is not there.
func NoJob(id string) *Error { return NotFound("job "+quote(id), "see `signalbox job list`") }
