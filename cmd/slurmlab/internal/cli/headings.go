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
	headAgent   heading = "Agent (no effect under a policy of Slurm's own)"
	headFlags   heading = "Flags"
)

func headings() []heading {
	return []heading{headTrace, headJobs, headPolicy, headRepeat, headResults, headClock, headCluster, headSite, headAgent, headFlags}
}

// headingKey is the annotation of a flag that holds its heading.
const headingKey = "slurmlab_heading"

// under adds the flags that declare makes to those of the command, below a heading.
func under(cmd *cobra.Command, h heading, declare func(*pflag.FlagSet)) {
	group := pflag.NewFlagSet("", pflag.ContinueOnError)
	// A help has the flags in the order in which they are declared.
	group.SortFlags, cmd.Flags().SortFlags = false, false
	declare(group)
	group.VisitAll(func(f *pflag.Flag) {
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[headingKey] = []string{string(h)}
	})
	cmd.Flags().AddFlagSet(group)
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

// flagsUnder are the flags of the command that its help has under the heading. Few flags
// are all under the last.
func flagsUnder(cmd *cobra.Command, h heading) *pflag.FlagSet {
	group := pflag.NewFlagSet("", pflag.ContinueOnError)
	group.SortFlags = cmd.Flags().SortFlags
	count := 0
	cmd.LocalFlags().VisitAll(func(*pflag.Flag) { count++ })
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if count <= mostUnheaded && h == headFlags || count > mostUnheaded && headingOf(f) == h {
			group.AddFlag(f)
		}
	})
	return group
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
	for _, group := range FlagGroups(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s", group.Heading, group.Flags.FlagUsagesWrapped(width))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\"%s COMMAND --help\" tells more about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
