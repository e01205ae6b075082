package act

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"signalbox/store"
	"signalbox/tui/screen"
)

// FromFile is a JSON object that stands in a file, which is read when the
// setting that it is for is sent.
type FromFile string

// MarshalJSON implements json.Marshaler.
func (f FromFile) MarshalJSON() ([]byte, error) {
	raw, err := os.ReadFile(string(f))
	if err != nil {
		return nil, store.Invalid("file "+string(f), "it can't be read: "+unwrapped(err), "give a file that is there")
	}
	object, err := Object(string(raw))
	if err != nil {
		return nil, store.Invalid("file "+string(f), "it holds no JSON object", "look at its content")
	}
	return object, nil
}

// Object is the JSON object that a text holds; an empty one, and the word none,
// is none.
func Object(s string) (json.RawMessage, error) {
	s = strings.TrimSpace(s)
	if s == "" || s == "none" {
		return json.RawMessage("null"), nil
	}
	if err := json.Unmarshal([]byte(s), new(map[string]any)); err != nil {
		return nil, store.Invalid("the text", "it is no JSON object: "+store.Unreadable(err), "write a JSON Schema, @FILE, or none")
	}
	return json.RawMessage(s), nil
}

// patchOf writes settings as JSON; what is wrong with a file keeps its words.
func patchOf(settings map[string]any) (json.RawMessage, error) {
	raw, err := store.Encode(settings)
	if own, ok := errors.AsType[*store.Error](err); ok {
		return nil, own
	}
	return raw, err
}

// Write gives a form's text to the person's editor, or where there is none yet
// something to begin with; what is left as that stays none.
func (d Desk) Write(field, content, begin string) tea.Cmd {
	return func() tea.Msg {
		given := []byte(content)
		if content == "" {
			given = []byte(begin)
		}
		done := func(err error) tea.Msg { return screen.Written{Field: field, Text: content, Err: err} }
		path, err := write(field, given)
		if err != nil {
			return done(err)
		}
		words := editor(os.Getenv)
		command := exec.CommandContext(d.ctx, words[0], append(words[1:], path)...)
		return d.exec(command, func(err error) tea.Msg {
			if err != nil {
				return done(store.Invalid("editor "+words[0], err.Error(), "set $EDITOR to one that works"))
			}
			left, err := os.ReadFile(path)
			if err == nil {
				err = discard(path)
			}
			if err == nil && !bytes.Equal(left, given) {
				content = strings.TrimSpace(string(left))
			}
			return done(err)
		})()
	}
}
