package export

import (
	"encoding/json"

	"signalbox/store"
)

// keptSurvey is how a survey is written.
type keptSurvey struct {
	Full   bool              `json:"full,omitempty"`
	Fields map[string][3]int `json:"fields"` // number, place, and 1 where it is JSON
}

// MarshalJSON implements json.Marshaler, so that chunks can be made elsewhere.
func (s *Survey) MarshalJSON() ([]byte, error) {
	k := keptSurvey{s.full, make(map[string][3]int, len(s.fields))}
	for name, of := range s.fields {
		mark := 0
		if of.json {
			mark = 1
		}
		k.Fields[name] = [3]int{int(of.number), of.place, mark}
	}
	return store.Encode(k)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Survey) UnmarshalJSON(b []byte) error {
	var k keptSurvey
	if err := json.Unmarshal(b, &k); err != nil {
		return err
	}
	s.full, s.fields = k.Full, make(map[string]seen, len(k.Fields))
	for name, of := range k.Fields {
		s.fields[name] = seen{uint64(of[0]), of[1], of[2] != 0}
	}
	return nil
}
