package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
	// skip says why the block is not run, and is empty for one that is.
	skip string
}

func (s step) String() string { return fmt.Sprintf("%s:%d", s.page, s.line) }

// stepsOf divides pages into the steps that show that their commands work. All run in the
// order of the pages, each in a shell of its own. Not run are "make test", which would
// run itself, and a block that stands word for word on an earlier page.
func stepsOf(names []string, texts map[string]string) []step {
	var steps []step
	for _, name := range names {
		for _, b := range blocks(texts[name]) {
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
	}
	return steps
}

// block is what stands between two fences of Markdown.
type block struct {
	language, text string
	line           int
}

func blocks(page string) []block {
	var all []block
	inside := false
	for i, line := range strings.SplitAfter(page, "\n") {
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence && !inside:
			all = append(all, block{language: strings.TrimSpace(line[3:]), line: i + 2})
			inside = true
		case fence:
			inside = false
		case inside:
			all[len(all)-1].text += line
		}
	}
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
	for _, link := range regexp.MustCompile(`\]\(([\w-]+\.md)\)`).FindAllStringSubmatch(read("docs/README.md"), -1) {
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
		"a": "```sh\none\n```\n\n```yaml\nnodes: 3\n```\n",
		"b": "# Title\n\n```sh\nmake demo\n```\ntext\n```sh\nmake test\n```\n```sh\ntwo\nthree\n```\n",
		"c": "```sh\ntwo\nthree\n```\n```sh\ntwo\n```",
	})
	want := []step{
		{page: "b", line: 4, script: "make demo\n", atTop: true},
		{page: "b", line: 8, script: "make test\n", atTop: true, skip: "it would run itself"},
		{page: "b", line: 11, script: "two\nthree\n"},
		{page: "a", line: 2, script: "one\n"},
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
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if name := "docs/" + filepath.Base(file); name != "docs/README.md" && !slices.Contains(names, name) {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
	if len(found) < 10 {
		t.Errorf("found %d pages", len(found))
	}
}

// What is skipped is "make test" and nothing that is not run elsewhere; no command
// stands in a block that nobody runs.
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
			if b.language != "sh" && command.MatchString(b.text) {
				t.Errorf("%s:%d: commands in a block of %q are not run, want sh", name, b.line, b.language)
			}
		}
	}
}

// Each command is one that slurmlab has, with flags that it has. So a page that
// names a flag which is gone is found without a cluster.
func TestCommandsOfPagesAreKnown(t *testing.T) {
	known := 0
	for _, s := range planned(t) {
		for _, args := range commandsOf(s.script) {
			known++
			if args[0] == "shell" {
				// What follows "--" is Slurm's.
				args = args[:slices.Index(append(args, "--"), "--")]
			}
			cmd, rest, err := root(&State{}).Find(args)
			if err != nil || !cmd.Runnable() {
				t.Errorf("%s: slurmlab %q: %v", s, args, err)
				continue
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("%s: slurmlab %q: %v", s, args, err)
			} else if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil && args[0] != "shell" {
				t.Errorf("%s: slurmlab %q: %v", s, args, err)
			}
		}
	}
	if known < 45 {
		t.Errorf("checked %d commands; the pages have more", known)
	}
}

// What a command reads has been made by an earlier one: files and run directories
// are named after --out or >.
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
				if i > 0 && (words[i-1] == "--out" || words[i-1] == ">") {
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
	for _, name := range []string{"my-run", "my-run-again", "my-comparison", "cluster.yaml", "jobs.txt", "V.2.swf", "trace.swf"} {
		if !made[name] {
			t.Errorf("%s is not made by any command", name)
		}
	}
}

// commandsOf lists the arguments of the slurmlab commands of a script.
func commandsOf(script string) [][]string {
	var all [][]string
	word := regexp.MustCompile(`"[^"]*"|\S+`)
	for line := range strings.SplitSeq(script, "\n") {
		args, found := strings.CutPrefix(line, "slurmlab ")
		if !found {
			continue
		}
		args, _, _ = strings.Cut(args, " > ")
		all = append(all, word.FindAllString(args, -1))
	}
	return all
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
