package bolt_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"signalbox/store"
	"signalbox/store/bolt"
	"signalbox/store/storetest"
)

// TestMain turns the test binary into the process that TestKilled kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("SIGNALBOX_TEST_WRITE"); path != "" {
		plan(os.Getenv("SIGNALBOX_TEST_END"))
		writeUntilKilled(path)
	}
	bolt.LogAll()
	os.Exit(m.Run())
}

// TestKilled kills a process in full write load again and again. Whatever it
// said was stored must be there, and all counts, indexes and chains must fit.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signalbox.db")
	told := map[string]bool{}
	for round := range 5 {
		for _, key := range writeAndKill(t, path, 300+200*round) {
			told[key] = true
		}
		s, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		storetest.Recount(t, s)
		err = s.View(context.Background(), func(r store.Reader) error {
			for key := range told {
				id, err := r.ByKey("a", key)
				if err != nil || id.IsZero() {
					t.Errorf("round %d: %s was said to be stored, is %v, %v", round, key, id, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			return
		}
	}
}

// writeAndKill starts a writer, kills it once it has told of n items, and
// gives all it told.
func writeAndKill(t *testing.T, path string, n int) (told []string) {
	t.Helper()
	told = victim(t, path, "", func(cmd *exec.Cmd, told int) {
		if told == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	})
	if len(told) < n {
		t.Fatalf("the writer ended by itself after %d items", len(told))
	}
	return told
}

// victim runs a writer until it is killed or ends itself as planned, and gives
// all it told.
func victim(t *testing.T, path, end string, said func(cmd *exec.Cmd, told int)) (told []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SIGNALBOX_TEST_WRITE="+path, "SIGNALBOX_TEST_END="+end)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		told = append(told, lines.Text())
		said(cmd, len(told))
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() > 0 {
		t.Fatalf("the writer was not killed after %d items: %v", len(told), err)
	}
	return told
}

// writeUntilKilled adds, claims and settles from many goroutines, looks now and
// then, and prints each item's key once it is stored.
func writeUntilKilled(path string) {
	s, err := bolt.Open(path, bolt.Options{})
	check(err)
	ctx := context.Background()
	check(s.Update(ctx, func(tx store.Tx) error {
		if _, err := tx.Queue("a"); err == nil {
			return nil
		}
		return tx.PutQueue(&store.Queue{Name: "a", Family: store.Transactions})
	}))
	var out sync.Mutex
	for n := range 16 {
		go func() {
			for round := 0; ; round++ {
				key := fmt.Sprintf("%d-%d-%d", os.Getpid(), n, round)
				check(s.Update(ctx, func(tx store.Tx) error { return live(tx, key, round) }))
				out.Lock()
				fmt.Println(key)
				out.Unlock()
				if n == 0 && round%20 == 19 {
					check(s.View(ctx, func(store.Reader) error { return nil }))
				}
			}
		}()
	}
	select {}
}

// live adds an item and moves the first ready one on.
func live(tx store.Tx, key string, round int) error {
	i := store.Item{Queue: "a", Key: key, Reference: fmt.Sprint("r", round%9), Status: store.Pending, Priority: store.Priority(round%3 - 1)}
	if err := tx.Add(&i, padded(key), store.Change{Event: "add", To: store.Pending}); err != nil {
		return err
	}
	for i, err := range tx.Ready("a", 1) {
		if err != nil {
			return err
		}
		next := []store.Status{store.Claimed, store.Successful, store.Failed}[round%3]
		i.Status, i.LeaseUntil, i.Group = next, store.Time(1000+round), ""
		if next == store.Failed {
			i.Group = "reason"
		}
		return tx.Put(&i, &store.Change{Event: "move", To: next})
	}
	return nil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
