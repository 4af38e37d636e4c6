package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

func machine() workloads.Machine { return workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2} }

// completeRun makes a run of jobs of whole nodes, placed in the order of their
// arrival on the nodes that are free soonest. Gap seconds are lost before each
// start, which makes a policy worse.
func completeRun(t rapid.TB, id, policy string, jobs int, gap float64) metric.Result {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	m := machine()
	freeAt := make([]float64, m.Nodes)
	run := metric.Result{Path: "runs/" + id, Data: trace.Data{Workload: []byte("workload")}}
	for i := range jobs {
		j := trace.FinishedJob{State: "COMPLETED", SlurmID: 1000 + i, Submit: float64(10 * i)}
		j.ID, j.Arrival = i+1, 10*i
		j.Nodes, j.Runtime, j.Cores = 1<<r.IntN(6), 60+r.IntN(540), 0
		j.Cores = j.Nodes * m.Cores
		if r.IntN(2) == 0 {
			j.GPUsMin, j.GPUsMax = 2, 2
			j.AllocGPUs = 2 * j.Nodes
		}
		first := 0
		best := -1.0
		for n := 0; n+j.Nodes <= m.Nodes; n += j.Nodes {
			latest := 0.0
			for _, f := range freeAt[n : n+j.Nodes] {
				latest = max(latest, f)
			}
			if best < 0 || latest < best {
				first, best = n, latest
			}
		}
		j.Start = max(j.Submit, best) + gap
		j.Finish = j.Start + float64(j.Runtime)
		j.AllocCores = j.Cores
		for n := first; n < first+j.Nodes; n++ {
			j.Allocated = append(j.Allocated, n)
			freeAt[n] = j.Finish
		}
		run.Jobs = append(run.Jobs, j)
	}
	run.Run = trace.Run{
		SchemaVersion: trace.SchemaVersion, ID: id,
		Settings: trace.Settings{
			ToolVersion: "0.1.0", GitRevision: "abc123",
			ImageID: "sha256:feedface", Backend: trace.Backend{Form: "frontend", Series: "24.11"}, SlurmVersion: "24.11.5", HiGHSVersion: "1.10.0",
			Machine: m, Workload: "V.2", WorkloadSpec: json.RawMessage(`{"name":"V.2","jobs":200}`), Seed: 1,
			Policy: policy, Parameters: json.RawMessage(`{"interval_s":5}`), Clock: trace.ClockScaled, TimeScale: 20, ThinkScale: 1,
			PriorityType: "priority/multifactor", PriorityParameters: "PriorityWeightAge=10080",
			SlurmSettings: map[string]string{"OverTimeLimit": "5", "EnforcePartLimits": "ALL"},
		},
		Status:  trace.StatusComplete,
		Started: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC), Finished: time.Date(2025, 1, 2, 3, 14, 5, 0, time.UTC),
		RealSeconds: 600, ArrivalLagMax: 1, Jobs: jobs, Submitted: jobs,
	}
	if policy == "backfill" {
		run.Run.Parameters = json.RawMessage("{}")
		run.Run.SchedulerType, run.Run.SchedulerParameters = "sched/backfill", "bf_continue,bf_interval=30"
		run.Sdiag = &accounting.Sdiag{
			Cycles: 321, MeanMicros: 40000, MaxMicros: 90000, Exits: []accounting.SdiagExit{{Reason: "End of job queue", Count: 321}, {Reason: "Timeout (bf_max_time)"}},
		}
	} else {
		run.Cycles = cyclesOf(run.Jobs)
	}
	compute(t, &run)
	return run
}

// underJumpClock turns a run into one of 300 real seconds under a quiet jump
// clock.
func underJumpClock(r *metric.Result) {
	core := 1
	run := &r.Run
	run.Clock, run.TimeScale, run.Core, run.RealSeconds = trace.ClockJump, 1, &core, 300
	run.Fidelity = &trace.Fidelity{
		RealSeconds: 300, VirtualSeconds: 12_000, ForeignSeconds: 0.5, StolenSeconds: 0.25,
		BusySeconds: map[string]float64{"mariadbd": 1.5, "slurmctld": 240, "other": 4.5, "vclockd": 30, "slurmd": 1.5},
		Jump: &trace.JumpFidelity{
			Jumps: 101_700, SkippedSeconds: 11_700, IdleTests: 102_436, CaughtRunning: 23, CaughtBlocked: 713,
			LongestBusySeconds: 2.25, LongestBusyAt: 1234,
			Rounded: map[string]float64{"acctg_prof": 10}, Sources: []trace.JumpSource{{Thread: "acctg_prof", Kind: "cond", Jumps: 74_241}},
		},
	}
}

func compute(t rapid.TB, r *metric.Result) {
	t.Helper()
	m, err := metric.Compute(r.Run, r.Jobs, r.Cycles, r.Sdiag)
	if err != nil {
		t.Fatal(err)
	}
	r.Metrics = &m
	r.Run.Lateness = r.Run.LatenessOf(r.Jobs)
}

// cyclesOf makes a cycle per job that releases it, and one more that checks
// the last one.
func cyclesOf(jobs []trace.FinishedJob) []trace.Cycle {
	var out []trace.Cycle
	for i := range len(jobs) + 1 {
		c := trace.Cycle{
			Cycle: i + 1, Time: float64(10 * i), SnapshotMS: 20, BidsMS: 1.5, SolveMS: float64(i), ReleaseMS: 4,
			Pending: len(jobs) - i, Window: 20, Bids: 40, Rows: 60, Columns: 40, NonZero: 900, Solver: "optimal",
			FreeCores: 512, FreeGPUs: 64, Gap: 0.01,
		}
		if i == 0 {
			c.Gap = -1
		}
		if i < len(jobs) {
			c.Released = []trace.Release{{Job: jobs[i].ID, Class: []string{"A", "B", "C"}[i%3], Nodes: fmt.Sprintf("n%d", i%128+1)}}
		}
		if i > 0 {
			c.Checked = []trace.Placement{{Job: jobs[i-1].ID, Exact: true}}
		}
		out = append(out, c)
	}
	return out
}

func incompleteRun(id, policy string, status trace.Status, reason string) metric.Result {
	return metric.Result{Path: "runs/" + id, Data: trace.Data{Run: trace.Run{
		SchemaVersion: trace.SchemaVersion, ID: id, Status: status, Reason: reason, Jobs: 200, Submitted: 17,
		Settings: trace.Settings{
			Policy: policy, Workload: "V.2", Machine: machine(), Seed: 1,
			ToolVersion: "0.1.0", GitRevision: "abc123", ImageID: "sha256:feedface", Backend: trace.Backend{Form: "frontend", Series: "24.11"}, SlurmVersion: "24.11.5",
			HiGHSVersion: "1.10.0", Clock: trace.ClockScaled, TimeScale: 20, ThinkScale: 1,
		},
	}}}
}

func pair(t *testing.T) Input {
	t.Helper()
	return Input{
		Title: "Backfill or auction?",
		Runs:  []metric.Result{completeRun(t, "r1", "backfill", 200, 60), completeRun(t, "r2", "auction", 200, 0)},
	}
}
