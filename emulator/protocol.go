package emulator

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Policy names who schedules a run.
type Policy string

// The policies of this version.
const (
	// Backfill is Slurm's own sched/backfill.
	Backfill Policy = "backfill"
	// Auction is our agent with the AUCSCHED2 integer program.
	Auction Policy = "auction"
)

// Policies lists all policies, for messages.
func Policies() []Policy { return []Policy{Backfill, Auction} }

// ParsePolicy checks a policy's name.
func ParsePolicy(name string) (Policy, error) {
	for _, p := range Policies() {
		if name == string(p) {
			return p, nil
		}
	}
	return "", fmt.Errorf("policy: %q is not known, allowed are %v", name, Policies())
}

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
	// Interval is the time from the start of one cycle to the start of the
	// next; a cycle that takes longer delays the next one.
	Interval time.Duration `json:"interval_ns"`
	Cycles   Cycles        `json:"cycles"`
	// SolveLimit bounds one solution of the integer program.
	SolveLimit time.Duration `json:"solve_limit_ns"`
	// Window is the number of held jobs that take part in an auction.
	Window int `json:"window"`
	// Objective is what an auction maximises.
	Objective auction.Objective `json:"objective"`
	// MaxBypass bounds how long other jobs may start before a waiting one: the
	// factor of auction.Guard, 0 for no bound.
	MaxBypass float64 `json:"max_bypass"`
	// MaxBidsPerJob and MaxBids bound the bids of one job and of a cycle.
	MaxBidsPerJob int `json:"max_bids_per_job"`
	MaxBids       int `json:"max_bids"`
	// FairShare is the half-life of usage, in virtual time; 0 for no fair share.
	FairShare time.Duration `json:"fair_share_half_life_ns,omitempty"`
	// DumpModels leaves the integer program of each cycle in ModelsDir.
	DumpModels bool `json:"dump_models,omitempty"`
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
		Interval:      5 * time.Second,
		Cycles:        CyclesChanged,
		SolveLimit:    5 * time.Second,
		Window:        500,
		Objective:     auction.ObjectiveValue,
		MaxBypass:     1,
		MaxBidsPerJob: 15,
		MaxBids:       7500,
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
	check(slices.Contains(auction.Objectives(), p.Objective), "objective", fmt.Sprintf("%q", string(p.Objective)), "value or priority")
	check(p.MaxBypass >= 0 && p.MaxBypass <= 1000, "max-bypass", p.MaxBypass, "0 to 1000")
	check(p.MaxBidsPerJob >= 1 && p.MaxBidsPerJob <= 1000, "max-bids-per-job", p.MaxBidsPerJob, "1 to 1000")
	check(p.FairShare == 0 || p.FairShare >= time.Minute && p.FairShare <= maxHalfLife, "fair-share", p.FairShare, "1m to 8760h")
	check(p.MaxBids >= 1 && p.MaxBids <= 100_000, "max-bids", p.MaxBids, "1 to 100000")
	return errors.Join(faults...)
}

// Request asks for one run. Slurmlabd reads it as one line of JSON on its
// standard input; when that input ends, the run stops.
type Request struct {
	Machine    workloads.Machine `json:"machine"`
	Jobs       []workloads.Job   `json:"jobs"`
	Policy     Policy            `json:"policy"`
	Parameters Parameters        `json:"parameters"`
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
