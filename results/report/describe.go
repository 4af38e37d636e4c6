package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/profile"
)

// Description is the text about a workload or a machine, as it is written.
type Description struct {
	strings.Builder
	// Screen and Prose are the characters in a line of tables and of prose.
	Screen, Prose int
	// Wide tables have all columns.
	Wide bool
	// Named says that people asked about the machine.
	Named bool
}

// Line writes a paragraph.
func (d *Description) Line(format string, args ...any) {
	d.WriteString(text.Wrap(fmt.Sprintf(format, args...), "", d.Prose))
}

// Heading is the heading of a table of words with its rank, see table.Column.
type Heading struct {
	Title string
	Rank  int
}

// Table sets rows of words below headings, the first to the left.
func (d *Description) Table(columns []Heading, rows [][]string) error {
	var fields []table.Field[[]string]
	var list []table.Column
	for i, c := range columns {
		fields = append(fields, table.Word(c.Title, func(row []string) string { return row[i] }))
		list = append(list, table.Column{Title: c.Title, Names: []string{c.Title}, Rank: c.Rank, Left: i == 0})
	}
	frame, err := table.NewFrame(rows, fields...)
	if err != nil {
		return err
	}
	t, err := table.New(frame, list...)
	if err != nil {
		return err
	}
	return (table.Form{Format: table.TextFormat, Wide: d.Wide}).Write(d, d.Screen, t, "--wide")
}

// builtin is the built-in workload of that name.
func builtin(name string) (workloads.Builtin, bool) {
	all := workloads.Builtins()
	at := slices.IndexFunc(all, func(b workloads.Builtin) bool { return b.Name == name })
	if at < 0 {
		return workloads.Builtin{}, false
	}
	return all[at], true
}

// aboutWorkload is the line about a built-in workload, "" for another one.
func aboutWorkload(name string) string {
	b, _ := builtin(name)
	return b.About
}

// Workload describes the jobs, lists the machines that carry them, and shows the spec of a built-in workload.
func (d *Description) Workload(name string, m workloads.Machine, seed uint64, p *profile.Profile) error {
	about, source := aboutWorkload(name), ""
	if b, ok := builtin(name); ok {
		text, err := b.Source()
		if err != nil {
			return err
		}
		about = ": " + about
		source = "\nIt is a version of this spec:\n\n" + text
	}
	sum := p.Summary(m)
	d.Line("%s%s", name, about)
	d.Line("on %s (%s) with seed %d:", m.Name, m.Size(), seed)
	users := ""
	if sum.Users > 0 {
		users = fmt.Sprintf(", users %d", sum.Users)
	}
	d.Line("%s, theoretical runtime %s, last arrival %s%s", text.Plural(sum.Jobs, "job"), seconds(sum.Theoretical), seconds(float64(sum.LastArrival)), users)
	d.arrivals(p)
	parts := func() error {
		return errors.Join(d.parts("partition", p, p.Partitions(m)), d.parts("GPU type", p, p.GPUTypes(m)))
	}
	for _, write := range []func() error{
		func() error { return d.sizes(p) },
		func() error { return errors.Join(d.machines(m, p), parts()) },
		func() error { return d.classes(sum.Classes) },
	} {
		d.WriteString("\n")
		if err := write(); err != nil {
			return err
		}
	}
	d.WriteString(source)
	return nil
}

// arrivals tells when the jobs come, and what their work is.
func (d *Description) arrivals(p *profile.Profile) {
	if span := p.Last - p.First; span > 0 {
		d.Line("jobs arrive during %s, one every %s on average", seconds(float64(span)), seconds(float64(span)/float64(max(1, p.Cores.Jobs-1))))
	} else {
		d.Line("all jobs arrive at once")
	}
	gpus := ""
	if p.GPUSeconds > 0 {
		gpus = fmt.Sprintf(" and %.1f GPU-hours", p.GPUSeconds/3600)
	}
	if ends := workloads.OutcomesText(p.Outcomes); ends != "" {
		d.Line("not all complete: %s", ends)
	}
	if terms := workloads.TermsText(p.Terms); terms != "" {
		accounts := ""
		if n := p.Accounts(); n > 0 {
			accounts = fmt.Sprintf("; different accounts: %d", n)
		}
		d.Line("jobs that ask Slurm for more: %s%s", terms, accounts)
	}
	d.Line("their work is %.1f core-hours%s", p.CoreSeconds/3600, gpus)
	if name, part := p.BusiestUser(); name != "" {
		d.Line("the busiest user is %s with %.1f %% of the core-hours", name, 100*part)
	}
	if p.OddLimits > 0 {
		d.Line("time limits that are not whole minutes: %d; a run rounds them up, as sbatch does", p.OddLimits)
	}
}

// sizes tells how large and long the jobs are.
func (d *Description) sizes(p *profile.Profile) error {
	var rows [][]string
	whole := func(name string, s profile.Spread) {
		if s.Jobs > 0 {
			rows = append(rows, []string{
				name, strconv.Itoa(s.Jobs), strconv.Itoa(s.Min), strconv.Itoa(s.Quantile(0.5)), strconv.Itoa(s.Quantile(0.9)),
				strconv.Itoa(s.Max), table.Fixed(s.Mean(), 1),
			})
		}
	}
	whole("cores", p.Cores)
	whole("nodes, where asked for", p.Nodes)
	whole("GPUs, where asked for", p.GPUs)
	whole("run time s", p.Runtimes)
	r, hundredth := p.Ratios, func(n int) string { return table.Fixed(float64(n)/100, 2) }
	rows = append(rows, []string{
		"limit/run time", strconv.Itoa(r.Jobs), hundredth(r.Min), hundredth(r.Quantile(0.5)), hundredth(r.Quantile(0.9)),
		hundredth(r.Max), table.Fixed(r.Mean()/100, 2),
	})
	return d.Table([]Heading{{"of a job", 0}, {"jobs", 2}, {"least", 1}, {"median", 0}, {"90 %", 2}, {"most", 1}, {"mean", 3}}, rows)
}

