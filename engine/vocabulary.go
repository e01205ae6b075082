package engine

import (
	"maps"
	"slices"
)

// Vocabulary is what can be typed in a filter, for what completes it.
type Vocabulary struct {
	Names  []string            // that stand before a colon, in order
	Values map[string][]string // behind it, of names whose values are known beforehand
}

// FilterVocabulary is that of ParseFilter's language.
func FilterVocabulary() Vocabulary {
	v := Vocabulary{
		Names: slices.Sorted(maps.Keys(filterKeys)),
		Values: map[string][]string{
			"status":   StatusNames(),
			"priority": {"high", "normal", "low"},
			"kind":     {Business, System, "none"},
			"review":   {"none", "in-review", "verified", "retried"},
			"sla":      {"ok", "risk", "overdue"},
		},
	}
	v.Names = append(v.Names, "jq")
	slices.Sort(v.Names)
	for _, times := range []string{"due", "created", "started", "ended", "claimed", "deferred"} {
		v.Values[times] = []string{"any", "none"}
	}
	return v
}

// StreamVocabulary is that of the filter of Stream.
func StreamVocabulary() Vocabulary {
	events := []string{"add", "edit", "import", "at-risk", "overdue", "queue-add", "queue-set", "queue-pause", "queue-resume", "slot-set", "job-start"}
	for _, t := range transitions {
		if t.event != EventClaimStart { // a claim, in the history
			events = append(events, string(t.event))
		}
	}
	for _, verdict := range []string{Assign, Verify, Note, Clear} {
		events = append(events, "review-"+verdict)
	}
	slices.Sort(events)
	return Vocabulary{
		Names:  []string{"actor", "event", "item", "queue", "status", "why"},
		Values: map[string][]string{"event": slices.Compact(events), "status": StatusNames()},
	}
}
