package cli_test

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeyFile(t *testing.T) {
	r := newRig(t)
	key := strings.Repeat("k", 32)
	keyFile := func(text string, mode os.FileMode) {
		path := filepath.Join(r.dir, "key")
		_ = os.Remove(path)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		r.env["SIGNALBOX_KEY_FILE"] = path
	}
	r.fails(6, "there is no key", "queue", "add", "none", "--encrypted")
	keyFile(key, 0o644)
	r.fails(6, "others may use it (mode 0644); close it with `chmod 600", "queue", "add", "q", "--encrypted")
	keyFile("short", 0o600)
	r.fails(2, "it holds no key", "queue", "add", "q", "--encrypted")
	keyFile(key, 0o600)
	r.ok("queue", "add", "q", "--encrypted", "--family", "transactions")
	r.fails(2, "decided when it is added", "queue", "set", "q", "--encrypted=false")
	r.ok("item", "add", "--queue", "q", "--payload", `{"iban":"DE-MARKER-17"}`)
	for _, text := range []string{hex.EncodeToString([]byte(key)) + "\n", base64.StdEncoding.EncodeToString([]byte(key)) + "\n", key} {
		keyFile(text, 0o400)
		if out := r.ok("item", "show", "q/1"); !strings.Contains(out, "DE-MARKER-17") {
			t.Errorf("with the key %q it is shown as\n%s", text, out)
		}
	}
	claimed := r.claimed("--queue", "q", "--robot", "r1")
	r.ok("fail", claimed[0].ID, "--fence", "1", "--kind", "business", "--reason", "no", "--details", "MARKER-18")
	r.ok("backup", filepath.Join(r.dir, "copy.db"))
	if dump := r.ok("queue", "dump"); !strings.Contains(dump, "encrypted = true") {
		t.Errorf("dumped as\n%s", dump)
	}
	r.ok("queue", "apply", "--dry-run", "-f", r.file("q.toml", r.ok("queue", "dump")))

	for _, format := range []string{"csv", "jsonl", "xml", "orchestrator"} {
		if out := r.ok("export", "--queue", "q", "--format", format); !strings.Contains(out, "DE-MARKER-17") || !strings.Contains(out, "MARKER-18") || strings.Contains(out, "sealed:") {
			t.Errorf("exported as\n%s", out)
		}
	}

	delete(r.env, "SIGNALBOX_KEY_FILE")
	r.fails(6, "there is no key", "export", "--queue", "q", "--format", "csv")
	if out := r.ok("item", "show", "q/1"); strings.Contains(out, "MARKER") || !strings.Contains(out, "there is no key") {
		t.Errorf("without the key it is shown as\n%s", out)
	}
	if out := r.ok("queue", "list"); !strings.Contains(out, "there is no key") {
		t.Errorf("the list is\n%s", out)
	}
	r.fails(6, "there is no key", "item", "add", "--queue", "q", "--payload", `{}`)
	r.fails(6, "there is no key", "claim", "--queue", "q", "--robot", "r1")
	keyFile(strings.Repeat("l", 32), 0o600)
	if out := r.ok("item", "show", "q/1"); strings.Contains(out, "MARKER") || !strings.Contains(out, "this engine has key") {
		t.Errorf("with another key it is shown as\n%s", out)
	}
	const other = "its items are under another key than SIGNALBOX_KEY_FILE gives; start the engine with the key it was made with"
	r.fails(6, other, "item", "add", "--queue", "q", "--payload", `{}`)
	r.fails(6, other, "item", "import", "--queue", "q", r.file("more.csv", "a\n1\n"))
	r.fails(6, other, "claim", "--queue", "q", "--robot", "r1")
	if out := r.ok("queue", "list"); !strings.Contains(out, "another key") {
		t.Errorf("the list is\n%s", out)
	}
	files, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(r.read(filepath.Join(r.dir, f.Name())), "MARKER") {
			t.Errorf("%s holds the marker", f.Name())
		}
	}
}
