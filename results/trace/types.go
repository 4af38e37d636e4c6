package trace

import (
	"encoding/json"
	"time"

	"github.com/slurmlab/slurmlab/workloads"
)

// SchemaVersion is written to run.json and metrics.json. A reader refuses a
// version that it does not know.
const SchemaVersion = 1

// Status says how a run ended.
type Status string

// The three states of a run. Only a complete run has metrics.
const (
	// StatusComplete means that every job of the workload ended in Slurm and
	// was read back from sacct.
	StatusComplete Status = "complete"
	// StatusIncomplete means that the run was stopped before its end.
	StatusIncomplete Status = "incomplete"
	// StatusFailed means that a part of the run broke.
	StatusFailed Status = "failed"
)

// Run is run.json: everything needed to repeat the run and to trust its
// numbers.
type Run struct {
	SchemaVersion int               `json:"schema_version"`
	ID            string            `json:"id"`
	ToolVersion   string            `json:"tool_version"`
	GitRevision   string            `json:"git_revision"`
	ImageID       string            `json:"image_id"`
	SlurmVersion  string            `json:"slurm_version"`
	HiGHSVersion  string            `json:"highs_version"`
	Machine       workloads.Machine `json:"machine"`
	Workload      string            `json:"workload"`
	WorkloadSpec  json.RawMessage   `json:"workload_spec"`
	Seed          uint64            `json:"seed"`
	Policy        string            `json:"policy"`
	Parameters    json.RawMessage   `json:"policy_parameters"`
	// SchedulerType and SchedulerParameters are those of slurm.conf. Both are
	// empty in runs from before they were recorded, the second also for Slurm's
	// defaults.
	SchedulerType       string `json:"scheduler_type,omitempty"`
	SchedulerParameters string `json:"scheduler_parameters,omitempty"`
	// PriorityType is that of slurm.conf, PriorityParameters are its other lines on
	// priority, with commas between them. Runs from before they were recorded have
	// priority/basic, see DecodeRun.
	PriorityType       string `json:"priority_type"`
	PriorityParameters string `json:"priority_parameters,omitempty"`
	// FullConfiguration is the class whose jobs no waiting job may start before
	// (ESP's Z jobs); empty for none.
	FullConfiguration string `json:"full_configuration,omitempty"`
	// Clock is one of the Clock constants. TimeScale is virtual seconds per real
	// second of a scaled clock, 1 otherwise; ThinkScale says how many times
	// faster than here the cluster's programs compute in virtual time (jump
	// clock, 1 otherwise).
	Clock      string  `json:"clock"`
	TimeScale  float64 `json:"time_scale"`
	ThinkScale float64 `json:"think_scale,omitempty"`
	// Core is the processor core that the cluster was confined to; nil for none.
	Core   *int   `json:"core,omitempty"`
	Status Status `json:"status"`
	// Reason says why a run is not complete; empty for a complete one.
	Reason string `json:"reason,omitempty"`
	// Started and Finished are real time, RealSeconds the time between the
	// first submission and the last job's end on the wall clock.
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"`
	RealSeconds float64   `json:"real_s"`
	// ArrivalLagMax is the largest delay, in virtual seconds, between a job's
	// arrival in the workload and its Submit time in Slurm.
	ArrivalLagMax float64 `json:"arrival_lag_max_s"`
	Jobs          int     `json:"jobs"`
	Submitted     int     `json:"submitted"`
	// Fidelity is how well virtual time was kept; nil in a run that broke
	// before it could be read.
	Fidelity *Fidelity `json:"fidelity,omitempty"`
}

