package slurmtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// depend is scontrol update JobId=1,2 Dependency=after:7: scontrol changes each
// job of the list and complains about those that Slurm refuses.
func (c *Cluster) depend(ids []string, after []int) error {
	var refusals []error
	for _, id := range ids {
		j, err := c.find(id)
		if err == nil && j.state != slurmctl.JobPending {
			err = failure("Job is no longer pending execution")
		}
		if err != nil {
			refusals = append(refusals, err)
			continue
		}
		j.after = after
	}
	if len(refusals) > 0 {
		return failure(fmt.Sprintf("%s for job %s", errors.Join(refusals...), strings.Join(ids, ",")))
	}
	return nil
}

// dependency is what a pending job still waits for, in Slurm's words. Slurm
// may look at the dependencies of a held job only when the other job ends.
func (c *Cluster) dependency(j *job) string {
	var waits []string
	for _, id := range j.after {
		other := c.jobs[id-1]
		if other.state == slurmctl.JobPending || j.priority == 0 && other.state == slurmctl.JobRunning {
			waits = append(waits, fmt.Sprintf("after:%d(unfulfilled)", id))
		}
	}
	if text := c.further(j); text != "" {
		waits = append(waits, text)
	}
	return strings.Join(waits, ",")
}

// further is what a pending job still waits for by its other dependency. In Slurm a job stays pending if its afterok
// can never be fulfilled.
func (c *Cluster) further(j *job) string {
	kind, id, _ := strings.Cut(j.dependency, ":")
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(c.jobs) {
		return ""
	}
	other := c.jobs[n-1]
	switch {
	case other.end.IsZero() && (kind != "after" || other.state == slurmctl.JobPending):
		return j.dependency + "(unfulfilled)"
	case kind == "afterok" && other.state != slurmctl.JobCompleted && other.finalState != slurmctl.JobCompleted:
		return j.dependency + "(failed)"
	}
	return ""
}
