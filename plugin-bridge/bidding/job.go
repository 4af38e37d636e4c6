package bidding

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Job is a held job of the window. Zero means "not asked for".
type Job struct {
	// ID is the caller's number for the job. Bids name jobs by their index in the
	// window; the ID appears in texts only.
	ID int
	// Priority is Slurm's; larger is more urgent. Only the order of priorities
	// matters, unless the snapshot of the auction is Weighted.
	Priority float64
	// Cores is n of sbatch -n, R_j^cpu.
	Cores int
	// Nodes is k of sbatch -N, R_j^node. MaxNodes, if not 0, makes it the least of a
	// range, N_min,j to N_max,j of IPSCHED; bids need one number, see Choices.
	Nodes    int
	MaxNodes int `json:",omitempty"`
	// CoresPerNode is t of --ntasks-per-node, R_j^cpn.
	CoresPerNode int
	// GPUs is the number of GPUs per node, R_j^gpu. MaxGPUs, if not 0, makes it
	// the least of a range: any number from GPUs to MaxGPUs will do, the same on
	// each node, and more are better (AUCSCHED2 section 3).
	GPUs, MaxGPUs int
	// Contiguous is --contiguous: the nodes must be one block, without a gap.
	Contiguous bool
	// TimeLimit is -t, 0 without a limit. It does not matter for bids; the value of
	// a job and reservations depend on it (package auction).
	TimeLimit time.Duration
	// Waited is how long the job has been in the queue. It does not matter for bids.
	Waited time.Duration `json:",omitempty"`
	// Weight is a factor of the job's value (auction.Exponents), as for fair share; 0
	// means 1.
	Weight  float64
	Options JobOptions
	// Alternatives are further requests that would do as well, the most wanted
	// first. The job wins with one of them or with the request above, which is
	// preferred to all of them (AUCSCHED section 7, objective 2).
	Alternatives []Alternative
	// Overdue jobs have waited too long (auction.Guard). The first one of a window
	// has an auction.Reservation.
	Overdue bool
}

// Alternative is another request of a job, with the fields of Job. Contiguous
// and Options hold for all requests of the job.
type Alternative struct {
	Cores, Nodes, CoresPerNode int
	GPUs, MaxGPUs              int
}

// With returns the job with the given request in place of its own: its own for
// 0, else Alternatives[i-1].
func (j Job) With(i int) Job {
	alternatives := j.Alternatives
	j.Alternatives = nil
	if i > 0 {
		a := alternatives[i-1]
		j.MaxNodes = 0
		j.Cores, j.Nodes, j.CoresPerNode, j.GPUs, j.MaxGPUs = a.Cores, a.Nodes, a.CoresPerNode, a.GPUs, a.MaxGPUs
	}
	return j
}

// Type is a job type of AUCSCHED section 4.
type Type int

// The three types of AUCSCHED section 4. Types 2 and 3 are the rigid jobs:
// their number of nodes is given.
const (
	// Type1 jobs specify only the total number of cores.
	Type1 Type = 1
	// Type2 jobs specify nodes, total cores and GPUs per node.
	Type2 Type = 2
	// Type3 jobs specify nodes, cores per node and GPUs per node.
	Type3 Type = 3
)

// Type returns which of the paper's three types the job is. A job with cores and cores per node but no nodes is type
// 3: its number of nodes is implied.
func (j Job) Type() Type {
	switch {
	case j.CoresPerNode > 0:
		return Type3
	case j.Nodes > 0:
		return Type2
	default:
		return Type1
	}
}

// Tasks is the total number of cores that the job takes.
func (j Job) Tasks() int {
	if j.Cores == 0 {
		return j.Nodes * j.CoresPerNode
	}
	return j.Cores
}

// Validate returns an error that names every fault of the request.
func (j Job) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("check job %d: "+format, append([]any{j.ID}, args...)...))
	}
	if j.Cores < 0 || j.Nodes < 0 || j.CoresPerNode < 0 || j.GPUs < 0 {
		fault("cores %d, nodes %d, cores per node %d, GPUs %d: none may be negative", j.Cores, j.Nodes, j.CoresPerNode, j.GPUs)
		return errors.Join(faults...)
	}
	if j.MaxGPUs != 0 && (j.GPUs < 1 || j.MaxGPUs < j.GPUs) {
		fault("%d to %d GPUs, allowed are ranges from at least 1 upwards", j.GPUs, j.MaxGPUs)
	}
	if j.MaxNodes != 0 && (j.Nodes < 1 || j.MaxNodes < j.Nodes || j.CoresPerNode > 0) {
		fault("%d to %d nodes with %d cores per node, allowed are ranges from at least 1 upwards, without cores per node", j.Nodes, j.MaxNodes, j.CoresPerNode)
	}
	if !(j.Weight >= 0) || math.IsInf(j.Weight, 1) {
		fault("weight %g, allowed is a number above 0, or 0 (not given)", j.Weight)
	}
	if math.IsNaN(j.Priority) {
		fault("priority is not a number")
	}
	switch {
	case j.CoresPerNode > 0 && j.Nodes > 0:
		if j.Cores != 0 && j.Cores != j.Nodes*j.CoresPerNode {
			fault("%d cores on %d nodes with %d cores per node, allowed is %d or 0 (not given)", j.Cores, j.Nodes, j.CoresPerNode, j.Nodes*j.CoresPerNode)
		}
	case j.CoresPerNode > 0:
		if j.Cores == 0 || j.Cores%j.CoresPerNode != 0 {
			fault("%d cores with %d cores per node and no nodes, allowed are multiples of %d above 0", j.Cores, j.CoresPerNode, j.CoresPerNode)
		}
	case j.Cores == 0:
		fault("no cores asked for, allowed is at least 1")
	case j.Cores < j.Nodes:
		fault("%d cores on %d nodes, allowed is at least one core per node", j.Cores, j.Nodes)
	}
	for _, err := range j.Options.faults() {
		fault("%w", err)
	}
	for i := range j.Alternatives {
		other := j.With(i + 1)
		other.Options = JobOptions{}
		if err := other.Validate(); err != nil {
			faults = append(faults, fmt.Errorf("alternative %d: %w", i+1, err))
		}
	}
	return errors.Join(faults...)
}
