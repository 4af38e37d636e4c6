package slurmctl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// JobUpdate is an update that says where a held job shall run.
//
// Slurm places n = Tasks one-CPU tasks on exactly the nodes named (Slurm's
// select/cons_tres with CR_Core). With TasksPerNode = t every node gets t.
// Otherwise cores are taken greedily in the order of the node table, but at
// least MinCPUsNode on each node while the nodes after it still get one.
type JobUpdate struct {
	JobID int
	// Nodes are the names of all nodes of the job, each once.
	Nodes []string
	// Tasks is the number of tasks of the job's own request; it is sent along
	// because Slurm recomputes it from other fields otherwise.
	Tasks int
	// TasksPerNode is 0 or Tasks/len(Nodes).
	TasksPerNode int
	// MinCPUsNode is at least 1 unless TasksPerNode is set, and at most
	// Tasks/len(Nodes).
	MinCPUsNode int
	// GPUsPerNode, if not 0, replaces the GPUs per node of the request.
	GPUsPerNode int
	// Partition, if not empty, replaces the partitions of the request.
	Partition string
	// Nice, if not 0, is taken off the job's priority. Under priority/basic it
	// would release the job.
	Nice int
}

// Validate lists everything that would make Slurm place the job otherwise than
// meant. Slurm itself accepts most of it.
func (p JobUpdate) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf("place job %d: "+format, append([]any{p.JobID}, args...)...))
		}
	}
	k := len(p.Nodes)
	check(p.JobID > 0, "want a positive job id")
	check(k > 0, "want at least one node")
	check(p.Tasks >= k, "%d tasks: want at least one for each of %d nodes", p.Tasks, k)
	if p.TasksPerNode != 0 {
		check(p.TasksPerNode*k == p.Tasks, "%d tasks per node on %d nodes: want %d tasks in all", p.TasksPerNode, k, p.Tasks)
		check(p.MinCPUsNode == 0, "%d CPUs a node: want 0 together with tasks per node", p.MinCPUsNode)
	} else {
		check(p.MinCPUsNode >= 1 && p.MinCPUsNode*k <= p.Tasks,
			"%d CPUs a node on %d nodes: want 1 to %d", p.MinCPUsNode, k, p.Tasks/max(k, 1))
	}
	check(p.GPUsPerNode >= 0, "%d GPUs a node: want 0 or more", p.GPUsPerNode)
	seen := make(map[string]bool, k)
	for _, n := range p.Nodes {
		check(!seen[n], "node %s is named twice", n)
		seen[n] = true
	}
	return errors.Join(faults...)
}

// UpdateCommands are the scontrol commands, in order, that give a held job a
// valid placement. They do not depend on earlier placements, so that a job
// that was held again can be updated again. The job stays held; if one command
// is refused, do not release it.
//
// Facts of Slurm 24.11.5 behind the form (_update_job in
// src/slurmctld/job_mgr.c, and tried):
//   - ResetAccrueTime comes first because Slurm refuses it for a job that is
//     no longer pending before it looks at the nodes. Without it the same
//     command shrinks a job that started in the meantime, which crashes
//     slurmctld in front-end mode.
//   - NumTasks, TasksPerNode, MinCPUsNode and NumCPUs are always sent: Slurm
//     keeps the old ones and derives the others from them.
//   - TresPerNode needs an update of its own: in one with NumCPUs, Slurm takes
//     an unchanged NumCPUs for absent and lowers it to MinCPUsNode*NumNodes.
//   - Nice keeps a held job held under priority/multifactor; under priority/basic
//     Slurm takes it off the priority at once, which releases the job.
//     A priority itself cannot be given to a held job ("Job is in held state").
func UpdateCommands(p JobUpdate) []string {
	k := strconv.Itoa(len(p.Nodes))
	tasks := strconv.Itoa(p.Tasks)
	id := strconv.Itoa(p.JobID)
	minCPUs := max(p.TasksPerNode, p.MinCPUsNode)
	words := []string{
		"update", "JobId=" + id, "ResetAccrueTime",
		"NumNodes=" + k + "-" + k,
		"NodeList=" + values.CompressHosts(p.Nodes),
		"NumTasks=" + tasks,
		"TasksPerNode=" + strconv.Itoa(p.TasksPerNode),
		"MinCPUsNode=" + strconv.Itoa(minCPUs),
		"NumCPUs=" + tasks,
	}
	if p.Partition != "" {
		words = append(words, "Partition="+p.Partition)
	}
	if p.Nice != 0 {
		words = append(words, "Nice="+strconv.Itoa(p.Nice))
	}
	commands := []string{strings.Join(words, " ")}
	if p.GPUsPerNode > 0 {
		commands = append(commands,
			fmt.Sprintf("update JobId=%s ResetAccrueTime TresPerNode=gres/gpu:%d", id, p.GPUsPerNode))
	}
	return commands
}

// AnnounceCommand announces to job_submit.lua that the agent does the next hold or release of a job; UpdateCommands
// contain the same. Slurm refuses it for a job that is no longer pending.
func AnnounceCommand(id int) string { return fmt.Sprintf("update JobId=%d ResetAccrueTime", id) }

// ReleaseCommand is the scontrol command that releases a held job. Jobs start in the order of their release under
// priority/basic, in the order of their priorities under priority/multifactor. Slurm accepts the release of a running
// job without effect.
func ReleaseCommand(id int) string { return "release " + strconv.Itoa(id) }

// PriorityCommand is the scontrol command that gives a waiting job a priority, which Slurm keeps from then on.
func PriorityCommand(id, priority int) string {
	return fmt.Sprintf("update JobId=%d Priority=%d", id, priority)
}

// HoldCommand is the scontrol command that holds a pending job again. Slurm
// also accepts it for a running job, which runs on with priority 0: look at
// the job's state afterwards.
func HoldCommand(id int) string { return "hold " + strconv.Itoa(id) }
