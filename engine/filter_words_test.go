package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"signalbox/engine"
	"signalbox/store"
)

// wanted is a term of a filter, and what it means said a second time.
type wanted struct {
	text string
	fits func(*store.Item) bool
	all  bool // it may name deleted items
}

// words are the terms that filters of the model are made of.
func words(d draw) wanted {
	number := uint64(1 + d(60, "number"))
	text := func(values ...string) string { return values[d(len(values), "value")] }
	switch d(17, "key") {
	case 0, 1:
		return statusWords(text("pending", "failed", "business-exception,abandoned", "successful,retried", "in_flight", "deleted,pending", "failed,abandoned"))
	case 2:
		queue := text("a", "b", "c")
		return wanted{"queue:" + queue, func(i *store.Item) bool { return i.Queue == queue }, false}
	case 3, 4:
		job := text("j1", "j2", "j3", "nowhere")
		return wanted{"job:" + job, func(i *store.Item) bool { return i.Job == job }, false}
	case 5, 6:
		reason := text("timeout", "no zip", "47", "'order", "5 s", "spaces between")
		return wanted{"reason:" + engine.Quoted(reason), func(i *store.Item) bool {
			return i.Error != nil && strings.Contains(strings.ToLower(i.Error.Reason), reason)
		}, false}
	case 7:
		kind := text(engine.Business, engine.System, "none")
		return wanted{"kind:" + kind, func(i *store.Item) bool { return i.ErrorKind() == strings.TrimSuffix(kind, "none") }, false}
	case 8:
		ref := text("I", "INV-1", "INV-2", "X")
		return wanted{"reference:" + ref, func(i *store.Item) bool { return strings.HasPrefix(i.Reference, ref) }, false}
	case 9:
		ref := text("INV-1", "INV-7", "INV-99")
		return wanted{"reference:=" + ref, func(i *store.Item) bool { return i.Reference == ref }, false}
	case 10:
		group := text("timeout after #", "no zip #", "gone")
		return wanted{"group:" + engine.Quoted(group), func(i *store.Item) bool { return i.Group == group }, false}
	case 11:
		return wanted{fmt.Sprintf("number:>%d", number), func(i *store.Item) bool { return i.Number > number }, false}
	case 12:
		return wanted{fmt.Sprintf("number:<=%d", number), func(i *store.Item) bool { return i.Number <= number }, false}
	case 13:
		return wanted{"robot:r1", func(i *store.Item) bool { return strings.HasPrefix(i.ClaimedBy, "r1") }, false}
	case 14:
		return wanted{"due:any", func(i *store.Item) bool { return i.DueAt != 0 }, false}
	case 15:
		return wanted{"priority:high", func(i *store.Item) bool { return i.Priority == store.High }, false}
	}
	ids := []store.ID{{Queue: "a", Number: number}, {Queue: "b", Number: number}, {Queue: "c", Number: 1}}
	return wanted{fmt.Sprintf("id:%s,%s,%s", ids[2], ids[0], ids[1]), func(i *store.Item) bool { return slices.Contains(ids, i.ID()) }, false}
}

func statusWords(names string) wanted {
	means := map[string][]store.Status{
		"failed": {store.Failed, store.BusinessException, store.SystemException}, "in_flight": {store.Claimed, store.Processing},
	}
	var statuses []store.Status
	for name := range strings.SplitSeq(names, ",") {
		if others := means[name]; others != nil {
			statuses = append(statuses, others...)
			continue
		}
		s, _ := store.ParseStatus(name)
		statuses = append(statuses, s)
	}
	return wanted{"status:" + names, func(i *store.Item) bool { return slices.Contains(statuses, i.Status) }, true}
}

// filter makes a filter of a few words, some inverted.
func filter(d draw) (text string, fits func(*store.Item) bool) {
	var all []wanted
	deleted := false
	for n := range d(4, "words") {
		w := words(d)
		if n == 0 && d(2, "what failed") == 0 {
			w = statusWords("failed")
		}
		if d(4, "inverse") == 0 {
			plain := w.fits
			w = wanted{"!" + w.text, func(i *store.Item) bool { return !plain(i) }, false}
		}
		deleted = deleted || w.all
		text += " " + w.text
		all = append(all, w)
	}
	return strings.TrimSpace(text), func(i *store.Item) bool {
		return (deleted || i.Status != store.Deleted) && !slices.ContainsFunc(all, func(w wanted) bool { return !w.fits(i) })
	}
}
