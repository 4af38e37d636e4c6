package campaign

import (
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
)

// keys lists the keys of a campaign file, in the order in which they are read.
type keys struct {
	TheoreticalRuntime input.Value `yaml:"theoretical_runtime" was:"estimated_runtime" about:"theoretical runtime of all generated workloads, such as '30m'; without it each has its own"`
	Machines           input.Value `yaml:"machines" about:"names or [machine files](../machines.md)" need:"yes"`
	Workloads          input.Value `yaml:"workloads" about:"names, files, or [mappings](#an-entry-of-workloads)" need:"yes"`
	Events             input.Value `yaml:"events" about:"file of [events](../events.md) that happen in each run, on backends and machines that can have them"`
	Seeds              input.Value `yaml:"seeds" about:"numbers and ranges such as '1..10'; 1 without it"`
	PolicyFile         input.Value `yaml:"policy_file" about:"file with [policies of your own](../schedulers.md)"`
	Policies           input.Value `yaml:"policies" about:"names, or [mappings](#an-entry-of-policies)" need:"yes"`
	AA                 input.Value `yaml:"aa" about:"'true' compares each policy with itself, as '--aa' does"`
	Backend            input.Value `yaml:"backend" about:"backends, as '--backend'; without it what machines, events and 'slurm' need"`
	Slurm              input.Value `yaml:"slurm" about:"release series of Slurm, as '--slurm', where a backend has several; with 'backend' each backend runs with those that it has"`
	Exclude            input.Value `yaml:"exclude" about:"[runs](#an-entry-of-exclude) that are left out"`
	Pairs              input.Value `yaml:"pairs" about:"which policies the report compares, '[[backfill, auction]]'; each with the first without it"`
	MaxSeeds           input.Value `yaml:"max_seeds" about:"the most seeds with 'precision'; 50 without it"`
	Precision          input.Value `yaml:"precision" was:"until" about:"metric and precision, such as 'waiting=2%': seeds are added until every difference is known so well"`
	On                 input.Value `yaml:"on" about:"[what is asked of a site's Slurm](#onslurm) with '--on slurm', where the flags do not say it"`
}

// workloadKeys lists the keys of an entry of workloads.
type workloadKeys struct {
	Workload           input.Value `yaml:"workload" about:"name or file" need:"yes"`
	TheoreticalRuntime input.Value `yaml:"theoretical_runtime" was:"estimated_runtime" about:"theoretical runtime of a generated workload, such as '30m', in the place of the one at the top"`
	Windows            input.Value `yaml:"windows" about:"number of windows that a trace is cut into; each is run"`
	Name               input.Value `yaml:"name" about:"what the workload is called in folders and tables, its own name without it"`
}

// policyKeys lists the keys of an entry of policies.
type policyKeys struct {
	Policy   input.Value `yaml:"policy" about:"name, or 'exec:FILE' or 'host:FILE' for a program of yours" need:"yes"`
	Name     input.Value `yaml:"name" about:"what the policy is called in folders and tables, its own name without it"`
	Settings input.Value `yaml:"settings" about:"[parameters of the agent](policies.md#parameters-of-the-agent), 'priority', words of SchedulerParameters or lines of slurm.conf such as SchedulerTimeSlice, each with a value or a list of values"`
}

// onKeys are those of on: for which scheduler a site is asked.
type onKeys struct {
	Slurm input.Value `yaml:"slurm" about:"[what tasks ask for](#onslurm)"`
}

// siteKeys are those of on.slurm.
type siteKeys struct {
	Account      input.Value `yaml:"account" about:"account of the jobs, as '--account'"`
	Partition    input.Value `yaml:"partition" about:"partition of the jobs, as '--partition'"`
	Time         input.Value `yaml:"time" about:"time limit of a task with its unit, as '--time'"`
	CoresPerTask input.Value `yaml:"cores_per_task" about:"cores of a task, as '--cores-per-task'"`
	RunsPerTask  input.Value `yaml:"runs_per_task" about:"runs of a task, as '--runs-per-task'"`
}

// exclusionKeys lists the keys of an entry of exclude.
type exclusionKeys struct {
	Machine  input.Value `yaml:"machine" about:"of the runs that are left out"`
	Workload input.Value `yaml:"workload" about:"the same"`
	Policy   input.Value `yaml:"policy" about:"the same"`
	Backend  input.Value `yaml:"backend" about:"the same"`
	Slurm    input.Value `yaml:"slurm" about:"the same"`
	Seed     input.Value `yaml:"seed" about:"the same; the entry leaves out the runs that match all its keys, and '*' stands for any text"`
}

// Parts are the mappings of a campaign file, with their keys.
func Parts() []input.Part {
	return []input.Part{
		{Title: "At the top", Keys: input.Keys[keys]()},
		{Title: "An entry of workloads", Path: "workloads[0]", Keys: input.Keys[workloadKeys]()},
		{Title: "An entry of policies", Path: "policies[0]", Keys: input.Keys[policyKeys]()},
		{Title: "on.slurm", Path: "on.slurm", Keys: input.Keys[siteKeys]()},
		{Title: "An entry of exclude", Path: "exclude[0]", Keys: input.Keys[exclusionKeys]()},
	}
}

// failEach notes each line of an error that begins with a key of the mapping as a fault of its value, and
// the others as faults of what the mapping is in.
func failEach(m *input.Mapping, err error, whole input.Value) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		key, what, _ := strings.Cut(line, ": ")
		if value, there := m.Peek(key); there {
			value.Failf("%s", what)
			continue
		}
		whole.Failf("%s", line)
	}
}

// mapping is the value as a mapping, whose keys are read into the pointer; it is false, and a fault, for another one.
func mapping(v input.Value, into any) (*input.Mapping, bool) {
	m := v.Mapping()
	m.Read(into)
	return m, v.IsMapping()
}

// list is the value as a list, or the value alone. An empty list is a fault.
func list(v input.Value) []input.Value {
	entries, is := v.Entries()
	if !is {
		return []input.Value{v}
	}
	if len(entries) == 0 {
		v.Failf("got an empty list, so that the campaign has no run; want at least one value")
	}
	return entries
}

// word is a single value as it stands in the file: 26.05 is no number.
func word(v input.Value) (string, bool) {
	text, is := v.Scalar()
	if !is {
		v.Mistyped("a single value")
	}
	return text, is
}

// words are the words of a list, or of the value alone.
func words(v input.Value) []string {
	var all []string
	for _, one := range list(v) {
		if text, good := word(one); good {
			all = append(all, text)
		}
	}
	return all
}

// duration is a time with its unit; false is a fault.
func duration(v input.Value) (time.Duration, bool) {
	text, good := word(v)
	if !good {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		v.Failf("got %q, want a time with its unit, such as 30m", text)
		return 0, false
	}
	return d, true
}

// whole is a number from low to high; false is a fault.
func whole(v input.Value, low, high uint64) (uint64, bool) {
	text, good := word(v)
	if !good {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < low || n > high {
		v.Failf("got %q, want a whole number from %d to %d", text, low, high)
		return 0, false
	}
	return n, true
}
