package trace

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
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
	// was read back from sacct. Every one ended as planned, or Run.FailedJobs tells
	// of those that did not and were allowed to.
	StatusComplete Status = "complete"
	// StatusIncomplete means that the run was stopped before its end.
	StatusIncomplete Status = "incomplete"
	// StatusFailed means that a part of the run broke, or that jobs did not end as
	// planned.
	StatusFailed Status = "failed"
)

// Run is run.json: everything needed to repeat the run and to trust its
// numbers. What was asked of the run is in Settings, all other fields are what
// came of it.
type Run struct {
	SchemaVersion int    `json:"schema_version"`
	ID            string `json:"id"`
	Settings
	// SlurmSources are what Slurm was made from: "package NAME VERSION sha256:SUM" for
	// each package that was installed, or "tarball NAME sha256:SUM" for the one that was
	// compiled. They are nil in runs that do not say.
	SlurmSources []string `json:"slurm_sources,omitempty"`
	// EffectiveSettings are the lines of slurm.conf of the policy as the booted Slurm showed
	// them (scontrol show config), by key; nil in runs that do not say.
	EffectiveSettings map[string]string `json:"effective_settings,omitempty"`
	// Engine is the Docker engine that ran the cluster, of a campaign over several; nil for the one of the environment, and
	// for other runtimes.
	Engine *Engine `json:"engine,omitempty"`
	// Program is the program of a policy "exec:FILE" or "host:FILE"; nil under another policy, and in runs that kept none.
	Program *KeptProgram `json:"program,omitempty"`
	// Core is the processor core that the cluster was confined to; nil for none.
	Core   *int   `json:"core,omitempty"`
	Status Status `json:"status"`
	// Reason says why a run is not complete; empty for a complete one.
	Reason string `json:"reason,omitempty"`
	// Ended says that every job ended in Slurm and is accounted for. Such a run may
	// still become complete, see lab.Finish.
	Ended bool `json:"jobs_ended,omitempty"`
	// Container is the id of the container that has the files of a run that has ended,
	// until they are copied; empty for none.
	Container string `json:"container,omitempty"`
	// FailedJobs are nil if all jobs ended as planned, and in runs that did not look.
	FailedJobs *FailedJobs `json:"failed_jobs,omitempty"`
	// Started and Finished are real time, RealSeconds the time between the
	// first submission and the last job's end on the wall clock.
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"`
	RealSeconds float64   `json:"real_s"`
	// ArrivalLagMax is the largest delay, in virtual seconds, between a job's
	// arrival in the workload and its Submit time in Slurm.
	ArrivalLagMax float64 `json:"arrival_lag_max_s"`
	// Lateness is nil in runs that recorded none. Reading the run's accounting recomputes its Ends.
	Lateness  *Lateness `json:"lateness,omitempty"`
	Jobs      int       `json:"jobs"`
	Submitted int       `json:"submitted"`
	// Cycles counts the agent's, which are in cycles.jsonl; 0 without an agent, and in runs that do not say.
	Cycles int `json:"cycles,omitempty"`
	// MariaDBVersion is the version of the database behind the accounting, empty where it is not known. It follows from the
	// image, as HiGHSVersion does.
	MariaDBVersion string `json:"mariadb_version,omitempty"`
	// MemoryBytes is the largest sum of what the cluster's programs and its files in memory took, by looks twice a
	// second. It is 0 where the kernel did not say, and in runs that do not.
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	// Stages are the real times around what RealSeconds has; nil in runs that do not say.
	Stages *Stages `json:"stages,omitempty"`
	// Restarts are the daemons of the cluster that died during the run and were started
	// again, in their order.
	Restarts []Restart `json:"restarts,omitempty"`
	// Happened are the events that were carried out, in their order.
	Happened []Happened `json:"happened,omitempty"`
	// Victims are the jobs that events killed; nil if there are none.
	Victims *FailedJobs `json:"victims,omitempty"`
	// Fidelity is how well virtual time was kept; nil in a run that broke
	// before it could be read.
	Fidelity *Fidelity `json:"fidelity,omitempty"`
}

// Engine is a Docker engine: its address as DOCKER_HOST has it, and the name of its machine.
type Engine struct {
	Host    string `json:"host"`
	Machine string `json:"machine"`
}

// Stages are real seconds of what slurmlab does before the first submission and after the last job. Create makes the
// container, Boot starts the cluster in it, Collect fetches the files and removes the container.
type Stages struct {
	Create  float64 `json:"create_s"`
	Boot    float64 `json:"boot_s"`
	Collect float64 `json:"collect_s"`
}

// Fidelity is the proof that a run's virtual time can be trusted. Everything is
// counted between the run's start and the end of its last job; seconds are
// real unless they say virtual.
type Fidelity struct {
	RealSeconds    float64 `json:"real_s"`
	VirtualSeconds float64 `json:"virtual_s"`
	// BusySeconds is the processor time of each part of the cluster: mariadbd, slurmdbd, slurmctld, slurmd or runner,
	// slurmlabd, vclockd, and the processes that slurmlabd has as long as it lives. The latter are slurmchannel,
	// scontrol, and slurmlabd solver-worker with workers that were killed at their limit. "other" is all the rest
	// (job steps, payloads, clients of Slurm).
	BusySeconds map[string]float64 `json:"busy_s"`
	// ForeignSeconds is the processor time that others used on the cluster's core, StolenSeconds what the hypervisor
	// took. Both are charged to virtual time as if the cluster had computed, so both should be near 0. They are
	// counted in ticks of the kernel, and 0 for a cluster without a core of its own.
	ForeignSeconds float64 `json:"foreign_s"`
	StolenSeconds  float64 `json:"stolen_s"`
	// Stops are the processes of the cluster that somebody stopped, by name.
	Stops []Stop `json:"stops,omitempty"`
	// Jump is set under the jump clock only.
	Jump *JumpFidelity `json:"jump,omitempty"`
}

