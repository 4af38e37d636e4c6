package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// never is the begin of a job that its owner holds, see job_submit.lua.
var never = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// heldJob reads the request of a held job. The update of an earlier release has changed Slurm's fields, so the
// request is the one that job_submit.lua wrote into the admin comment. A job without that note has never been
// updated. index has the index of each node by its name. An unreadable request is an obstacle of this job alone.
func heldJob(j slurmctl.QueuedJob, index map[string]int) HeldJob {
	h := HeldJob{ID: j.ID, Job: workloadID(j), Reason: j.Reason, Submit: j.Submit, ByOwner: !j.Start.Before(never)}
	if j.Unread != nil {
		// Without the line, which is another one in each cycle.
		h.Obstacle = fmt.Sprintf("slurmlab cannot read its %s %q, want %s", cmp.Or(j.Unread.Field, "record"), j.Unread.Text, j.Unread.Want)
		return h
	}
	r := &h.Request
	r.Cores, r.GPUs, r.Contiguous, r.TimeLimit = j.Tasks, j.GPUsPerNode, j.Contiguous, j.TimeLimit
	n := note{tasksPerNode: j.TasksPerNode}
	if j.Nodes > 1 {
		n.nodes = j.Nodes
	}
	if j.AdminComment != "" {
		var err error
		if n, err = parseNote(j.AdminComment); err != nil {
			h.Obstacle = fmt.Sprintf("what it asks for is not known any more: %v", err)
			return h
		}
	}
	r.Nodes, r.MaxNodes, r.CoresPerNode = n.nodes, n.maxNodes, n.tasksPerNode
	switch {
	case n.tasks > 0:
		r.Cores = n.tasks
	case j.AdminComment == "":
	case n.tasksPerNode > 0:
		r.Cores = n.nodes * n.tasksPerNode
	case n.nodes > 0:
		r.Cores = n.nodes
	}
	if n.maxGPUs > 0 {
		r.GPUs, r.MaxGPUs = n.gpus, n.maxGPUs
	}
	h.Nice, h.Begin, h.Reservation = n.nice, n.begin, n.reservation
	h.Obstacle = obstacle(r, j, n, index)
	h.Within = within(r.Options, cmp.Or(n.partitions, j.Partition))
	if len(h.Within) > 0 {
		r.Options = h.Within[0]
	}
	return h
}

// within are the options in each of several partitions, nil for one partition.
func within(o bidding.JobOptions, partitions string) []bidding.JobOptions {
	if !strings.Contains(partitions, ",") {
		return nil
	}
	var all []bidding.JobOptions
	for name := range strings.SplitSeq(partitions, ",") {
		o.Partition = name
		all = append(all, o)
	}
	return all
}

// workloadID is the workload's id of a job.
func workloadID(j slurmctl.QueuedJob) int {
	if name, err := strconv.Atoi(j.Name); err == nil {
		return name
	}
	// A user's own job, in a cluster of "slurmlab up", has no workload.
	return j.ID
}

// obstacle reads the options of a job into its request and returns the first
// reason why the agent cannot schedule it, "" without one.
func obstacle(r *bidding.Job, j slurmctl.QueuedJob, n note, index map[string]int) string {
	o := &r.Options
	o.Partition = j.Partition
	o.Exclusive = n.exclusive > 0
	o.MemoryPerNode, o.MemoryPerCore = n.memoryPerNode, n.memoryPerCPU
	o.Switches, o.GPUType = n.switches, n.gpuType
	var errs [5]error
	o.Features, o.OneFeature, errs[0] = sbatch.Features(j.Features)
	o.Licences, errs[1] = licences(j.Licences)
	o.Required, errs[2] = indices(n.required, index)
	o.Excluded, errs[3] = indices(n.excluded, index)
	r.Alternatives, errs[4] = parseAlternatives(j.Comment)
	switch {
	case neverFulfilled(j.Dependency):
		return fmt.Sprintf("its dependency %s can never be fulfilled", j.Dependency)
	case n.cpusPerTask > 1:
		return fmt.Sprintf("it wants %d CPUs per task", n.cpusPerTask)
	}
	if err := cmp.Or(errs[:]...); err != nil {
		return err.Error()
	}
	if err := r.Validate(); err != nil {
		// One line, and the request has no id yet.
		return strings.NewReplacer("check job 0: ", "", "\n", "; ").Replace(err.Error())
	}
	if most := max(r.Nodes, r.MaxNodes); most > 0 && len(o.Required) > most {
		return fmt.Sprintf("it names %d nodes and asks for %d", len(o.Required), most)
	}
	if len(r.Alternatives) > 0 && j.GPUsPerNode > 0 {
		keepGPUs(r)
	}
	return ""
}

