package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// top is the root of the repository, seen from this package.
const top = "../../../.."

// step is one block of commands of a page.
type step struct {
	page string
	line int
	// script is the block as it stands on the page.
	script string
	// atTop says that the block runs in the repository and not in the directory that
	// all other blocks share.
	atTop bool
	// python says that the script is one for pandas' Python.
	python bool
	// skip says why the block is not run, and is empty for one that is.
	skip string
}

func (s step) String() string { return fmt.Sprintf("%s:%d", s.page, s.line) }

// stepsOf divides pages into the steps that show that their commands work. All run in the
// order of the pages, each in a shell of its own. Not run are "make test", which would
// run itself, and a block that stands word for word on an earlier page. The blocks of
// Python of a page are one program, which runs after the page's commands.
func stepsOf(names []string, texts map[string]string) []step {
	var steps []step
	for _, name := range names {
		program := step{page: name, python: true}
		for _, b := range blocks(texts[name]) {
			if b.language == "python" {
				if program.script == "" {
					program.line = b.line
				}
				program.script += b.text
			}
			if b.language != "sh" {
				continue
			}
			s := step{page: name, line: b.line, script: b.text, atTop: strings.HasPrefix(b.text, "make ")}
			earlier := slices.IndexFunc(steps, func(other step) bool { return other.script == s.script })
			switch {
			case strings.TrimSpace(b.text) == "make test":
				s.skip = "it would run itself"
			case earlier >= 0:
				s.skip = "it is run as " + steps[earlier].String()
			}
			steps = append(steps, s)
		}
		if program.script != "" {
			steps = append(steps, program)
		}
	}
	return steps
}

// block is a block of code of Markdown: between fences, or indented.
type block struct {
	// language is empty for an indented block.
	language, text string
	line           int
	indented       bool
}

func blocks(page string) []block {
	var all []block
	source := []byte(page)
	document := goldmark.DefaultParser().Parse(text.NewReader(source))
	// No visit fails.
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		b := block{text: string(n.Lines().Value(source)), line: 1 + strings.Count(page[:n.Lines().At(0).Start], "\n")}
		switch code := n.(type) {
		case *ast.FencedCodeBlock:
			b.language = string(code.Language(source))
		case *ast.CodeBlock:
			b.indented = true
		default:
			return ast.WalkContinue, nil
		}
		all = append(all, b)
		return ast.WalkContinue, nil
	})
	return all
}

// taskPages lists the README and, in the order of docs/README.md, the pages of docs
// that it links to; and reads them.
func taskPages(t *testing.T) (names []string, texts map[string]string) {
	t.Helper()
	texts = map[string]string{}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	names = []string{"README.md"}
	for _, link := range regexp.MustCompile(`\]\(((?:tutorials/)?[\w-]+\.md)\)`).FindAllStringSubmatch(read("docs/README.md"), -1) {
		if name := "docs/" + link[1]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		texts[name] = read(name)
	}
	return names, texts
}

// planned is the plan of the pages as they are.
func planned(t *testing.T) []step {
	t.Helper()
	return stepsOf(taskPages(t))
}

// The plan of three pages: order, places, and what is left out.
func TestPlan(t *testing.T) {
	steps := stepsOf([]string{"b", "a", "c"}, map[string]string{
		"a": "```python\nx = 1\n```\n```sh\none\n```\n\n```yaml\nnodes: 3\n```\n```python\nprint(x)\n```\n",
		"b": "# Title\n\n```sh\nmake demo\n```\ntext\n```sh\nmake test\n```\n```sh\ntwo\nthree\n```\n",
		"c": "```sh\ntwo\nthree\n```\n```sh\ntwo\n```",
	})
	want := []step{
		{page: "b", line: 4, script: "make demo\n", atTop: true},
		{page: "b", line: 8, script: "make test\n", atTop: true, skip: "it would run itself"},
		{page: "b", line: 11, script: "two\nthree\n"},
		{page: "a", line: 5, script: "one\n"},
		{page: "a", line: 2, script: "x = 1\nprint(x)\n", python: true},
		{page: "c", line: 2, script: "two\nthree\n", skip: "it is run as b:11"},
		{page: "c", line: 6, script: "two\n"},
	}
	if !slices.Equal(steps, want) {
		t.Errorf("got\n%+v\nwant\n%+v", steps, want)
	}
}

