package agent

import (
	"context"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Cluster is what the agent needs of a Slurm cluster. Its users are the
// adapter Slurm in this package and the odd clusters of the tests.
type Cluster interface {
	// State reads nodes and queue at one instant.
	State(ctx context.Context) (State, error)
	// Allocated reads what Slurm gave the jobs, which have started by the queue. One that
	// Slurm no longer knows is missing from the result.
	Allocated(ctx context.Context, ids []int) (map[int]Allocated, error)
	// Release puts a held job on exactly the nodes of p and releases it. A
	// *slurmctl.RefusedError says that Slurm refused and the job is still held.
	Release(ctx context.Context, id int, p Plan) error
	// Rank gives a waiting job a priority; a job that is held it releases to Slurm's own scheduler. The error is as of Release.
	Rank(ctx context.Context, id, priority int, held bool) error
	// Hold takes a released job that has not started out of Slurm's queue. A
	// *slurmctl.RefusedError says that Slurm refused, as for a job that just started.
	Hold(ctx context.Context, id int) error
}

// State is one reading of the cluster.
type State struct {
	// Nodes are all nodes in natural name order.
	Nodes []machine.Node
	// Held are the held jobs in the order of submission, but for those that wait
	// for other jobs (--dependency) and may do so with success.
	Held []HeldJob
	// Pending are the ids of released jobs that wait for their nodes. Waiting are the jobs themselves, for a Formula only.
	Pending []int
	Waiting []WaitingJob
	// Running are the jobs that Slurm says run.
	Running []RunningJob
	// Capped has Slurm's reason for each released job that a limit keeps waiting.
	Capped map[int]string
	// Licences are the free ones, and what is free of the limits; they are read only if a held job asks for some.
	Licences machine.Licences
	// Reservations of Slurm.
	Reservations []NodeReservation
	// Charged are the cores of the running jobs by account. Shares are the parts of the machine that accounts should
	// have, and Used the core-seconds that they had used before the first State. All are only for fair share.
	Charged map[string]int
	Shares  priority.Shares
	Used    map[string]float64
	// Transient says that free resources may change although no job is
	// submitted or ends: a job is on its way between two states, or a node
	// cannot be used at present.
	Transient bool
}

// HeldJob is a job that waits for the agent.
type HeldJob struct {
	ID  int // Slurm's job id
	Job int // the workload's job id
	// Account is the one that is charged; set for fair share only.
	Account string
	// Reason is why Slurm holds it, "BadConstraints" for a placement that
	// Slurm could not honour.
	Reason string
	// Submit is on the clock of Slurm's records, and so is Begin, the earliest
	// start that the job wants (--begin), zero for at once.
	Submit, Begin time.Time
	// ByOwner says that the job's owner also holds it (sbatch --hold, scontrol hold).
	ByOwner bool
	// Tier is PriorityTier of its partition, the highest of several: jobs of a higher one come before all others. It
	// is 0 where nobody said.
	Tier int
	// Reservation is the one that the job names (--reservation), "" for none.
	Reservation string
	// Nice is the job's own (--nice), which Slurm takes off its priority.
	Nice int
	// Request is what the job asks for. Its ID and Priority are not set.
	Request bidding.Job
	// Within are the options of the request in each partition, in the order in which the job names several, nil where it names at most
	// one. The options of the Request are the first of them.
	Within []bidding.JobOptions
	// Limits are what the job wants of the limits of QOS, accounts and users, by partition; State.Licences has what is free of them.
	Limits map[string]machine.Licences
	// Obstacle is why the agent cannot schedule the job, which then stays held;
	// usually "".
	Obstacle string
}

// RunningJob is a job that runs, as the queue shows it.
type RunningJob struct {
	ID int // Slurm's job id
	// Holding tells no times and no memory. The queue shows the sum of the cores
	// only; here they are spread evenly over the nodes, the first ones having one
	// more.
	machine.Holding
	// Started is on the clock of Slurm's records. Limit is 0 without a limit.
	Started time.Time
	Limit   time.Duration
}

// Plan is what to ask Slurm for: the nodes, by index, and the request that makes
// Slurm take the planned cores on them.
type Plan struct {
	Nodes []int
	machine.Request
	// GPUs are per node, 0 for a job whose request leaves no choice.
	GPUs int
	// Partition is the one that the agent chose, "" for a job that names at most one.
	Partition string
}

// Allocated is what Slurm gave a job: nodes by index, ascending, with the cores on
// each of them and the GPUs over all of them.
type Allocated struct {
	Nodes []int
	Cores []int
	GPUs  int
	// Pending says that the job has not started after all: it was missing from the
	// queue, or was misread there. The other fields are empty then.
	Pending bool
}
