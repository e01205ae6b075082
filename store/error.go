package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Code classes an error; each edge turns it into an exit code or a status in
// exactly one place.
type Code uint8

// The codes; their numbers are the command line's exit codes.
const (
	CodeFailed      Code = 1 // something went wrong that no caller could avoid
	CodeInvalid     Code = 2 // bad input
	CodeNotFound    Code = 3
	CodeEmpty       Code = 4 // nothing to claim
	CodeConflict    Code = 5 // lease lost, already final, duplicate reference, paused
	CodeForbidden   Code = 6
	CodeUnavailable Code = 7 // store held, unreachable or damaged
)

// Error is the one error type: what thing, which rule it broke, and the mend.
type Error struct {
	Code  Code   `json:"code"`
	Thing string `json:"thing"`          // "queue \"orders\""
	Rule  string `json:"rule"`           // "does not exist"
	Mend  string `json:"mend,omitempty"` // "add it with `signalbox queue add orders`"
	Err   error  `json:"-"`              // cause, may be nil
}

// Error gives what, why and mend as one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Thing)
	if e.Rule != "" {
		b.WriteString(": " + e.Rule)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Mend != "" {
		b.WriteString("; " + e.Mend)
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf finds the code of err: 0 for nil, CodeFailed for a foreign error.
func CodeOf(err error) Code {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeFailed
}

// Invalid makes an error of bad input.
func Invalid(thing, rule, mend string) *Error {
	return &Error{Code: CodeInvalid, Thing: thing, Rule: rule, Mend: mend}
}

// NotFound makes an error of a thing that is not there.
func NotFound(thing, mend string) *Error {
	return &Error{Code: CodeNotFound, Thing: thing, Rule: "not found", Mend: mend}
}

// Conflict makes an error of a thing that stands in another state.
func Conflict(thing, rule, mend string) *Error {
	return &Error{Code: CodeConflict, Thing: thing, Rule: rule, Mend: mend}
}

// Unavailable makes an error of a store that cannot be reached or read.
func Unavailable(thing string, err error, mend string) *Error {
	return &Error{Code: CodeUnavailable, Thing: thing, Err: err, Mend: mend}
}

// NoQueue is the error for a queue that does not exist.
func NoQueue(name string) *Error {
	return NotFound("queue "+quote(name), fmt.Sprintf("see `signalbox queue list`, or add it with `signalbox queue add %s`", name))
}

// NoItem is the error for an item that does not exist.
func NoItem(id ID) *Error {
	return NotFound("item "+quote(id.String()), "see `signalbox item list --queue "+id.Queue+"`")
}

func quote(s string) string { return strconv.Quote(s) }
func lower(s string) string { return strings.ToLower(s) }
