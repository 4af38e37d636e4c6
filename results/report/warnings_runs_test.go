package report

import (
	"reflect"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

func run(foreign float64) metric.Result {
	core := 1
	return metric.Result{
		Data: trace.Data{Run: trace.Run{
			Status: trace.StatusComplete, Core: &core,
			Settings: trace.Settings{Policy: "fifo", SchedulerType: "sched/builtin", Clock: trace.ClockJump},
			Fidelity: &trace.Fidelity{RealSeconds: 100, ForeignSeconds: foreign},
		}},
		Metrics: &metric.Metrics{},
	}
}

// A core that others used for more than 2 % of the real time makes thinking times
// doubtful (docs/trust.md); the whole of the warnings is tested through the report.
func TestWarningsOfRun(t *testing.T) {
	if got := WarningsOfRun(run(2)); got != nil {
		t.Errorf("a quiet core: got %q", got)
	}
	want := []string{"The core was not quiet: other programs used 41.60 s of it and the hypervisor took 0 s, together 41.6 % of the real time. That counts as thinking of the cluster."}
	if got := WarningsOfRun(run(41.6)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	stopped := run(0)
	stopped.Run.Fidelity.Stops = []trace.Stop{{Process: "mariadbd", Seconds: 3, Boot: true}, {Process: "slurmctld", Seconds: 5}}
	if got, want := WarningsOfRun(stopped), []string{
		"mariadbd was stopped for 3 s of real time; the cluster was not ready for jobs yet, and took longer to boot.",
		"slurmctld was stopped for 5 s of real time; virtual time went on without it.",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	broken := run(0)
	broken.Run.Status, broken.Run.Reason = trace.StatusFailed, "slurmctld died"
	if got, want := WarningsOfRun(broken), []string{"The run is failed and has no metrics: slurmctld died"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Waits of jobs that never start are censored: "slurmlab metrics" names them, as "compare" does.
func TestWarnsOfCensoredWaits(t *testing.T) {
	r := run(0)
	never := 0
	r.Metrics.Jobs, r.Metrics.NeverStarted = 230, &never
	if got := WarningsOfRun(r); got != nil {
		t.Errorf("all jobs started: got %q", got)
	}
	never = 3
	if got, want := WarningsOfRun(r), []string{"3 jobs of 230 never started: their waits are censored, and in no mean and no quantile."}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Idle gaps, FGD and fragmentation are of whole GPUs: jobs with a part of one are counted.
func TestWarnsOfPartsOfGPUs(t *testing.T) {
	r := run(0)
	r.Run.Machine = workloads.Machine{Name: "S", Nodes: 4, Cores: 8, GPUs: 2}
	job := func(id int, nodes []int, o workloads.Options) trace.FinishedJob {
		return trace.FinishedJob{State: "COMPLETED", Allocated: nodes, Job: workloads.Job{ID: id, Cores: 32, Runtime: 60, Limit: 120, Options: o}}
	}
	one := []int{0}
	r.Jobs = []trace.FinishedJob{
		job(1, one, workloads.Options{Shards: 2}), job(2, one, workloads.Options{MPS: 50}), job(3, one, workloads.Options{}),
		job(4, nil, workloads.Options{Shards: 1}),
	}
	want := "The idle gaps, FGD and fragmentation of GPUs are unknown, as 2 started jobs had shards or MPS: Slurm does not tell of which GPU."
	if got := WarningsOfRun(r); !slices.Contains(got, want) {
		t.Errorf("got %q\nwant %q among them", got, want)
	}
}

// A warning names what came late, and says that the run counts as disturbed beyond the limit (issue 38, item 0).
func TestLateRuns(t *testing.T) {
	r := run(0)
	r.Run.RealSeconds, r.Run.Lateness, r.Run.ArrivalLagMax = 100, &trace.Lateness{}, 1.5
	r.Run.Lateness.Acted(trace.ActionCancel, trace.Late{Most: 1.5, Job: 7, Due: 80})
	want := []string{
		"1 of 1 cancellations were off by more than 1 s of virtual time; the worst: the cancellation of job 7, due at 80 s, came 1.5 s late.",
		"A job was submitted 1.500 s of virtual time after its arrival.",
	}
	if got := WarningsOfRun(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	r.Run.RealSeconds = 60
	want = append(want, "The run counts as disturbed: the cancellation of job 7, due at 80 s, came 1.5 s late, which is more than 2 % of the run's real time and more than 1 s.")
	if got := WarningsOfRun(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Nobody takes a run for undisturbed in which a daemon died (issue 15, line 7).
func TestRestarts(t *testing.T) {
	r := run(0)
	r.Run.Restarts = []trace.Restart{{Daemon: "slurmctld", How: "signal: killed", Time: 1234.5, Seconds: 0.4, RealSeconds: 0.4}}
	want := []string{"slurmctld died (signal: killed) 1234 s after the start of the run and was started again; it did not serve for 0.4 s of virtual time."}
	if got := WarningsOfRun(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// The numbers of a run from a checkpoint come with a note that a part of them is older than its settings.
func TestContinues(t *testing.T) {
	r := run(0)
	r.Run.Continues = &trace.Continued{Run: "past", Time: 600.02}
	if got := WarningsOfRun(r); got != nil {
		t.Errorf("under the settings of before: got %q", got)
	}
	r.Run.Continues.Changed = []string{"policy", "scheduler_type"}
	want := []string{"Up to 10 min 0 s the run went under other settings (policy, scheduler_type), and all its metrics are of both parts."}
	if got := WarningsOfRun(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Jobs that never wait for each other show no policy, before the run as after it.
func TestIdleMachine(t *testing.T) {
	r := run(0)
	r.Run.Machine = workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2}
	r.Jobs = []trace.FinishedJob{{State: "COMPLETED", Job: workloads.Job{ID: 1, Cores: 32, Runtime: 60, Limit: 120}}}
	r.Metrics.CPUUtilization, r.Metrics.Waiting.Mean = 0.03, 4.25
	want := []string{"3.0 % utilisation: the machine is idle; waiting (4.250 s on average) is the scheduler's cycle, and policies hardly differ."}
	if got := WarningsOfRun(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	want = []string{"At most 3.1 % utilisation: these jobs leave the machine idle; waiting will be the scheduler's cycle, and policies will hardly differ."}
	if got := WarningsOfJobs(r.Run.Machine, []workloads.Job{r.Jobs[0].Job}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	r.Jobs[0].Cores = 1024
	if got := WarningsOfRun(r); got != nil {
		t.Errorf("a machine in use: got %q", got)
	}
}

// Runs are compared for their policies, so the policy alone may differ without a word.
func TestWarningsOfRuns(t *testing.T) {
	a, b := run(0), run(0)
	b.Run.Policy = "backfill"
	if got := WarningsOfRuns([]metric.Result{a, b}); got != nil {
		t.Errorf("got %q", got)
	}
	b.Run.ThinkScale = 4
	want := []string{"The runs differ in think_scale: differences of their metrics may not come from the policies."}
	if got := WarningsOfRuns([]metric.Result{a, b}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// A job that runs until its limit, as Slurm rounds it, may be killed there.
func TestTightLimits(t *testing.T) {
	m := workloads.Machine{Name: "one", Nodes: 1, Cores: 1}
	jobs := []workloads.Job{{ID: 1, Cores: 1, Runtime: 59, Limit: 60}, {ID: 2, Cores: 1, Runtime: 90, Limit: 90}}
	if got := WarningsOfJobs(m, jobs); got != nil {
		t.Errorf("got %q", got)
	}
	jobs = append(jobs, workloads.Job{ID: 3, Cores: 1, Runtime: 120, Limit: 120}, workloads.Job{ID: 4, Cores: 1, Runtime: 60, Limit: 60})
	want := []string{"The run time is the time limit of 2 jobs (the first is job 3): Slurm kills a job that it finds at its limit, which is chance, and the run is failed then. A limit a minute longer avoids that."}
	if got := WarningsOfJobs(m, jobs); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}
