package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Nothing writes to the terminal but the program: what is printed beside it
// would stand in the picture.
func TestNothingIsPrintedBesideThePicture(t *testing.T) {
	for _, folder := range []string{".", "../keymap", "../themes", "../engine", "../store"} {
		inspect(t, folder, func(at token.Position, n ast.Node) {
			if spec, ok := n.(*ast.ImportSpec); ok && spec.Path.Value == `"log"` {
				t.Errorf("%s imports log", at)
			}
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return
			}
			from, _ := sel.X.(*ast.Ident)
			if from == nil {
				return
			}
			switch name := from.Name + "." + sel.Sel.Name; {
			case name == "os.Stdout", name == "os.Stderr", strings.HasPrefix(name, "fmt.Print"):
				t.Errorf("%s: %s", at, name)
			}
		})
	}
}

// Screens and widgets draw and decide from what they are given. What acts,
// guards or keeps settings reaches beyond the console, and forms do, where they
// complete and check the names of files.
func TestScreensReachNothingOutside(t *testing.T) {
	allowed := map[string]string{"widget/form/path.go": "os"}
	for _, folder := range []string{"screen", "widget", "paint", "text", "env"} {
		inspect(t, folder, func(at token.Position, n ast.Node) {
			spec, ok := n.(*ast.ImportSpec)
			if !ok {
				return
			}
			path, _ := strconv.Unquote(spec.Path.Value)
			switch first, _, _ := strings.Cut(path, "/"); {
			case path == "io", allowed[filepath.ToSlash(at.Filename)] == path:
			case slices.Contains([]string{"os", "net", "io", "syscall", "database"}, first),
				strings.HasPrefix(path, "signalbox/store/"), strings.Contains(path, "bbolt"):
				t.Errorf("%s imports %s", at, path)
			}
		})
	}
}

// inspect visits what the Go files of a folder are made of, but for tests.
func inspect(t *testing.T, folder string, visit func(token.Position, ast.Node)) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, path, source, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				visit(files.Position(n.Pos()), n)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
