package slurmtest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// sbatch submits what sbatch.Request.Argv writes.
func (c *Cluster) sbatch(script string, args []string) (string, error) {
	r, faults := sbatch.ParseCommand(args)
	if len(faults) > 0 {
		return "", fmt.Errorf("slurmtest: sbatch: %w", faults[0])
	}
	// The nodes in memory are equal and have one partition, cores and GPUs alone.
	if r.Options != (sbatch.Options{}) || r.CPUsPerTask > 1 {
		return "", fmt.Errorf("slurmtest: sbatch: %q: options that no node in memory knows", args)
	}
	unknown := r.Terms
	unknown.Account, unknown.Dependency = "", ""
	if unknown != (sbatch.Terms{}) {
		return "", fmt.Errorf("slurmtest: sbatch: %q: options that the scheduler in memory does not know", args)
	}
	j := &job{
		id: len(c.jobs) + 1, name: cmp.Or(r.Name, "sbatch"), account: "root", state: slurmctl.JobPending, reason: "None",
		submit: c.now, minNodes: max(1, r.Nodes), maxNodes: max(r.Nodes, r.NodesMax), tasks: r.Tasks, tasksPerNode: r.TasksPerNode,
		minCPUs: max(1, r.TasksPerNode), contiguous: r.Contiguous, limit: r.TimeLimit, after: r.After, begin: r.Begin, dependency: r.Dependency,
	}
	// Slurm takes the default account for one without an association.
	if slices.Contains(c.accounts, r.Account) {
		j.account = r.Account
	}
	hold := r.Hold
	j.cpus = j.tasks
	if r.GPUsMax > 0 {
		hold = c.submitGPUs(j, r) || hold
	}
	j.runtime = c.runtime(j.name, script, r.Args)
	if c.config.Mishap != nil {
		j.mishap = c.config.Mishap(j.name)
	}
	c.jobs = append(c.jobs, j)
	if !hold && !c.possible(j) {
		// Slurm keeps a record of the refused job. It accepts impossible jobs
		// that are held.
		j.state, j.reason, j.end = slurmctl.JobFailed, slurmctl.ReasonBadConstraints, c.now
		return "", failure("sbatch: error: Batch job submission failed: Requested node configuration is not available")
	}
	if hold {
		j.reason = slurmctl.ReasonHeldUser
	} else {
		c.prioritise(j)
	}
	return strconv.Itoa(j.id) + "\n", nil
}

// submitGPUs sets the GPUs of a job as job_submit.lua would, and says whether it
// holds the job.
func (c *Cluster) submitGPUs(j *job, r sbatch.Request) (hold bool) {
	j.gpus = r.GPUsMin
	if c.config.JobSubmit == nil {
		return false
	}
	count := strconv.Itoa(r.GPUsMin)
	if r.GPUsMax > r.GPUsMin {
		count = fmt.Sprintf("%d-%d", r.GPUsMin, r.GPUsMax)
	}
	j.gpus, j.adminComment, hold = c.config.JobSubmit(count)
	return hold
}

func (c *Cluster) runtime(name, script string, args []string) time.Duration {
	if c.config.Runtime != nil {
		return c.config.Runtime(name, script, args)
	}
	_, after, _ := strings.Cut(script, "sleep ")
	digits := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	if digits >= 0 {
		after = after[:digits]
	}
	if n, err := strconv.Atoi(after); err == nil {
		return time.Duration(n) * time.Second
	}
	return 100 * 365 * 24 * time.Hour
}

// prioritise gives the job the next lower priority, as priority/basic does at
// submission and at release.
func (c *Cluster) prioritise(j *job) {
	c.nextPriority--
	j.priority = c.nextPriority
	j.prioritised = c.now
	if j.released.IsZero() {
		j.released = c.now
	}
	if j.eligible.IsZero() {
		j.eligible = c.now
	}
}

func (c *Cluster) scancel(ids []string) error {
	for _, id := range ids {
		// Like scancel, unknown and ended jobs are no fault.
		if j, err := c.find(id); err == nil {
			c.finish(j, slurmctl.JobCancelled)
		}
	}
	return nil
}
