package act

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/tui/env"
	"signalbox/tui/screen"
)

// Edited is the end of an edit: the editor has been left, or could not be
// begun. Its order is carried out by Retried.
type Edited struct {
	screen.Addr
	Order Order
	Same  bool // nothing was changed
	Err   error
}

// draft is an item's payload in a file of its own.
type draft struct {
	to      screen.Addr
	target  engine.Target
	mask    []string
	veils   veils
	file    string
	written []byte
}

// opened says that a draft is ready for the editor.
type opened struct {
	screen.Addr
	draft draft
	err   error
}

// Opened is a draft that waits for the editor, which takes the terminal.
type Opened interface {
	screen.Reply
	Editor(Desk) tea.Cmd
}

// Edit begins an edit, unless nothing may be changed now.
func (d Desk) Edit(e env.Env, to screen.Addr, target engine.Target) screen.Effects {
	if why := Barred(e, keymap.EditRetry, target.Item.Queue); why != "" {
		return Refuse(Edit, why)
	}
	return screen.Do(d.Draft(to, target, e.Mask(target.Item.Queue)))
}

// Draft writes an item's payload to a file, for the editor. Masked fields are
// not written; numbered marks stand for their values, which they keep unless
// the edit replaces them.
func (d Desk) Draft(to screen.Addr, target engine.Target, mask []string) tea.Cmd {
	return func() tea.Msg {
		record, err := d.engine.Item(d.ctx, target.Item)
		if err != nil {
			return opened{Addr: to, err: err}
		}
		f := draft{to: to, target: target, mask: mask}
		shown := record.Payload
		if len(mask) > 0 {
			shown, f.veils = veil(record.Payload, engine.Mask(record.Payload, mask))
		}
		f.written = append(indented(shown), '\n')
		f.file, err = write(target.Item.String(), f.written)
		return opened{to, f, err}
	}
}

func indented(raw []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return raw
	}
	return b.Bytes()
}

// write puts a draft into a folder that is its owner's alone.
func write(name string, content []byte) (string, error) {
	folder, err := os.MkdirTemp("", "signalbox-edit-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, strings.NewReplacer("/", "-", "\\", "-").Replace(name)+".json")
	return path, os.WriteFile(path, content, 0o600)
}

// Editor gives the terminal to the person's editor until it is left.
func (o opened) Editor(d Desk) tea.Cmd {
	failed := func(err error) tea.Msg {
		return Edited{Addr: o.Addr, Order: Order{Verb: Edit, File: o.draft.file}, Err: err}
	}
	if o.err != nil {
		return func() tea.Msg { return failed(o.err) }
	}
	words := editor(os.Getenv)
	command := exec.CommandContext(d.ctx, words[0], append(words[1:], o.draft.file)...)
	return d.exec(command, func(err error) tea.Msg {
		if err != nil {
			err = store.Invalid("editor "+words[0], err.Error(), "set $EDITOR to one that works")
			return failed(err)
		}
		return o.draft.finish()
	})
}

// editor is the command that edits a file.
func editor(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

// finish reads what the editor left.
func (f *draft) finish() Edited {
	done := Edited{Addr: f.to, Order: Order{Verb: Edit, Targets: []engine.Target{f.target}, File: f.file}}
	content, err := os.ReadFile(f.file)
	switch {
	case err != nil:
		done.Err = err
	case bytes.Equal(content, f.written):
		done.Same = true
		done.Err = discard(f.file)
	default:
		done.Order.Payload, done.Err = f.payload(bytes.TrimSpace(content))
	}
	return done
}

// payload is what was written, with the masked values that were left alone.
func (f *draft) payload(content []byte) (json.RawMessage, error) {
	var edited any
	if err := decode(content, &edited); err != nil {
		return nil, store.Invalid("the edited payload", store.Unreadable(err), "press the key again, or mend the file and use `signalbox item retry`")
	}
	if len(f.veils.values) == 0 {
		return content, nil
	}
	if err := f.veils.bares(content, f.mask); err != nil {
		return nil, err
	}
	return f.veils.lift(content)
}

func decode(raw []byte, into *any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if dec.More() {
		return errors.New("something follows its end")
	}
	return nil
}

// discard removes a draft that is needed no more.
func discard(file string) error { return os.RemoveAll(filepath.Dir(file)) }

// clean removes the draft of an edit that was taken.
func (d *Done) clean() {
	if d.Order.File == "" || d.OK() == 0 {
		return
	}
	if discard(d.Order.File) == nil {
		d.Order.File = ""
	}
}

// Retried carries an edit out, or tells why not and where it stands.
func (d Desk) Retried(msg Edited) screen.Effects {
	done := Done{Order: msg.Order, Err: msg.Err}
	switch {
	case msg.Err != nil:
		return done.kept(Fail("retry with another payload", msg.Err))
	case msg.Same:
		return screen.Want(screen.Say{Toast: screen.Toast{Text: "Nothing was changed, so nothing was retried"}})
	}
	effects := screen.Do(d.Run(msg.Addr, msg.Order))
	effects.Want(screen.Started{})
	return effects
}
