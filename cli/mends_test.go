package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A mend must not name a command or a flag that is not there: every text in the
// sources that says `signalbox …` is held against the tree of commands, and so
// is what the manual shows.
func TestMendsNameCommandsThatAreThere(t *testing.T) {
	root := (&app{Env: System("test")}).root()
	addCompletion(root)
	root.InitDefaultHelpCmd()
	n := 0
	check := func(where, line string) {
		n++
		if wrong := missing(root, line); wrong != "" {
			t.Errorf("%s: `signalbox %s`: there is no %s", where, line, wrong)
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			return nil
		case strings.HasSuffix(path, ".go"):
			return eachText(path, func(text string) {
				for _, line := range namedIn(text) {
					check(path, line)
				}
			})
		case strings.HasSuffix(path, ".md"):
			text, err := os.ReadFile(path)
			for _, line := range shownIn(string(text)) {
				check(path, line)
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 {
		t.Errorf("only %d commands were found in the sources and the manual", n)
	}
}

// eachText calls fn with each string literal of a file, adjoining ones joined.
func eachText(path string, fn func(string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
			fn(joined(sum))
			return false
		}
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			fn(joined(l))
		}
		return true
	})
	return nil
}

// joined is a sum's text, with … for what is not literal.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return joined(e.X) + joined(e.Y)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	}
	return "…"
}

var (
	quoted = regexp.MustCompile("`signalbox ([^`]*)`")
	begun  = regexp.MustCompile(`(?m)^signalbox ([a-z].*)$`)
	shown  = regexp.MustCompile(`(?m)^\$ (?:\./)?signalbox (.*)$`)
)

func namedIn(text string) []string { return lines(text, quoted, begun) }
func shownIn(text string) []string { return lines(text, quoted, shown) }

func lines(text string, forms ...*regexp.Regexp) (found []string) {
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
	}
	return found
}

var word = regexp.MustCompile(`^[a-z][a-z-]*$`)

// missing says what of a command line is not there, "" when all is.
func missing(root *cobra.Command, line string) string {
	line, _, _ = strings.Cut(line, " -- ")
	line, _, _ = strings.Cut(line, " ; ")
	words := strings.Fields(regexp.MustCompile(`'[^']*'`).ReplaceAllString(line, "…"))
	c := root
	for len(words) > 0 && c.HasSubCommands() && word.MatchString(words[0]) {
		next, _, err := c.Find(words[:1])
		if err != nil || next == c {
			return "command " + words[0]
		}
		c, words = next, words[1:]
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	for _, w := range words {
		name, ok := strings.CutPrefix(w, "--")
		name, _, _ = strings.Cut(name, "=")
		if ok && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
			return "flag --" + name
		}
	}
	return ""
}

func TestMissingCommandsAreFound(t *testing.T) {
	root := (&app{Env: System("test")}).root()
	for line, want := range map[string]string{
		"explode":                          "command explode",
		"queue explode":                    "command explode",
		"item add --queue q --payload '-'": "",
		"item add --que q":                 "flag --que",
		"queue list":                       "",
		"claim --queue q --robot r1; x":    "",
		"demo":                             "",
	} {
		if got := missing(root, line); got != want {
			t.Errorf("of %q %q is missing, want %q", line, got, want)
		}
	}
}