// targetLoad is a load that large machines are run at, with queues that do not grow.
const targetLoad = 0.8

// carrier is a machine that may carry the jobs.
type carrier struct {
	name    string
	machine workloads.Machine
	fits    bool
}

// carriers are the machine of --machine alone if people named one. Otherwise they are the built-in machines, the
// smallest on which each job fits, and the smallest of such nodes with a load of at most targetLoad.
func carriers(m workloads.Machine, named bool, p *profile.Profile) ([]carrier, error) {
	// The jobs of a machine whose nodes differ were checked one by one.
	list := []carrier{{m.Name, m, m.Unequal() || p.Demand.Fits(m)}}
	if named {
		return list, nil
	}
	for _, name := range workloads.MachineNames() {
		if name == m.Name {
			continue
		}
		other, err := workloads.LoadMachine(name)
		if err != nil {
			return nil, err
		}
		list = append(list, carrier{name, other, p.Demand.Fits(other)})
	}
	if least, ok := p.Demand.Machine(m.Cores); ok {
		list = append(list, carrier{"(smallest)", least, true})
		if carrying, ok := p.Carrying(least, targetLoad); ok && !carrying.Equal(least) {
			list = append(list, carrier{"(at most 80 %)", carrying, true})
		}
	}
	return list, nil
}

// machines lists which machines would carry the jobs, and at what load.
func (d *Description) machines(m workloads.Machine, p *profile.Profile) error {
	all, err := carriers(m, d.Named, p)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, c := range all {
		ofCores, ofGPUs := none, none
		if cores, gpus, ok := p.Load(c.machine); ok {
			ofCores = table.Fixed(100*cores, 1)
			if c.machine.GPUs > 0 {
				ofGPUs = table.Fixed(100*gpus, 1)
			}
		}
		rows = append(rows, []string{
			c.name, strconv.Itoa(c.machine.Nodes), strconv.Itoa(c.machine.Cores), strconv.Itoa(c.machine.GPUs), yesNo(c.fits), ofCores, ofGPUs,
			seconds(p.Summary(c.machine).Theoretical).String(),
		})
	}
	return d.Table([]Heading{
		{"machine", 0}, {"nodes", 3}, {"cores", 3}, {"GPUs", 3}, {"every job fits", 1}, {"load of cores %", 1}, {"load of GPUs %", 2},
		{"theoretical runtime", 4},
	}, rows)
}

// parts lists the load of each part of a machine, nothing of one without such parts.
func (d *Description) parts(what string, p *profile.Profile, parts []profile.PartLoad) error {
	if len(parts) == 0 {
		return nil
	}
	d.WriteString("\n")
	var rows [][]string
	for _, l := range parts {
		cores, gpus := l.Load(float64(p.Last - p.First))
		ofCores, ofGPUs := table.Fixed(100*cores, 1), table.Fixed(100*gpus, 1)
		if p.Last == p.First {
			ofCores, ofGPUs = none, none
		}
		if l.GPUs == 0 {
			ofGPUs = none
		}
		rows = append(rows, []string{
			l.Name, strconv.Itoa(l.Jobs), table.Fixed(l.CoreSeconds/3600, 1), table.Fixed(l.GPUSeconds/3600, 1), strconv.Itoa(l.Cores), strconv.Itoa(l.GPUs), ofCores, ofGPUs,
		})
	}
	return d.Table([]Heading{
		{what, 0}, {"jobs", 1}, {"core-hours", 3}, {"GPU-hours", 3}, {"cores", 4}, {"GPUs", 4}, {"load of cores %", 1}, {"load of GPUs %", 2},
	}, rows)
}

// classes describes the jobs of each class.
func (d *Description) classes(classes []profile.ClassSummary) error {
	var rows [][]string
	for _, c := range classes {
		rows = append(rows, []string{
			c.Class, strconv.Itoa(c.Jobs), strconv.Itoa(c.Contiguous), span(c.Cores), table.Fixed(c.Cores.Mean, 1), span(c.Nodes), span(c.GPUs),
			span(c.Runtime), table.Fixed(c.Runtime.Mean, 1), table.Fixed(c.LimitRatio, 2), table.Fixed(100*c.Work, 1),
		})
	}
	return d.Table([]Heading{
		{"class", 0}, {"jobs", 0}, {"contiguous", 5}, {"cores", 1}, {"mean cores", 6}, {"nodes", 2}, {"GPUs per node", 2},
		{"run time s", 3}, {"mean run time s", 6}, {"limit/run time", 6}, {"% of the work", 4},
	}, rows)
}

// seconds is the duration of s seconds, or 285 years if it is longer.
func seconds(s float64) time.Duration {
	return (time.Duration(min(s, 9e9) * float64(time.Second))).Round(time.Second)
}

// span is a range, "-" of what no job asks for.
func span(r profile.Range) string {
	switch {
	case r.Max == 0:
		return "-"
	case r.Min == r.Max:
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}
