package store

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Misread is the error of a JSON text that is not what was asked for, in words
// for who wrote it. An error that names a rule already stands for itself. mend
// is what helps where the fault itself does not say.
func Misread(thing string, err error, mend string) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	unlike, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return Invalid(thing, Unreadable(err), mend)
	}
	given := "a " + unlike.Value
	if strings.ContainsAny(unlike.Value[:1], "ao") {
		given = "an " + unlike.Value
	}
	what, example := wanted(unlike.Type)
	if unlike.Field == "" {
		return Invalid(thing, given+" is not "+what, mend)
	}
	return Invalid(thing, fmt.Sprintf("its %q can't be %s, it is %s", unlike.Field, given, what), "write it as "+example)
}

// Unreadable words why a text is no JSON, or not the JSON it should be.
func Unreadable(err error) string {
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends in the midst of a value"
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	for _, f := range faults {
		if before, after, ok := strings.Cut(text, f.said); ok {
			char := strings.TrimPrefix(before, "invalid character ")
			word, _, _ := strings.Cut(after, " (")
			return strings.Replace(f.words, "%", char, 1) + word
		}
	}
	return text
}

// faults has what the decoder says of a text that is no JSON, and the same for
// people; % is the character at which it stopped.
var faults = []struct{ said, words string }{
	{"unexpected end of JSON input", "it ends in the midst of a value"},
	{" looking for beginning of value", "% stands where a value should begin"},
	{" looking for beginning of object key string", "% stands where a name in double quotes should begin"},
	{" after object key:value pair", "% stands where a comma or } should follow a value"},
	{" after object key", "% stands where a colon should follow a name"},
	{" after array element", "% stands where a comma or ] should follow a value"},
	{" after top-level value", "% follows the end of the value"},
	{" in string literal", "% stands within a text, where it must be written as an escape such as \\n"},
	{" in string escape code", "% follows a backslash, which takes one of \" \\ / b f n r t u"},
	{` in \u hexadecimal character escape`, `% stands in a \u escape, which takes four hexadecimal digits`},
	{" in literal ", "% stands within the word "},
	{" after decimal point in numeric literal", "% stands where a digit should follow a decimal point"},
	{" in exponent of numeric literal", "% stands where a digit should follow an exponent"},
	{" in numeric literal", "% stands within a number"},
	{"exceeded max depth", "its values are nested deeper than 10,000"},
}

// wanted says what a field of a type takes, and how that is written.
func wanted(t reflect.Type) (what, example string) {
	switch t {
	case reflect.TypeFor[Duration]():
		return "a duration", `"30s"`
	case reflect.TypeFor[Time]():
		return "a time", `"2030-01-31T12:00:00Z"`
	case reflect.TypeFor[ID]():
		return "an item's id", `"orders/12"`
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a text", `"a text"`
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false", "true"
	case reflect.String:
		return "a text", `"a text"`
	case reflect.Slice, reflect.Array:
		return "a list", "[…]"
	case reflect.Struct, reflect.Map:
		return "an object", "{…}"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0 on", "3"
	case reflect.Float32, reflect.Float64:
		return "a number", "3.5"
	}
	return "a whole number", "3"
}
