package profile

import (
	"github.com/slurmlab/slurmlab/workloads"
)

// Summary describes jobs on a machine.
type Summary struct {
	Jobs int
	// Theoretical is the theoretical runtime in seconds: sum(run time * cores) /
	// all cores. A job with a range of GPUs counts with its run time on the least GPUs.
	Theoretical float64
	// LastArrival is the arrival of the last job, in seconds.
	LastArrival int
	// Users is the number of different users, 0 if no job has one.
	Users   int
	Classes []ClassSummary
}

// ClassSummary describes the jobs of one class.
type ClassSummary struct {
	Class string
	Jobs  int
	// Contiguous is the number of jobs that ask for contiguous nodes.
	Contiguous int
	// Cores, Nodes and Runtime (in seconds) are over the class's jobs, Runtime over those
	// that have one; GPUs are per node, over both ends of ranges.
	Cores, Nodes, GPUs, Runtime Range
	// LimitRatio is the mean of limit / run time of the jobs that have a run time.
	LimitRatio float64
	// Work is the class's part of all core-seconds.
	Work float64
}

// Range has the least, the mean and the largest of some numbers.
type Range struct {
	Min, Max int
	Mean     float64
}

// Summarise describes the jobs, at least one, class by class in alphabetical
// order.
func Summarise(m workloads.Machine, jobs []workloads.Job) Summary {
	var p Profile
	for _, j := range jobs {
		p.Add(j)
	}
	return p.Summary(m)
}
