package sbatch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Request is a batch job. Counts that are 0 are not asked for. The
// output of the job goes to /dev/null unless there is an Output.
type Request struct {
	// Name has letters, digits and "._+-" only, 1 to 64 of them, because
	// scontrol prints it unquoted.
	Name string
	// Tasks is -n, one CPU each; at least 1.
	Tasks int
	// Nodes is -N: exactly so many nodes, or with NodesMax from so many to NodesMax
	// (sbatch(1), "--nodes=<minnodes>[-maxnodes]").
	Nodes, NodesMax int
	TasksPerNode    int
	// CPUsPerTask is -c, 0 for one. Package channel takes no other.
	CPUsPerTask int
	// GPUsMin and GPUsMax are GPUs per node. Equal numbers ask for so many,
	// different ones for a range, which only a cluster with our job_submit
	// plugin accepts.
	GPUsMin, GPUsMax int
	Contiguous       bool
	// Options and Terms say more. The lists among them have & in the place of sbatch's commas, or these.
	Options
	Terms
	// User is the Unix user for whom root submits the job (--uid), "" for the user who submits it.
	User string
	// TimeLimit is a whole number of minutes, at least one: Slurm keeps limits
	// in minutes.
	TimeLimit time.Duration
	// Hold submits the job held by its user (-H).
	Hold bool
	// After are the ids of jobs that must have begun first (--dependency=after), beside Dependency.
	After []int
	// Begin, if set, is the earliest start (--begin), to the second.
	Begin time.Time
	// Script is the text of the batch script. Path names a script file
	// instead, Args are its arguments. Exactly one of Script and Path is set.
	Script string
	Path   string
	Args   []string
	// Output is the file for all that the job prints (-o, with sbatch's patterns), "" for none. Package channel takes none.
	Output string
}

// Validate lists everything that is wrong with the request.
func (r Request) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(validName(r.Name), "name %q: want 1 to 64 letters, digits or ._+-, not beginning with '-'", r.Name)
	check(r.Tasks >= 1, "tasks %d: want at least 1", r.Tasks)
	check(r.Nodes >= 0 && r.Nodes <= max(r.Tasks, 0), "nodes %d: want 0 to %d, the number of tasks", r.Nodes, r.Tasks)
	check(r.NodesMax == 0 || r.Nodes > 0 && r.NodesMax >= r.Nodes, "nodes %d to %d: want a range that begins at 1 or more", r.Nodes, r.NodesMax)
	check(r.TasksPerNode >= 0 && r.TasksPerNode <= max(r.Tasks, 0),
		"tasks per node %d: want 0 to %d, the number of tasks", r.TasksPerNode, r.Tasks)
	check(r.CPUsPerTask >= 0, "CPUs per task %d: want 0 or more", r.CPUsPerTask)
	check(0 <= r.GPUsMin && r.GPUsMin <= r.GPUsMax, "GPUs per node %d to %d: want 0 <= least <= most", r.GPUsMin, r.GPUsMax)
	check(r.GPUsMin > 0 || r.GPUsMax <= 0, "GPUs per node %d to %d: want a range that begins at 1 or more", r.GPUsMin, r.GPUsMax)
	check(r.GPUType == "" || r.GPUsMax > 0 && r.GPUsMin == r.GPUsMax && layout.IsWord(r.GPUType),
		"type of GPUs %q: want a word beside a number of GPUs per node that is no range", r.GPUType)
	check(r.Shards >= 0 && r.MPS >= 0 && min(r.Shards, r.MPS) == 0 && (r.GPUsMax == 0 || r.Shards+r.MPS == 0),
		"%d shards, %d MPS and %d GPUs per node: want one of the three", r.Shards, r.MPS, r.GPUsMax)
	check(r.Segment >= 0 && (r.Segment == 0 || r.Nodes <= r.Segment || r.Nodes%r.Segment == 0), "segment %d: want a divisor of %d nodes, or more", r.Segment, r.Nodes)
	check(r.MemPerNode >= 0 && r.MemPerCPU >= 0 && (r.MemPerNode == 0 || r.MemPerCPU == 0),
		"memory of %d MiB per node and %d MiB per CPU: want one of them at most", r.MemPerNode, r.MemPerCPU)
	check(r.Priority >= 0 && (r.Priority == 0 || r.Nice == 0), "priority %d and nice value %d: want one of them at most", r.Priority, r.Nice)
	check(r.Dependency == "" || isDependency(r.Dependency), "dependency %q: want KIND:ID", r.Dependency)
	check(r.BeginAfter == 0 && r.Array == "", "begin after %d s, array %q: want neither, only a workload's job has them", r.BeginAfter, r.Array)
	check(r.TimeLimit >= time.Minute && r.TimeLimit%time.Minute == 0,
		"time limit %s: want a whole number of minutes, at least 1", r.TimeLimit)
	check((r.Script == "") != (r.Path == ""), "want either a script text or a script path")
	check(r.Script == "" || strings.HasPrefix(r.Script, "#!"), "script: want a first line that begins with #!")
	check(!hasOptions(r.Script), "script: want no #SBATCH lines, they would add to the request")
	check(r.Output == "" || r.Output[0] == '/', "output %q: want an absolute path", r.Output)
	check(r.Path == "" || r.Path[0] == '/', "script path %q: want an absolute path", r.Path)
	check(r.Path != "" || len(r.Args) == 0, "arguments %q: want none for a script text", r.Args)
	return errors.Join(faults...)
}

