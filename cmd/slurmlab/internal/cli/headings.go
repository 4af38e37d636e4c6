package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// heading stands above a group of flags in the help of a command.
type heading string

// The headings in the order in which a help has them. A flag without one stands below
// the last.
const (
	headTrace   heading = "Trace"
	headJobs    heading = "Machine and jobs"
	headPolicy  heading = "Policy"
	headRepeat  heading = "Replicas"
	headResults heading = "Results"
	headClock   heading = "Clock"
	headCluster heading = "Cluster"
	headSite    heading = "On other machines"
	headFlags   heading = "Flags"
)

func headings() []heading {
	return []heading{headTrace, headJobs, headPolicy, headRepeat, headResults, headClock, headCluster, headSite, headFlags}
}

// headingOf is the heading of a flag.
func headingOf(f *pflag.Flag) heading {
	if h := f.Annotations[headingKey]; len(h) > 0 {
		return heading(h[0])
	}
	return headFlags
}

// mostUnheaded is the number of flags that need no headings to be found.
const mostUnheaded = 8

// mostShown is the number of flags that --help shows at most. A command that has more has
// --help-all, which shows all.
const mostShown = 14

// allHelp is the name of that flag.
const allHelp = "help-all"

// flagsOf are the flags of a command that want, in its order.
func flagsOf(cmd *cobra.Command, want func(*pflag.Flag) bool) *pflag.FlagSet {
	group := pflag.NewFlagSet("", pflag.ContinueOnError)
	group.SortFlags = cmd.Flags().SortFlags
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if want(f) {
			group.AddFlag(f)
		}
	})
	return group
}

// count is the number of flags of a set.
func count(flags *pflag.FlagSet) int {
	n := 0
	flags.VisitAll(func(*pflag.Flag) { n++ })
	return n
}

// flagsUnder are the flags of the command that its help has under the heading. Few flags
// are all under the last.
func flagsUnder(cmd *cobra.Command, h heading) *pflag.FlagSet {
	few := count(cmd.LocalFlags()) <= mostUnheaded
	return flagsOf(cmd, func(f *pflag.Flag) bool { return few && h == headFlags || !few && headingOf(f) == h })
}

// shortHelp are the flags that --help shows of a command that has --help-all, in the order of the headings.
func shortHelp(cmd *cobra.Command) *pflag.FlagSet {
	short := pflag.NewFlagSet("", pflag.ContinueOnError)
	short.SortFlags = false
	for _, h := range headings() {
		short.AddFlagSet(flagsOf(cmd, func(f *pflag.Flag) bool {
			return headingOf(f) == h && (len(f.Annotations[oftenKey]) > 0 || f.Name == "help" || f.Name == allHelp)
		}))
	}
	return short
}

// addAllHelp adds --help-all to the commands below cmd that have many flags. Like --help it is
// heeded before anything else of the command line is checked.
func addAllHelp(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		addAllHelp(below)
	}
	cmd.InitDefaultHelpFlag()
	if count(cmd.LocalFlags()) > mostShown {
		declare(cmd, headFlags, flagOf(allHelp, &allFlags{}, "help with all flags, under headings"))
		cmd.Flags().Lookup(allHelp).NoOptDefVal = fmt.Sprint(true)
	}
}

// allFlags is the value of --help-all.
type allFlags struct{ asked bool }

// String implements pflag.Value.
func (a *allFlags) String() string { return "" }

// Type implements pflag.Value.
func (a *allFlags) Type() string { return "bool" }

// Set implements pflag.Value. Its error is what pflag says of --help, upon which cobra prints the help.
func (a *allFlags) Set(string) error {
	a.asked = true
	return pflag.ErrHelp
}

// showsAll says whether the help of a command shows all its flags.
func showsAll(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup(allHelp)
	if f == nil {
		return true
	}
	all, is := f.Value.(*allFlags)
	return is && all.asked
}

// FlagGroup is the flags of a command that stand below one heading of its help.
type FlagGroup struct {
	Heading string
	Flags   *pflag.FlagSet
}

// FlagGroups are the flags that the help of a command lists, in its order.
func FlagGroups(cmd *cobra.Command) []FlagGroup {
	cmd.InitDefaultHelpFlag()
	var groups []FlagGroup
	for _, h := range headings() {
		if flags := flagsUnder(cmd, h); flags.HasAvailableFlags() {
			groups = append(groups, FlagGroup{Heading: string(h), Flags: flags})
		}
	}
	return groups
}

// writeUsage is the part of a help below the text: cobra's own, but with the flags in
// groups, and no line longer than width.
func writeUsage(cmd *cobra.Command, w io.Writer, width int) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", cmd.CommandPath())
	} else {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	for _, group := range CommandGroups(cmd) {
		fmt.Fprintf(&b, "\n%s:\n", group.Heading)
		for _, below := range group.Commands {
			fmt.Fprintf(&b, "  %-*s %s\n", below.NamePadding(), below.Name(), below.Short)
		}
	}
	if showsAll(cmd) {
		for _, group := range FlagGroups(cmd) {
			fmt.Fprintf(&b, "\n%s:\n%s", group.Heading, group.Flags.FlagUsagesWrapped(width))
		}
	} else {
		fmt.Fprintf(&b, "\n%s:\n%s\n\"%s --%s\" shows all %d flags.\n",
			headFlags, shortHelp(cmd).FlagUsagesWrapped(width), cmd.CommandPath(), allHelp, count(cmd.LocalFlags()))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\"%s COMMAND --help\" tells more about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
