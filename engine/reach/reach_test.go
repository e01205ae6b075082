package reach_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"signalbox/engine/reach"
)

// listening accepts connections and gives each to fn.
func listening(t *testing.T, fn func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fn(c.(*net.TCPConn))
		}
	}()
	return l.Addr().String()
}

// says answers a request with a text and closes the connection.
func says(text string) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, text)
		_ = c.Close()
	}
}

func reset(c *net.TCPConn) {
	_, _ = c.Read(make([]byte, 4096))
	_ = c.SetLinger(0)
	_ = c.Close()
}

func silent(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) }

func secure(t *testing.T) *httptest.Server {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// named is a client whose names are answered by err.
func named(err *net.DNSError) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}}}
}

func TestWhyARequestGotNoAnswer(t *testing.T) {
	gone := listening(t, silent)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = free.Close()
	safe := secure(t)
	other := safe.Client().Transport.(*http.Transport).Clone()
	other.TLSClientConfig = &tls.Config{RootCAs: other.TLSClientConfig.RootCAs, ServerName: "elsewhere.example"}
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	at := func(address string) string { return "http://" + address + "/?token=secret" }
	for name, test := range map[string]struct {
		client       *http.Client
		url, becomes string
	}{
		"refused":            {nil, at(free.Addr().String()), "nobody listens there (connection refused)"},
		"reset":              {nil, at(listening(t, reset)), "the connection was broken off before the answer was whole (connection reset)"},
		"closed":             {nil, at(listening(t, says(""))), "the connection was closed before the answer was whole"},
		"cut in its body":    {nil, at(listening(t, says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"))), "the connection was closed before the answer was whole"},
		"no HTTP":            {nil, at(listening(t, says("220 mail.example ESMTP\r\n"))), "what it answers is not HTTP"},
		"too slow":           {&http.Client{Timeout: time.Millisecond}, at(gone), "no answer came in time"},
		"unknown authority":  {nil, safe.URL, "its certificate is signed by an authority that is not trusted here"},
		"another's":          {&http.Client{Transport: other}, safe.URL, `its certificate is not for "elsewhere.example"`},
		"plain for TLS":      {nil, strings.Replace(plain.URL, "http:", "https:", 1), "it answers plain HTTP where https:// was asked"},
		"noise for TLS":      {nil, "https://" + listening(t, says("220 mail.example ESMTP\r\n")), "it does not speak TLS"},
		"unknown host":       {named(&net.DNSError{Name: "nowhere.example", IsNotFound: true}), "http://nowhere.example/", `the host "nowhere.example" is unknown`},
		"no name service":    {named(&net.DNSError{Name: "nowhere.example", IsTimeout: true}), "http://nowhere.example/", `the name service gave no answer about the host "nowhere.example"`},
		"an address without": {nil, "http://[::1%25none]:9/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := test.client
			if client == nil {
				client = &http.Client{}
			}
			answer, err := client.Get(test.url)
			if err == nil {
				_, err = io.ReadAll(answer.Body)
				_ = answer.Body.Close()
			}
			if err == nil {
				t.Fatal("it was answered")
			}
			got := reach.Why(err)
			if test.becomes != "" && got != test.becomes {
				t.Errorf("%v became %q, want %q", err, got, test.becomes)
			}
			for _, words := range []string{"secret", "->", "dial ", "EOF", "x509", "tls:", "http:"} {
				if strings.Contains(got, words) {
					t.Errorf("%q has %q in it", got, words)
				}
			}
		})
	}
	if got := reach.Why(fmt.Errorf("its answer: %w", io.ErrUnexpectedEOF)); got != reach.ErrCut.Error() {
		t.Errorf("an end became %q", got)
	}
}
