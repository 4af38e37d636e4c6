package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Cycles says which of the agent's cycles take place.
type Cycles string

const (
	// CyclesEvery runs the agent at every interval.
	CyclesEvery Cycles = "every"
	// CyclesChanged leaves out cycles that could not decide anything, since no
	// job was submitted or ended. The decisions are the same.
	CyclesChanged Cycles = "changed"
)

// Parameters are the agent's settings. Times are virtual.
type Parameters struct {
	Method Method `json:"method" yaml:"method"`
	// Interval is the time from the start of one cycle to the start of the
	// next; a cycle that takes longer delays the next one.
	Interval time.Duration `json:"interval_ns" yaml:"interval"`
	Cycles   Cycles        `json:"cycles" yaml:"cycles"`
	// SolveLimit bounds one solution of the integer program.
	SolveLimit time.Duration `json:"solve_limit_ns" yaml:"solve_limit"`
	// Window is the number of held jobs that take part in an auction.
	Window int `json:"window" yaml:"window"`
	// Objective is what an auction maximises.
	Objective auction.Objective `json:"objective" yaml:"objective"`
	// MaxBypass bounds how long other jobs may start before a waiting one: the
	// factor of auction.Guard, 0 for no bound.
	MaxBypass float64 `json:"max_bypass" yaml:"max_bypass"`
	// MaxBidsPerJob and MaxBids bound the bids of one job and of a cycle.
	MaxBidsPerJob int `json:"max_bids_per_job" yaml:"max_bids_per_job"`
	MaxBids       int `json:"max_bids" yaml:"max_bids"`
	// SlurmBids adds the bids that a job would win in the order of the queue,
	// RemainderBids those of class R. OnlyBlocks leaves out class C.
	SlurmBids     bool `json:"slurm_bids" yaml:"slurm_bids"`
	RemainderBids bool `json:"remainder_bids" yaml:"remainder_bids"`
	OnlyBlocks    bool `json:"only_blocks" yaml:"only_blocks"`
	// Shrink says what becomes smaller after a solution that took too long.
	Shrink agent.Shrink `json:"shrink" yaml:"shrink"`
	// FairShare is the half-life of usage, in virtual time; 0 for no fair share.
	FairShare time.Duration `json:"fair_share_half_life_ns,omitempty" yaml:"fair_share,omitempty"`
	// DumpModels leaves the integer program of each cycle in ModelsDir.
	DumpModels bool `json:"dump_models,omitempty" yaml:"-"`
}

// maxHalfLife is a year; longer than that is as good as for ever.
const maxHalfLife = 365 * 24 * time.Hour

// DefaultParameters returns the settings of a run that asks for nothing else:
// AUCSCHED section 6.2 has an interval and a solve limit of 5 s, the published
// plug-in 15 bids per job. Its window of 100 jobs is too narrow for an objective
// that looks for wide jobs: 500 hold the whole queue of the papers' workloads.
// MaxBids is the product, so that only the limit per job cuts.
func DefaultParameters() Parameters {
	return Parameters{
		Method:        MethodAuction,
		Interval:      5 * time.Second,
		Cycles:        CyclesChanged,
		SolveLimit:    5 * time.Second,
		Window:        500,
		Objective:     auction.ObjectiveValue,
		MaxBypass:     1,
		MaxBidsPerJob: 15,
		MaxBids:       7500,
		SlurmBids:     true,
		RemainderBids: true,
		Shrink:        agent.ShrinkNothing,
	}
}

