package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// commandsOf lists the arguments of the slurmlab commands of a script: those that a line
// begins with, that read from a pipe, and that ssh, timeout and the like start.
func commandsOf(script string) [][]string {
	var all [][]string
	token := regexp.MustCompile(`\n|\d?[<>]+&?\d?|[|;&]+|(?:"[^"]*"|'[^']*'|[^\s|;&<>"'])+`)
	var words []string
	redirected := false
	end := func() {
		if args, found := argumentsOf(words); found {
			all = append(all, args)
		}
		words, redirected = nil, false
	}
	for _, word := range token.FindAllString(strings.ReplaceAll(script, "\\\n", " ")+"\n", -1) {
		switch {
		case strings.ContainsAny(word[:1], "\n|;&"):
			end()
		case regexp.MustCompile(`^\d?[<>]`).MatchString(word):
			redirected = !strings.Contains(word, "&")
		case redirected:
			// The file that is written or read.
			redirected = false
		default:
			words = append(words, word)
		}
	}
	return all
}

// argumentsOf are the arguments of slurmlab, if that is what words start.
func argumentsOf(words []string) ([]string, bool) {
	starters := []string{"$", "do", "nohup", "srun", "ssh", "sudo", "time", "timeout"}
	for len(words) > 0 && regexp.MustCompile(`^\w+=`).MatchString(words[0]) {
		words = words[1:]
	}
	at := slices.IndexFunc(words, func(word string) bool { return word == "slurmlab" || word == "build/slurmlab" })
	if at < 0 || at > 0 && !slices.Contains(starters, words[0]) {
		return nil, false
	}
	args := words[at+1:]
	if comment := slices.IndexFunc(args, func(word string) bool { return strings.HasPrefix(word, "#") }); comment >= 0 {
		args = args[:comment]
	}
	return args, true
}

func TestCommandsOf(t *testing.T) {
	for script, want := range map[string]string{
		"slurmlab run --seed 1 > out.txt 2>&1\nother":               `[["run" "--seed" "1"]]`,
		"slurmlab run \\\n  --seed 1 # the first":                   `[["run" "--seed" "1"]]`,
		"ssh site cat image.tar | slurmlab image load -":            `[["image" "load" "-"]]`,
		"ssh -L 1:h:1 site slurmlab serve runs":                     `[["serve" "runs"]]`,
		"A=1 build/slurmlab shell -- sbatch --wrap \"sleep 60; a\"": `[["shell" "--" "sbatch" "--wrap" "\"sleep 60; a\""]]`,
		"$ slurmlab up; slurmlab down && man slurmlab":              `[["up"] ["down"]]`,
		"slurmlab: no such file\nthe command slurmlab is there":     `[]`,
		"slurmlab campaign report --pareto a,b < in.txt study":      `[["campaign" "report" "--pareto" "a,b" "study"]]`,
	} {
		if got := fmt.Sprintf("%q", commandsOf(script)); got != want {
			t.Errorf("%q: got %s, want %s", script, got, want)
		}
	}
}

// knownCommand finds the command that has these arguments, and says what is wrong with them.
func knownCommand(args []string) (*cobra.Command, error) {
	if len(args) > 0 && args[0] == "shell" {
		// What follows "--" is Slurm's.
		args = args[:slices.Index(append(slices.Clone(args), "--"), "--")]
	}
	cmd, rest, err := Commands().Find(args)
	if err != nil {
		return nil, err
	}
	if err = cmd.ParseFlags(rest); err != nil || cmd.Name() == "shell" {
		return cmd, err
	}
	var given []string
	for _, word := range cmd.Flags().Args() {
		given = append(given, word)
		if strings.Contains(filepath.Base(word), "*") {
			// A pattern stands for several files, and runs/demo-* for the one folder that the demo makes.
			given = append(given, word)
		}
	}
	return cmd, cmd.ValidateArgs(given)
}

