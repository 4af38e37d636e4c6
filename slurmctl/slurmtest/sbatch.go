package slurmtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// sbatch reads the options that slurmctl.SubmitRequest writes.
func (c *Cluster) sbatch(script string, args []string) (string, error) {
	j := &job{
		id: len(c.jobs) + 1, name: "sbatch", account: "root", state: slurmctl.JobPending, reason: "None",
		submit: c.now, minNodes: 1, minCPUs: 1,
	}
	hold := false
	var gres string
	var payload []string
	for i := 0; i < len(args); i++ {
		option, value, inline := strings.Cut(args[i], "=")
		if !inline && len(option) == 2 && option != "-H" && i+1 < len(args) {
			i++
			value = args[i]
		}
		var err error
		switch option {
		case "--parsable", "-o", "-e":
		case "-J":
			j.name = value
		case "-n":
			j.tasks, err = strconv.Atoi(value)
		case "-N":
			j.minNodes, err = strconv.Atoi(value)
			j.maxNodes = j.minNodes
		case "--ntasks-per-node":
			j.tasksPerNode, err = strconv.Atoi(value)
			j.minCPUs = j.tasksPerNode
		case "--account":
			// Slurm takes the default account for one without an association.
			if slices.Contains(c.accounts, value) {
				j.account = value
			}
		case "--gres":
			gres = value
		case "--contiguous":
			j.contiguous = true
		case "-t":
			var minutes int
			minutes, err = strconv.Atoi(value)
			j.limit = time.Duration(minutes) * time.Minute
		case "-H":
			hold = true
		case "--dependency":
			j.after, err = afterIDs(value)
		case "--begin":
			j.begin, err = slurmctl.ParseTime(value)
		default:
			if strings.HasPrefix(option, "-") {
				return "", fmt.Errorf("slurmtest: sbatch option %q is not supported", args[i])
			}
			payload = args[i+1:]
			i = len(args)
		}
		if err != nil {
			return "", fmt.Errorf("slurmtest: sbatch option %s: %w", option, err)
		}
	}
	j.cpus = j.tasks
	if gres != "" {
		held, err := c.gres(j, gres)
		if err != nil {
			return "", err
		}
		hold = hold || held
	}
	j.runtime = c.runtime(j.name, script, payload)
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

func (c *Cluster) gres(j *job, gres string) (hold bool, err error) {
	count, ok := strings.CutPrefix(gres, "gpu:")
	if !ok {
		return false, fmt.Errorf("slurmtest: --gres=%s is not supported", gres)
	}
	if c.config.JobSubmit != nil {
		j.gpus, j.adminComment, hold = c.config.JobSubmit(count)
		return hold, nil
	}
	least, _, _ := strings.Cut(count, "-")
	if j.gpus, err = strconv.Atoi(least); err != nil {
		return false, failure("sbatch: error: Batch job submission failed: Requested node configuration is not available")
	}
	return false, nil
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
