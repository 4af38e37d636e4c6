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
// output of the job goes to /dev/null.
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
	// GPUsMin and GPUsMax are GPUs per node. Equal numbers ask for so many,
	// different ones for a range, which only a cluster with our job_submit
	// plugin accepts.
	GPUsMin, GPUsMax int
	// GPUType is the type of the GPUs, "" for any.
	GPUType    string
	Contiguous bool
	// Partition is --partition, "" for the default one.
	Partition string
	// MemPerNode is --mem and MemPerCPU --mem-per-cpu, in MiB. At most one is asked for.
	MemPerNode, MemPerCPU int
	// Features is --constraint.
	Features  string
	Exclusive bool
	// Account is the account to charge (--account), "" for the default one. Slurm
	// takes the default one also for an account that its user does not belong to.
	Account string
	// QOS is --qos, Licenses --licenses, NAME:COUNT joined by commas, Reservation --reservation, each "" for
	// none.
	QOS, Licenses, Reservation string
	// NodeList is --nodelist, a hostlist of nodes that are among the job's, "" for none.
	NodeList string
	// User is the Unix user for whom root submits the job (--uid), "" for the user who submits it.
	User string
	// Nice is --nice, Priority --priority, 0 for the one that Slurm gives the job. A job has at most one.
	Nice, Priority int
	// TimeLimit is a whole number of minutes, at least one: Slurm keeps limits
	// in minutes.
	TimeLimit time.Duration
	// Hold submits the job held by its user (-H).
	Hold bool
	// After are the ids of jobs that must have begun first (--dependency=after).
	After []int
	// Dependency is a further one (--dependency), KIND:ID as afterok:7, "" for none.
	Dependency string
	// Begin, if set, is the earliest start (--begin), to the second.
	Begin time.Time
	// Script is the text of the batch script. Path names a script file
	// instead, Args are its arguments. Exactly one of Script and Path is set.
	Script string
	Path   string
	Args   []string
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
	check(0 <= r.GPUsMin && r.GPUsMin <= r.GPUsMax, "GPUs per node %d to %d: want 0 <= least <= most", r.GPUsMin, r.GPUsMax)
	check(r.GPUsMin > 0 || r.GPUsMax <= 0, "GPUs per node %d to %d: want a range that begins at 1 or more", r.GPUsMin, r.GPUsMax)
	check(r.GPUType == "" || r.GPUsMax > 0 && r.GPUsMin == r.GPUsMax && layout.IsWord(r.GPUType),
		"type of GPUs %q: want a word beside a number of GPUs per node that is no range", r.GPUType)
	check(r.MemPerNode >= 0 && r.MemPerCPU >= 0 && (r.MemPerNode == 0 || r.MemPerCPU == 0),
		"memory of %d MiB per node and %d MiB per CPU: want one of them at most", r.MemPerNode, r.MemPerCPU)
	check(r.Priority >= 0 && (r.Priority == 0 || r.Nice == 0), "priority %d and nice value %d: want one of them at most", r.Priority, r.Nice)
	check(r.Dependency == "" || isDependency(r.Dependency), "dependency %q: want KIND:ID", r.Dependency)
	check(r.TimeLimit >= time.Minute && r.TimeLimit%time.Minute == 0,
		"time limit %s: want a whole number of minutes, at least 1", r.TimeLimit)
	check((r.Script == "") != (r.Path == ""), "want either a script text or a script path")
	check(r.Script == "" || strings.HasPrefix(r.Script, "#!"), "script: want a first line that begins with #!")
	check(!strings.Contains(r.Script, "\n#SBATCH"), "script: want no #SBATCH lines, they would add to the request")
	check(r.Path == "" || r.Path[0] == '/', "script path %q: want an absolute path", r.Path)
	check(r.Path != "" || len(r.Args) == 0, "arguments %q: want none for a script text", r.Args)
	return errors.Join(faults...)
}

// Argv is the sbatch command of a valid request. The script text, if any, goes
// to its standard input.
func (r Request) Argv() []string {
	argv := []string{"sbatch", "--parsable", "-J", r.Name, "-n", strconv.Itoa(r.Tasks)}
	switch {
	case r.NodesMax > r.Nodes:
		argv = append(argv, "-N", fmt.Sprintf("%d-%d", r.Nodes, r.NodesMax))
	case r.Nodes > 0:
		argv = append(argv, "-N", strconv.Itoa(r.Nodes))
	}
	if r.TasksPerNode > 0 {
		argv = append(argv, "--ntasks-per-node="+strconv.Itoa(r.TasksPerNode))
	}
	if gres := r.GRES(); gres != "" {
		argv = append(argv, "--gres="+gres)
	}
	if r.Contiguous {
		argv = append(argv, "--contiguous")
	}
	if r.Partition != "" {
		argv = append(argv, "--partition="+r.Partition)
	}
	if r.MemPerNode > 0 {
		argv = append(argv, fmt.Sprintf("--mem=%dM", r.MemPerNode))
	}
	if r.MemPerCPU > 0 {
		argv = append(argv, fmt.Sprintf("--mem-per-cpu=%dM", r.MemPerCPU))
	}
	if r.Features != "" {
		argv = append(argv, "--constraint="+r.Features)
	}
	if r.Exclusive {
		argv = append(argv, "--exclusive")
	}
	if r.Account != "" {
		argv = append(argv, "--account="+r.Account)
	}
	if r.QOS != "" {
		argv = append(argv, "--qos="+r.QOS)
	}
	if r.Licenses != "" {
		argv = append(argv, "--licenses="+r.Licenses)
	}
	if r.Reservation != "" {
		argv = append(argv, "--reservation="+r.Reservation)
	}
	if r.NodeList != "" {
		argv = append(argv, "--nodelist="+r.NodeList)
	}
	if r.User != "" {
		argv = append(argv, "--uid="+r.User)
	}
	if r.Nice != 0 {
		argv = append(argv, "--nice="+strconv.Itoa(r.Nice))
	}
	if r.Priority != 0 {
		argv = append(argv, "--priority="+strconv.Itoa(r.Priority))
	}
	argv = append(argv, "-t", strconv.Itoa(int(r.TimeLimit/time.Minute)))
	if r.Hold {
		argv = append(argv, "-H")
	}
	if dependency := r.Dependencies(); dependency != "" {
		argv = append(argv, "--dependency="+dependency)
	}
	if !r.Begin.IsZero() {
		argv = append(argv, "--begin="+r.Begin.UTC().Format(values.TimeLayout))
	}
	argv = append(argv, "-o", "/dev/null", "-e", "/dev/null")
	if r.Path != "" {
		argv = append(argv, r.Path)
		argv = append(argv, r.Args...)
	}
	return argv
}

// GRES is the value of --gres, empty without.
func (r Request) GRES() string {
	switch {
	case r.GPUsMax == 0:
		return ""
	case r.GPUType != "":
		return fmt.Sprintf("gpu:%s:%d", r.GPUType, r.GPUsMax)
	case r.GPUsMin == r.GPUsMax:
		return fmt.Sprintf("gpu:%d", r.GPUsMax)
	}
	return fmt.Sprintf("gpu:%d-%d", r.GPUsMin, r.GPUsMax)
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
