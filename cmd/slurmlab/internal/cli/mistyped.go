package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// wrongFlag is the error of a flag that cannot be parsed. args are the words after slurmlab.
func wrongFlag(c *cobra.Command, err error, args []string) error {
	if errors.Is(err, pflag.ErrHelp) {
		return pflag.ErrHelp
	}
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		err = fmt.Errorf("%w%s", err, notAFlag(c, missing, args))
	case errors.As(err, &invalid):
		err = wrongValue(invalid)
	}
	return usage(fmt.Errorf("%w\nsee: %s --help", err, c.CommandPath()))
}

// wrongValue says what a flag's value may look like, in place of what the parser of
// numbers said of it. The message of a value of our own says that itself.
func wrongValue(invalid *pflag.InvalidValueError) error {
	f := invalid.GetFlag()
	wanted := map[string]string{
		"bool": "true or false", "int": "a whole number", "uint": "a whole number", "uint64": "a whole number from 0",
		"float64": "a number", "duration": "a time with its unit, such as 90s, 30m or 1h30m",
	}[f.Value.Type()]
	if wanted == "" {
		return fmt.Errorf("%s: %w", f.Name, invalid.Unwrap())
	}
	return fmt.Errorf("%s: %q is not allowed, want %s", f.Name, invalid.GetValue(), wanted)
}

// notAFlag says what may have been meant by a flag that does not exist: another one, one by its
// earlier name, or a file whose name begins with a dash.
func notAFlag(c *cobra.Command, missing *pflag.NotExistError, args []string) string {
	file := "--" + missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); letters != "" {
		file = "-" + letters
	}
	if _, err := os.Lstat(file); err == nil {
		return "; the file of that name is ./" + file
	}
	if now := newFlag(c, missing.GetSpecifiedName(), args); now != "" {
		return now
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() == missing.GetSpecifiedName() {
			return "; did you mean the command " + below.CommandPath() + "?"
		}
	}
	// By its letters --seeds is next to --seed, which takes one.
	if missing.GetSpecifiedName() == "seeds" && c.Flags().Lookup("replicas") != nil {
		return "; did you mean --replicas, the number of seeds from --seed on?"
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := faults.Nearest(missing.GetSpecifiedName(), names); near != "" {
		return fmt.Sprintf("; did you mean --%s?", near)
	}
	return ""
}

// refuseWrongArguments gives wrong arguments of cmd and all commands below it
// the exit code of bad usage. A command that only holds others prints its help; if it
// could not be run, cobra would not look at its arguments.
func refuseWrongArguments(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	if !cmd.Runnable() {
		cmd.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	check := cmd.Args
	switch {
	case cmd.Name() == "help":
		check = refuseUnknownTopic
	case check == nil || cmd.HasSubCommands() && len(usageArguments(cmd)) == 0:
		check = noArguments
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			if wrong := wrongNumber(c, args); wrong != nil && !c.HasSubCommands() && c.Name() != "help" {
				err = wrong
			}
			return usage(fmt.Errorf("%w%s\nsee: %s --help", err, needed(c, args), c.CommandPath()))
		}
		return nil
	}
	for _, c := range cmd.Commands() {
		refuseWrongArguments(c)
	}
}

// wrongNumber says which arguments are missing, by their names in the line of usage, or which
// one is too many. It is nil for a command whose line names none, and for a right number.
func wrongNumber(c *cobra.Command, args []string) error {
	wanted, _ := arguments(c)
	path := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	if len(args) < len(wanted) {
		var missing []string
		for i, name := range wanted[len(args):] {
			if name = strings.TrimSuffix(name, "..."); slices.Contains(wanted[:len(args)+i], name) {
				name = "another " + name
			}
			missing = append(missing, name)
		}
		are := "is"
		if len(missing) > 1 {
			are = "are"
		}
		return fmt.Errorf("%s: %s %s missing", path, strings.Join(missing, " and "), are)
	}
	var all []string
	for _, a := range usageArguments(c) {
		all = append(all, a.name)
	}
	if len(all) == 0 || len(args) <= len(all) || strings.HasSuffix(strings.Trim(all[len(all)-1], "[]"), "...") {
		return nil
	}
	return fmt.Errorf("%s takes %s and no more: got %q as well", path, strings.Join(all, " "), args[len(all)])
}

// argument is one that the line of usage of a command names, as DIR or [NAME|FILE].
type argument struct {
	name     string
	optional bool
}

// usageArguments are the arguments of a command, in the order of its line of usage.
func usageArguments(c *cobra.Command) []argument {
	var list []argument
	// open counts the brackets around a word.
	open := 0
	for _, word := range strings.Fields(c.Use)[1:] {
		if open == 0 && strings.HasPrefix(word, "-") || word == "[flags]" {
			// What follows is a flag with its value.
			return list
		}
		list = append(list, argument{word, open > 0 || strings.HasPrefix(word, "[")})
		open += strings.Count(word, "[") - strings.Count(word, "]")
	}
	return list
}

// arguments are those that a command needs, and those that it can have.
func arguments(c *cobra.Command) (wanted, optional []string) {
	for _, a := range usageArguments(c) {
		if a.optional {
			optional = append(optional, a.name)
		} else {
			wanted = append(wanted, a.name)
		}
	}
	return wanted, optional
}

// needed is a line with the arguments of a command that got none, or too few.
func needed(c *cobra.Command, args []string) string {
	if wanted, _ := arguments(c); len(args) > 0 && len(args) >= len(wanted) {
		return ""
	}
	return "\nusage: " + c.UseLine()
}

// refuseUnknownTopic is for the command "help", which would show the help of another
// command.
func refuseUnknownTopic(help *cobra.Command, args []string) error {
	found, rest, err := help.Root().Find(args)
	if err != nil || len(rest) == 0 {
		return err
	}
	return noArguments(found, rest)
}

// noArguments refuses all arguments. An argument of a command that only holds others can only be an unknown command.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasAvailableSubCommands() {
		remedy := ""
		if name := c.Flags().Lookup("name"); name != nil && name.DefValue == defaultName {
			remedy = "; a cluster's name is a flag: --name " + args[0]
		}
		return fmt.Errorf("%s takes no arguments: got %q%s", strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "), args[0], remedy)
	}
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	if !c.HasParent() && slices.Contains(slurmCommands(), args[0]) {
		return fmt.Errorf("%s is a command of Slurm: start a cluster with slurmlab up, then type: slurmlab shell -- %s", args[0], strings.Join(args, " "))
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), faults.DidYouMean(args[0], names))
}

// slurmCommands are the commands of Slurm that a cluster has.
func slurmCommands() []string {
	return []string{"sacct", "sacctmgr", "salloc", "sbatch", "scancel", "scontrol", "sdiag", "sinfo", "sprio", "squeue", "srun", "sshare"}
}
