package act

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/screen"
	"signalbox/tui/text"
)

// clipboard is the most bytes that terminals take by OSC 52, and copied the
// most items that are read for it.
const (
	clipboard = 74_000
	copied    = 1_000
)

// Copied answers CopyJSON.
type Copied struct {
	screen.Addr
	Text string
	N    int
	Err  error
}

// Tell implements screen.Teller: it hands the text to the terminal.
func (c Copied) Tell() screen.Effects {
	if c.Err != nil {
		return Fail("copy", c.Err)
	}
	return Copy(c.Text, text.Plural(int64(c.N), "item")+" as JSON")
}

// Copy has text put on the clipboard, unless terminals do not take as much.
func Copy(words, what string) screen.Effects {
	if len(words) > clipboard {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: text.Clean(fmt.Sprintf(
			"Not copied: %s are %s, and terminals take %s. `signalbox item list -o json` prints them",
			what, text.Bytes(int64(len(words))), text.Bytes(clipboard)))}})
	}
	return screen.Want(screen.Clip{Text: words, What: text.Clean(what)})
}

// CopyIDs copies the names of items.
func CopyIDs(ids []store.ID) screen.Effects {
	if len(ids) == 0 {
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: "There is nothing to copy", Brief: true}})
	}
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = id.String()
	}
	what := words[0]
	if len(ids) > 1 {
		what = text.Plural(int64(len(ids)), "id")
	}
	return Copy(strings.Join(words, "\n"), what)
}

// CopyJSON reads items whole and copies them as JSON, masked fields hidden:
// one as an object, more as an array.
func (d Desk) CopyJSON(to screen.Addr, ids []store.ID, mask func(queue string) []string) screen.Effects {
	switch {
	case len(ids) == 0:
		return CopyIDs(nil)
	case len(ids) > copied:
		return screen.Want(screen.Say{Toast: screen.Toast{Level: screen.Warning, Text: text.Safe(fmt.Sprintf(
			"Not copied: %s are more than a clipboard is for. `signalbox item list -o json` prints them", text.Plural(int64(len(ids)), "item")))}})
	}
	return screen.Do(func() tea.Msg {
		answer := Copied{Addr: to, N: len(ids)}
		var records []engine.Record
		for _, id := range ids {
			record, err := d.engine.Item(d.ctx, id)
			if err != nil {
				answer.Err = err
				return answer
			}
			hidden := mask(id.Queue)
			record.Payload, record.Output = engine.Mask(record.Payload, hidden), engine.Mask(record.Output, hidden)
			record.Analytics = engine.Mask(record.Analytics, hidden)
			records = append(records, record)
		}
		var v any = records
		if len(records) == 1 {
			v = records[0]
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		answer.Err = enc.Encode(v)
		answer.Text = b.String()
		return answer
	})
}
