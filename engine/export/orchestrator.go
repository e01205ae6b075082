package export

import "signalbox/store"

// orchestrator is the file layout of the RPA orchestrator: one object whose
// items are each on a line.
type orchestrator struct{}

func (orchestrator) Header(b []byte) []byte { return append(b, "{\"items\":[\n"...) }
func (orchestrator) Between() string        { return ",\n" }
func (orchestrator) Footer(b []byte) []byte { return append(b, "\n]}\n"...) }

func (orchestrator) Row(b []byte, r *Row) []byte {
	f := fields{b: append(b, '{'), spell: camel}
	f.id("id", r.ID())
	f.text("queue", r.Queue)
	f.text("state", stateOf(r.Status))
	f.text("reference", r.Reference)
	f.text("key", r.Key)
	f.text("priority", r.Priority.String())
	f.number("attempts", r.Attempts)
	f.count("max_attempts", r.MaxAttempts)
	f.number("failures", r.Failures)
	f.number("reclaims", r.Reclaims)
	f.truth("retryable", r.Retryable)
	f.number("retry_no", r.RetryNo)
	if r.Chain != r.ID() {
		f.id("chain", r.Chain)
	}
	f.id("previous", r.Previous)
	f.id("next", r.Next)
	f.life(r)
	f.text("progress", r.Progress)
	f.failure(r.Error)
	if r.Review != (store.Review{}) {
		f.review(&r.Review)
	}
	f.contents(r)
	return append(f.b, '}')
}

// stateOf is the orchestrator's word for a status. What failed is told apart by
// the kind of its error.
func stateOf(s store.Status) string {
	switch s {
	case store.Queued, store.Pending:
		return "available"
	case store.Claimed, store.Processing:
		return "in_flight"
	case store.Completed, store.Successful:
		return "complete"
	case store.Failed, store.BusinessException, store.SystemException:
		return "failed"
	}
	return s.String()
}
