package metric

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/workloads"
)

// LowerBound returns a time in seconds, counted from the first arrival, before
// which no policy can end the jobs on the machine. It is the largest of
//
//   - the last arrival + run time of a job,
//   - the theoretical runtime,
//   - the pattern bound, described below, which contains the bound by GPUs.
//
// AUCSCHED 6.2 says of its theoretical runtime that it is "only a lower bound, it is not the optimal value". This
// bound is closer where requests do not fit together on a node. It assumes that every job runs to its end, and that
// jobs that are cancelled while they wait need nothing.
//
// # The pattern bound
//
// At any instant a node hosts a multiset of requests (cores, GPUs) that fit on it together: a pattern. Let y_p be the
// time, summed over all nodes, that nodes host pattern p, and a_pt how often p holds request t. Let D_t be the
// node-seconds that the jobs need of t. Then every schedule satisfies
//
//	sum_p a_pt y_p >= D_t for each t,   y >= 0,   sum_p y_p <= nodes x makespan,
//
// so that min(sum_p y_p) / nodes bounds the makespan. A job that fills each of its nodes to the most cores it may
// have there asks for (cores per node, GPUs) on each. Slurm may spread the cores of any other job unevenly, so such a
// job asks for (1, GPUs) on each of its nodes and for single cores (1, 0) for the rest. Of a GPU range the smallest
// amount counts, for the run time on the largest. A job that names GPUs but no nodes gets the fewest nodes possible.
// All of these ask for less than any real placement. An exclusive job asks for all of its nodes. Contiguity and
// memory are ignored.
//
// Where nodes differ, see groupsBound.
//
// An error lists the jobs that can never run on the machine.
func LowerBound(m workloads.Machine, jobs []workloads.Job) (float64, error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	jobs = shortest(jobs)
	demand := map[request]float64{}
	var faults []error
	firstArrival, lastEnd := jobs[0].Arrival, 0
	for _, j := range jobs {
		if err := checkFits(m, j); err != nil {
			faults = append(faults, err)
			continue
		}
		addDemand(demand, m, j)
		firstArrival = min(firstArrival, j.Arrival)
		if j.Outcome != workloads.CancelledPending {
			lastEnd = max(lastEnd, j.Arrival+j.Runtime)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return 0, err
	}
	kinds := limitKinds(demand)
	patterns := 0.0
	if m.Unequal() {
		patterns = groupsBound(m.NodeKinds(), kinds)
	} else {
		nodeSeconds, _ := patternBound(request{cores: m.Cores, gpus: m.GPUs}, kinds)
		patterns = nodeSeconds / float64(m.Nodes)
	}
	return max(float64(lastEnd-firstArrival), theoreticalRuntime(m, jobs), patterns), nil
}

// shortest gives each job the run time on the most GPUs that it may get.
func shortest(jobs []workloads.Job) []workloads.Job {
	jobs = slices.Clone(jobs)
	for i, j := range jobs {
		jobs[i].Runtime = j.RuntimeOn(j.GPUsMax)
	}
	return jobs
}

func checkFits(m workloads.Machine, j workloads.Job) error {
	if m.Unequal() {
		return errors.Join(j.Validate(m)...)
	}
	nodes := fewestNodes(m, j)
	switch {
	case nodes > m.Nodes:
		return fmt.Errorf("job %d needs %d nodes, machine %s has %d", j.ID, nodes, m.Name, m.Nodes)
	case j.Nodes > 0 && nodes > j.MostNodes():
		return fmt.Errorf("job %d needs %d nodes for %d cores but asks for %d", j.ID, nodes, j.Cores, j.MostNodes())
	case j.GPUsMin > m.GPUs:
		return fmt.Errorf("job %d needs %d GPUs per node, machine %s has %d", j.ID, j.GPUsMin, m.Name, m.GPUs)
	}
	return nil
}

// request is what a job holds on one node. hosts says of each group of nodes whether the job may have its nodes, '1'
// or '0'. It is empty on a machine without groups. whole says that it holds all of a node, of which cores and gpus
// are the least.
type request struct {
	cores, gpus int
	hosts       string
	whole       bool
}

// addDemand adds the node-seconds of job j per kind of request.
func addDemand(demand map[request]float64, m workloads.Machine, j workloads.Job) {
	nodes, seconds, hosts := fewestNodes(m, j), float64(j.Runtime), hostsOf(m, j)
	if j.Exclusive {
		least := smallestNode(m, j)
		demand[request{least.Cores, least.GPUs, hosts, true}] += float64(nodes) * seconds
		return
	}
	if perNode := coresPerNode(m, j); j.Nodes > 0 && j.Nodes*perNode == j.Cores {
		demand[request{perNode, j.GPUsMin, hosts, false}] += float64(nodes) * seconds
		return
	}
	demand[request{1, j.GPUsMin, hosts, false}] += float64(nodes) * seconds
	demand[request{1, 0, hosts, false}] += float64(max(0, j.Cores-nodes)) * seconds
}

// smallestNode has the least cores and the least GPUs of the nodes that a job may have, of
// which no node need have both.
func smallestNode(m workloads.Machine, j workloads.Job) workloads.NodeSize {
	least := workloads.NodeSize{Cores: m.Cores, GPUs: m.GPUs}
	if m.Unequal() {
		for _, k := range m.Hosts(j) {
			g := m.Layout.Groups[k.Group]
			least = workloads.NodeSize{Cores: min(least.Cores, g.Cores), GPUs: min(least.GPUs, g.AllGPUs())}
		}
	}
	return least
}

// compareRequests orders requests, no two of which are equal.
func compareRequests(a, b request) int {
	whole := func(r request) int {
		if r.whole {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.cores, b.cores), cmp.Compare(a.gpus, b.gpus), cmp.Compare(a.hosts, b.hosts), whole(a)-whole(b))
}

// kind is a kind of request and the node-seconds that all jobs need of it.
type kind struct {
	request
	demand float64
}

// maxKinds bounds the size of the linear program. Workloads of the papers have
// at most ten kinds, a node of 12 cores and 3 GPUs has 48 at all; as many as
// maxKinds take some tenths of a second.
const maxKinds = 64

// limitKinds orders the demand by size of request. Beyond maxKinds the kinds
// with the least work are split into (1, GPUs) and single cores, which any
// placement of them contains: the bound gets weaker and stays a bound.
func limitKinds(demand map[request]float64) []kind {
	byWork := slices.SortedFunc(maps.Keys(demand), func(a, b request) int {
		return cmp.Or(
			cmp.Compare(float64(b.cores)*demand[b], float64(a.cores)*demand[a]),
			compareRequests(a, b),
		)
	})
	kept := map[request]float64{}
	for i, r := range byWork {
		if i < maxKinds {
			kept[r] += demand[r]
			continue
		}
		kept[request{1, r.gpus, r.hosts, false}] += demand[r]
		kept[request{1, 0, r.hosts, false}] += demand[r] * float64(r.cores-1)
	}
	var kinds []kind
	for _, r := range slices.SortedFunc(maps.Keys(kept), compareRequests) {
		if kept[r] > 0 {
			kinds = append(kinds, kind{request: r, demand: kept[r]})
		}
	}
	return kinds
}
