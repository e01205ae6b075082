package store_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// All JSON is written by Encode; package coop stands alone.
func TestNothingEscapesForHTML(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "testdata" || d.Name() == "coop" || d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(source, []byte("json.Marshal(")) {
			t.Errorf("%s has json.Marshal, want store.Encode", path)
		}
		if n := bytes.Count(source, []byte("json.NewEncoder(")); n > bytes.Count(source, []byte("SetEscapeHTML(false)")) {
			t.Errorf("%s has an encoder that escapes", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