// hasOptions says that a script has lines in which sbatch looks for options. It stops at the first command.
func hasOptions(script string) bool {
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "#SBATCH") {
			return true
		}
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			break
		}
	}
	return false
}

// Argv is the sbatch command of a valid request. The script text, if any, goes
// to its standard input.
func (r Request) Argv() []string {
	argv := []string{"sbatch"}
	for _, o := range inTurn() {
		argv = append(argv, o.words(r)...)
	}
	if r.Path != "" {
		argv = append(argv, r.Path)
		argv = append(argv, r.Args...)
	}
	return argv
}

// Cells are the options of a valid request as NAME=VALUE, each with its name in the table, in the order of Argv.
// They have the values of sbatch, but gres as slurmctld knows it and begin in Unix time.
func (r Request) Cells() []string {
	var cells []string
	for _, o := range inTurn() {
		value := o.value(r)
		if o.cell != nil {
			value = o.cell(r)
		}
		if o.Name != "" && value != "" {
			cells = append(cells, o.Name+"="+value)
		}
	}
	return cells
}

// nodes is the value of -N, empty without.
func (r Request) nodes() string {
	if r.NodesMax > r.Nodes {
		return fmt.Sprintf("%d-%d", r.Nodes, r.NodesMax)
	}
	return ifAny(r.Nodes)
}

// begin is the value of --begin, empty without.
func (r Request) begin() string {
	if r.Begin.IsZero() {
		return ""
	}
	return r.Begin.UTC().Format(values.TimeLayout)
}

// beginSeconds is Begin in Unix time, empty without.
func (r Request) beginSeconds() string {
	if r.Begin.IsZero() {
		return ""
	}
	return strconv.FormatInt(r.Begin.Unix(), 10)
}

// GRES is the value of --gres, empty without.
func (r Request) GRES() string {
	switch {
	case r.Shards > 0:
		return fmt.Sprintf("shard:%d", r.Shards)
	case r.MPS > 0:
		return fmt.Sprintf("mps:%d", r.MPS)
	case r.GPUsMax == 0:
		return ""
	case r.GPUType != "":
		return fmt.Sprintf("gpu:%s:%d", r.GPUType, r.GPUsMax)
	case r.GPUsMin == r.GPUsMax:
		return fmt.Sprintf("gpu:%d", r.GPUsMax)
	}
	return fmt.Sprintf("gpu:%d-%d", r.GPUsMin, r.GPUsMax)
}

// tresPerNode is what sbatch makes of --gres, empty without.
func (r Request) tresPerNode() string {
	if gres := r.GRES(); gres != "" {
		return "gres/" + gres
	}
	return ""
}

func validName(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', strings.IndexByte("._+-", c) >= 0:
		default:
			return false
		}
	}
	return true
}
