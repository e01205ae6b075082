package cli_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"signalbox/store/bolt"
)

// both runs a test without an engine, and with one that serves the store.
func both(t *testing.T, test func(*testing.T, *rig)) {
	for _, serving := range []bool{false, true} {
		t.Run(fmt.Sprintf("serving=%t", serving), func(t *testing.T) {
			r := newRig(t)
			r.ok("queue", "add", "q")
			r.ok("item", "add", "--queue", "q", "--payload", `{"a":1}`)
			if serving {
				r.serve()
			}
			test(t, r)
		})
	}
}

// damage spoils the record of item q/1.
func (r *rig) damage() {
	r.t.Helper()
	db, err := bbolt.Open(filepath.Join(r.dir, "s.db"), 0o600, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	err = db.Update(func(b *bbolt.Tx) error {
		items := b.Bucket([]byte("queues")).Bucket([]byte("q")).Bucket([]byte("items"))
		return items.Put(binary.BigEndian.AppendUint64(nil, 1), []byte("garbage"))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		r.t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		if out := r.ok("check"); out != "checked 1 queue, 1 item: nothing wrong\n" {
			t.Errorf("it says %q", out)
		}
		if out := r.ok("check", "-o", "json", "--read-only"); out != `{"problems":[]}`+"\n" {
			t.Errorf("as JSON it says %q", out)
		}
		r.fails(2, "a check has no columns", "check", "-o", "csv")
	})
}

func TestCheckFindsDamage(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("item", "add", "--queue", "q", "--payload", "1")
	r.damage()
	look := func() {
		t.Helper()
		got := r.run("check")
		if n := strings.Count(got.stdout, "\n"); got.code != 7 || n == 0 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "store bolt:"+r.dir) {
			t.Errorf("exit %d, %q and %q", got.code, got.stdout, got.stderr)
		}
		asJSON := r.run("check", "-o", "json")
		found := parse[struct{ Problems []string }](t, asJSON.stdout)
		if asJSON.code != 7 || strings.Join(found.Problems, "\n")+"\n" != got.stdout {
			t.Errorf("exit %d, %q is not %q", asJSON.code, found.Problems, got.stdout)
		}
	}
	look()
	r.serve()
	look()
}

func TestBackupAndRestore(t *testing.T) {
	both(t, func(t *testing.T, r *rig) {
		file := filepath.Join(r.dir, "copy.db")
		done := parse[struct {
			File  string
			Bytes int64
		}](t, r.ok("backup", file))
		if info, err := os.Stat(file); err != nil || done.File != file || info.Size() != done.Bytes || info.Mode().Perm() != 0o600 {
			t.Errorf("%+v, %v, %v", done, info, err)
		}
		r.fails(5, "it is there already; name another, or replace it with --force", "backup", file)
		strange := r.file("copy.db.partial", "somebody's")
		r.ok("backup", file, "--force", "--read-only")
		if left, err := filepath.Glob(filepath.Join(r.dir, "*.partial")); err != nil || len(left) != 1 || r.read(strange) != "somebody's" {
			t.Errorf("%v are there, %v", left, err)
		}
		if out := r.ok("backup", "-"); int64(len(out)) != done.Bytes {
			t.Errorf("%d bytes to stdout, %d into the file", len(out), done.Bytes)
		}
		r.fails(2, "it is the store itself", "backup", filepath.Join(r.dir, "s.db"), "--force")
		r.fails(2, "it is a folder or a device", "backup", r.dir, "--force")
		r.fails(1, "it can't be written: no such file", "backup", filepath.Join(r.dir, "no", "copy.db"))

		other := &rig{t: t, dir: t.TempDir(), now: r.now, env: map[string]string{}}
		other.env["SIGNALBOX_STORE"] = "bolt:" + filepath.Join(other.dir, "new", "s.db")
		if out := other.ok("restore", file); strings.Contains(out, "kept") {
			t.Errorf("nothing was there to keep: %s", out)
		}
		if out := other.ok("check"); out != "checked 1 queue, 1 item: nothing wrong\n" {
			t.Errorf("the copy: %s", out)
		}
	})
}