// Validate reports every fault of the parameters.
func (p Parameters) Validate() error {
	var faults []error
	check := func(ok bool, name string, value any, allowed string) {
		if !ok {
			faults = append(faults, fmt.Errorf("%s: %v is not allowed, want %s", name, value, allowed))
		}
	}
	check(p.Interval >= time.Second && p.Interval <= time.Hour, "interval", p.Interval, "1s to 1h")
	check(p.Cycles == CyclesEvery || p.Cycles == CyclesChanged, "cycles", fmt.Sprintf("%q", string(p.Cycles)), "every or changed")
	check(p.SolveLimit >= time.Second && p.SolveLimit <= time.Hour, "solve-limit", p.SolveLimit, "1s to 1h")
	check(p.Window >= 1 && p.Window <= 10_000, "window", p.Window, "1 to 10000")
	methods := []Method{MethodIPSCHED, MethodAUCSCHED, MethodAuction}
	check(slices.Contains(methods, p.Method), "method", fmt.Sprintf("%q", string(p.Method)), oneOf(methods))
	check(slices.Contains(p.Method.objectives(), p.Objective), "objective", fmt.Sprintf("%q", string(p.Objective)), oneOf(p.Method.objectives()))
	check(slices.Contains(p.Method.shrinks(), p.Shrink), "shrink", fmt.Sprintf("%q", string(p.Shrink)), oneOf(p.Method.shrinks()))
	check(p.MaxBypass >= 0 && p.MaxBypass <= 1000, "max-bypass", p.MaxBypass, "0 to 1000")
	check(p.MaxBypass == 0 || p.Method == MethodAuction, "max-bypass", p.MaxBypass, "0: "+string(p.Method)+" has no reservations")
	check(p.MaxBidsPerJob >= 1 && p.MaxBidsPerJob <= 1000, "max-bids-per-job", p.MaxBidsPerJob, "1 to 1000")
	check(p.FairShare == 0 || p.FairShare >= time.Minute && p.FairShare <= maxHalfLife, "fair-share", p.FairShare, "1m to 8760h")
	check(p.MaxBids >= 1 && p.MaxBids <= 100_000, "max-bids", p.MaxBids, "1 to 100000")
	return errors.Join(faults...)
}

// oneOf writes "a, b or c".
func oneOf[T ~string](words []T) string {
	var text strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			text.WriteString(" or ")
		case i > 0:
			text.WriteString(", ")
		}
		text.WriteString(string(w))
	}
	return text.String()
}

// Request asks for one run. Slurmlabd reads it as one line of JSON on its
// standard input; when that input ends, the run stops.
type Request struct {
	Machine workloads.Machine `json:"machine"`
	Jobs    []workloads.Job   `json:"jobs"`
	Policy  Policy            `json:"policy"`
	// Priority is that of the cluster.
	Priority   priority.Type `json:"priority"`
	Parameters Parameters    `json:"parameters"`
	// FullConfiguration is the class of the jobs that start before all that are
	// waiting (ESP's Z jobs), empty for none.
	FullConfiguration string `json:"full_configuration,omitempty"`
}

// Event is one line of slurmlabd's output; exactly one field is set.
type Event struct {
	Progress *Progress    `json:"progress,omitempty"`
	Cycle    *trace.Cycle `json:"cycle,omitempty"`
	End      *End         `json:"end,omitempty"`
}

// Progress counts jobs at virtual time Time since the start of the run.
type Progress struct {
	Time      float64 `json:"time_s"`
	Submitted int     `json:"submitted"`
	Running   int     `json:"running"`
	Done      int     `json:"done"`
}

// End says how the run ended.
type End struct {
	Status        trace.Status `json:"status"`
	Reason        string       `json:"reason,omitempty"`
	SlurmVersion  string       `json:"slurm_version"`
	HiGHSVersion  string       `json:"highs_version"`
	Submitted     int          `json:"submitted"`
	ArrivalLagMax float64      `json:"arrival_lag_max_s"`
	RealSeconds   float64      `json:"real_s"`
	// Fidelity is nil when it could not be measured.
	Fidelity *trace.Fidelity `json:"fidelity,omitempty"`
}

// OutDir is where a run leaves sacct.txt, sdiag.txt and, if it has an agent,
// SnapshotsName in the container.
const (
	OutDir        = "/var/lib/slurmlab/out"
	SnapshotsName = "snapshots.jsonl.gz"
)

// ModelsDir is where a run leaves its integer programs in the container.
const ModelsDir = "/var/lib/slurmlab/models"

// Serialise makes an emitter of events from an encoder that is not safe for
// concurrent use.
func Serialise(encode func(any) error) func(Event) error {
	var mu sync.Mutex
	return func(e Event) error {
		mu.Lock()
		defer mu.Unlock()
		if err := encode(e); err != nil {
			return fmt.Errorf("emit event: %w", err)
		}
		return nil
	}
}
