package intake

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"signalbox/store"
)

// Encoding is how a file's text is written.
type Encoding string

// The encodings. A file in UTF-16 that begins with a byte order mark is known by
// it; Windows-1252 can't be told from others of its kind, so it must be said.
const (
	UTF8        Encoding = "utf-8"
	UTF16       Encoding = "utf-16" // by its byte order mark, else little endian
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252"
)

// noText refuses files that begin as no text does, whatever its encoding.
func noText(r *bufio.Reader) error {
	head, _ := r.Peek(8) // what can't be read is told when it is
	for _, kind := range []struct{ begins, rule, mend string }{
		{"PK\x03\x04", "it is a spreadsheet or a zip archive", "save the sheet as CSV, or unpack it"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is a spreadsheet or another document of an office program", "save it as CSV"},
		{"\x1f\x8b", "it is compressed with gzip", "unpack it with gunzip"},
		{"%PDF-", "it is a PDF document", "save its table as CSV"},
		{"\xfd7zXZ\x00", "it is compressed with xz", "unpack it with unxz"},
		{"BZh91AY&", "it is compressed with bzip2", "unpack it with bunzip2"},
		{"7z\xbc\xaf\x27\x1c", "it is a 7z archive", "unpack it"},
		{"SQLite f", "it is a database", "export the table as CSV"},
		{"PAR1", "it is a Parquet file", "write it as CSV or JSON lines"},
	} {
		if bytes.HasPrefix(head, []byte(kind.begins)) {
			return store.Invalid("the file", kind.rule, kind.mend)
		}
	}
	return nil
}

// decode gives a file's text as UTF-8.
func decode(r *bufio.Reader, e Encoding) (io.Reader, error) {
	head, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadable(err)
	}
	if e == "" {
		if e = marked(head); e == "" && len(head) > 1 && (head[0] == 0) != (head[1] == 0) {
			return nil, store.Invalid("the file", "it begins with a byte of zero: it may be UTF-16 without a mark, or no text", "say --encoding utf-16le or utf-16be, or save it as UTF-8")
		}
	}
	switch e {
	case UTF16, UTF16LE:
		return decoded(r, unicode.LittleEndian), nil
	case UTF16BE:
		return decoded(r, unicode.BigEndian), nil
	case Windows1252:
		if m := marked(head); m != "" || bytes.HasPrefix(head, []byte("\ufeff")) {
			return nil, store.Invalid("the file", fmt.Sprintf("it begins with the mark of %s", orUTF8(m)), "leave out --encoding windows-1252")
		}
		return transform.NewReader(r, charmap.Windows1252.NewDecoder()), nil
	}
	return r, nil
}

func decoded(r io.Reader, end unicode.Endianness) io.Reader {
	return transform.NewReader(r, unicode.UTF16(end, unicode.UseBOM).NewDecoder())
}

// marked gives the encoding that a byte order mark names, "" for UTF-8.
func marked(head []byte) Encoding {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return UTF16LE
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return UTF16BE
	}
	return ""
}

func orUTF8(e Encoding) Encoding {
	if e == "" {
		return UTF8
	}
	return e
}
