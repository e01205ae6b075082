package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"signalbox/engine/intake"
	"signalbox/store"
	"signalbox/tui/text"
)

// content reads a flag's value that may stand elsewhere: @FILE, or - for stdin.
func (a *app) content(flag, value string) (json.RawMessage, error) {
	path, elsewhere := strings.CutPrefix(value, "@")
	switch {
	case value == "-":
		path = value
	case !elsewhere:
		return json.RawMessage(value), nil
	}
	b, err := a.read(path)
	if err != nil {
		return nil, usage("--"+flag+" "+value, "the file can't be read: "+err.Error(), "give a file that is there")
	}
	return b, nil
}

// textMax is more than any text may be that is read as a whole.
const textMax = 16 << 20

// document reads a file that is held as a whole, or stdin for "-", and gives its
// name in errors.
func (a *app) document(path string) (name string, content []byte, err error) {
	name = "file " + path
	if path == "-" {
		name = "stdin"
	}
	if content, err = a.read(path); err != nil {
		err = usage(name, "it can't be read: "+err.Error(), "give a file that is there, or - for stdin")
	}
	return name, content, err
}

// read reads a file, or stdin for "-", that is not too large for what it can be.
func (a *app) read(path string) ([]byte, error) {
	in := a.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, reasonOf(err)
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, textMax+1))
	if err == nil && len(b) > textMax {
		err = fmt.Errorf("it is larger than %s bytes", text.Count(textMax))
	}
	return b, reasonOf(err)
}

// payload reads a flag's payload, which holds something.
func (a *app) payload(value string) (json.RawMessage, error) {
	b, err := a.content("payload", value)
	if err == nil && len(bytes.TrimSpace(b)) == 0 {
		err = usage("--payload", "the payload is empty", "write JSON, or {} for none")
	}
	return b, err
}

// duration reads a flag's duration.
func duration(flag, value string) (store.Duration, error) {
	d, err := store.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("--%s: %w", flag, err)
	}
	return store.Duration(d), nil
}

// moment reads a flag's time; "" is none.
func (a *app) moment(flag, value string) (store.Time, error) {
	if value == "" {
		return 0, nil
	}
	zone, err := a.location()
	if err != nil {
		return 0, err
	}
	t, err := intake.ParseTime(value, a.Now(), zone)
	if err != nil {
		return 0, fmt.Errorf("--%s: %w", flag, err)
	}
	return t, nil
}
