package agent

import (
	"strconv"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// heldJob reads the request of a held job. An update for an earlier release
// has changed Slurm's fields, so the request is the one that job_submit.lua
// wrote down; a job without that note has never been updated.
func heldJob(j slurmctl.Job) (HeldJob, error) {
	name, err := strconv.Atoi(j.Name)
	if err != nil {
		// Not from a workload: a user's own job, in a cluster kept for use.
		name = j.ID
	}
	h := HeldJob{ID: j.ID, Name: name, Reason: j.Reason}
	r := &h.Request
	r.Cores, r.GPUs, r.Contiguous = j.Tasks, j.GPUsPerNode, j.Contiguous
	if j.AdminComment == "" {
		r.CoresPerNode = j.TasksPerNode
		if j.Nodes > 1 {
			r.Nodes = j.Nodes
		}
		return h, nil
	}
	n, err := parseNote(j.AdminComment)
	if err != nil {
		return h, err
	}
	r.Nodes, r.CoresPerNode = n.nodes, n.tasksPerNode
	switch {
	case n.tasks > 0:
		r.Cores = n.tasks
	case n.tasksPerNode > 0:
		r.Cores = n.nodes * n.tasksPerNode
	case n.nodes > 0:
		r.Cores = n.nodes
	}
	if n.maxGPUs > 0 {
		r.GPUs, r.MaxGPUs = n.gpus, n.maxGPUs
	}
	return h, nil
}
