// Package reach words why a connection came to nothing, for those who read it
// on a screen or as an item's reason. What is said holds no address with a
// query, which may be a secret.
package reach

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// ErrCut is an answer that ended before it was whole.
var ErrCut = errors.New("the connection was closed before the answer was whole")

// Why words what became of a request that got no whole answer.
func Why(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if words := ofName(err); words != "" {
		return words
	}
	if words := ofCertificate(err); words != "" {
		return words
	}
	for _, k := range kinds {
		if errors.Is(err, k.is) {
			return k.words
		}
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return late
	}
	return ofText(err)
}

// NotHTTP is an answer of something else than a web server.
const NotHTTP = "what it answers is not HTTP"

const late = "no answer came in time"

// kinds has causes in the order in which they are looked for.
var kinds = []struct {
	is    error
	words string
}{
	{ErrCut, ErrCut.Error()},
	{io.EOF, ErrCut.Error()},
	{io.ErrUnexpectedEOF, ErrCut.Error()},
	{context.DeadlineExceeded, late},
	{os.ErrDeadlineExceeded, late},
	{syscall.ECONNREFUSED, "nobody listens there (connection refused)"},
	{syscall.ECONNRESET, "the connection was broken off before the answer was whole (connection reset)"},
	{syscall.EPIPE, "the connection was broken off before all was sent"},
	{syscall.EACCES, "it is closed to you (permission denied)"},
	{syscall.EHOSTUNREACH, "no way leads to its host"},
	{syscall.ENETUNREACH, "no way leads to its network"},
	{syscall.EMFILE, "too many files are open in this process"},
	{http.ErrSchemeMismatch, "it answers plain HTTP where https:// was asked"},
}

func ofName(err error) string {
	e, ok := errors.AsType[*net.DNSError](err)
	switch {
	case !ok:
		return ""
	case e.IsNotFound:
		return fmt.Sprintf("the host %q is unknown", e.Name)
	}
	return fmt.Sprintf("the name service gave no answer about the host %q", e.Name)
}

func ofCertificate(err error) string {
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Sprintf("its certificate is not for %q", e.Host)
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return "its certificate has expired, or is not valid yet"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its certificate is signed by an authority that is not trusted here"
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not accepted: " + strings.TrimPrefix(e.Err.Error(), "x509: ")
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "it does not speak TLS"
	}
	return ""
}

// ofText words what has no type of its own, without how Go names the layers.
func ofText(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "malformed HTTP"), strings.Contains(text, "malformed MIME"):
		return NotHTTP
	case strings.Contains(text, "response headers exceeded"):
		return "the head of its answer is too long"
	}
	for {
		e, ok := errors.AsType[*net.OpError](err)
		if !ok {
			break
		}
		err = e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		err = e.Err
	}
	text = err.Error()
	for _, layer := range []string{"net/http: ", "http: ", "http2: ", "tls: ", "remote error: "} {
		text = strings.TrimPrefix(text, layer)
	}
	return text
}
