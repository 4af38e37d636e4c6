package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// top is the root of the repository, seen from this package.
const top = "../../../.."

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
func planned(t *testing.T) []hosttest.Step {
	t.Helper()
	steps, err := hosttest.Steps(taskPages(t))
	if err != nil {
		t.Fatal(err)
	}
	return steps
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
		case s.Skip == "":
			ran++
		case s.Skip != "it would run itself" && !strings.HasPrefix(s.Skip, "it is run as "):
			t.Errorf("%s is skipped: %s", s, s.Skip)
		}
		t.Logf("%s %s\n%s", s, s.Skip, s.Script)
	}
	if ran < 18 {
		t.Errorf("%d blocks would run; the pages have more", ran)
	}
	names, texts := taskPages(t)
	command := regexp.MustCompile(`(?m)^(\$ )?(slurmlab|make|build/slurmlab) `)
	for _, name := range names {
		for _, b := range hosttest.Blocks(texts[name]) {
			if b.Language != "sh" && !b.Indented && command.MatchString(b.Text) {
				t.Errorf("%s:%d: commands in a block of %q are not run, want sh", name, b.Line, b.Language)
			}
		}
	}
}

// What a command reads has been made by an earlier one: files and run directories
// are named after --out, --policy-out or >.
func TestPagesReadWhatEarlierOnesMade(t *testing.T) {
	made := map[string]bool{examples: true}
	file := regexp.MustCompile(`^[\w-]+\.(?:yaml|txt|csv|swf)$`)
	for _, s := range planned(t) {
		if s.Skip != "" {
			continue
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:cat >|cp \S+) (\S+)`).FindAllStringSubmatch(s.Script, -1) {
			made[m[1]] = true
		}
		for line := range strings.SplitSeq(s.Script, "\n") {
			words := strings.Fields(line)
			readsRuns := len(words) > 1 && words[0] == "slurmlab" &&
				slices.Contains([]string{"metrics", "report", "explain", "export", "dev"}, words[1])
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
		for _, m := range run.FindAllStringSubmatch(s.Script, -1) {
			if s.Python && !made[m[1]] && !made[m[1]+".yaml"] {
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

// The first page is read in a few minutes: at most 700 words, counted as wc does, without comments.
func TestREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(regexp.MustCompile(`(?s)<!--.*?-->`).ReplaceAllString(string(text), ""))); words > 700 {
		t.Errorf("README.md has %d words, want at most 700", words)
	}
}

// What a command prints or draws stands below a marker that names it: blocks of text, pictures, and tables with decimal
// numbers or with a column to the right after the first.
func TestOutputsAreMarked(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	complaint := regexp.MustCompile(`^(?:slurmlab|\S+\.\w+:\d+): `)
	rule, right := regexp.MustCompile(`^\|[-: |]+\|$`), regexp.MustCompile(`^\|[-: ]+\|.*-:`)
	decimal := regexp.MustCompile(`\| *[-+]?\d+\.\d+(?: ?[%×])? *\|`)
	marked := 0
	names, texts := taskPages(t)
	for _, name := range names {
		page := texts[name]
		lines, inside := strings.Split(page, "\n"), map[int]bool{}
		outputs, pictures, err := hosttest.Marked(page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		below := map[int]bool{}
		for _, o := range outputs {
			below[o.Shown] = true
		}
		for _, p := range pictures {
			below[p.Shown] = true
		}
		check := func(line int) {
			if below[line] || line > 2 && strings.HasPrefix(lines[line-3], "<!-- rows of ") {
				marked++
			} else {
				t.Errorf("%s:%d: no marker names the command of this block, table or picture", name, line)
			}
		}
		for _, b := range hosttest.Blocks(page) {
			for line := range strings.Count(b.Text, "\n") {
				inside[b.Line+line] = true
			}
			switch {
			case !b.Indented && (b.Language == "" || b.Language == "text"):
				check(b.Line - 1)
			case b.Indented && complaint.MatchString(b.Text):
				t.Errorf("%s:%d: an output is indented, want it between fences below a marker", name, b.Line)
			}
		}
		for i, line := range lines {
			switch {
			case inside[i+1]:
			case strings.HasPrefix(line, "!["):
				check(i + 1)
			case rule.MatchString(line):
				rows, _, _ := strings.Cut(strings.Join(lines[i:], "\n"), "\n\n")
				if right.MatchString(line) || decimal.MatchString(rows) {
					check(i)
				}
			}
		}
		for _, p := range pictures {
			target, found := strings.CutPrefix(p.Made, "make ")
			_, recipe, known := strings.Cut(string(makefile), "\n"+target+":")
			recipe, _, _ = strings.Cut(recipe, "\n\n")
			if found && (!known || !strings.Contains(recipe, filepath.Base(p.File))) {
				t.Errorf("%s:%d: the recipe of %q has no %s", name, p.Line, p.Made, filepath.Base(p.File))
			}
		}
	}
	if marked < 20 {
		t.Errorf("%d outputs are marked, the pages have more", marked)
	}
}
