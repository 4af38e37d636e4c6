package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/workloads"
)

func workloadDescribeCommand(s *State) *cobra.Command {
	var g generation
	cmd := &cobra.Command{
		Use:   "describe NAME|FILE",
		Short: "Say what the jobs are, and which machine would carry them",
		Long: `Says what the jobs of a workload are, which machine would carry them and at what
load, and shows the commented spec of a built-in workload. A CSV file may be of
any length, and its jobs may be too large for the machine.

The load is the part of a machine's cores and GPUs that the jobs need from the
first arrival to the last: above 100 % the queue grows as long as jobs arrive.`,
		Example: "  slurmlab workload describe 1.HC.ranges --machine tsubame\n" +
			"  slurmlab workload describe imported.csv",
		ValidArgsFunction: ofWorkloads().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			machine, profile, origin, err := g.profile(s, args[0])
			if err != nil {
				return err
			}
			text, err := describeWorkload(args[0], machine, g.seed, profile)
			if err != nil {
				return err
			}
			for _, line := range origin {
				text += line + "\n"
			}
			_, err = io.WriteString(s.Stdout, text)
			return err
		},
	}
	g.flags(cmd)
	return cmd
}

// profile describes the jobs. Those of a CSV file, which may be more than a run takes, are
// read one by one, unless a flag is set that no list of jobs can have.
func (g *generation) profile(s *State, nameOrFile string) (workloads.Machine, *workloads.Profile, []string, error) {
	profile := &workloads.Profile{}
	if filepath.Ext(nameOrFile) != ".csv" || g.estimated != 0 || g.arrivals != "" || g.given.Changed("seed") {
		machine, workload, jobs, err := g.jobs(nameOrFile)
		for _, j := range jobs {
			profile.Add(j)
		}
		return machine, profile, workload.Origin(), err
	}
	machine, err := workloads.LoadMachine(g.machine)
	if err != nil {
		return machine, nil, nil, usage(err)
	}
	file, err := os.Open(nameOrFile)
	if err != nil {
		return machine, nil, nil, usage(fmt.Errorf("read workload: %w", err))
	}
	// What was only read loses nothing when it is closed.
	defer func() { _ = file.Close() }()
	origin, err := workloads.StreamCSV(stoppable{s.Context, file}, nameOrFile, profile.Add)
	if errors.Is(err, lab.ErrStopped) {
		// Without the line that was being read.
		return machine, nil, nil, lab.ErrStopped
	}
	return machine, profile, origin, usage(err)
}

func describeWorkload(name string, m workloads.Machine, seed uint64, p *workloads.Profile) (string, error) {
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
	sum := p.Summary(m)
	fmt.Fprintf(&out, "%s%s\n", name, about)
	users := ""
	if sum.Users > 0 {
		users = fmt.Sprintf(", users %d", sum.Users)
	}
	fmt.Fprintf(&out, "on %s (%d nodes of %d cores and %d GPUs) with seed %d: %d jobs, theoretical run time %s, last arrival %s%s\n\n",
		m.Name, m.Nodes, m.Cores, m.GPUs, seed, sum.Jobs, seconds(sum.Theoretical), seconds(float64(sum.LastArrival)), users)
	if err := describeJobs(&out, p); err != nil {
		return "", err
	}
	if err := describeMachines(&out, m, p); err != nil {
		return "", err
	}
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

// describeJobs tells what all jobs together are: arrivals, sizes, times, users.
func describeJobs(out *strings.Builder, p *workloads.Profile) error {
	arrive := "all jobs arrive at once"
	if span := p.Last - p.First; span > 0 {
		arrive = fmt.Sprintf("jobs arrive during %s, one every %s on average", seconds(float64(span)), seconds(float64(span)/float64(max(1, p.Cores.Jobs-1))))
	}
	fmt.Fprintf(out, "%s; their work is %.1f core-hours", arrive, p.CoreSeconds/3600)
	if p.GPUSeconds > 0 {
		fmt.Fprintf(out, " and %.1f GPU-hours", p.GPUSeconds/3600)
	}
	out.WriteString("\n")
	if name, part := p.BusiestUser(); name != "" {
		fmt.Fprintf(out, "the busiest user is %s with %.1f %% of the core-hours\n", name, 100*part)
	}
	if p.OddLimits > 0 {
		fmt.Fprintf(out, "time limits that are not whole minutes: %d; a run rounds them up, as sbatch does\n", p.OddLimits)
	}
	out.WriteString("\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "of a job\tjobs\tleast\tmedian\t90 %\tmost\tmean")
	whole := func(name string, s workloads.Spread) {
		if s.Jobs > 0 {
			_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f\n", name, s.Jobs, s.Min, s.Quantile(0.5), s.Quantile(0.9), s.Max, s.Mean())
		}
	}
	whole("cores", p.Cores)
	whole("nodes, where asked for", p.Nodes)
	whole("GPUs, where asked for", p.GPUs)
	whole("run time s", p.Runtimes)
	r, hundredth := p.Ratios, func(n int) float64 { return float64(n) / 100 }
	_, _ = fmt.Fprintf(table, "limit/run time\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", r.Jobs,
		hundredth(r.Min), hundredth(r.Quantile(0.5)), hundredth(r.Quantile(0.9)), hundredth(r.Max), r.Mean()/100)
	err := table.Flush()
	out.WriteString("\n")
	return err
}

// targetLoad is a load that large machines are run at, with queues that do not grow.
const targetLoad = 0.8

// describeMachines tells which machines would carry the jobs, and at what load: that of
// --machine, the built-in ones, the smallest on which each job fits, and the smallest of
// such nodes with a load of at most targetLoad.
func describeMachines(out *strings.Builder, m workloads.Machine, p *workloads.Profile) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "machine\tnodes\tcores\tGPUs\tevery job fits\tload of cores\tof GPUs\ttheoretical run time")
	row := func(name string, m workloads.Machine) {
		fits, ofCores, ofGPUs := "no", "-", "-"
		if p.Demand.Fits(m) {
			fits = "yes"
		}
		if cores, gpus, ok := p.Load(m); ok {
			ofCores = fmt.Sprintf("%.1f %%", 100*cores)
			if m.GPUs > 0 {
				ofGPUs = fmt.Sprintf("%.1f %%", 100*gpus)
			}
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", name, m.Nodes, m.Cores, m.GPUs, fits, ofCores, ofGPUs, seconds(p.Summary(m).Theoretical))
	}
	row(m.Name, m)
	for _, name := range workloads.MachineNames() {
		if name == m.Name {
			continue
		}
		other, err := workloads.LoadMachine(name)
		if err != nil {
			return err
		}
		row(name, other)
	}
	if least, ok := p.Demand.Machine(m.Cores); ok {
		row("(smallest)", least)
		if carrying, ok := p.Carrying(least, targetLoad); ok && carrying != least {
			row("(at most 80 %)", carrying)
		}
	}
	err := table.Flush()
	out.WriteString("\n")
	return err
}

// seconds is the duration of s seconds, or 285 years if it is longer.
func seconds(s float64) time.Duration {
	return (time.Duration(min(s, 9e9) * float64(time.Second))).Round(time.Second)
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
