package store

import (
	"bytes"
	"encoding/json"
)

// Encode is json.Marshal that leaves <, > and & as they are. All JSON that leaves
// the program is written by it, also within a MarshalJSON: the strings of a
// payload go out byte for byte as they came in.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