// Fidelity is the proof that a run's virtual time can be trusted. Everything is
// counted between the run's start and the end of its last job; seconds are
// real unless they say virtual.
type Fidelity struct {
	RealSeconds    float64 `json:"real_s"`
	VirtualSeconds float64 `json:"virtual_s"`
	// BusySeconds is the processor time of each part of the cluster: mariadbd,
	// slurmdbd, slurmctld, slurmd, slurmlabd, vclockd, and "other" for all the
	// rest (job steps, payloads, clients of Slurm).
	BusySeconds map[string]float64 `json:"busy_s"`
	// ForeignSeconds is the processor time that others used on the cluster's
	// core, StolenSeconds what the hypervisor took; both are charged to
	// virtual time as if the cluster had computed, so both should be near 0.
	// They are counted in ticks of the kernel, and 0 for a cluster without a
	// core of its own.
	ForeignSeconds float64 `json:"foreign_s"`
	StolenSeconds  float64 `json:"stolen_s"`
	// Jump is set under the jump clock only.
	Jump *JumpFidelity `json:"jump,omitempty"`
}

// JumpFidelity counts what the jump clock did.
type JumpFidelity struct {
	Jumps uint64 `json:"jumps"`
	// SkippedSeconds is the virtual time that was skipped.
	SkippedSeconds float64 `json:"skipped_s"`
	// IdleTests counts how often the core seemed idle; CaughtRunning and
	// CaughtBlocked how often a look at the threads refuted it, because one was
	// runnable or waited for a disk. Every caught one would have been a jump
	// over time in which the cluster computed.
	IdleTests     uint64 `json:"idle_tests"`
	CaughtRunning uint64 `json:"caught_running"`
	CaughtBlocked uint64 `json:"caught_blocked"`
	// LongestBusySeconds is the longest stretch without an idle moment, which
	// ended at LongestBusyAt virtual seconds after the start of the run.
	LongestBusySeconds float64 `json:"longest_busy_s"`
	LongestBusyAt      float64 `json:"longest_busy_at_s"`
	// Restarts counts controllers that died and were replaced; in between the
	// clock ran at the speed of real time.
	Restarts int `json:"restarts"`
	// Rounded names the threads whose waits end at a multiple of the given
	// virtual seconds.
	Rounded map[string]float64 `json:"rounded_s,omitempty"`
	// Sources are the waits at which jumps ended, most frequent first.
	Sources []JumpSource `json:"sources,omitempty"`
}

// JumpSource is one kind of wait: the name of the thread and what it waits in.
type JumpSource struct {
	Thread string `json:"thread"`
	Kind   string `json:"kind"`
	Jumps  uint64 `json:"jumps"`
}

// SacctRow is one allocation of sacct.txt (sacct -X -P). Times are UTC and
// whole seconds of virtual time; a zero time means "Unknown" or "None".
type SacctRow struct {
	JobID     int
	JobName   string
	User      string
	Partition string
	// State is Slurm's word without its suffix ("CANCELLED by 0" is
	// "CANCELLED").
	State     string
	ExitCode  string
	Submit    time.Time
	Eligible  time.Time
	Start     time.Time
	End       time.Time
	Elapsed   int
	TimeLimit int // minutes, as in TimelimitRaw
	Nodes     int
	Cores     int
	ReqTRES   map[string]string
	AllocTRES map[string]string
	// NodeList holds the 0-based indices of the allocated nodes (node n1 has
	// index 0), ascending.
	NodeList []int
}

// Job is one finished job: workload row and accounting row put together. Its user
// is the workload's, and without one whom Slurm accounts the job to.
// Times are virtual seconds since the first submission of the run.
type Job struct {
	workloads.Job
	SlurmID int
	State   string
	Submit  float64
	Start   float64
	Finish  float64
	// Allocated are the 0-based indices of the nodes, ascending.
	Allocated []int
	// AllocCores is the number of cores over all nodes, AllocGPUs the number
	// of GPUs over all nodes.
	AllocCores int
	AllocGPUs  int
}

// GPUsPerNode is the number of GPUs on each allocated node, 0 for a job that
// never started.
func (j Job) GPUsPerNode() int {
	if len(j.Allocated) == 0 {
		return 0
	}
	return j.AllocGPUs / len(j.Allocated)
}

// Expected is the run time in seconds that the job should have had on the GPUs
// that it got (workloads.Job.RuntimeOn).
func (j Job) Expected() int { return j.RuntimeOn(j.GPUsPerNode()) }