// neverFulfilled says that a job waits for another one in vain, as for the success of
// one that failed: "afterok:7(failed)". Of dependencies with "?" between them one is
// enough, of those with "," all are needed.
func neverFulfilled(dependency string) bool {
	failed := strings.Count(dependency, "(failed)")
	return failed > 0 && (!strings.Contains(dependency, "?") || failed == strings.Count(dependency, "("))
}

// keepGPUs leaves out alternatives of a job that ask for no GPUs, if an earlier release gave the job GPUs. An update
// of a job can change the number of its GPUs but cannot take all of them away.
func keepGPUs(r *bidding.Job) {
	r.Alternatives = slices.DeleteFunc(r.Alternatives, func(a bidding.Alternative) bool { return a.GPUs == 0 })
	if r.GPUs == 0 && len(r.Alternatives) > 0 {
		rest := r.Alternatives[1:]
		*r = r.With(1)
		r.Alternatives = rest
	}
}

// licences reads the licences that a job wants, "matlab:2,fluent".
func licences(text string) (machine.Licences, error) {
	wanted, err := sbatch.Licences(text)
	var all machine.Licences
	for _, l := range wanted {
		all = append(all, machine.Licence(l))
	}
	return all, err
}

// indices returns the nodes of a hostlist.
func indices(list string, index map[string]int) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	names, err := values.ExpandHosts(list)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(names))
	for i, name := range names {
		at, known := index[name]
		if !known {
			return nil, fmt.Errorf("it names node %s, which does not exist", name)
		}
		all[i] = at
	}
	return all, nil
}

// memoryObstacle says that no node has as much memory as each node of the job needs at least, "" if one has. Slurm
// would also leave such a job pending, and refuses it at submission only if it is not held. A node that slurm.conf
// gives no RealMemory has 1 MiB, as all nodes of a machine file do.
func memoryObstacle(r bidding.Job, nodes []slurmctl.NodeRecord) string {
	least := func(r bidding.Job) int {
		return max(r.Options.MemoryPerNode, r.Options.MemoryPerCore*max(1, r.CoresPerNode))
	}
	needs := least(r)
	for i := range r.Alternatives {
		needs = min(needs, least(r.With(i+1)))
	}
	most := 0
	for i := 0; i < len(nodes) && most < needs; i++ {
		most = max(most, nodes[i].Memory)
	}
	if needs <= most {
		return ""
	}
	return fmt.Sprintf("it wants %d MiB of memory on a node, and no node has more than %d MiB", needs, most)
}

// typeObstacle says that no node has GPUs of the type that a job asks for, "" if one has. Slurm refuses such a job at
// submission only if it is not held.
func typeObstacle(r bidding.Job, nodes []slurmctl.NodeRecord) string {
	kind := r.Options.GPUType
	has := func(n slurmctl.NodeRecord) bool { return n.GPUType == kind }
	if kind == "" || slices.ContainsFunc(nodes, has) {
		return ""
	}
	return fmt.Sprintf("it wants GPUs of type %s, and no node has GPUs of that type alone", kind)
}
