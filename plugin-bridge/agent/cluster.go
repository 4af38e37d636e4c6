package agent

import (
	"context"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/fairshare"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// Cluster is what the agent needs of a Slurm cluster. Its users are the
// adapter Slurm in this package and the odd clusters of the tests.
type Cluster interface {
	// State reads nodes and queue at one instant.
	State(ctx context.Context) (State, error)
	// Placements reads where the given jobs, which have started, run or ran. A
	// job that Slurm no longer knows is missing from the result.
	Placements(ctx context.Context, ids []int) (map[int]Placement, error)
	// Release puts a held job on exactly the nodes of p and releases it. A
	// *RefusedError says that Slurm refused and the job is still held.
	Release(ctx context.Context, id int, p Plan) error
	// Hold takes a released job that has not started out of Slurm's queue. A
	// *RefusedError says that Slurm refused, as for a job that just started.
	Hold(ctx context.Context, id int) error
}

// State is one reading of the cluster.
type State struct {
	// Nodes are all nodes in natural name order.
	Nodes []nodeset.Node
	// Held are the held jobs in the order of submission, but for those that wait
	// for other jobs (--dependency).
	Held []HeldJob
	// Pending are the ids of released jobs that wait for their nodes.
	Pending []int
	// Running are the jobs that Slurm says run.
	Running []RunningJob
	// Licences are the free ones; they are read only if a held job asks for some.
	Licences []auction.Licence
	// Charged are the cores of the running jobs by account, and Shares the parts
	// of the machine that accounts should have; both only for fair share.
	Charged map[string]int
	Shares  fairshare.Shares
	// Transient says that free resources may change although no job is
	// submitted or ends: a job is on its way between two states, or a node
	// cannot be used at present.
	Transient bool
}

// HeldJob is a job that waits for the agent.
type HeldJob struct {
	ID   int // Slurm's job id
	Name int // the workload's job id
	// Account is the one that is charged; set for fair share only.
	Account string
	// Reason is why Slurm holds it, "BadConstraints" for a placement that
	// Slurm could not honour.
	Reason string
	// Submit is on the clock of Slurm's records, and so is Begin, the earliest
	// start that the job wants (--begin), zero for at once.
	Submit, Begin time.Time
	// Nice is the job's own (--nice), which Slurm takes off its priority.
	Nice int
	// Request is what the job asks for. Its ID and Priority are not set.
	Request auction.Job
	// Obstacle is why the agent cannot schedule the job, which then stays held;
	// usually "".
	Obstacle string
}

// RunningJob is a job that runs, as the queue shows it.
type RunningJob struct {
	ID   int // Slurm's job id
	Name int // the workload's job id
	// Nodes are indices, ascending; Cores are over all of them, GPUs on each.
	Nodes       []int
	Cores, GPUs int
	// Start is on the clock of Slurm's records. Limit is 0 without a limit.
	Start time.Time
	Limit time.Duration
}

// Plan is a placement to ask Slurm for: the nodes by index, and the options
// that make Slurm take the planned cores on them (auction.Request).
type Plan struct {
	Nodes        []int
	Tasks        int
	TasksPerNode int
	MinCores     int
	// GPUs per node, 0 for a job whose request leaves no choice.
	GPUs int
}

// Placement is what Slurm did: nodes by index, ascending, with the cores on
// each of them and the GPUs over all of them.
type Placement struct {
	Nodes []int
	Cores []int
	GPUs  int
}

// RefusedError is Slurm's refusal of a release or a hold, in its own words.
type RefusedError struct {
	Message string
}

func (e *RefusedError) Error() string { return "slurm refused: " + e.Message }
