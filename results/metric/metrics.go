package metric

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// MeanStd is a mean and its population standard deviation.
type MeanStd struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

// ElapsedError is how far the execution of the jobs that ended as planned is from their run time, in seconds. It has
// how many of them are exact or at most a second off.
type ElapsedError struct {
	Mean         float64 `json:"mean"`
	Max          float64 `json:"max"`
	Exact        int     `json:"exact"`
	WithinSecond int     `json:"within_1s"`
}

// CycleCost is the real time, in seconds, that one pass of the scheduler
// thinks. nil (JSON null) is unknown: sdiag knows no percentile.
type CycleCost struct {
	Mean *float64 `json:"mean"`
	P99  *float64 `json:"p99"`
	Max  *float64 `json:"max"`
}

// PlacementCount says how many started jobs were compared with their plan and
// how many of them got exactly the planned nodes, cores and GPUs.
type PlacementCount struct {
	Checked int `json:"checked"`
	Exact   int `json:"exact"`
}

// CancelledPending counts the jobs whose users cancel them unless they start in time, and
// those that did not.
type CancelledPending struct {
	Jobs      int `json:"jobs"`
	Cancelled int `json:"cancelled"`
}

// Metrics is metrics.json. Measures defines each number.
type Metrics struct {
	// Name is the name of the run's directory; empty where it is unknown, as in metrics.json.
	Name          string `json:"-"`
	SchemaVersion int    `json:"schema_version"`
	Policy        string `json:"policy"`
	Workload      string `json:"workload"`
	Machine       string `json:"machine"`
	Seed          uint64 `json:"seed"`
	// Window is that of run.json, 0 for the whole workload.
	Window int `json:"window,omitempty"`
	// Backend is as in run.json.
	trace.Backend
	// Clock, TimeScale and ThinkScale are those of run.json: numbers of
	// different clocks are not comparable.
	Clock      string  `json:"clock"`
	TimeScale  float64 `json:"time_scale"`
	ThinkScale float64 `json:"think_scale"`
	// Speed is nil (JSON null) when RealSeconds is unknown, that is 0.
	RealSeconds float64  `json:"real_s"`
	Speed       *float64 `json:"speed"`
	// Completed counts the jobs that Slurm calls COMPLETED, Failed those that did not
	// end as planned although no event killed them.
	Jobs               int     `json:"jobs"`
	Completed          int     `json:"completed"`
	Failed             int     `json:"failed"`
	TheoreticalRuntime float64 `json:"theoretical_runtime_s"`
	LowerBound         float64 `json:"lower_bound_s"`
	Makespan           float64 `json:"makespan_s"`
	// Runtime is Makespan under the papers' name, for readers of files of older builds.
	Runtime        float64 `json:"runtime_s"`
	CPUUtilization float64 `json:"cpu_utilization"`
	GPUUtilization float64 `json:"gpu_utilization"`
	// ESPEfficiency is nil (JSON null) unless the workload has a published
	// minimum and all its jobs completed.
	ESPEfficiency *float64 `json:"esp_efficiency"`
	PerJob
	// GPUFragmentation is nil (JSON null) on a machine without GPUs and where jobs had parts of them,
	// UserFairness with fewer than two users.
	GPUFragmentation *GPUFragmentation `json:"gpu_fragmentation"`
	UserFairness     *float64          `json:"user_fairness"`
	Cycle            CycleCost         `json:"cycle_s"`
	// Placement is nil (JSON null) where Slurm's own scheduler places the jobs.
	Placement     *PlacementCount `json:"placement"`
	ElapsedError  ElapsedError    `json:"elapsed_error_s"`
	ArrivalLagMax float64         `json:"arrival_lag_max_s"`
	// CancelledPending is nil (absent) for a workload without such jobs.
	CancelledPending *CancelledPending `json:"cancelled_pending,omitempty"`
	// What follows is nil (absent) in files of older builds. WaitingQuantiles and SlowdownQuantiles are over the jobs that
	// count, the second of the bounded slowdown; both and AreaSlowdown are nil without such jobs.
	WaitingQuantiles  *Quantiles `json:"waiting_quantiles_s,omitempty"`
	SlowdownQuantiles *Quantiles `json:"bounded_slowdown_quantiles,omitempty"`
	AreaSlowdown      *float64   `json:"area_weighted_slowdown,omitempty"`
	CPUInUse          *float64   `json:"cpu_in_use,omitempty"`
	LostWork          *float64   `json:"lost_work,omitempty"`
	// NeverStarted counts the jobs whose waits are in no mean, because they have no end. Jobs that the workload cancels while
	// they wait are not among them: their waits end as planned.
	NeverStarted *int `json:"never_started,omitempty"`
	// BusySpan is nil where the queue never fills before the last submission.
	BusySpan *BusySpan `json:"busy_span,omitempty"`
	// Groups are the jobs divided in each of the ways of GroupBys.
	Groups []Group `json:"groups"`
}

// ClockText names the run's clock with its scale.
func (m Metrics) ClockText() string { return trace.ClockText(m.Clock, m.TimeScale, m.ThinkScale) }

