package cli_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rowFlagCases have each flag about the rows of a file, and a file of which something
// else becomes with it.
var rowFlagCases = map[string]struct {
	args, file string
}{
	"mode":      {"--mode independent", "a\n1\n2,3\n4\n"},
	"reference": {"--reference no", "no,a\nR-1,1\n"},
	"due":       {"--due by", "by,a\n2030-01-02,1\n"},
	"priority":  {"--priority rank", "rank,a\nhigh,1\n"},
	"defer":     {"--defer from", "from,a\n2030-01-02 09:30,1\n"},
	"from-line": {"--from-line 3", "a\n1\n2\n3\n"},
	"states":    {"--states keep", `{"payload":{"a":1},"status":"failed","attempts":2,"error":{"kind":"business","reason":"no"}}` + "\n"},
	"dates":     {"--dates dmy", "Deadline,a\n03/02/2030,1\n"},
	"encoding":  {"--encoding windows-1252", "name\nM\xfcller\n"},
	"strict":    {"--strict --mode independent", "zip\n1\n\"\"\n"},
	"tz":        {"--tz Asia/Tokyo", "Deadline,a\n2030-01-02 09:30,1\n"},
}

// An import job has every flag of `item import` about the rows of its file, with the
// same effect.
func TestImportJobsReadAsImportsDo(t *testing.T) {
	r := newRig(t)
	help := r.ok("job", "start", "import", "--help")
	for _, flag := range regexp.MustCompile(` --([a-z-]+)`).FindAllStringSubmatch(r.ok("item", "import", "--help"), -1) {
		name := flag[1]
		if _, ok := rowFlagCases[name]; !ok && !slices.Contains([]string{"rejects", "queue", "job", "singleton-key"}, name) && !strings.Contains(r.ok("--help"), "--"+name) {
			t.Errorf("nothing tries --%s", name)
		}
		if !strings.Contains(help, "--"+name) && name != "rejects" { // which are an attachment
			t.Errorf("an import job has no --%s", name)
		}
	}
	r.serve()
	imports := func(queue, name string, args ...string) (out string) {
		r.ok("queue", "add", queue, "--family", "transactions", "--payload-schema", `{"properties":{"zip":{"minLength":1}}}`)
		return r.run(append(args, "--queue", queue, r.file(name+".in", rowFlagCases[name].file))...).stdout
	}
	jobs := map[string]string{} // all are started before one is waited for
	for name, c := range rowFlagCases {
		args := append([]string{"job", "start", "import"}, strings.Fields(c.args)...)
		jobs[name] = parse[struct{ ID string }](t, imports(name+".job", name, args...)).ID
	}
	for name, c := range rowFlagCases {
		imports(name+".plain", name, "item", "import")
		imports(name+".flag", name, append([]string{"item", "import"}, strings.Fields(c.args)...)...)
		r.run("job", "watch", jobs[name])
		plain, flag, job := r.lasting(name+".plain"), r.lasting(name+".flag"), r.lasting(name+".job")
		if flag == plain {
			t.Errorf("%s changes nothing:\n%s", c.args, plain)
		}
		if job != flag {
			t.Errorf("with %s a job stores\n%s\nand an import\n%s", c.args, job, flag)
		}
	}
}

// A value that a flag about rows does not have is refused by both, before anything is done.
func TestBadRowFlags(t *testing.T) {
	r := newRig(t)
	r.ok("queue", "add", "q")
	file := r.file("a.csv", "a\n1\n")
	for _, door := range []string{"item import", "job start import"} {
		for flag, words := range map[string]string{
			"--mode all":       "no such mode",
			"--states lost":    "states are kept or new",
			"--dates ymd":      "dates begin with the day or the month",
			"--encoding runes": "a file is utf-8, utf-16",
			"--from-line -3":   "a line's number is 1 or more",
		} {
			r.fails(2, words, strings.Fields(door+" --queue q "+flag+" "+file)...)
		}
	}
	if jobs := r.ok("job", "list", "-o", "json"); jobs != "[]\n" {
		t.Errorf("there are jobs: %s", jobs)
	}
}

// lasting is a queue's items as exported, without what differs from import to import.
func (r *rig) lasting(queue string) string {
	r.t.Helper()
	return ofImport.ReplaceAllString(r.ok("export", "--queue", queue, "--format", "jsonl"), "")
}

var ofImport = regexp.MustCompile(`"(id|queue|created_at|created_by|ended_at|at|chain|revision)":"?[^",}]*"?,?`)