// Every page of docs is in the index, and so in the plan if it has commands.
func TestIndexListsAllPages(t *testing.T) {
	names, _ := taskPages(t)
	found, err := filepath.Glob(filepath.Join(top, "docs/*.md"))
	tutorials, globErr := filepath.Glob(filepath.Join(top, "docs/tutorials/*.md"))
	if err = errors.Join(err, globErr); err != nil {
		t.Fatal(err)
	}
	found = append(found, tutorials...)
	for _, file := range found {
		name, err := filepath.Rel(top, file)
		if err != nil {
			t.Fatal(err)
		}
		if name != "docs/README.md" && !slices.Contains(names, name) {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
	if len(found) < 10 {
		t.Errorf("found %d pages", len(found))
	}
}

// What is skipped is "make test" and nothing that is not run elsewhere; no command stands
// between fences that nobody runs. Commands that need a site, a network or hours are
// indented: nobody runs those, and TestCommandsOfPagesAreKnown reads them.
func TestPlanOfPages(t *testing.T) {
	ran := 0
	for _, s := range planned(t) {
		switch {
		case s.skip == "":
			ran++
		case s.skip != "it would run itself" && !strings.HasPrefix(s.skip, "it is run as "):
			t.Errorf("%s is skipped: %s", s, s.skip)
		}
		t.Logf("%s %s\n%s", s, s.skip, s.script)
	}
	if ran < 18 {
		t.Errorf("%d blocks would run; the pages have more", ran)
	}
	names, texts := taskPages(t)
	command := regexp.MustCompile(`(?m)^(\$ )?(slurmlab|make|build/slurmlab) `)
	for _, name := range names {
		for _, b := range blocks(texts[name]) {
			if b.language != "sh" && !b.indented && command.MatchString(b.text) {
				t.Errorf("%s:%d: commands in a block of %q are not run, want sh", name, b.line, b.language)
			}
		}
	}
}

// What a command reads has been made by an earlier one: files and run directories
// are named after --out, --policy-out or >.
func TestPagesReadWhatEarlierOnesMade(t *testing.T) {
	made := map[string]bool{}
	file := regexp.MustCompile(`^[\w-]+\.(?:yaml|txt|csv|swf)$`)
	for _, s := range planned(t) {
		if s.skip != "" {
			continue
		}
		for _, m := range regexp.MustCompile(`(?m)^cat > (\S+)`).FindAllStringSubmatch(s.script, -1) {
			made[m[1]] = true
		}
		for line := range strings.SplitSeq(s.script, "\n") {
			words := strings.Fields(line)
			readsRuns := len(words) > 1 && words[0] == "slurmlab" &&
				slices.Contains([]string{"metrics", "report", "explain", "export", "clocks"}, words[1])
			readsBenchmarks := strings.HasPrefix(line, "slurmlab djsb report ")
			for i, word := range words {
				if i > 0 && (words[i-1] == "--out" || words[i-1] == "--policy-out" || words[i-1] == ">") {
					made[word] = true
					continue
				}
				if i == 0 || words[0] != "slurmlab" {
					continue
				}
				dir, _, below := strings.Cut(word, "/")
				run := i > 1 && (below || readsRuns && strings.HasPrefix(word, "my-")) ||
					i > 2 && readsBenchmarks && !strings.HasPrefix(word, "-") && !strings.HasPrefix(words[i-1], "-")
				if (file.MatchString(word) || run) && !made[word] && !made[dir] {
					t.Errorf("%s: %q reads %s, which no earlier command makes", s, line, word)
				}
			}
		}
	}
	run := regexp.MustCompile(`"((?:my-|study)[\w-]*)[/"]`)
	for _, s := range planned(t) {
		for _, m := range run.FindAllStringSubmatch(s.script, -1) {
			if s.python && !made[m[1]] && !made[m[1]+".yaml"] {
				t.Errorf("%s: the program reads %s, which no command makes", s, m[1])
			}
		}
	}
	for _, name := range []string{"my-run", "my-run-again", "my-comparison", "cluster.yaml", "jobs.txt", "V.2.swf", "trace.swf"} {
		if !made[name] {
			t.Errorf("%s is not made by any command", name)
		}
	}
}

// The first page is read in a few minutes: at most 900 words, counted as wc does
// (issue 14, line 17).
func TestREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(text))); words > 900 {
		t.Errorf("README.md has %d words, want at most 900", words)
	}
}
