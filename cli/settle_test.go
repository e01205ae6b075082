package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"signalbox/cli"
)

// Every line of a settle is answered in its place: what can't be read is refused
// with its number, and keeps no other from being settled.
func TestSettleAnswersPerLine(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		r.ok("queue", "add", "s")
		r.stdin = "{}\n{}\n{}\n"
		r.ok("item", "import", "--queue", "s", "-")
		held := r.claimed("--queue", "s", "--robot", "r", "--n", "3")
		line := func(n int) string {
			return fmt.Sprintf(`{"item":%q,"fence":%d,"status":"success"}`, held[n].ID, held[n].Fence)
		}
		r.stdin = strings.Join([]string{
			line(0), "no JSON", `{"item":"s/1","fenc":3}`, "", `{"fence":3}`, line(1) + "}", `{"item":"s/77","fence":1,"status":"success"}`,
			fmt.Sprintf(`{"item":%q,"fence":99,"status":"success"}`, held[1].ID), "[]", line(2),
		}, "\n")
		got := r.run("settle")
		lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
		want := []string{`"ok"`, "line 2 of stdin: 'o' stands within the word null; write", "line 3 of stdin: ", "line 5 of stdin: ", "line 6 of stdin: something follows", `"gone"`, `"stale"`, "line 9 of stdin: ", `"ok"`}
		if got.code != 2 || len(lines) != len(want) || !strings.Contains(got.stderr, "settle: 7 of 9 items refused, the first: line 2 of stdin: ") {
			t.Fatalf("exit %d, %s%s", got.code, got.stdout, got.stderr)
		}
		for n := range want {
			if !strings.Contains(lines[n], want[n]) || strings.Contains(want[n], "stdin") && !strings.Contains(lines[n], `"refused"`) {
				t.Errorf("line %d is answered %s, want %s", n+1, lines[n], want[n])
			}
		}
		if counts := parse[queue](t, r.ok("queue", "show", "s")).Counts; counts["completed"] != 2 || counts["claimed"] != 1 {
			t.Errorf("the queue has %v", counts)
		}
		r.stdin = "no JSON\n"
		r.fails(2, "line 1 of stdin: ", "settle")
	})
}

// The lines of a settle are settled and answered as they come, and between two
// waves of them the store is anybody's. Where it fails, what was answered is
// settled, and from where on nothing was is said.
func TestSettleOfMoreThanAWave(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		const wave = 1000
		r.ok("queue", "add", "s")
		r.stdin = strings.Repeat("{}\n", wave+2)
		r.ok("item", "import", "--queue", "s", "-")
		held := r.claimed("--queue", "s", "--robot", "r", "--n", fmt.Sprint(wave))
		held = append(held, r.claimed("--queue", "s", "--robot", "r", "--n", "2")...)
		in, feed := io.Pipe()
		told, out := io.Pipe()
		var errs bytes.Buffer
		r.input = in
		world := r.world(out, &errs)
		code := make(chan int, 1)
		go func() {
			code <- cli.Run(t.Context(), world, []string{"settle"})
			_ = out.Close()
		}()
		settles := func(from, to int) {
			var lines strings.Builder
			for _, i := range held[from:to] {
				fmt.Fprintf(&lines, `{"item":%q,"fence":%d,"status":"success"}`+"\n", i.ID, i.Fence)
			}
			if _, err := io.WriteString(feed, lines.String()); err != nil {
				t.Error(err)
			}
		}
		answers := bufio.NewReader(told)
		answered := func(from, to int) {
			for _, i := range held[from:to] {
				if got := line(t, answers); !strings.Contains(got, fmt.Sprintf(`"item":%q,"result":"ok"`, i.ID)) {
					t.Fatalf("%s is answered by %s", i.ID, got)
				}
			}
		}
		settles(0, wave)
		answered(0, wave)
		if counts := parse[queue](t, r.ok("queue", "show", "s")).Counts; counts["completed"] != wave || counts["claimed"] != 2 {
			t.Errorf("after a wave the queue has %v", counts)
		}
		settles(wave, wave+2)
		if err := feed.Close(); err != nil {
			t.Fatal(err)
		}
		answered(wave, wave+2)
		if got := <-code; got != 0 {
			t.Errorf("exit %d, %s", got, errs.String())
		}
	})
	t.Run("the engine goes", func(t *testing.T) {
		r := newRig(t)
		r.ok("queue", "add", "s")
		engine := r.serve()
		line := `{"item":"s/1","fence":1,"status":"success"}` + "\n"
		in, feed := io.Pipe()
		told, out := io.Pipe()
		var errs bytes.Buffer
		r.input = in
		world := r.world(out, &errs)
		code := make(chan int, 1)
		go func() {
			code <- cli.Run(t.Context(), world, []string{"settle", "--connect", "unix:" + r.env["SIGNALBOX_STORE"][len("bolt:"):] + ".sock"})
			_ = out.Close()
		}()
		go func() {
			_, _ = io.WriteString(feed, strings.Repeat(line, 1000))
		}()
		answers := bufio.NewReader(told)
		for range 1000 {
			if _, err := answers.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		engine.stop()
		if _, err := io.WriteString(feed, line); err != nil {
			t.Fatal(err)
		}
		_ = feed.Close()
		if got := <-code; got != 7 || !strings.Contains(errs.String(), "settle: line 1001 of stdin and those behind it have no answer: ") {
			t.Errorf("exit %d, %s", got, errs.String())
		}
	})
}

// A wave of which the answer was lost on its way is settled: nothing says that it is not.
func TestSettleWithoutItsAnswerDoesNotSayThatNothingWasSettled(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "s")
	engine := r.serve()
	defer engine.stop()
	r.ok("item", "add", "--queue", "s", "--payload", "{}")
	held := r.claimed("--queue", "s", "--robot", "a")[0]
	socket := r.env["SIGNALBOX_STORE"][len("bolt:"):] + ".sock"
	var waves int
	way := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: "signalbox"}) },
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}},
		ModifyResponse: func(a *http.Response) error {
			if a.Request.URL.Path == "/v1/settle" {
				if waves++; waves == 2 {
					panic(http.ErrAbortHandler)
				}
			}
			return nil
		},
	})
	between := socket + ".way"
	l, err := net.Listen("unix", between)
	if err != nil {
		t.Fatal(err)
	}
	_ = way.Listener.Close()
	way.Listener = l
	way.Start()
	defer way.Close()
	r.input = strings.NewReader(strings.Repeat(`{"item":"s/9","fence":1,"status":"success"}`+"\n", 1000) +
		fmt.Sprintf(`{"item":%q,"fence":%d,"status":"success"}`, held.ID, held.Fence))
	got := r.run("settle", "--connect", "unix:"+between)
	if answered := strings.Count(got.stdout, "\n"); answered != 1000 || got.code != 7 || strings.Contains(got.stderr, "not settled") || !strings.Contains(got.stderr, "line 1001 of stdin and those behind it have no answer: ") {
		t.Errorf("exit %d, %d lines, %s", got.code, answered, got.stderr)
	}
	r.input = nil
	if counts := parse[queue](t, r.ok("queue", "show", "s")).Counts; counts["completed"] != 1 {
		t.Errorf("the queue has %v", counts)
	}
}