// markdown reads README.md, CONTRIBUTING.md and all pages of docs but those of docs/reference,
// which are written from the help that TestExamplesAreKnown reads.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	tree := os.DirFS(top)
	read := func(name string) {
		page, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(page)
	}
	read("README.md")
	read("CONTRIBUTING.md")
	err := fs.WalkDir(tree, "docs", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name == "docs/reference" {
			return fs.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			read(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// Each command of a page is one that slurmlab has, with flags that it has and as many
// arguments as it takes, whether a test runs it or nobody can. So a page that names a
// flag which is gone is found without a cluster.
func TestCommandsOfPagesAreKnown(t *testing.T) {
	known, indented := 0, 0
	for name, page := range markdown(t) {
		for _, b := range hosttest.Blocks(page) {
			for _, args := range commandsOf(b.Text) {
				known++
				if b.Indented {
					indented++
				}
				if _, err := knownCommand(args); err != nil {
					t.Errorf("%s:%d: slurmlab %s: %v", name, b.Line, strings.Join(args, " "), err)
				}
			}
		}
		outputs, _, err := hosttest.Marked(page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, o := range outputs {
			for _, args := range commandsOf(o.Command) {
				if _, err := knownCommand(args); err != nil {
					t.Errorf("%s:%d: slurmlab %s: %v", name, o.Line, strings.Join(args, " "), err)
				}
			}
		}
	}
	if known < 150 || indented < 10 {
		t.Errorf("checked %d commands, %d of them indented; the pages have more", known, indented)
	}
}

// Of commands within sentences, which leave out arguments and values, the names of commands
// and flags are known.
func TestCommandsOfSentencesAreKnown(t *testing.T) {
	known := 0
	span := regexp.MustCompile("`(slurmlab [a-z-][^`]*)`")
	for name, page := range markdown(t) {
		for _, m := range span.FindAllStringSubmatch(page, -1) {
			for _, args := range commandsOf(strings.ReplaceAll(m[1], "\n", " ")) {
				known++
				cmd, rest, err := Commands().Find(args)
				if err != nil {
					t.Errorf("%s: %s: %v", name, m[1], err)
					continue
				}
				for _, word := range rest {
					if word == "--" {
						break
					}
					flag, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
					if strings.HasPrefix(word, "--") && !hasFlag(cmd, flag) {
						t.Errorf("%s: %s: %s has no flag %s", name, m[1], cmd.CommandPath(), word)
					}
				}
			}
		}
	}
	if known < 80 {
		t.Errorf("checked %d commands; the pages have more", known)
	}
}

// hasFlag says whether a command or one below it has a flag.
func hasFlag(cmd *cobra.Command, name string) bool {
	cmd.InitDefaultHelpFlag()
	return cmd.Flags().Lookup(name) != nil ||
		slices.ContainsFunc(cmd.Commands(), func(below *cobra.Command) bool { return hasFlag(below, name) })
}

// Each command that does something has an example of itself, and the commands of all
// examples are known. What has only commands below it may have an example of those.
func TestExamplesAreKnown(t *testing.T) {
	walk(func(c *cobra.Command) {
		shown := false
		for _, args := range commandsOf(c.Example) {
			cmd, err := knownCommand(args)
			if err != nil {
				t.Errorf("%s --help: slurmlab %s: %v", c.CommandPath(), strings.Join(args, " "), err)
				continue
			}
			shown = shown || cmd.CommandPath() == c.CommandPath()
		}
		if ours(c) && c.Name() != "help" && !c.HasSubCommands() && !shown {
			t.Errorf("%s --help has no example of the command", c.CommandPath())
		}
	})
}

// scripts reads the shell scripts, and what Python says of its use, of a folder of the repository.
func scripts(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, folder := range folders {
		err := fs.WalkDir(os.DirFS(top), folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".sh", ".py"}, filepath.Ext(name)) {
				return err
			}
			text, err := os.ReadFile(filepath.Join(top, name))
			texts[name] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// plainly is a script as if somebody typed it: slurmlab by its name, a line each, without what begins
// comments.
func plainly(script string) string {
	script = regexp.MustCompile(`"?\$(?:slurmlab|\{SLURMLAB:-[^}]*\})"?`).ReplaceAllString(script, "slurmlab")
	script = regexp.MustCompile(`(?:\$\(|\bexec |\{ )(slurmlab)`).ReplaceAllString(script, "\n$1")
	script = regexp.MustCompile(`\$\([^()]*\)`).ReplaceAllString(script, "output")
	return regexp.MustCompile(`(?m)^\s*(?:#\s*|! )?`).ReplaceAllString(script, "")
}

// withoutVariables leaves out words of a script that stand for any number of arguments: "$@", and a variable without quotes
// that is no value of a flag.
func withoutVariables(args []string) []string {
	var kept []string
	for i, word := range args {
		several := word == `"$@"` || strings.HasPrefix(word, "$") && (i == 0 || !strings.HasPrefix(args[i-1], "--"))
		if !several {
			kept = append(kept, word)
		}
	}
	return kept
}

// The scripts of records and examples have commands and flags that slurmlab has, so that a record can be made again.
func TestCommandsOfScriptsAreKnown(t *testing.T) {
	known := 0
	for name, script := range scripts(t, "docs/records", "examples", "tools") {
		for _, args := range commandsOf(plainly(strings.ReplaceAll(script, "\\\n", " "))) {
			if args = withoutVariables(args); len(args) == 0 || strings.HasPrefix(args[0], ".") {
				continue
			}
			known++
			if _, err := knownCommand(args); err != nil {
				t.Errorf("%s: slurmlab %s: %v", name, strings.Join(args, " "), err)
			}
		}
	}
	if known < 25 {
		t.Errorf("checked %d commands; the scripts have more", known)
	}
}

// The campaign files of records are ones that slurmlab takes. TestRecordedPapersAreCampaigns has those of examples.
func TestCampaignFilesAreKnown(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(top, "docs/records/*/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// Record 022 has a program of the examples copied beside its file.
	program, err := os.ReadFile(filepath.Join(top, "examples/plugins/easy.py"))
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^policies:`).Match(text) {
			continue
		}
		known++
		dir := t.TempDir()
		file := filepath.Join(dir, filepath.Base(name))
		if err = errors.Join(os.WriteFile(file, text, 0o644), os.WriteFile(filepath.Join(dir, "easy.py"), program, 0o755)); err != nil {
			t.Fatal(err)
		}
		if code, printed := typed([]string{"slurmlab", "campaign", "plan", file}); code != exitGood {
			t.Errorf("%s: exit code %d\n%s", name, code, printed)
		}
	}
	if known < 7 {
		t.Errorf("planned %d campaign files; there are more", known)
	}
}

// Each target of make that a page or script names is one of the Makefile, and so is each variable that it sets.
func TestTargetsOfPagesAreKnown(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]bool{"SERIES": true}
	for _, s := range backend.All() {
		series[s.Series] = true
	}
	texts := scripts(t, "docs/records", "examples")
	for name, page := range markdown(t) {
		var typed []string
		for _, b := range hosttest.Blocks(page) {
			typed = append(typed, b.Text)
		}
		for _, span := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(page, -1) {
			typed = append(typed, span[1])
		}
		texts[name] = strings.Join(typed, "\n")
	}
	known := 0
	for name, text := range texts {
		for _, line := range regexp.MustCompile(`(?m)^(?:[#$>] ?)?\s*(?:[A-Z_]+=\S+ )*make((?: +(?:[A-Z][A-Z_]*=(?:"[^"]*"|\S*)|[a-z][\w.-]*))+)`).FindAllStringSubmatch(text, -1) {
			for _, word := range regexp.MustCompile(`[A-Z][A-Z_]*=(?:"[^"]*"|\S*)|\S+`).FindAllString(line[1], -1) {
				known++
				variable, _, sets := strings.Cut(word, "=")
				switch {
				case sets && !regexp.MustCompile(`\b`+variable+`\b`).Match(makefile):
					t.Errorf("%s: make%s: the Makefile has no %s", name, line[1], variable)
				case series[strings.TrimPrefix(word, "image-")]:
				case !sets && !regexp.MustCompile(`(?m)^(?:[\w./%-]+ )*`+regexp.QuoteMeta(word)+`(?: [\w./%-]+)*:`).Match(makefile):
					t.Errorf("%s: make%s: there is no target %s", name, line[1], word)
				}
			}
		}
	}
	if known < 60 {
		t.Errorf("checked %d words; the pages have more", known)
	}
}
