package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"signalbox/store"
)

// Limits on jobs.
const (
	MaxWeight   = 1_000_000
	maxJobID    = 256    // bytes, of ids and singleton keys
	maxMetadata = 51_200 // bytes
)

// JobRequest starts a job.
type JobRequest struct {
	Queue string `json:"queue"`
	ID    string `json:"id,omitempty"` // "" = one made of the queue's name and a number
	// SingletonKey lets only one job with it be open in the queue at a time.
	SingletonKey string          `json:"singleton_key,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"` // any JSON
	// Filling keeps the job open until it is sealed, since more items are to come.
	Filling bool `json:"filling,omitempty"`
	// Kind says which completion hook it has; see RunHooks. It does not cross the
	// wire.
	Kind string `json:"-"`
}

// JobState is a job with its numbers as of now, or those with which it ended.
type JobState struct {
	store.Job
	store.JobCounts
	// Existing says that the job was open already with the singleton key asked
	// for, and none was started.
	Existing bool `json:"existing,omitempty"`
	// SlotWait tells of one job that is looked at, whose work is ready but for a
	// slot; else nil.
	SlotWait *SlotWait `json:"slot_wait,omitempty"`
}

// Left is what is still to be done, in work units.
func (j *JobState) Left() int64 { return j.Available + j.InFlight }

// JobList selects a page of jobs, newest first.
type JobList struct {
	Queue  string `json:"queue,omitempty"`
	Live   bool   `json:"live,omitempty"`   // only those that have not ended
	Before uint64 `json:"before,omitempty"` // a job's Number, exclusive
	Limit  int    `json:"limit,omitempty"`  // 0 = 100
}

// StartJob starts a job, or gives the open one with the singleton key. A job
// without items that is not Filling is done at once. CodeConflict for an id that
// was used before, CodeNotFound for a queue that is not there.
func (e *Engine) StartJob(ctx context.Context, r JobRequest) (s JobState, err error) {
	if err := r.validate(); err != nil {
		return s, err
	}
	if Builtin(r.Queue) {
		return s, reserved(r.Queue)
	}
	err = e.change(ctx, func(t *tx) error {
		q, err := t.Queue(r.Queue)
		if err != nil {
			return err
		}
		s, err = t.startOnce(&q, &r)
		return err
	})
	if err != nil {
		return JobState{}, err
	}
	existing := s.Existing
	s, err = e.Job(ctx, s.ID)
	s.Existing = existing
	return s, err
}

func (r *JobRequest) validate() error {
	switch {
	case len(r.ID) > maxJobID || cleanText(r.ID, maxJobID) != r.ID || strings.ContainsFunc(r.ID, unicode.IsControl):
		return store.Invalid("job", fmt.Sprintf("an id is at most %d bytes of UTF-8 without control characters", maxJobID), "use a shorter name")
	case r.ID == "." || r.ID == "..":
		return store.Invalid(fmt.Sprintf("job %q", r.ID), "an id is no lone dot or two, which stand for folders in addresses", "use another name")
	case len(r.SingletonKey) > maxJobID || cleanText(r.SingletonKey, maxJobID) != r.SingletonKey:
		return store.Invalid("singleton key", fmt.Sprintf("it is at most %d bytes of UTF-8 without NUL", maxJobID), "use a shorter key")
	case len(r.Metadata) > maxMetadata:
		return overLimit("metadata", len(r.Metadata), maxMetadata, "bytes")
	case len(r.Metadata) > 0 && !json.Valid(r.Metadata):
		return store.Invalid("metadata", "it is no JSON", `write it as {"month": "2026-05"}`)
	}
	return nil
}

// takes says whether an item may be in the job that is started for it and others.
func (r *JobRequest) takes(n *NewItem) error {
	if n.Job == "" || n.Job == r.ID {
		return nil
	}
	return store.Invalid(fmt.Sprintf("job %q", n.Job), "the item names it, and another one is started for all items of the add", "leave it out of the item, or start none")
}

// startFor starts the job of an add that has new items, and gives the add with its
// items in that.
func (t *tx) startFor(q *store.Queue, r *AddRequest, results []AddResult) (*AddRequest, error) {
	if r.Start == nil || !slices.ContainsFunc(results, func(a AddResult) bool { return !a.Existing }) {
		return r, nil
	}
	s, err := t.startOnce(q, r.Start)
	if err == nil && s.Existing {
		err = store.TakenKey(r.Start.SingletonKey, s.ID)
	}
	if err != nil {
		return nil, err
	}
	in := *r
	in.Items = slices.Clone(r.Items)
	for i := range in.Items {
		in.Items[i].Job = s.ID
	}
	return &in, nil
}

