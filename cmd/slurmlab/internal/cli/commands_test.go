package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// walk visits every command that a help lists.
func walk(visit func(*cobra.Command)) {
	var down func(*cobra.Command)
	down = func(c *cobra.Command) {
		visit(c)
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() {
				down(below)
			}
		}
	}
	down(Commands())
}

// ours says whether a command is not cobra's.
func ours(c *cobra.Command) bool { return !strings.HasPrefix(c.CommandPath(), "slurmlab completion") }

// TestHelpFitsTheTerminal: a terminal has 80 columns.
func TestHelpFitsTheTerminal(t *testing.T) {
	walk(func(c *cobra.Command) {
		if !ours(c) {
			return
		}
		var text bytes.Buffer
		c.SetOut(&text)
		for range 2 {
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			if all := c.Flags().Lookup(allHelp); all != nil {
				_ = all.Value.Set("true")
			}
		}
		for line := range strings.Lines(text.String()) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > classicWidth {
				t.Errorf("%s --help: %d columns: %s", c.CommandPath(), utf8.RuneCountInString(line), line)
			}
		}
	})
}

// TestHelpIsShort: a help shows at most so many flags as can be read at a glance, and those that people
// type most are among them. Where it leaves some out, --help-all shows all.
func TestHelpIsShort(t *testing.T) {
	walk(func(c *cobra.Command) {
		if !ours(c) {
			return
		}
		shown := func() int {
			var text bytes.Buffer
			c.SetOut(&text)
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			return len(regexp.MustCompile(`(?m)^ {2,6}(?:-[a-z], )?--[a-z-]+(?: [\w=,]+)?  +\S`).FindAllString(text.String(), -1))
		}
		c.InitDefaultHelpFlag()
		short, all := shown(), count(c.LocalFlags())
		more := c.Flags().Lookup(allHelp)
		if short > mostShown || more == nil && short != all || more != nil && (short < 5 || short == all) {
			t.Errorf("%s --help shows %d of %d flags, want at most %d", c.CommandPath(), short, all, mostShown)
		}
		if more == nil {
			return
		}
		if err := more.Value.Set("true"); !errors.Is(err, pflag.ErrHelp) || shown() != all {
			t.Errorf("%s --%s shows %d of %d flags", c.CommandPath(), allHelp, shown(), all)
		}
	})
}

// TestFlagsHaveHeadings: many flags are a wall that nobody reads. --quiet and --help belong
// nowhere.
func TestFlagsHaveHeadings(t *testing.T) {
	walk(func(c *cobra.Command) {
		var flags, bare []string
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			flags = append(flags, f.Name)
			if headingOf(f) == headFlags && !slices.Contains([]string{"quiet", "help", allHelp}, f.Name) {
				bare = append(bare, f.Name)
			}
			if !slices.Contains(headings(), headingOf(f)) {
				t.Errorf("%s --%s: no help has the heading %q", c.CommandPath(), f.Name, headingOf(f))
			}
		})
		if len(flags) > mostUnheaded && len(bare) > 0 {
			t.Errorf("%s has %d flags, and without a heading are %v", c.CommandPath(), len(flags), bare)
		}
	})
}

// TestFlagsComplete: a word that a flag knows can be completed. What no list can have is named here.
func TestFlagsComplete(t *testing.T) {
	free := map[string]string{
		"start":       "a date",
		"account":     "an account of the site",
		"partition":   "a partition of the site",
		"image":       "an image of the engine, mostly the default",
		"up name":     "a name that is not taken yet",
		"import name": "a name that is not taken yet",
		"infer name":  "a name that is not taken yet",
		// The columns of a file that may have gigabytes.
		"anonymise keep":    "a column of the file",
		"anonymise replace": "a column of the file",
		"import partition":  "a partition of the trace, and one of the machine",
		"shell user":        "a user of the machine file that the cluster was made from",
	}
	walk(func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, completes := c.GetFlagCompletionFunc(f.Name)
			text := strings.HasPrefix(f.Value.Type(), "string")
			_, isFree := free[f.Name]
			_, isFreeThere := free[c.Name()+" "+f.Name]
			if text && !completes && !isFree && !isFreeThere {
				t.Errorf("%s --%s completes nothing", c.CommandPath(), f.Name)
			}
		})
	})
}

// TestArgumentsComplete: an argument is a name or a path, and both can be completed. A shell does not complete the
// commands in a cluster, nor on any other machine. top completes the clusters that run.
func TestArgumentsComplete(t *testing.T) {
	run, err := filepath.Abs(filepath.Join("testdata", "runs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(run)
	walk(func(c *cobra.Command) {
		_, arguments, _ := strings.Cut(strings.TrimSuffix(c.Use, " [flags]"), " ")
		if arguments == "" || c.Name() == "shell" || c.Name() == "top" || !ours(c) {
			return
		}
		if found, _ := c.ValidArgsFunction(c, nil, ""); len(found) == 0 {
			t.Errorf("%s completes no %s", c.CommandPath(), arguments)
		}
	})
}

// TestWrongNumbersAreNamed: an error about arguments names those that are missing, in the words
// of the line of usage, which agrees with what the command takes.
func TestWrongNumbersAreNamed(t *testing.T) {
	checked := 0
	walk(func(c *cobra.Command) {
		wanted, optional := arguments(c)
		if !ours(c) || c.HasSubCommands() || len(wanted)+len(optional) == 0 {
			return
		}
		checked++
		if err := c.ValidateArgs(wanted); err != nil {
			t.Errorf("%s refuses the arguments of its line of usage: %v", c.CommandPath(), err)
		}
		for n := range wanted {
			err := c.ValidateArgs(wanted[:n])
			if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(wanted[n], "...")) || !strings.Contains(err.Error(), "missing\n") {
				t.Errorf("%s with %d arguments: got %v, want that %s is missing", c.CommandPath(), n, err, wanted[n])
			}
		}
		more := slices.Repeat([]string{"x"}, len(wanted)+len(optional)+1)
		if err := c.ValidateArgs(more); err != nil && !strings.Contains(err.Error(), `and no more: got "x" as well`) {
			t.Errorf("%s with %d arguments: got %v", c.CommandPath(), len(more), err)
		}
	})
	if checked < 25 {
		t.Errorf("checked %d commands", checked)
	}
}
