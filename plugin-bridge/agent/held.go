package agent

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/hostlist"
)

// heldJob reads the request of a held job. An update for an earlier release
// has changed Slurm's fields, so the request is the one that job_submit.lua
// wrote down; a job without that note has never been updated. index finds nodes
// by name.
func heldJob(j slurmctl.Job, index map[string]int) (HeldJob, error) {
	h := HeldJob{ID: j.ID, Name: workloadID(j), Reason: j.Reason, Submit: j.Submit}
	r := &h.Request
	r.Cores, r.GPUs, r.Contiguous, r.TimeLimit = j.Tasks, j.GPUsPerNode, j.Contiguous, j.TimeLimit
	n := note{tasksPerNode: j.TasksPerNode}
	if j.Nodes > 1 {
		n.nodes = j.Nodes
	}
	if j.AdminComment != "" {
		var err error
		if n, err = parseNote(j.AdminComment); err != nil {
			return h, fmt.Errorf("job %d: %w", j.ID, err)
		}
	}
	r.Nodes, r.CoresPerNode = n.nodes, n.tasksPerNode
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
	h.Nice, h.Begin = n.nice, n.begin
	h.Obstacle = obstacle(r, j, n, index)
	return h, nil
}

// workloadID is the workload's id of a job.
func workloadID(j slurmctl.Job) int {
	if name, err := strconv.Atoi(j.Name); err == nil {
		return name
	}
	// Not from a workload: a user's own job, in a cluster kept for use.
	return j.ID
}

// obstacle reads the options of a job into its request and returns the first
// reason why the agent cannot schedule it, "" without one.
func obstacle(r *auction.Job, j slurmctl.Job, n note, index map[string]int) string {
	o := &r.Options
	o.Partition = j.Partition
	o.Exclusive = j.Sharing == slurmctl.SharingNone
	o.MemoryPerNode, o.MemoryPerCore = n.memoryPerNode, n.memoryPerCPU
	o.Switches = n.switches
	var errs [5]error
	o.Features, errs[0] = parseFeatures(j.Features)
	o.Licences, errs[1] = parseLicences(j.Licences)
	o.Required, errs[2] = indices(n.required, index)
	o.Excluded, errs[3] = indices(n.excluded, index)
	r.Alternatives, errs[4] = parseAlternatives(j.Comment)
	switch {
	case strings.Contains(j.Partition, ","):
		return fmt.Sprintf("it names several partitions, %s", j.Partition)
	case j.Sharing == slurmctl.SharingUser || j.Sharing == slurmctl.SharingMCS:
		return "it shares nodes with its own user's or group's jobs only"
	case n.cpusPerTask > 1:
		return fmt.Sprintf("it wants %d CPUs per task", n.cpusPerTask)
	}
	if err := cmp.Or(errs[:]...); err != nil {
		return err.Error()
	}
	if err := r.Validate(); err != nil {
		return err.Error()
	}
	if len(r.Alternatives) > 0 && j.GPUsPerNode > 0 {
		keepGPUs(r)
	}
	return ""
}

// keepGPUs leaves out the requests without GPUs of a job to which an earlier
// release gave some: an update can change their number and not take them away.
func keepGPUs(r *auction.Job) {
	r.Alternatives = slices.DeleteFunc(r.Alternatives, func(a auction.Alternative) bool { return a.GPUs == 0 })
	if r.GPUs == 0 && len(r.Alternatives) > 0 {
		rest := r.Alternatives[1:]
		*r = r.With(1)
		r.Alternatives = rest
	}
}

// parseFeatures reads a constraint that is one feature or several with "&"
// between them. Slurm's other operators (|, [], *, parentheses, !) choose among
// sets of nodes, which is for Slurm to do.
func parseFeatures(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	names := strings.Split(text, "&")
	for _, name := range names {
		if !regexp.MustCompile(`^[A-Za-z0-9_.:=-]+$`).MatchString(name) {
			return nil, fmt.Errorf("its constraint %q is not a list of features with & between them", text)
		}
	}
	return names, nil
}

// parseLicences reads "matlab:2,fluent".
func parseLicences(text string) ([]auction.Licence, error) {
	if text == "" {
		return nil, nil
	}
	var all []auction.Licence
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		name, number, counted := strings.Cut(item, ":")
		l := auction.Licence{Name: name, Count: 1}
		var err error
		if counted {
			l.Count, err = count(number)
		}
		if err != nil || l.Count == 0 || strings.Contains(name, "|") {
			return nil, fmt.Errorf("its licences %q are not NAME[:COUNT] with commas between them", text)
		}
		all = append(all, l)
	}
	return all, nil
}

// indices returns the nodes of a hostlist.
func indices(list string, index map[string]int) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	names, err := hostlist.Expand(list)
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