// startOnce gives the open job with the singleton key, or starts one.
func (t *tx) startOnce(q *store.Queue, r *JobRequest) (JobState, error) {
	id, err := t.OpenJob(q.Name, r.SingletonKey)
	if err != nil {
		return JobState{}, err
	}
	if id != "" {
		j, err := t.Job(id)
		return JobState{Job: j, Existing: true}, err
	}
	j, err := t.startJob(q, r)
	return JobState{Job: j}, err
}

func (t *tx) startJob(q *store.Queue, r *JobRequest) (store.Job, error) {
	j := store.Job{
		ID: r.ID, Queue: q.Name, Kind: r.Kind, Status: store.JobRunning, Initiator: t.actor,
		SingletonKey: r.SingletonKey, Metadata: store.JSON(r.Metadata), Filling: r.Filling || t.staging, CreatedAt: t.now,
	}
	if err := t.PutJob(&j); err != nil {
		return j, err
	}
	if t.staging {
		if err := t.startedFor(&j); err != nil {
			return j, err
		}
	}
	t.touchJob(j.ID)
	return j, t.Append(t.record(q.Name, "job-start", "job "+j.ID))
}

// putJob writes a job with its history.
func (t *tx) putJob(j *store.Job, event, why string) error {
	t.touchJob(j.ID)
	if err := t.PutJob(j); err != nil {
		return err
	}
	what := "job " + j.ID
	if why != "" {
		what += ": " + why
	}
	return t.Append(t.record(j.Queue, event, what))
}

// joinable says whether an item may be added to the job that it names, which
// may not be there yet.
func (t *tx) joinable(q *store.Queue, id string) error {
	j, err := t.Job(id)
	if store.CodeOf(err) == store.CodeNotFound {
		return nil
	}
	thing := fmt.Sprintf("job %q", id)
	switch {
	case err != nil:
		return err
	case j.Queue != q.Name:
		return store.Conflict(thing, "it is of queue "+j.Queue, "name a job of queue "+q.Name+", or a new one")
	case j.Status == store.JobCancelled:
		return store.Conflict(thing, "it was cancelled", "name another job, or a new one")
	case j.Status == store.JobDone:
		return t.reopenable(&j)
	}
	return nil
}

// reopenable says whether a done job may go on.
func (t *tx) reopenable(j *store.Job) error {
	holder, err := t.OpenJob(j.Queue, j.SingletonKey)
	if err == nil && holder != "" {
		err = store.TakenKey(j.SingletonKey, holder)
	}
	return err
}

// join makes the job that an item names ready to take it: one that isn't there
// is started, one that is done goes on.
func (t *tx) join(q *store.Queue, id string) error {
	j, err := t.Job(id)
	switch {
	case store.CodeOf(err) == store.CodeNotFound:
		_, err = t.startJob(q, &JobRequest{ID: id})
	case err == nil && j.Status == store.JobDone:
		err = t.reopen(&j)
	}
	return err
}

// comesBack says whether an item's job takes it, or its copy, back among its
// waiting ones.
func (t *tx) comesBack(q *store.Queue, i *store.Item) error {
	if !inJob(i) {
		return nil
	}
	return t.joinable(q, i.Job)
}

// bringBack makes an item's job ready for that.
func (t *tx) bringBack(q *store.Queue, i *store.Item) error {
	if !inJob(i) {
		return nil
	}
	if _, err := t.Job(i.Job); err != nil {
		return unlessGone(err)
	}
	return t.join(q, i.Job)
}

func (t *tx) reopen(j *store.Job) error {
	if Builtin(j.Queue) && j.Final.Failed > 0 { // it was not complete
		j.Hook = store.Hook{}
	}
	j.Status, j.EndedAt, j.Final = store.JobRunning, 0, store.JobCounts{}
	err := t.putJob(j, "job-reopen", "")
	if err == nil {
		err = t.feed(j)
	}
	switch store.CodeOf(err) {
	case store.CodeConflict, store.CodeNotFound: // the import's rows will be refused, and say so
		return nil
	}
	return err
}

