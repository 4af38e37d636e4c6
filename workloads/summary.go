package workloads

import (
	"cmp"
	"slices"
)

// Summary describes jobs on a machine.
type Summary struct {
	Jobs int
	// Theoretical is the theoretical run time in seconds: sum(run time * cores) /
	// all cores, of a range of GPUs with the run time on the least.
	Theoretical float64
	// LastArrival is in seconds.
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
	// Cores, Nodes and Runtime (in seconds) are over the class's jobs; GPUs are
	// per node, over both ends of ranges.
	Cores, Nodes, GPUs, Runtime Range
	// LimitRatio is the mean of limit / run time.
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
func Summarise(m Machine, jobs []Job) Summary {
	out := Summary{Jobs: len(jobs)}
	byClass := map[string][]Job{}
	users := map[string]bool{}
	var all float64
	for _, j := range jobs {
		byClass[j.Class] = append(byClass[j.Class], j)
		out.LastArrival = max(out.LastArrival, j.Arrival)
		all += coreSeconds(j)
		if j.User != "" {
			users[j.User] = true
		}
	}
	out.Users = len(users)
	out.Theoretical = all / float64(m.allCores())
	for class, members := range byClass {
		c := ClassSummary{Class: class, Jobs: len(members)}
		c.Cores = rangeOf(members, func(j Job) int { return j.Cores })
		c.Nodes = rangeOf(members, func(j Job) int { return j.Nodes })
		c.Runtime = rangeOf(members, func(j Job) int { return j.Runtime })
		c.GPUs = rangeOf(members, func(j Job) int { return j.GPUsMin })
		c.GPUs.Max = rangeOf(members, func(j Job) int { return j.GPUsMax }).Max
		for _, j := range members {
			if j.Contiguous {
				c.Contiguous++
			}
			c.LimitRatio += float64(j.Limit) / float64(j.Runtime) / float64(len(members))
			c.Work += coreSeconds(j) / all
		}
		out.Classes = append(out.Classes, c)
	}
	slices.SortFunc(out.Classes, func(a, b ClassSummary) int { return cmp.Compare(a.Class, b.Class) })
	return out
}

func coreSeconds(j Job) float64 { return float64(j.Cores) * float64(j.Runtime) }

func rangeOf(jobs []Job, value func(Job) int) Range {
	r := Range{Min: value(jobs[0])}
	for _, j := range jobs {
		v := value(j)
		r.Min, r.Max = min(r.Min, v), max(r.Max, v)
		r.Mean += float64(v) / float64(len(jobs))
	}
	return r
}