func TestRestoreKeepsWhatItReplaces(t *testing.T) {
	r := newRig(t)
	file, path := filepath.Join(r.dir, "copy.db"), filepath.Join(r.dir, "s.db")
	r.ok("queue", "add", "q")
	r.ok("backup", file)
	r.ok("queue", "add", "later")

	r.fails(2, "there is one, and nobody is there to confirm; add --yes", "restore", file)
	r.terminal, r.stdin = true, "n\n"
	if got := r.run("restore", file); got.code != 1 || !strings.Contains(got.stderr, "That is kept as "+path+".old. [y/N]") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	r.stdin = "y\n"
	if got := r.run("restore", file, "-o", "json"); got.code != 0 || !strings.Contains(got.stdout, `"kept":"`+path+`.old"`) {
		t.Errorf("exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	r.terminal = false
	r.fails(3, "not found", "queue", "show", "later")
	r.ok("queue", "show", "later", "--store", "bolt:"+path+".old")
	r.fails(5, "an earlier restore kept a store there; move it away, or delete it", "restore", file, "--yes")
	r.ok("queue", "show", "later", "--store", "bolt:"+path+".old")
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(r.dir, "s.db")
	r.ok("queue", "add", "q")
	r.fails(2, "it can't be read: no such file or directory; give a backup that is there", "restore", path+".none")
	r.fails(2, "it is not a signalbox store", "restore", r.file("text", strings.Repeat("a few words ", 1000)))
	r.fails(2, "it is a folder, or empty", "restore", r.dir)
	r.fails(2, "it is the store itself", "restore", path)
	r.ok("backup", filepath.Join(r.dir, "copy.db"))
	whole := r.read(filepath.Join(r.dir, "copy.db"))
	r.fails(7, "half", "restore", r.file("half", whole[:len(whole)/2]), "--yes")
	r.ok("item", "add", "--queue", "q", "--payload", "1")
	r.damage()
	r.ok("backup", filepath.Join(r.dir, "bad.db"))
	r.fails(7, "backup "+filepath.Join(r.dir, "bad.db"), "restore", filepath.Join(r.dir, "bad.db"), "--yes")
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("%v left behind, %v", left, err)
	}
	r.ok("queue", "show", "q")
}

func TestCompact(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("queue", "add", "drop")
	r.ok("item", "import", "--queue", "drop", r.file("rows.csv", "a\n"+strings.Repeat(strings.Repeat("x", 500)+"\n", 2000)))
	r.ok("queue", "delete", "drop", "--force")
	size := parse[struct{ Before, After int64 }](t, r.ok("compact"))
	if info, err := os.Stat(filepath.Join(r.dir, "s.db")); err != nil || size.After >= size.Before || info.Size() != size.After {
		t.Errorf("%+v, %v", size, err)
	}
	if out := r.ok("check"); !strings.Contains(out, "1 queue, 0 items") {
		t.Errorf("%s", out)
	}
}

// What needs the store for itself says who has it, and what to do.
func TestKeepingNeedsTheStoreAlone(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	file := filepath.Join(r.dir, "copy.db")
	r.ok("backup", file)
	for _, command := range []string{"compact", "restore " + file + " --yes"} {
		args := strings.Fields(command)
		r.fails(2, "this command prints one object", append(args, "-o", "csv")...)
		r.fails(6, "opened read-only", append(args, "--read-only")...)
		r.fails(2, "it is no file, and ends with its process", append(args, "--store", "memory:")...)
	}
	r.fails(2, "this needs the store's file", "restore", file, "--yes", "--connect", "unix:/nowhere")
	r.fails(7, "/nowhere", "compact", "--connect", "unix:/nowhere")
	r.fails(2, "it is no file, and ends with its process", "backup", "x", "--store", "memory:")
	r.terminal = true
	r.fails(2, "a terminal can't show a store", "backup", "-")
	r.terminal = false

	s := r.serve()
	words := fmt.Sprintf("process %d serves it; stop that one first, or copy the store as it runs with `signalbox backup FILE`", os.Getpid())
	r.fails(6, "read-only", "compact", "--read-only")
	if out := r.ok("compact"); !strings.Contains(out, `"before":`) { // the engine does so itself
		t.Errorf("%s", out)
	}
	r.ok("queue", "add", "afterwards")
	r.fails(7, words, "restore", file, "--yes")
	s.stop()
	r.ok("compact")
	r.ok("restore", file, "--yes")
}

func TestKeepingAHeldStore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ok("queue", "add", "q")
	r.ok("backup", filepath.Join(r.dir, "copy.db"))
	s, err := bolt.Open(filepath.Join(r.dir, "s.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r.fails(7, fmt.Sprintf("is held by process %d (waited 5s); stop that one first", os.Getpid()), "compact")
	r.fails(2, "it is a store that another process uses", "restore", filepath.Join(r.dir, "s.db"), "--store", "bolt:"+r.dir+"/other.db")
}

// What is acknowledged while the store is compacted again and again is in it.
func TestCompactingUnderOthers(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	compacted := make(chan string)
	go func() {
		for range 30 {
			if got := r.run("compact"); got.code != 0 {
				compacted <- got.stderr
				return
			}
		}
		compacted <- ""
	}()
	added := 0
	for done := false; !done; added++ {
		r.ok("item", "add", "--queue", "q", "--payload", "1")
		select {
		case stderr := <-compacted:
			if done = true; stderr != "" {
				t.Error(stderr)
			}
		default:
		}
	}
	if out := r.ok("check"); !strings.Contains(out, fmt.Sprintf(", %d item", added)) {
		t.Errorf("%d items were added; %s", added, out)
	}
}
