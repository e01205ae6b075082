package export

// lines is JSON lines: one object for each item, with the names and the order
// of `item show`.
type lines struct{}

func (lines) Header(b []byte) []byte { return b }
func (lines) Between() string        { return "" }
func (lines) Footer(b []byte) []byte { return b }

func (lines) Row(b []byte, r *Row) []byte {
	f := fields{b: append(b, '{')}
	f.id("id", r.ID())
	f.text("queue", r.Queue)
	f.unsigned("number", r.Number)
	f.text("family", r.Family.String())
	f.text("status", r.Status.String())
	f.text("reference", r.Reference)
	f.text("key", r.Key)
	f.text("priority", r.Priority.String())
	f.text("progress", r.Progress)
	f.number("attempts", r.Attempts)
	f.number("failures", r.Failures)
	f.number("reclaims", r.Reclaims)
	f.number("max_attempts", r.MaxAttempts)
	f.truth("retryable", r.Retryable)
	f.number("retry_no", r.RetryNo)
	f.id("chain", r.Chain)
	f.id("previous", r.Previous)
	f.id("next", r.Next)
	f.life(r)
	if r.Withheld {
		f.truth("withheld", true)
	}
	f.failure(r.Error)
	f.review(&r.Review)
	f.text("group", r.Group)
	f.unsigned("revision", r.Revision)
	f.contents(r)
	return append(f.b, '}', '\n')
}
