package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"signalbox/store"
)

// maxFolder is the longest name of a folder, in bytes; maxLinks is to how many a
// queue may be linked.
const (
	maxFolder = 256
	maxLinks  = 100
)

// validateFolder holds a folder's name against the rule: "/", or parts behind
// slashes.
func validateFolder(folder string) error {
	bad := func(rule string) error {
		return store.Invalid(fmt.Sprintf("folder %q", folder), rule, "write it as / or /finance/ap")
	}
	switch {
	case !strings.HasPrefix(folder, "/"):
		return bad("a folder starts with a slash")
	case len(folder) > maxFolder:
		return bad(fmt.Sprintf("%d bytes, the limit is %d", len(folder), maxFolder))
	case folder == "/":
		return nil
	}
	for part := range strings.SplitSeq(folder[1:], "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return bad("each part between slashes has a name")
		case strings.TrimSpace(part) != part || strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsPrint(r) || r == '"' || r == unicode.ReplacementChar }):
			return bad("a name holds no control character or double quote, and neither begins nor ends with a space")
		}
	}
	return nil
}

// validateFolders holds a queue's folders against the rules, and puts its links
// in order, each once and none to the folder it stands in.
func validateFolders(q *store.Queue) error {
	if err := validateFolder(q.Folder); err != nil {
		return err
	}
	for _, link := range q.Links {
		if err := validateFolder(link); err != nil {
			return err
		}
	}
	if len(q.Links) > maxLinks {
		return store.Invalid(fmt.Sprintf("queue %q", q.Name), fmt.Sprintf("%d links, the limit is %d", len(q.Links), maxLinks), "link it to fewer folders")
	}
	q.Links = slices.Compact(slices.Sorted(slices.Values(q.Links)))
	q.Links = slices.DeleteFunc(q.Links, func(link string) bool { return link == q.Folder })
	return nil
}

// LinkQueue shows a queue in one more folder than its own, or with remove no
// longer. CodeConflict for a link to be removed that is not there.
func (e *Engine) LinkQueue(ctx context.Context, name, folder string, remove bool) (QueueState, error) {
	if err := validateFolder(folder); err != nil {
		return QueueState{}, err
	}
	err := e.change(ctx, func(t *tx) error {
		q, err := t.Queue(name)
		if err != nil {
			return err
		}
		linked := slices.Contains(q.Links, folder)
		event := "queue-link"
		switch {
		case remove && !linked:
			return store.Conflict(fmt.Sprintf("queue %q", name), "it is not linked to "+folder, "see `signalbox queue show "+name+"`")
		case !remove && (linked || folder == q.Folder):
			return nil
		case remove:
			event = "queue-unlink"
			q.Links = slices.DeleteFunc(q.Links, func(link string) bool { return link == folder })
		default:
			q.Links = append(q.Links, folder)
		}
		if err := validateFolders(&q); err != nil {
			return err
		}
		return t.putQueue(&q, event, folder)
	})
	if err != nil {
		return QueueState{}, err
	}
	return e.Queue(ctx, name)
}

// InFolder says that a queue stands in a folder or below it, or is linked to one
// that does.
func InFolder(q *store.Queue, folder string) bool {
	within := func(at string) bool {
		return folder == "/" || at == folder || strings.HasPrefix(at, folder+"/")
	}
	return within(q.Folder) || slices.ContainsFunc(q.Links, within)
}
