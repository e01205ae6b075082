package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/client"
	"signalbox/engine"
	"signalbox/server/socket"
	"signalbox/store"
)

// raw answers the question of its health as an engine does, and every other
// request by writing text and closing the connection.
func raw(t *testing.T, text string, close func(*net.UnixConn)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.sock")
	l, err := socket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/v1/health" {
			_, _ = io.WriteString(w, "{}")
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, text)
		close(conn.(*net.UnixConn))
	})}
	go server.Serve(l)
	t.Cleanup(func() { _ = server.Close() })
	return path
}

func closed(c *net.UnixConn) { _ = c.Close() }

// goWords are those of Go's layers, which say nothing to who uses a program.
var goWords = []string{"EOF", "->", "dial ", "read unix", "write unix", "invalid character", "looking for", "json:", "http:", "unmarshal", "syscall", "@"}

func inWords(t *testing.T, err error, holds ...string) {
	t.Helper()
	if store.CodeOf(err) != store.CodeUnavailable {
		t.Fatalf("code %d of %v, want 7", store.CodeOf(err), err)
	}
	told, ok := errors.AsType[*store.Error](err)
	if !ok || told.Thing == "" || told.Rule == "" || told.Mend == "" {
		t.Errorf("%v lacks the thing, the rule or the mend", err)
	}
	for _, words := range holds {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
	for _, words := range goWords {
		if strings.Contains(err.Error(), words) {
			t.Errorf("%q speaks Go: %s", err, words)
		}
	}
}

func TestAnswersThatBreakOffAreWords(t *testing.T) {
	// Else a client that has read all may send its next request just as it is closed.
	const closes = "Connection: close\r\n"
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + closes
	for name, test := range map[string]struct{ text, words string }{
		"no answer":              {"", "the connection was closed before the answer was whole"},
		"half a head":            {"HTTP/1.1 200 OK\r\nContent-Type: appli", "the connection was closed before the answer was whole"},
		"half a body":            {head + "Content-Length: 100\r\n\r\n{\"name\":\"q\",", "the connection was closed before the answer was whole"},
		"half a chunk":           {head + "Transfer-Encoding: chunked\r\n\r\n20\r\n[{\"na", "the connection was closed before the answer was whole"},
		"half a refusal":         {"HTTP/1.1 409 Conflict\r\n" + closes + "Content-Length: 90\r\n\r\n{\"error\":", "the connection was closed before the answer was whole"},
		"an answer of no server": {"220 mail.example ESMTP\r\n", "what it answers is not HTTP"},
		"a page":                 {head + "Content-Length: 6\r\n\r\n<html>", "what it answers is not signalbox's: '<' stands where a value should begin"},
		"another server's error": {"HTTP/1.1 502 Bad Gateway\r\n" + closes + "Content-Length: 3\r\n\r\noh!", "what it answers is not signalbox's: 502 Bad Gateway"},
		"another shape":          {head + "Content-Length: 3\r\n\r\n\"a\"", "what it answers is not signalbox's"},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, raw(t, test.text, closed), client.Options{})
			_, err := c.Item(t.Context(), store.ID{Queue: "q", Number: 1})
			inWords(t, err, test.words)
			_, err = c.PauseQueue(t.Context(), "q", true)
			inWords(t, err, test.words)
			if strings.Contains(err.Error(), "went away") != strings.Contains(err.Error(), "may or may not have been done") {
				t.Errorf("%q leaves open whether the change was done", err)
			}
			if !strings.HasPrefix(name, "half") {
				return // a backup may hold anything
			}
			inWords(t, c.Backup(t.Context(), io.Discard))
			_, err = c.Export(t.Context(), engine.ExportRequest{Queue: "q", Format: "jsonl"}, io.Discard)
			inWords(t, err)
			inWords(t, c.HoldSlot(t.Context(), engine.SlotRequest{}, func(engine.SlotNotice) error { return nil }))
		})
	}
}

// A connection that is reset: the server closes it with what it has not read.
func TestResetConnectionsAreWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	l, err := socket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1))
			_ = conn.Close()
		}
	}()
	_, err = client.Connect(t.Context(), path, client.Options{})
	inWords(t, err, "the connection was broken off")
}

func TestSocketsThatAreNoneAreWords(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "left.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	_ = left.Close()
	for path, words := range map[string]string{
		file: "it is no socket", dir: "it is no socket",
		filepath.Join(dir, "none"):                           "there is no socket of this name; start the engine with `signalbox serve`",
		filepath.Join(dir, "none", "s.sock"):                 "there is no socket of this name",
		filepath.Join(dir, strings.Repeat("n", 200), "s"):    "there is no socket of this name",
		filepath.Join(dir, "file", "s.sock"):                 "its path leads through what is no folder",
		filepath.Join(dir, "left.sock"):                      "nobody listens there (connection refused); start the engine with `signalbox serve`",
		filepath.Join(dir, strings.Repeat("n", 300)+".sock"): "its name is too long for a socket",
	} {
		_, err := client.Connect(t.Context(), path, client.Options{})
		inWords(t, err, words)
	}
}

func TestAnEngineThatDoesNotAnswerIsWords(t *testing.T) {
	path := raw(t, "", func(c *net.UnixConn) {
		_, _ = io.Copy(io.Discard, c) // until the client gives up
		_ = c.Close()
	})
	c := connect(t, path, client.Options{})
	soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Queues(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller's own patience ended with %v", err)
	}
}

// An engine that is stopped takes questions and answers none: who watches is told
// that, and hears from it again once it goes on. One that has no news is no such.
func TestAnEngineThatHangsIsTold(t *testing.T) {
	client.Impatient(t, 20*time.Millisecond, 150*time.Millisecond)
	path := filepath.Join(t.TempDir(), "s.sock")
	l, err := socket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	var hangs atomic.Bool
	var asked atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/health":
			_, _ = io.WriteString(w, "{}")
		case hangs.Load():
			<-r.Context().Done()
		case asked.Add(1)%3 != 0:
			w.WriteHeader(http.StatusNoContent)
		default:
			_, _ = io.WriteString(w, `{"revision":9,"state":"running"}`)
		}
	})}
	go server.Serve(l)
	t.Cleanup(func() { _ = server.Close() })
	c, err := client.Connect(t.Context(), path, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	watches := map[string]func(context.Context) error{
		"snapshot": func(ctx context.Context) error { _, err := c.Watch(ctx, 8); return err },
		"bulk":     func(ctx context.Context) error { _, err := c.WatchBulk(ctx, 1, 8); return err },
	}
	for name, watch := range watches {
		hangs.Store(false)
		if err := watch(t.Context()); err != nil {
			t.Errorf("%s of an engine without news for a while: %v", name, err)
		}
		hangs.Store(true)
		inWords(t, watch(t.Context()), "the engine takes questions and does not answer", "signalbox serve")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := watch(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s whose caller went away: %v", name, err)
		}
	}
}
