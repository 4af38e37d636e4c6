package main

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// arrival are figures of what had been decided before the jobs arrived. A job's least wait is the time until the jobs
// that ran at its arrival have left as many cores as it has. Its least slowdown is the slowdown with this wait.
// Nothing that started after its arrival could have served it better. Nodes and GPUs are left out, which makes a
// least wait shorter at most.
type arrival struct {
	// Fairness is Jain's index of the users' mean least slowdowns, as if each user were served as well as could be.
	Fairness float64 `json:"least_user_fairness"`
	// WorstUser is the mean least slowdown of the user whose mean slowdown is the largest.
	WorstUser float64 `json:"least_of_worst_user"`
	// Relative is Jain's index of the users' mean slowdowns by their mean least slowdowns. It is an index of what
	// each user gets by what it could get (ATM Forum/99-0045, where x is the throughput by the fair one).
	Relative float64 `json:"relative_user_fairness"`
}

// arrivalOf computes the figures of jobs that have all started.
func arrivalOf(m workloads.Machine, jobs []trace.FinishedJob) arrival {
	actual, least := map[string][]trace.FinishedJob{}, map[string][]trace.FinishedJob{}
	var users []string
	for i, wait := range leastWaits(m, jobs) {
		j := jobs[i]
		if actual[j.User] == nil {
			users = append(users, j.User)
		}
		actual[j.User] = append(actual[j.User], j)
		j.Start, j.Finish = j.Submit+wait, j.Submit+wait+j.Execution()
		least[j.User] = append(least[j.User], j)
	}
	var a arrival
	var leasts, relative []float64
	worst := 0.0
	for _, u := range users {
		is, could := metric.Served(actual[u]).BoundedSlowdown, metric.Served(least[u]).BoundedSlowdown
		leasts, relative = append(leasts, could), append(relative, is/could)
		if is > worst {
			worst, a.WorstUser = is, could
		}
	}
	a.Fairness, a.Relative = metric.Jain(leasts), metric.Jain(relative)
	return a
}

// leastWaits are the least waits of the jobs in seconds, each at most its wait.
func leastWaits(m workloads.Machine, jobs []trace.FinishedJob) []float64 {
	byFinish := slices.Clone(jobs)
	slices.SortFunc(byFinish, func(a, b trace.FinishedJob) int { return cmp.Compare(a.Finish, b.Finish) })
	waits := make([]float64, len(jobs))
	for i, j := range jobs {
		ran := func(o trace.FinishedJob) bool { return o.Start < j.Submit && o.Finish > j.Submit }
		free := m.AllCores()
		for _, o := range byFinish {
			if ran(o) {
				free -= o.AllocCores
			}
		}
		for _, o := range byFinish {
			if free >= j.AllocCores {
				break
			}
			if ran(o) {
				free += o.AllocCores
				waits[i] = min(o.Finish-j.Submit, j.Waiting())
			}
		}
	}
	return waits
}
