package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/workloads"
)

func workloadDescribeCommand(s *State) *cobra.Command {
	var g generation
	cmd := &cobra.Command{
		Use:   "describe NAME|FILE",
		Short: "Say what a workload is: its jobs on a machine by class, and the commented spec of a built-in one",
		Example: "  slurmlab workload describe 1.HC.ranges --machine tsubame\n" +
			"  slurmlab workload describe V.2",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			machine, workload, jobs, err := g.jobs(args[0])
			if err != nil {
				return err
			}
			text, err := describeWorkload(args[0], machine, g.seed, workloads.Summarise(machine, jobs))
			if err != nil {
				return err
			}
			for _, line := range workload.Origin() {
				text += line + "\n"
			}
			_, err = io.WriteString(s.Stdout, text)
			return err
		},
	}
	g.flags(cmd)
	return cmd
}

func describeWorkload(name string, m workloads.Machine, seed uint64, sum workloads.Summary) (string, error) {
	var out strings.Builder
	about, source := "", ""
	for _, b := range workloads.Builtins() {
		if b.Name != name {
			continue
		}
		text, err := b.Source()
		if err != nil {
			return "", err
		}
		about = ": " + b.About
		source = "\nIt is a version of this spec:\n\n" + text
	}
	fmt.Fprintf(&out, "%s%s\n", name, about)
	users := ""
	if sum.Users > 0 {
		users = fmt.Sprintf(", users %d", sum.Users)
	}
	fmt.Fprintf(&out, "on %s (%d nodes of %d cores and %d GPUs) with seed %d: %d jobs, theoretical run time %s, last arrival %s%s\n\n",
		m.Name, m.Nodes, m.Cores, m.GPUs, seed, sum.Jobs, seconds(sum.Theoretical), seconds(float64(sum.LastArrival)), users)
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "class\tjobs\tcontiguous\tcores\tmean\tnodes\tGPUs per node\trun time s\tmean\tlimit/run time\t% of the work")
	for _, c := range sum.Classes {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%.1f\t%s\t%s\t%s\t%.1f\t%.2f\t%.1f\n", c.Class, c.Jobs, c.Contiguous,
			span(c.Cores), c.Cores.Mean, span(c.Nodes), span(c.GPUs), span(c.Runtime), c.Runtime.Mean, c.LimitRatio, 100*c.Work)
	}
	if err := table.Flush(); err != nil {
		return "", err
	}
	out.WriteString(source)
	return out.String(), nil
}

func seconds(s float64) time.Duration {
	return (time.Duration(s * float64(time.Second))).Round(time.Second)
}

// span is a range, "-" of what no job asks for.
func span(r workloads.Range) string {
	switch {
	case r.Max == 0:
		return "-"
	case r.Min == r.Max:
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}
