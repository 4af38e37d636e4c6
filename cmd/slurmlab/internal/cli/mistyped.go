package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/faults"
)

// wrongFlag is the error of a flag that cannot be parsed.
func wrongFlag(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		err = fmt.Errorf("%w%s", err, notAFlag(c, missing))
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

// notAFlag says what may have been meant by a flag that does not exist: another one, or a
// file whose name begins with a dash.
func notAFlag(c *cobra.Command, missing *pflag.NotExistError) string {
	file := "--" + missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); letters != "" {
		file = "-" + letters
	}
	if _, err := os.Lstat(file); err == nil {
		return "; the file of that name is ./" + file
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() == missing.GetSpecifiedName() {
			return "; did you mean the command " + below.CommandPath() + "?"
		}
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
	case check == nil || cmd.HasSubCommands():
		check = noArguments
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage(fmt.Errorf("%w%s\nsee: %s --help", err, needed(c, args), c.CommandPath()))
		}
		return nil
	}
	for _, c := range cmd.Commands() {
		refuseWrongArguments(c)
	}
}

// needed is a line with the arguments of a command that got none.
func needed(c *cobra.Command, args []string) string {
	if len(args) > 0 {
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

// noArguments refuses all arguments. That of a command that only holds others can be
// nothing but a command that does not exist.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasAvailableSubCommands() {
		return fmt.Errorf("%s takes no arguments: got %q", strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "), args[0])
	}
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), faults.DidYouMean(args[0], names))
}
