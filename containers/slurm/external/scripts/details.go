package scripts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
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
func ReadDetails(values map[string]string) (Details, error) {
	var faults []error
	number := func(key string) int {
		n, err := strconv.Atoi(values[key])
		if err != nil {
			faults = append(faults, fmt.Errorf("details: %s: %q is no number", key, values[key]))
		}
		return n
	}
	d := Details{
		State: State(values["state"]), Comment: values["admin_comment"], Name: values["name"],
		UID: number("uid"), GID: number("gid"),
		WorkDir: values["work_dir"], StdIn: values["std_in"], StdOut: values["std_out"], StdErr: values["std_err"],
		Nodes: values["nodes"], First: values["first_node"], Count: number("num_nodes"), CPUs: number("num_cpus"),
		Partition: values["partition"], Account: values["account"], QOS: values["qos"],
		Tasks: number("num_tasks"), TasksPerNode: number("tasks_per_node"), CPUsPerTask: number("cpus_per_task"),
		GPUs:  gpus(values["gres"]),
		Start: time.Unix(int64(number("start")), 0).UTC(), End: time.Unix(int64(number("end")), 0).UTC(),
	}
	return d, errors.Join(faults...)
}

// gpus reads "gpu:2" or "gpu(CNT:2)", 0 for none.
func gpus(gres string) int {
	_, text, found := strings.Cut(gres, "gpu")
	if !found {
		return 0
	}
	n, err := strconv.Atoi(strings.Trim(text, ":()CNT"))
	if err != nil {
		return 0
	}
	return n
}
