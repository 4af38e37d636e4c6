package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// retired is a command or a flag by the name that it had before.
type retired struct {
	// was is the flag without its dashes, or the words of the command after slurmlab.
	was string
	// of are the commands that had the flag, nil for all.
	of []string
	// now is what to type in its place, with the value of the flag or the arguments of the command.
	now string
}

// retiredCommands are the commands by the names that they had before.
func retiredCommands() []retired {
	return []retired{
		{was: "finish", now: "run --resume"},
		{was: "campaign resume", now: "campaign run"},
		{was: "solve", now: "dev solve"},
		{was: "clocks", now: "dev clocks"},
	}
}

// retiredFlags are the flags by the names that they had before. VALUE stands for the value, METRIC=VALUE for
// one that was METRIC:VALUE.
func retiredFlags() []retired {
	list := []retired{
		{"from", []string{"run", "compare"}, "--checkpoint VALUE"},
		{"from", []string{"image unpack"}, "an argument: slurmlab image unpack VALUE DIR"},
		{"until", []string{"campaign plan", "campaign run"}, "--precision METRIC=VALUE"},
		{"runtime", nil, "--engine VALUE"},
		{"estimated-runtime", nil, "--theoretical-runtime VALUE"},
		{"solve-limit", []string{"plugin check"}, "--time-limit VALUE"},
		{"priority", nil, "--set priority=VALUE"},
	}
	for _, key := range []string{
		"interval", "cycles", "solve-limit", "window", "objective", "max-bypass", "max-bids-per-job", "max-bids", "slurm-bids", "only-blocks", "paper-bids", "shrink",
		"cold-start", "start-late", "fair-share", "dump-models",
	} {
		list = append(list, retired{key, nil, "--set " + strings.ReplaceAll(key, "-", "_") + "=VALUE"})
	}
	return list
}

// checkRetired refuses a command by the name that it had before. args are the words after slurmlab.
func checkRetired(args []string) error {
	for _, r := range retiredCommands() {
		words := strings.Fields(r.was)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			now := append([]string{"slurmlab", r.now}, args[len(words):]...)
			return usage(fmt.Errorf("slurmlab %s is now: %s", r.was, strings.Join(now, " ")))
		}
	}
	return nil
}

// newFlag says what a flag that the command had before is now, "" for one that it never had.
// args are the words after slurmlab.
func newFlag(c *cobra.Command, name string, args []string) string {
	path := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	for _, r := range retiredFlags() {
		if r.was == name && (r.of == nil || slices.Contains(r.of, path)) && takes(c, r.now) {
			value := givenValue(name, args)
			now := strings.ReplaceAll(r.now, "METRIC=VALUE", strings.Replace(value, ":", "=", 1))
			return "; it is now " + strings.ReplaceAll(now, "VALUE", value)
		}
	}
	return ""
}

// takes says whether a command has the flag with which a hint begins.
func takes(c *cobra.Command, hint string) bool {
	flag, is := strings.CutPrefix(strings.Fields(hint)[0], "--")
	return !is || c.Flags().Lookup(flag) != nil
}

// givenValue is the value that the command line has for a flag, and true for one without.
func givenValue(name string, args []string) string {
	at := slices.IndexFunc(args, func(word string) bool { return word == "--"+name || strings.HasPrefix(word, "--"+name+"=") })
	if at < 0 {
		return "VALUE"
	}
	if _, value, is := strings.Cut(args[at], "="); is {
		return value
	}
	if at+1 < len(args) && !strings.HasPrefix(args[at+1], "--") {
		return args[at+1]
	}
	return fmt.Sprint(true)
}