// Cycle is one line of cycles.jsonl: one pass of the agent.
type Cycle struct {
	Cycle int `json:"cycle"`
	// Time is virtual seconds since the start of the run.
	Time float64 `json:"time_s"`
	// Skipped counts the cycles left out before this one, which could not have
	// decided anything.
	Skipped int `json:"skipped,omitempty"`
	// Phases are in real milliseconds under every clock, whatever its scale of
	// time or thinking: they are what this computer took.
	SnapshotMS float64 `json:"snapshot_ms"`
	BidsMS     float64 `json:"bids_ms"`
	SolveMS    float64 `json:"solve_ms"`
	ReleaseMS  float64 `json:"release_ms"`
	// Pending counts all held jobs, Window those that took part. WindowLimit and
	// BidLimit are the sizes that the policy allowed itself, which shrink after a
	// solution that ended at its time limit and grow back.
	Pending     int `json:"pending"`
	Window      int `json:"window"`
	WindowLimit int `json:"window_limit"`
	BidLimit    int `json:"bid_limit"`

	FreeCores int `json:"free_cores"`
	FreeGPUs  int `json:"free_gpus"`
	Bids      int `json:"bids"`
	// BidsCut counts the bids that a limit on bids removed.
	BidsCut int `json:"bids_cut"`
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
	NonZero int `json:"nonzeros"`
	// Solver is the solver's status word; Gap = (bound-objective)/objective,
	// negative when unknown.
	Solver    string  `json:"solver_status"`
	Gap       float64 `json:"gap"`
	Objective float64 `json:"objective"`
	// Phases are the stages of the last solve, in their order.
	Phases []SolverPhase `json:"solver_phases,omitempty"`
	// Rearranged counts the winners that were released for other nodes or cores
	// than the solution's, worth the same in the program's objective.
	Rearranged int `json:"rearranged,omitempty"`

	// Reserved is the overdue job that had a reservation, 0 without one.
	Reserved int `json:"reserved_job,omitempty"`

	Released []Release `json:"released,omitempty"`
	// Refused lists releases that Slurm refused, Reheld those that did not
	// start in time and were held again, Deferred winners left for a later
	// cycle because no release order gives them their planned cores.
	Refused  []Refusal `json:"refused,omitempty"`
	Reheld   []Refusal `json:"reheld,omitempty"`
	Deferred []Refusal `json:"deferred,omitempty"`
	// Unplaced lists held jobs that the agent cannot schedule, once each.
	Unplaced []Refusal `json:"unplaced,omitempty"`
	// Checked lists the placements verified in this cycle, released earlier.
	Checked []Placement `json:"checked,omitempty"`
}

// SolverPhase is one stage of a solve.
type SolverPhase struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"` // real
	// Work counts steps of the stage's own kind.
	Work int `json:"work"`
	// Objective and Bound are those after the stage; Bound is -1 while unknown.
	Objective float64 `json:"objective"`
	Bound     float64 `json:"bound"`
}

// Release is a winning bid that was handed to Slurm.
type Release struct {
	Job   int    `json:"job"` // the workload's job id
	Slurm int    `json:"slurm_id"`
	Class string `json:"class"` // bid class A, B, C or R; F for a program without bids
	Nodes string `json:"nodes"` // hostlist
	// Cores per node in node order, run-length coded as Slurm does: "4(x64),3".
	Cores string `json:"cores"`
	GPUs  int    `json:"gpus"` // per node
}

// Refusal names a job and the reason, in Slurm's words where it has any.
type Refusal struct {
	Job    int    `json:"job"`
	Reason string `json:"reason"`
}

// Placement compares what was planned for a started job with what Slurm did.
type Placement struct {
	Job   int  `json:"job"`
	Exact bool `json:"exact"`
	// Planned and Actual are set only where they differ.
	Planned string `json:"planned,omitempty"`
	Actual  string `json:"actual,omitempty"`
}