// touchJob marks the job as changed.
func (t *tx) touchJob(id string) {
	t.after.jobsShown = true
	for _, known := range t.after.jobs {
		if known == id {
			return
		}
	}
	t.after.jobs = append(t.after.jobs, id)
}

// inJob says that an item counts for a job.
func inJob(i *store.Item) bool { return i.Job != "" && i.Weight != 0 }

// barred says why an item's job keeps it from being worked; nil when it does
// not.
func (t *tx) barred(i *store.Item) error {
	if !inJob(i) {
		return nil
	}
	j, err := t.Job(i.Job)
	if err != nil {
		return nil // deleted, or damaged: it keeps nobody from its items
	}
	return jobBars(&j)
}

func jobBars(j *store.Job) error {
	thing := func() string { return fmt.Sprintf("job %q", j.ID) } // asked at each claim
	switch j.Status {
	case store.JobPaused:
		return store.Conflict(thing(), "paused by "+j.PausedBy, "resume it with `signalbox job resume "+j.ID+"`")
	case store.JobCancelled:
		return store.Conflict(thing(), "it was cancelled", "add the item anew, to another job")
	}
	return nil
}

// withhold keeps a waiting item of a paused job out of claims, or lets it back.
func (t *tx) withhold(i *store.Item) {
	i.Withheld = false
	if !i.Status.Waiting() || !inJob(i) {
		return
	}
	j, err := t.Job(i.Job)
	i.Withheld = err == nil && j.Status == store.JobPaused
}

// Job gives one job with its numbers, or CodeNotFound. Metadata is left out for
// those whom its details are not for.
func (e *Engine) Job(ctx context.Context, id string) (s JobState, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		s, err = e.jobState(ctx, r, id)
		if err == nil && s.Status == store.JobRunning && s.Available > s.Delayed {
			s.SlotWait = e.slotWait(s.Queue, s.ID)
		}
		return err
	})
	return s, err
}

func (e *Engine) jobState(ctx context.Context, r store.Reader, id string) (s JobState, err error) {
	if s.Job, err = r.Job(id); err != nil {
		return s, err
	}
	s.Filling = s.Filling || s.Feeds > 0
	if e.closedTo(ctx, &s.Job) != nil {
		s.Metadata = ""
	}
	if s.EndedAt != 0 {
		s.JobCounts = s.Final
		return s, nil
	}
	s.JobCounts, err = jobCounts(r, &s.Job, e.now())
	return s, err
}

// jobCounts counts an open job's items, and those of before it went on that are
// there no more.
func jobCounts(r store.Reader, j *store.Job, now store.Time) (store.JobCounts, error) {
	c, err := r.JobCounts(j.ID, now)
	return c.Plus(j.Gone), err
}

// Jobs gives a page of jobs, newest first. CodeNotFound for a queue that is not
// there.
func (e *Engine) Jobs(ctx context.Context, l JobList) (list []JobState, err error) {
	err = e.store.View(ctx, func(r store.Reader) error {
		if l.Queue != "" {
			if _, err := r.Queue(l.Queue); err != nil {
				return err
			}
		}
		list, err = e.jobStates(ctx, r, store.JobQuery{Queue: l.Queue, Live: l.Live, Before: l.Before}, pageSize(l.Limit))
		return err
	})
	return list, err
}

// jobStates gives at most limit of the selected jobs; those that can't be read
// are left out.
func (e *Engine) jobStates(ctx context.Context, r store.Reader, q store.JobQuery, limit int) ([]JobState, error) {
	list := []JobState{}
	for j, err := range r.Jobs(q) {
		if err != nil {
			e.log.Error("job can't be read", "err", err)
			continue
		}
		s, err := e.jobState(ctx, r, j.ID)
		if err != nil {
			e.log.Error("job can't be read", "job", j.ID, "err", err)
			continue
		}
		if list = append(list, s); len(list) == limit {
			break
		}
	}
	return list, nil
}

// closedTo says why a job's details, log and files are not for who asks: they
// are for its initiator and for whom Options.JobAccess lets in.
func (e *Engine) closedTo(ctx context.Context, j *store.Job) error {
	if e.jobAccess == nil || j.Initiator == Actor(ctx) || e.jobAccess(ctx, *j) {
		return nil
	}
	return &store.Error{Code: store.CodeForbidden, Thing: fmt.Sprintf("job %q", j.ID), Rule: "its details are for " + j.Initiator + " and for administrators", Mend: "ask one of them"}
}