// Compute computes the metrics of a complete run. jobs are all jobs of the run as trace.Join gives them. cycles are
// the agent's, and empty where Slurm schedules alone. sdiag is used for backfill only and may be nil (then the cost
// of a cycle is unknown, as it is under fifo). It is an error when the run is not complete, when jobs are missing or
// none, when the rows use more than the machine has, or when a job can never run on the machine. It is also an error
// when an agent's run has no cycles, or a run without agent has some.
func Compute(run trace.Run, jobs []trace.FinishedJob, cycles []trace.Cycle, stats *accounting.Sdiag) (Metrics, error) {
	m, err := compute(run, jobs, cycles, stats)
	if err != nil {
		return Metrics{}, fmt.Errorf("compute metrics of run %s: %w", run.ID, err)
	}
	return m, nil
}

func compute(run trace.Run, jobs []trace.FinishedJob, cycles []trace.Cycle, stats *accounting.Sdiag) (Metrics, error) {
	if run.Status != trace.StatusComplete {
		return Metrics{}, fmt.Errorf("it is %s: %s", run.Status, run.Reason)
	}
	if len(jobs) == 0 || len(jobs) != run.Jobs {
		return Metrics{}, fmt.Errorf("got %d jobs, the run has %d", len(jobs), run.Jobs)
	}
	if run.HasAgent() != (len(cycles) > 0) {
		return Metrics{}, fmt.Errorf("policy %s with %d agent cycles", run.Policy, len(cycles))
	}
	if err := checkCapacity(run.Machine, jobs); err != nil {
		return Metrics{}, err
	}
	workload := make([]workloads.Job, len(jobs))
	for i, j := range jobs {
		workload[i] = j.Job
	}
	bound, err := LowerBound(run.Machine, workload)
	if err != nil {
		return Metrics{}, err
	}
	length := makespan(jobs)
	if length <= 0 {
		return Metrics{}, errors.New("all jobs end when the first one is submitted")
	}
	placed, counted := trace.Started(jobs), trace.Counted(jobs)
	m := Metrics{
		SchemaVersion: trace.SchemaVersion,
		Policy:        run.Policy, Workload: run.Workload, Machine: run.Machine.Name,
		Seed: run.Seed, Window: run.Window, Backend: run.Backend, Clock: run.Clock, TimeScale: run.TimeScale, ThinkScale: run.ThinkScale,
		RealSeconds: run.RealSeconds, Speed: speed(length, run.RealSeconds),
		Jobs:               len(jobs),
		Completed:          count(jobs, trace.FinishedJob.Completed),
		Failed:             count(jobs, trace.FinishedJob.Lost),
		TheoreticalRuntime: theoreticalRuntime(run.Machine, workload),
		LowerBound:         bound,
		Makespan:           length,
		Runtime:            length,
		CPUUtilization:     cpuUtilization(run.Machine, workload, length),
		GPUUtilization:     gpuUtilization(run.Machine, placed, length),
		ESPEfficiency:      espEfficiency(run, jobs, length),
		PerJob:             perJob(run.Machine, counted),
		GPUFragmentation:   gpuFragmentation(run.Machine, jobs, length),
		UserFairness:       Served(counted).Fairness,
		Groups:             groups(run.Machine, jobs),
		CancelledPending:   cancelledPending(jobs),
		ElapsedError:       elapsedError(jobs),
		ArrivalLagMax:      run.ArrivalLagMax,
	}
	m.spread(run.Machine, jobs, counted)
	switch {
	case run.HasAgent():
		m.Cycle = agentCycle(cycles)
		if !run.Backfilled() {
			m.Placement = placement(cycles)
		}
	case run.Backfilled():
		m.Cycle = backfillCycle(run, stats)
	}
	return m, nil
}

// spread fills in what says more of the jobs than means over all of them and over the whole run.
func (m *Metrics) spread(on workloads.Machine, jobs, counted []trace.FinishedJob) {
	m.WaitingQuantiles = quantiles(each(counted, trace.FinishedJob.TotalWait))
	m.SlowdownQuantiles = quantiles(each(counted, boundedSlowdown))
	m.AreaSlowdown = areaSlowdown(counted)
	first := slices.MinFunc(jobs, func(a, b trace.FinishedJob) int { return cmp.Compare(a.Submit, b.Submit) }).Submit
	cpu, _ := inUse(on, jobs, first, first+m.Makespan)
	lost, never := lostWork(trace.Started(jobs)), count(jobs, neverStarted)
	m.CPUInUse, m.LostWork, m.NeverStarted = &cpu, &lost, &never
	m.BusySpan = FindBusySpan(on, jobs)
}

// neverStarted says that a job ended without a start that its workload plans.
func neverStarted(j trace.FinishedJob) bool {
	return !j.Started() && j.Outcome != workloads.CancelledPending
}

// Write writes metrics.json: keys in the order of Metrics, numbers with as many
// digits as they need to be read back unchanged.
func Write(w io.Writer, m Metrics) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	if err := out.Encode(m); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}
