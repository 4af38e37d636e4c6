package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// stepsOf divides pages into the steps that show that their commands work, each for a shell of its
// own, in the order in which a reader would run them. Not run are "make test", which would
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

// nameMade finds the names of files and folders that a script makes in the directory that all share: those after a
// redirection, after --out and its like, what "make" and "slurmlab plugin python" make, and the folder of a campaign's file.
var nameMade = regexp.MustCompile(`(?m)(?:> (?:\./)?|--(?:policy-)?out |--key-file |^make |plugin python |campaign run )([\w.-]+)`)

// namesMade are the names that the steps make.
func namesMade(steps []step) map[string]bool {
	// A program of docs/plugins.md makes runs below the folder that slurmlab_gym takes.
	made := map[string]bool{"episodes": true}
	for _, s := range steps {
		for _, m := range nameMade.FindAllStringSubmatch(s.script, -1) {
			made[m[1]] = true
			made[strings.TrimSuffix(m[1], ".yaml")] = true
		}
	}
	return made
}

// earlierOf lists for each step the places of the earlier ones that it comes after: those of which it mentions a name
// that any step makes, since both may write it; those that run in the repository, if it does; and those that use the
// cluster of "slurmlab up", if it does.
func earlierOf(steps []step) [][]int {
	made := namesMade(steps)
	word, cluster := regexp.MustCompile(`[\w.-]+`), regexp.MustCompile(`(?m)^slurmlab (?:up|down|shell|status|top)\b`)
	shared := make([]map[string]bool, len(steps))
	for i, s := range steps {
		shared[i] = map[string]bool{}
		for _, w := range word.FindAllString(s.script, -1) {
			for _, name := range []string{w, strings.TrimSuffix(w, ".yaml")} {
				if made[name] {
					shared[i][name] = true
				}
			}
		}
		if s.atTop {
			shared[i]["the repository"] = true
		}
		if cluster.MatchString(s.script) {
			shared[i]["the cluster of slurmlab up"] = true
		}
	}
	earlier := make([][]int, len(steps))
	for i := range steps {
		for j := range i {
			for name := range shared[i] {
				if shared[j][name] {
					earlier[i] = append(earlier[i], j)
					break
				}
			}
		}
	}
	return earlier
}

// inOrder runs the steps, two at a time: always the first whose earlier ones (earlierOf) have ended. If one of
// those failed, the step is left out.
func inOrder(steps []step, run func(step) bool, leaveOut func(s, failed step)) {
	const (
		waits = iota
		runs
		passed
		failed
	)
	earlier, state := earlierOf(steps), make([]int, len(steps))
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	// ready is the first step that can run, or -1; more says that one waits.
	ready := func() (at int, more bool) {
		for i := range steps {
			if state[i] != waits {
				continue
			}
			more = true
			if !slices.ContainsFunc(earlier[i], func(j int) bool { return state[j] == waits || state[j] == runs }) {
				return i, true
			}
		}
		return -1, more
	}
	worker := func() {
		mu.Lock()
		defer mu.Unlock()
		for {
			i, more := ready()
			switch {
			case !more:
				return
			case i < 0:
				changed.Wait()
				continue
			}
			if j := slices.IndexFunc(earlier[i], func(j int) bool { return state[j] == failed }); j >= 0 {
				leaveOut(steps[i], steps[earlier[i][j]])
				state[i] = failed
				continue
			}
			state[i] = runs
			mu.Unlock()
			ok := run(steps[i])
			mu.Lock()
			state[i] = failed
			if ok {
				state[i] = passed
			}
			changed.Broadcast()
		}
	}
	var both sync.WaitGroup
	both.Go(worker)
	both.Go(worker)
	both.Wait()
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

// A step comes after those that share a file, the repository or the cluster with it, and after no other.
func TestStepsThatShareComeInOrder(t *testing.T) {
	steps := []step{
		0:  {script: "slurmlab run --out my-run\n"},
		1:  {script: "slurmlab run --out my-run-again\n"},
		2:  {script: "slurmlab report my-run --out my-run.html\n"},
		3:  {script: "open('my-run/jobs.csv')\n", python: true},
		4:  {script: "cat > ./study.yaml <<END\nseeds: 1\nEND\n"},
		5:  {script: "slurmlab campaign run study.yaml\n"},
		6:  {script: "slurmlab metrics study/one my-run-again\n"},
		7:  {script: "slurmlab up\nslurmlab down\n"},
		8:  {script: "slurmlab top --once\n"},
		9:  {script: "make demo\n", atTop: true},
		10: {script: "make install\n", atTop: true},
		11: {script: "slurmlab report demo/S-*\n"},
	}
	want := [][]int{2: {0}, 3: {0, 2}, 5: {4}, 6: {1, 4, 5}, 8: {7}, 10: {9}, 11: {9}}
	got := earlierOf(steps)
	for i := range steps {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("step %d comes after %v, want %v", i, got[i], want[i])
		}
	}
}

// Steps run two at a time, none before an earlier one has ended; after a failure those that come after it are left out.
func TestStepsRunInOrder(t *testing.T) {
	steps := []step{
		{script: "slurmlab run --out a\n"},
		{script: "slurmlab report a --out b\n"},
		{script: "slurmlab report b\n"},
		{script: "slurmlab run --out c\n"},
		{script: "slurmlab report c\n"},
	}
	var mu sync.Mutex
	ended := map[string]bool{}
	var left []string
	beside := make(chan struct{})
	inOrder(steps, func(s step) bool {
		if strings.Contains(s.script, "--out a") {
			<-beside
		}
		if strings.Contains(s.script, "report c") {
			// The first step has not ended.
			close(beside)
		}
		mu.Lock()
		defer mu.Unlock()
		if s.script == steps[1].script && !ended[steps[0].script] || s.script == steps[4].script && !ended[steps[3].script] {
			t.Errorf("%q ran too early", s.script)
		}
		ended[s.script] = true
		return !strings.Contains(s.script, "report a")
	}, func(s, failed step) { left = append(left, s.script+failed.script) })
	if len(ended) != 4 || ended[steps[2].script] || !slices.Equal(left, []string{steps[2].script + steps[1].script}) {
		t.Errorf("ran %v, left out %q", ended, left)
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
