package store_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/store"
)

// What is no JSON, or not the JSON asked for, is told in words of people.
func TestMisreadTextsAreWords(t *testing.T) {
	var into struct {
		Fence uint64         `json:"fence"`
		Wait  store.Duration `json:"wait"`
		List  []string       `json:"list"`
		Then  struct {
			Item store.ID `json:"item"`
		} `json:"then"`
	}
	for text, words := range map[string]string{
		``:                         "it is empty",
		`{"fence":`:                "it ends in the midst of a value",
		`x`:                        "'x' stands where a value should begin",
		`{fence:1}`:                "'f' stands where a name in double quotes should begin",
		`{"fence" 1}`:              "'1' stands where a colon should follow a name",
		`{"fence":1 "wait":2}`:     `'"' stands where a comma or } should follow a value`,
		`{"list":["a" "b"]}`:       `'"' stands where a comma or ] should follow a value`,
		"{\"list\":[\"a\nb\"]}":    `'\n' stands within a text`,
		`{"list":["\q"]}`:          `'q' follows a backslash`,
		`{"list":["\u12x4"]}`:      `'x' stands in a \u escape`,
		`{"fence":1.x}`:            "'x' stands where a digit should follow a decimal point",
		`{"fence":1ex}`:            "'x' stands where a digit should follow an exponent",
		`{"fence":-x}`:             "'x' stands within a number",
		`{"fence":nil}`:            "'i' stands within the word null",
		`{"fence":1,"fense":2}`:    `unknown field "fense"`,
		`{"fence":"1"}`:            `its "fence" can't be a string, it is a whole number from 0 on; write it as 3`,
		`{"fence":-1}`:             `its "fence" can't be a number -1, it is a whole number from 0 on`,
		`{"wait":5}`:               `its "wait" can't be a number, it is a duration; write it as "30s"`,
		`{"list":{}}`:              `its "list" can't be an object, it is a list`,
		`{"then":{"item":[]}}`:     `its "then.item" can't be an array, it is an item's id`,
		`[]`:                       "an array is not an object",
		`{"wait":"soon"}`:          "a duration is a number with a unit",
		strings.Repeat("[", 10001): "its values are nested deeper than 10,000",
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(&into)
		if err == nil {
			t.Errorf("%.40s was read", text)
			continue
		}
		got := store.Misread("the line", err, "write {…}")
		if !strings.Contains(got.Error(), words) || got.Code != store.CodeInvalid || got.Mend == "" {
			t.Errorf("%.40s: %q, want %q", text, got, words)
		}
		for _, of := range []string{"json:", "Go ", "looking for", "invalid character", "EOF"} {
			if strings.Contains(got.Error(), of) {
				t.Errorf("%.40s: %q has %q in it", text, got, of)
			}
		}
	}
}
