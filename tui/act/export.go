package act

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// exported is how many items are read at a time for a file.
const exported = 1_000

// Exported answers an export.
type Exported struct {
	screen.Addr
	File string
	Rows int
	Err  error
}

// Finishes implements screen.Finisher.
func (Exported) Finishes() {}

// Tell implements screen.Teller.
func (x Exported) Tell() screen.Effects {
	if x.Err != nil {
		return Fail("export", x.Err)
	}
	return screen.Want(screen.Say{Toast: screen.Toast{
		Level: screen.Good, Text: text.Clean(fmt.Sprintf("%s written to %s", text.Plural(int64(x.Rows), "row"), x.File)),
	}})
}

// Sheet is what an export writes: titles and rows, and of items each whole.
type Sheet struct {
	Titles []string
	Rows   [][]string
	// List, where set, is read instead of Rows, page by page, each item as Row
	// has it.
	List *engine.ListRequest
	Row  func(*store.Item) []string
}

// AskExport asks for the file that a sheet is to be written to.
func (d Desk) AskExport(e env.Env, to screen.Addr, name string, sheet Sheet) screen.Effects {
	file := fmt.Sprintf("signalbox-%s-%s.csv", fileName(name), e.Now.In(e.Location()).Format("20060102-150405"))
	return screen.Want(screen.Ask{Dialog: dialog.NewPrompt(e, dialog.Prompt{
		Title: "Export what is shown", Label: "To file (.csv or .jsonl)", Default: file,
		Then: func(_ env.Env, file string) screen.Effects {
			effects := screen.Do(d.export(to, file, sheet))
			effects.Want(screen.Started{})
			return effects
		},
	})})
}

// fileName keeps what any file's name may hold.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, s)
}

// export writes the file whole, or not at all; it never replaces one.
func (d Desk) export(to screen.Addr, file string, sheet Sheet) tea.Cmd {
	return func() tea.Msg {
		answer := Exported{Addr: to}
		answer.File, answer.Err = writeNew(file, func(w io.Writer) (err error) {
			answer.Rows, err = d.write(w, strings.EqualFold(filepath.Ext(file), ".jsonl"), sheet)
			return err
		})
		return answer
	}
}

// ExportItems writes the items of a list to a file that is not there yet, at once,
// and says how many they were and where they are.
func (d Desk) ExportItems(file string, list engine.ListRequest) (rows int, path string, err error) {
	sheet := Sheet{
		Titles: []string{"item", "reference", "status", "priority", "attempts", "robot", "reason"}, List: &list,
		Row: func(i *store.Item) []string {
			reason := ""
			if i.Error != nil {
				reason = i.Error.Reason
			}
			return []string{i.ID().String(), i.Reference, i.Status.String(), i.Priority.String(), strconv.Itoa(i.Attempts), i.ClaimedBy, reason}
		},
	}
	path, err = writeNew(file, func(w io.Writer) (err error) {
		rows, err = d.write(w, strings.EqualFold(filepath.Ext(file), ".jsonl"), sheet)
		return err
	})
	return rows, path, err
}

// writeNew writes a file that must not be there yet, whole or not at all, and
// gives its path.
func writeNew(file string, write func(io.Writer) error) (string, error) {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			file = filepath.Join(home, rest)
		}
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return file, store.Invalid("file "+file, unwrapped(err), "name another")
	}
	w := bufio.NewWriter(f)
	if err = errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		_ = os.Remove(file)
	}
	return file, err
}

func unwrapped(err error) string {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// rowWriter writes a row in one of the formats.
type rowWriter func(row []string) error

func (d Desk) write(w io.Writer, lines bool, sheet Sheet) (n int, err error) {
	put, end := csvRows(w, sheet.Titles)
	if lines {
		put, end = jsonRows(w, sheet.Titles)
	}
	for _, row := range sheet.Rows {
		if err := put(row); err != nil {
			return n, err
		}
		n++
	}
	if sheet.List != nil {
		if n, err = d.writeList(*sheet.List, sheet.Row, put); err != nil {
			return n, err
		}
	}
	return n, end()
}

func (d Desk) writeList(req engine.ListRequest, row func(*store.Item) []string, put rowWriter) (n int, err error) {
	for req.Limit, req.Whole = exported, true; ; {
		page, err := d.engine.List(d.ctx, req)
		if err != nil {
			return n, err
		}
		for i := range page.Items {
			if err := put(row(&page.Items[i])); err != nil {
				return n, err
			}
			n++
		}
		if !page.More || len(page.Items) == 0 {
			return n, nil
		}
		req.After, req.AfterReference = page.Next, page.NextReference
	}
}

func csvRows(w io.Writer, titles []string) (rowWriter, func() error) {
	c := csv.NewWriter(w)
	begun := false
	head := func() error {
		if begun {
			return nil
		}
		begun = true
		return c.Write(titles)
	}
	return func(row []string) error { return errors.Join(head(), c.Write(row)) },
		func() error {
			err := head()
			c.Flush()
			return errors.Join(err, c.Error())
		}
}

func jsonRows(w io.Writer, titles []string) (rowWriter, func() error) {
	return func(row []string) error {
		var b strings.Builder
		b.WriteByte('{')
		for i, value := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			name, _ := store.Encode(titles[i]) // strings always can
			text, _ := store.Encode(value)
			b.Write(name)
			b.WriteByte(':')
			b.Write(text)
		}
		b.WriteString("}\n")
		_, err := io.WriteString(w, b.String())
		return err
	}, func() error { return nil }
}
