package benchmark

import (
	"context"
	"time"
)

// JobRequest is a job.
type JobRequest struct {
	// Name has letters, digits and "._+-" only.
	Name string
	// Tasks counts processes, TasksPerNode those on a node, CPUsPerTask the cores of each.
	Tasks, TasksPerNode, CPUsPerTask int
	// Partition of the job (of other schedulers the queue); empty for the default one.
	Partition string
	// Nodes are those where the job may run; empty leaves them to the scheduler.
	Nodes []string
	// TimeLimit is a whole number of minutes, at least one.
	TimeLimit time.Duration
	// Script is the text of a bash script that begins with #!.
	Script string
}

// CPUs is the number of cores on all nodes.
func (r JobRequest) CPUs() int { return r.Tasks * r.CPUsPerTask }

// NodeCount is the number of nodes that the tasks fill.
func (r JobRequest) NodeCount() int { return (r.Tasks + r.TasksPerNode - 1) / r.TasksPerNode }

// State is how a job stands.
type State string

// The states of a job.
const (
	Pending   State = "pending"
	Running   State = "running"
	Suspended State = "suspended"
	Completed State = "completed"
	Failed    State = "failed"
)

// Ended says that the job is over.
func (s State) Ended() bool { return s == Completed || s == Failed }

// Status is what is known of a job.
type Status struct {
	State State
	// Submit, Start and End are zero as long as they are not known.
	Submit, Start, End time.Time
	// Suspended is for how long the job was suspended since Start, as far as the scheduler
	// says so; a suspension that lasts is not in it, and began at SuspendedAt.
	Suspended   time.Duration
	SuspendedAt time.Time
	// Lost is the time of the job's earlier starts, after each of which the scheduler requeued it. It is known when
	// the job has ended.
	Lost time.Duration
	// Reason says why the job failed; empty if it did not.
	Reason string
}

// Change is what a job computes with from a moment on, as its payload says.
type Change struct {
	// ID is that of Submit.
	ID string
	At time.Time
	// Cores are those on all nodes, in time; 0 of a job that is suspended or over.
	Cores float64
	// Rate is the speed compared with the speed alone; 0 where nobody knows it.
	Rate float64
}

// Scheduler runs jobs. Its errors say what could not be done; how a job ended is no error.
type Scheduler interface {
	// Submit hands over a job and returns its id.
	Submit(ctx context.Context, r JobRequest) (id string, err error)
	// Poll says how a job stands.
	Poll(ctx context.Context, id string) (Status, error)
	// Suspend stops a running job, Resume lets it go on.
	Suspend(ctx context.Context, id string) error
	Resume(ctx context.Context, id string) error
	// Cancel ends a job that has not ended.
	Cancel(ctx context.Context, id string) error
}