// Stop is for how many real seconds a process was stopped by a signal or, as slurmlabd
// with its whole container, did not run at all.
type Stop struct {
	Process string  `json:"process"`
	Seconds float64 `json:"real_s"`
	// Boot says that this was before the run, while the cluster booted.
	Boot bool `json:"boot,omitempty"`
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
	// Standstills counts the times in which the clock did not jump for 20 real seconds
	// or more although the cluster did not compute; it ran at the speed of real time.
	Standstills int `json:"standstills"`
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

// FinishedJob is one job of a run: workload row and accounting row put together. Its user
// is the workload's, and without one whom Slurm accounts the job to.
// Times are virtual seconds since the first submission of the run.
type FinishedJob struct {
	workloads.Job
	SlurmID int
	// SlurmPartition, SlurmAccount and SlurmQOS are where Slurm accounts the job, "" where the run does not say.
	SlurmPartition, SlurmAccount, SlurmQOS string
	State                                  string
	Submit                                 float64
	Start                                  float64
	Finish                                 float64
	// Allocated are the 0-based indices of the nodes, ascending.
	Allocated []int
	// AllocCores is the number of cores over all nodes, AllocGPUs the number
	// of GPUs over all nodes.
	AllocCores int
	AllocGPUs  int
	// AllocTypes are the GPUs whose type the accounting tells, by type in the order of their names; nil where it tells none.
	AllocTypes []layout.GPU
	// Victim says that an event of the run killed the job: one of its nodes went down.
	Victim bool
}

// Started says whether the job ran, whatever became of it.
func (j FinishedJob) Started() bool { return len(j.Allocated) > 0 }

// Completed says whether the job ended as Slurm's COMPLETED.
func (j FinishedJob) Completed() bool { return j.State == "COMPLETED" }

// accountedSecond is by how much a time between two instants of accounting, in whole
// seconds, may be too short.
const accountedSecond = 1

// AsPlanned says whether the job ended as its workload plans (workloads.Job.Outcome): in
// that state, and not before its time. How exact the times are, is a metric.
func (j FinishedJob) AsPlanned() bool {
	if j.State != j.Outcome.State() {
		return false
	}
	switch j.Outcome {
	case workloads.Failed, workloads.Cancelled, workloads.OutOfMemory:
		return j.Started() && j.Execution()+accountedSecond >= float64(j.Expected())
	case workloads.CancelledPending:
		// What started was cancelled because of that.
		return j.Started() || j.Finish-j.Submit+accountedSecond >= float64(j.CancelAfter)
	case workloads.Completed, workloads.Timeout:
	}
	return true
}

// Lost says that the job neither ended as planned nor was killed by an event.
func (j FinishedJob) Lost() bool { return !j.AsPlanned() && !j.Victim }

// Timed says whether the job ended as planned at the end of its run time, to the second
// where the emulation is exact. At a time limit Slurm looks at intervals only.
func (j FinishedJob) Timed() bool {
	return j.AsPlanned() && j.Outcome != workloads.Timeout && j.Outcome != workloads.CancelledPending
}

// Counted says whether the job counts in means over jobs: if it started, and was to run, and no event killed it.
// A job that ran already when the workload began is load, and none that the policy started.
// Which jobs are cancelled before they start depends on the policy, while means must be
// over the same jobs. The run time of a job that an event killed is the event's.
func (j FinishedJob) Counted() bool {
	return j.Started() && j.Outcome != workloads.CancelledPending && !j.Victim && j.Ran == 0
}

// Waiting is start - submission in seconds, of a job that started. AUCSCHED 6.2:
// "The waiting time of each job in the workload, from submission until
// scheduling."
func (j FinishedJob) Waiting() float64 { return j.Start - j.Submit }

// TotalWait is Waiting, and what the job had waited when the workload began.
func (j FinishedJob) TotalWait() float64 { return j.Waiting() + float64(j.Waited) }

// Execution is end - start in seconds, of a job that started.
func (j FinishedJob) Execution() float64 { return j.Finish - j.Start }

// Started returns the jobs that ran, in their order.
func Started(jobs []FinishedJob) []FinishedJob {
	var ran []FinishedJob
	for _, j := range jobs {
		if j.Started() {
			ran = append(ran, j)
		}
	}
	return ran
}

// Counted returns the jobs that count in means over jobs, in their order.
func Counted(jobs []FinishedJob) []FinishedJob {
	return slices.DeleteFunc(slices.Clone(jobs), func(j FinishedJob) bool { return !j.Counted() })
}

// GPUsPerNode is the number of GPUs on each allocated node, 0 for a job that
// never started.
func (j FinishedJob) GPUsPerNode() int {
	if len(j.Allocated) == 0 {
		return 0
	}
	return j.AllocGPUs / len(j.Allocated)
}

// Expected is the run time in seconds that the job should have had on the GPUs
// that it got (workloads.Job.RuntimeOn).
func (j FinishedJob) Expected() int { return j.RuntimeOn(j.GPUsPerNode()) }
