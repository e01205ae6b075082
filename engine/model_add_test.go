package engine_test

import (
	"slices"

	"signalbox/engine"
	"signalbox/store"
)

// candidate is an item that somebody wants added.
type candidate struct {
	key, reference, job string
	past                string // the state it comes with; "" = it is new
	bad                 bool   // it breaks the schema
}

// added is what became of it.
type added struct {
	number   uint64 // 0 = none
	existing bool
	refused  store.Code
}

// known finds the item that was added with a key.
func (m *model) known(key string) *modelItem {
	at := slices.IndexFunc(m.items, func(i *modelItem) bool { return key != "" && i.key == key && !i.gone })
	if at < 0 {
		return nil
	}
	return m.items[at]
}

// taken says that an item keeps others from using a reference.
func (m *model) taken(reference string) bool {
	return m.queue.UniqueReferences && reference != "" && slices.ContainsFunc(m.items, func(i *modelItem) bool {
		return !i.gone && i.reference == reference && i.status != store.Retried && i.status != store.Deleted
	})
}

// addAll adds one item after the other, as far as the mode says.
func (m *model) addAll(ws []candidate, mode string, strict bool) []added {
	answers, before := make([]added, len(ws)), len(m.items)
	for n, w := range ws {
		a := &answers[n]
		if i := m.known(w.key); i != nil {
			a.number, a.existing = i.number, true
			continue
		}
		if a.refused = m.refuses(w, strict); a.refused == 0 {
			a.number = m.add(m.newItem(w)).number
		} else if mode == engine.AllOrNothing {
			m.items = m.items[:before]
			return answers[:n+1]
		} else if mode == engine.StopOnFirstFailure {
			break
		}
	}
	for _, i := range m.items[before:] {
		if i.job != "" {
			m.join(i.job)
		}
	}
	return answers
}

func (m *model) refuses(w candidate, strict bool) store.Code {
	free := w.past == "deleted" // and needs no reference
	switch j := m.jobs[w.job]; {
	case j != nil && j.status == store.JobCancelled:
		return store.CodeConflict
	case !free && m.taken(w.reference):
		return store.CodeConflict
	case strict && w.bad && w.past == "":
		return store.CodeInvalid
	}
	return 0
}

func (m *model) newItem(w candidate) modelItem {
	i := modelItem{key: w.key, reference: w.reference, job: w.job}
	if w.job != "" {
		i.weight = 1
	}
	jobs := m.queue.Family == store.Jobs
	switch {
	case w.past == "deleted":
		i.status = store.Deleted
	case w.past == "complete" && jobs:
		i.status = store.Completed
	case w.past == "complete":
		i.status = store.Successful
	case w.past == "claimed":
		m.letGo(&i)
	case w.past == "" && !w.bad:
	case jobs:
		i.status, i.waitsOnUs = store.Failed, true
	case w.past == "failed":
		i.status, i.waitsOnUs = store.SystemException, true
	default:
		i.status, i.waitsOnUs = store.BusinessException, true
	}
	return i
}

// letGo is for an item that a robot held where it came from.
func (m *model) letGo(i *modelItem) {
	switch q := &m.queue; {
	case q.OnExpiry == engine.Reclaim: // the first time is always within max_reclaims
		i.reclaims = 1
	case q.RetryAbandoned && q.Retries > 0:
		i.spent = 1
	default:
		i.status, i.waitsOnUs = store.Abandoned, true
	}
}

// modelEdit is what somebody wants changed; nil is left as it is.
type modelEdit struct {
	priority      *store.Priority
	due, deferred *store.Time
	reference     *string
}

// edit answers as the engine must. One that only defers can be taken back.
func (m *model) edit(i *modelItem, e modelEdit) store.Code {
	switch {
	case i.gone:
		return store.CodeNotFound
	case i.status != m.waiting():
		return store.CodeConflict
	case e.reference != nil && *e.reference != i.reference && m.taken(*e.reference):
		return store.CodeConflict
	}
	if e.deferred != nil && e.priority == nil && e.due == nil && e.reference == nil {
		i.acted()
	} else {
		i.changed()
	}
	set(&i.priority, e.priority)
	set(&i.due, e.due)
	set(&i.deferred, e.deferred)
	set(&i.reference, e.reference)
	return 0
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// delayed counts what waits for its time, and says when the first of it comes.
func (m *model) delayed(now store.Time) (n int64, next store.Time) {
	for _, i := range m.items {
		withheld := i.job != "" && m.jobs[i.job].status == store.JobPaused
		if i.gone || withheld || i.status != m.waiting() || i.readyAt() <= now {
			continue
		}
		if n++; next == 0 || i.readyAt() < next {
			next = i.readyAt()
		}
	}
	return n, next
}
