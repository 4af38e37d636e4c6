package slurmtest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

func (c *Cluster) holdOrRelease(verb, id string) error {
	j, err := c.find(id)
	var refused failure
	if errors.As(err, &refused) {
		return failure(fmt.Sprintf("%s for job %s\nslurm_suspend error: %s", refused, id, refused))
	}
	switch {
	case verb == "hold":
		// Slurm accepts a hold of a running job, which runs on.
		j.priority, j.reason = 0, slurmctl.ReasonHeldAdmin
	case j.priority == 0:
		j.reason = "None"
		c.prioritise(j)
		if c.beyondPartition(j) == "PartitionConfig" {
			// Slurm complains about the release of such a job and carries it out.
			const why = "Requested partition configuration not available now"
			return failure(fmt.Sprintf("%s for job %s\nslurm_suspend error: %s", why, id, why))
		}
	}
	return nil
}

// change is an update as scontrol reads it; 0 means "not given".
type change struct {
	resetAccrueTime      bool
	minNodes, maxNodes   int
	nodeList             string
	tasks, minCPUs, cpus int
	tasksPerNode         int
	tasksPerNodeGiven    bool
	gpus                 int
	adminComment         string
	after                []int
	priority             int
}

// update is scontrol update and _update_job of src/slurmctld/job_mgr.c.
func (c *Cluster) update(args []string) error {
	id, u, err := c.parseUpdate(args)
	if err != nil {
		return err
	}
	if len(u.after) > 0 {
		return c.depend(strings.Split(id, ","), u.after)
	}
	j, err := c.find(id)
	if err == nil {
		err = c.apply(j, u)
	} else if j == nil && u.minNodes > 0 {
		// scontrol looks the job up itself before it changes its size.
		return failure(fmt.Sprintf("scontrol: error: Could not load state information for job %s: %s", id, err))
	}
	var refused failure
	if errors.As(err, &refused) {
		return failure(fmt.Sprintf("%s for job %s", refused, id))
	}
	return err
}

func (c *Cluster) parseUpdate(args []string) (id string, u change, err error) {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		var target *int
		switch key {
		case "JobId":
			id = value
		case "ResetAccrueTime":
			u.resetAccrueTime = true
		case "NumNodes":
			low, high, _ := strings.Cut(value, "-")
			u.minNodes, _ = strconv.Atoi(low)
			value, target = high, &u.maxNodes
			if high == "" {
				value = low
			}
		case "NodeList":
			u.nodeList = value
		case "NumTasks":
			target = &u.tasks
		case "TasksPerNode":
			u.tasksPerNodeGiven = true
			target = &u.tasksPerNode
		case "MinCPUsNode":
			target = &u.minCPUs
		case "NumCPUs":
			target = &u.cpus
		case "TresPerNode":
			value, target = strings.TrimPrefix(value, "gres/gpu:"), &u.gpus
		case "Priority":
			target = &u.priority
		case "AdminComment":
			u.adminComment = value
		case "Extra":
			// Text for the job's owner; nobody asks for it here.
		case "Dependency":
			if u.after, err = sbatch.ParseAfter(value); err != nil {
				return "", u, err
			}
		default:
			return "", u, failure("Update of this parameter is not supported: " + arg + "\nRequest aborted")
		}
		if target != nil {
			if *target, err = strconv.Atoi(value); err != nil {
				return "", u, failure("scontrol: error: Invalid " + key + " value: " + value)
			}
		}
	}
	return id, u, nil
}

func (c *Cluster) apply(j *job, u change) error {
	pending := j.state == slurmctl.JobPending
	if u.resetAccrueTime && !pending {
		return failure("Job is no longer pending execution")
	}
	if !pending && (u.nodeList != "" || u.minNodes > 0) {
		// Shrinking a batch job in front-end mode.
		c.crashed = true
		return failure("Unexpected message received")
	}
	if u.priority > 0 && j.priority == 0 {
		return failure("Job is in held state, pending scheduler release")
	}
	if u.priority > 0 {
		j.priority = u.priority
	}
	if u.nodeList != "" {
		required, err := c.nodeIndices(u.nodeList)
		if err != nil {
			return err
		}
		j.required, j.requiredText = required, u.nodeList
	}
	minNodes, minCPUs := j.minNodes, j.minCPUs
	if u.minNodes > 0 {
		minNodes, j.maxNodes = u.minNodes, u.maxNodes
	}
	if u.minCPUs > 0 {
		minCPUs = u.minCPUs
	}
	if u.gpus > 0 && u.cpus == j.cpus {
		// In an update of TRES an unchanged NumCPUs counts as not given.
		u.cpus = 0
	}
	perNode := j.tasksPerNode
	if u.tasksPerNodeGiven {
		perNode = u.tasksPerNode
	}
	if u.tasks == 0 && u.minNodes > 0 && perNode > 0 && u.minNodes == u.maxNodes {
		u.tasks = perNode * u.minNodes
	}
	if u.tasks > 0 {
		j.tasks = u.tasks
	}
	if u.minNodes > 0 {
		cpus := u.cpus
		if cpus == 0 {
			cpus = j.cpus
		}
		if least := max(j.tasks, minCPUs*minNodes); least > cpus {
			u.cpus = least
		}
	}
	switch {
	case u.cpus > 0:
		j.cpus = u.cpus
	case u.minCPUs > 0:
		j.cpus = u.minCPUs * minNodes
	}
	j.minNodes, j.minCPUs, j.tasksPerNode = minNodes, max(minCPUs, perNode), perNode
	if u.gpus > 0 {
		j.gpus = u.gpus
	}
	if u.adminComment != "" {
		j.adminComment = u.adminComment
	}
	return nil
}

func (c *Cluster) nodeIndices(list string) ([]int, error) {
	names, err := values.ExpandHosts(list)
	if err != nil {
		return nil, failure("Invalid node name specified")
	}
	indices := make([]int, len(names))
	for i, name := range names {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
		if err != nil || n < 1 || n > len(c.nodes) || nodeName(n-1) != name {
			return nil, failure("Invalid node name specified")
		}
		indices[i] = n - 1
	}
	slices.Sort(indices)
	return slices.Compact(indices), nil
}
