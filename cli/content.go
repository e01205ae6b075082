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
)

// content reads a flag's value that may stand elsewhere: @FILE, or - for stdin.
func (a *app) content(flag, value string) (json.RawMessage, error) {
	path, elsewhere := strings.CutPrefix(value, "@")
	if value == "-" {
		b, err := io.ReadAll(a.Stdin)
		return b, err
	}
	if !elsewhere {
		return json.RawMessage(value), nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("--"+flag+" "+value, "the file can't be read: "+err.Error(), "give a file that is there")
	}
	return b, nil
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
