package scripts

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// State is how a job stands.
type State string

// The states that are told apart.
const (
	Pending   State = "pending"
	Running   State = "running"
	Suspended State = "suspended"
	Ended     State = "ended"
)

// Details are what Slurm knows of a job.
type Details struct {
	State State
	// Comment is the admin comment, Name the job's name.
	Comment, Name string
	UID, GID      int
	// WorkDir is absolute; StdIn, StdOut and StdErr are as sbatch got them, with
	// patterns, and empty where it got none.
	WorkDir, StdIn, StdOut, StdErr string
	// Nodes is a host list, First its first host.
	Nodes, First   string
	Count, CPUs    int
	Partition, QOS string
	Account        string
	// Tasks is -n, TasksPerNode --ntasks-per-node, CPUsPerTask -c; 0 without.
	Tasks, TasksPerNode, CPUsPerTask int
	// GPUs are those on the first node.
	GPUs int
	// End is the job's limit while it runs.
	Start, End time.Time
}

// ReadDetails reads what slurmchannel tells of a job's batch, by its keys.
func ReadDetails(told map[string]string) (Details, error) {
	var faults []error
	number := func(key string) int {
		n, err := strconv.Atoi(told[key])
		if err != nil {
			faults = append(faults, fmt.Errorf("details: %s: %q is no number", key, told[key]))
		}
		return n
	}
	gpus, err := values.GPUs(told["gres"])
	if err != nil {
		faults = append(faults, fmt.Errorf("details: gres: %w", err))
	}
	d := Details{
		State: State(told["state"]), Comment: told["admin_comment"], Name: told["name"],
		UID: number("uid"), GID: number("gid"),
		WorkDir: told["work_dir"], StdIn: told["std_in"], StdOut: told["std_out"], StdErr: told["std_err"],
		Nodes: told["nodes"], First: told["first_node"], Count: number("num_nodes"), CPUs: number("num_cpus"),
		Partition: told["partition"], Account: told["account"], QOS: told["qos"],
		Tasks: number("num_tasks"), TasksPerNode: number("tasks_per_node"), CPUsPerTask: number("cpus_per_task"),
		GPUs:  gpus,
		Start: time.Unix(int64(number("start")), 0).UTC(), End: time.Unix(int64(number("end")), 0).UTC(),
	}
	return d, errors.Join(faults...)
}
