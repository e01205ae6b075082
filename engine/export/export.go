// Package export lays items out as files: CSV for spreadsheets and UiPath's
// upload, JSON lines, XML, and the orchestrator's file layout.
//
//	header · row · row · … · footer
//
// A file can be made in one go or in chunks that are made apart, in any order
// and at once: joined in order, with Between where both sides have rows, they
// are the same bytes. A CSV's columns come from a Survey of all its rows, which
// can be made in chunks too.
//
// What the files look like is written down in docs/formats.md; package intake
// reads them, but for XML.
package export

import (
	"fmt"
	"strings"

	"signalbox/store"
)

// Row is one item with its contents. Its Error carries its details.
type Row struct {
	store.Item
	Payload, Output, Analytics []byte // JSON, byte for byte; nil = none
}

// Format is how a file lays out its rows.
type Format string

// The formats.
const (
	CSV          Format = "csv"
	JSONL        Format = "jsonl"
	XML          Format = "xml"
	Orchestrator Format = "orchestrator"
)

// ParseFormat reads a format's name; CodeInvalid for another.
func ParseFormat(s string) (Format, error) {
	switch f := Format(strings.ToLower(s)); f {
	case CSV, JSONL, XML, Orchestrator:
		return f, nil
	}
	return "", store.Invalid(fmt.Sprintf("format %q", s), "a file of items is csv, jsonl, xml or orchestrator", "use one of these")
}

// Layout writes the parts of one file; each method appends to b. It is for one
// goroutine: chunks that are made at once have a Layout each.
type Layout interface {
	Header(b []byte) []byte
	Row(b []byte, r *Row) []byte
	// Between stands between two rows, and so between two chunks with rows.
	Between() string
	Footer(b []byte) []byte
}

// New readies a layout. Only CSV needs a survey of the rows to come; what rows
// have that it did not see is written all the same.
func New(f Format, s *Survey) (Layout, error) {
	switch f {
	case CSV:
		return newCSV(s), nil
	case JSONL:
		return lines{}, nil
	case XML:
		return xml{}, nil
	case Orchestrator:
		return orchestrator{}, nil
	}
	_, err := ParseFormat(string(f))
	return nil, err
}

// Surveys says that the format needs a survey.
func (f Format) Surveys() bool { return f == CSV }
