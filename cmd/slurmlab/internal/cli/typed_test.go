package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/docs/pagetest"
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
		if strings.Contains(word, "*") {
			// A pattern stands for several files.
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
		for _, b := range pagetest.Blocks(page) {
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
		outputs, _, err := pagetest.Marked(page)
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
