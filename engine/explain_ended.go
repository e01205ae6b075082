package engine

import (
	"fmt"
	"time"

	"signalbox/store"
)

// lasting is a length of time for people: to the second, and never below one.
func lasting(d time.Duration) string {
	return store.Duration(max(d.Round(time.Second), time.Second)).String()
}

func ago(now, at store.Time) string { return lasting(now.Sub(at)) + " ago" }

// heldReason says who works an item, and what becomes of it if nothing is heard.
func heldReason(q *store.Queue, i *store.Item, now store.Time) Reason {
	text := fmt.Sprintf("held by %s for %s, attempt %d", i.ClaimedBy, lasting(now.Sub(i.ClaimedAt)), i.Attempts)
	if i.StartedAt == 0 {
		text += ", not started yet"
	}
	r := Reason{Code: "held", Text: text, Until: i.LeaseUntil}
	if i.LeaseUntil == 0 {
		r.Text += "; its lease never runs out"
		r.Mend = "give such claims an end with `signalbox queue set " + q.Name + " --lease 10m`; this one ends by its robot alone"
		return r
	}
	if i.LeaseUntil <= now {
		r.Text += "; its lease ran out " + ago(now, i.LeaseUntil) + ", which the engine has not acted on yet"
		return r
	}
	row, err := next(q, i, EventExpire)
	if err != nil {
		return r
	}
	r.Text += fmt.Sprintf("; its lease runs out in %s unless it is renewed, and then ", lasting(i.LeaseUntil.Sub(now)))
	switch {
	case row.guard == reclaim && q.MaxReclaims == 0:
		r.Text += "it waits again"
	case row.guard == reclaim:
		r.Text += fmt.Sprintf("it waits again, for time %d of %d", i.Reclaims+1, q.MaxReclaims)
	case row.guard == expiryPays:
		r.Text += fmt.Sprintf("it is retried, for time %d of %d", i.Spent+1, budget(q, i))
	default:
		r.Text += "it is abandoned"
	}
	return r
}

// endedReason says how an item ended, and what a person can still do.
func endedReason(q *store.Queue, i *store.Item, now store.Time) Reason {
	r := Reason{Code: "final"}
	id := i.ID().String()
	switch {
	case i.Status == store.Retried && !i.Next.IsZero():
		r.Text = "retried " + ago(now, i.EndedAt) + "; " + i.Next.String() + " goes on in its place"
		r.Mend = "signalbox item explain " + i.Next.String()
	case i.Status == store.Completed || i.Status == store.Successful:
		r.Text = fmt.Sprintf("%s %s, on attempt %d by %s, %s after it was claimed; nothing is left to do", i.Status, ago(now, i.EndedAt), i.Attempts, or(i.ClaimedBy, "nobody"), lasting(i.EndedAt.Sub(i.ClaimedAt)))
		if i.ClaimedAt == 0 {
			r.Text = fmt.Sprintf("%s %s; nothing is left to do", i.Status, ago(now, i.EndedAt))
		}
	case Reviewable(i.Status):
		r.Code, r.Text = "review", brokenText(q, i, now)
		r.Mend = "retry it with `signalbox item retry " + id + "`, or close it with `signalbox item review " + id + " --verify`"
		if i.ErrorKind() == Business && i.Status != store.Abandoned {
			r.Mend = "mend its data with `signalbox item retry " + id + " --payload @FILE`, or close it with `signalbox item review " + id + " --verify`"
		}
		if i.Review.Status == store.Verified {
			r.Code = "verified"
			r.Text += "; verified by " + i.Review.Reviewer + ", so it is not to be retried any more"
			r.Mend = "to retry it all the same, take the judgement off with `signalbox item review " + id + " --clear`"
		}
	case i.Status == store.Deleted && undoable(i):
		r.Text, r.Mend = "deleted "+ago(now, i.EndedAt)+"; no robot gets it", "take that back with `signalbox item undo "+id+"`"
	default:
		r.Text = i.Status.String() + " " + ago(now, i.EndedAt) + "; no robot gets it"
	}
	return r
}

// brokenText says why an item is not tried again.
func brokenText(q *store.Queue, i *store.Item, now store.Time) string {
	text := i.Status.String() + " " + ago(now, i.EndedAt)
	switch {
	case i.Status == store.Abandoned && i.Reclaims > 0:
		text += fmt.Sprintf(": the lease of %s ran out, after %d of %d reclaims", or(i.ClaimedBy, "its robot"), i.Reclaims, q.MaxReclaims)
	case i.Status == store.Abandoned:
		text += ": the lease of " + or(i.ClaimedBy, "its robot") + " ran out without a word"
	case i.ErrorKind() == Business:
		text += ": its data broke a rule, so a person must decide"
	case !i.Retryable:
		text += ": it was reported as not to be retried"
	case budget(q, i) == 0:
		text += ": the queue gives no retries"
	case budget(q, i) == 1:
		text += ": its one retry is used up"
	default:
		text += fmt.Sprintf(": its %d retries are used up", budget(q, i))
	}
	if i.Error != nil && i.Error.Reason != "" && i.Status != store.Abandoned {
		text += fmt.Sprintf(" (%s)", cleanText(i.Error.Reason, 200))
	}
	if i.Review.Status == store.InReview {
		text += "; in review with " + i.Review.Reviewer
	}
	return text
}
