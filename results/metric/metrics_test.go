package metric

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// One job that fills the machine at once: every ratio is 1 and every wait 0.
func TestOneJob(t *testing.T) {
	m, err := Compute(backfillRun(1), []trace.FinishedJob{wholeJob(machineS(), 1, 0, 0, 100)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, zero := MeanStd{Mean: 1}, MeanStd{}
	nothing, whole, never := 0.0, 1.0, 0
	perJob := PerJob{
		Waiting: zero, Slowdown: one, BoundedSlowdown: one, Turnaround: MeanStd{Mean: 100}, Fragmentation: one, Spread: one, Packing: one,
	}
	want := Metrics{
		SchemaVersion: 1, Policy: "backfill", Workload: "W", Machine: "S", Seed: 7, Clock: "scaled", TimeScale: 20, ThinkScale: 1,
		Jobs: 1, Completed: 1, TheoreticalRuntime: 100, LowerBound: 100, Makespan: 100, Runtime: 100,
		CPUUtilization: 1, GPUUtilization: 1, PerJob: perJob, ArrivalLagMax: 4,
		GPUFragmentation: &GPUFragmentation{Blocks: 1},
		ElapsedError:     ElapsedError{Exact: 1, WithinSecond: 1},
		WaitingQuantiles: &Quantiles{}, SlowdownQuantiles: &Quantiles{1, 1, 1, 1},
		AreaSlowdown: &whole, CPUInUse: &whole, LostWork: &nothing, NeverStarted: &never,
		Groups: []Group{
			{By: "type", Name: "whole", Jobs: 1, Started: 1, PerJob: perJob},
			{By: "gpu", Name: "with GPUs", Jobs: 1, Started: 1, PerJob: perJob},
			{By: "contiguity", Name: "anywhere", Jobs: 1, Started: 1, PerJob: perJob},
			{By: "size", Name: "≤ 1/1", Jobs: 1, Started: 1, PerJob: perJob},
			{By: "partition", Name: "default", Jobs: 1, Started: 1, PerJob: perJob},
			{By: "account", Name: "default", Jobs: 1, Started: 1, PerJob: perJob},
			{By: "user", Name: "default", Jobs: 1, Started: 1, PerJob: perJob},
		},
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
}

// A whole-machine job starts in the second in which another one ends: the two
// do not overlap and the machine is always full.
func TestSameInstantEndAndStart(t *testing.T) {
	s := machineS()
	jobs := []trace.FinishedJob{wholeJob(s, 1, 0, 0, 100), wholeJob(s, 2, 0, 100, 400)}
	m, err := Compute(backfillRun(2), jobs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Makespan != 400 || m.CPUUtilization != 1 || m.GPUUtilization != 1 || m.LowerBound != 400 {
		t.Errorf("got %+v", m)
	}
	// Waits 0 and 100: mean 50, and 50 from it on either side.
	if m.Waiting != (MeanStd{50, 50}) || m.Turnaround != (MeanStd{250, 150}) {
		t.Errorf("waiting %v, turnaround %v", m.Waiting, m.Turnaround)
	}
	// 100/100 and 400/300.
	if !near(m.Slowdown.Mean, 7.0/6) || !near(m.Slowdown.Std, 1.0/6) {
		t.Errorf("slowdown %v", m.Slowdown)
	}
	series := NewSeries(machineS(), jobs)
	if want := []Point{{0, 1024}, {400, 0}}; !reflect.DeepEqual(series.UsedCores, want) {
		t.Errorf("used cores %v, want %v", series.UsedCores, want)
	}
	if want := []Point{{0, 1}, {100, 0}}; !reflect.DeepEqual(series.Queue, want) {
		t.Errorf("queue %v, want %v", series.Queue, want)
	}
}

// AUCSCHED 6.2 on one job: "from submission until scheduling", "turnaround time
// to execution time".
func TestPerJobMetrics(t *testing.T) {
	job := func(submit, start, finish float64) trace.FinishedJob {
		return trace.FinishedJob{Submit: submit, Start: start, Finish: finish}
	}
	tests := []struct {
		name                                     string
		job                                      trace.FinishedJob
		waiting, turnaround, slowdown, boundedSl float64
	}{
		{"no wait", job(5, 5, 25), 0, 20, 1, 1},
		{"wait as long as the run", job(0, 20, 40), 20, 40, 2, 2},
		{"short job", job(0, 20, 22), 20, 22, 11, 2.2},
		{"short job without wait", job(0, 0, 2), 0, 2, 1, 1},
		{"ended in the second of its start", job(0, 30, 30), 30, 30, 30, 3},
	}
	for _, test := range tests {
		got := []float64{test.job.Waiting(), turnaround(test.job), Slowdown(test.job), boundedSlowdown(test.job)}
		want := []float64{test.waiting, test.turnaround, test.slowdown, test.boundedSl}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", test.name, got, want)
		}
	}
}

// AUCSCHED 6.2: "Number of contiguous node blocks", "ratio of difference between
// the indices of the last and first nodes plus one to the number of nodes".
func TestPlacementMetrics(t *testing.T) {
	tests := []struct {
		nodes         []int
		fragmentation int
		spread        float64
	}{
		{nil, 0, 0},
		{[]int{7}, 1, 1},
		{[]int{0, 1, 2}, 1, 1},
		{[]int{0, 2}, 2, 1.5},
		{[]int{0, 1, 5, 6, 9}, 3, 2},
	}
	for _, test := range tests {
		if f, s := Fragmentation(test.nodes), Spread(test.nodes); f != test.fragmentation || s != test.spread {
			t.Errorf("%v: got %d, %g, want %d, %g", test.nodes, f, s, test.fragmentation, test.spread)
		}
	}
}

// IPSCHED section VI: "the ratio of the actual number of allocated nodes to the
// minimum number of nodes that could be allocated."
func TestPacking(t *testing.T) {
	tests := []struct {
		name string
		job  workloads.Job
		on   int
		want float64
	}{
		{"fewest", workloads.Job{Cores: 16}, 2, 1},
		{"rounded up", workloads.Job{Cores: 17}, 3, 1},
		{"spread thin", workloads.Job{Cores: 16}, 16, 8},
		{"named nodes", workloads.Job{Cores: 16, Nodes: 16}, 16, 1},
		{"limited cores per node", workloads.Job{Cores: 16, CoresPerNode: 2}, 8, 1},
		{"GPUs need no further node", workloads.Job{Cores: 16, GPUsMin: 2, GPUsMax: 2}, 4, 2},
	}
	for _, test := range tests {
		job := trace.FinishedJob{Job: test.job, Allocated: indices(test.on)}
		if got := Packing(machineS(), job); got != test.want {
			t.Errorf("%s: got %g, want %g", test.name, got, test.want)
		}
	}
}

func TestComputeRefuses(t *testing.T) {
	s := machineS()
	tests := []struct {
		name string
		edit func(run *trace.Run, jobs *[]trace.FinishedJob, cycles *[]trace.Cycle)
		want string
	}{
		{"incomplete", func(r *trace.Run, _ *[]trace.FinishedJob, _ *[]trace.Cycle) {
			r.Status, r.Reason = trace.StatusIncomplete, "interrupted"
		}, "it is incomplete: interrupted"},
		{"failed", func(r *trace.Run, _ *[]trace.FinishedJob, _ *[]trace.Cycle) {
			r.Status, r.Reason = trace.StatusFailed, "no slurmctld"
		}, "it is failed"},
		{"a job missing", func(_ *trace.Run, j *[]trace.FinishedJob, _ *[]trace.Cycle) { *j = (*j)[:1] }, "got 1 jobs, the run has 2"},
		{"no jobs", func(r *trace.Run, j *[]trace.FinishedJob, _ *[]trace.Cycle) { *j, r.Jobs = nil, 0 }, "got 0 jobs"},
		{"agent without cycles", func(r *trace.Run, _ *[]trace.FinishedJob, _ *[]trace.Cycle) {
			r.Policy, r.Parameters = "auction", []byte(`{"window": 500}`)
		}, "policy auction with 0 agent cycles"},
		{"fifo with cycles", func(r *trace.Run, _ *[]trace.FinishedJob, c *[]trace.Cycle) {
			r.Policy, r.SchedulerType, *c = "fifo", "sched/builtin", make([]trace.Cycle, 1)
		}, "policy fifo with 1 agent cycles"},
		{"backfill with cycles", func(_ *trace.Run, _ *[]trace.FinishedJob, c *[]trace.Cycle) { *c = make([]trace.Cycle, 1) }, "policy backfill with 1 agent cycles"},
		{"overlap", func(_ *trace.Run, j *[]trace.FinishedJob, _ *[]trace.Cycle) { (*j)[1].Start = 99 }, "2048 cores are in use at 99 s, machine S has 1024"},
		{"too many GPUs", func(_ *trace.Run, j *[]trace.FinishedJob, _ *[]trace.Cycle) { (*j)[0].AllocGPUs = 300 }, "300 GPUs are in use at 0 s, machine S has 256"},
		{"a node twice", func(_ *trace.Run, j *[]trace.FinishedJob, _ *[]trace.Cycle) {
			(*j)[0].Allocated, (*j)[0].AllocCores, (*j)[0].AllocGPUs = []int{3}, 4, 1
			(*j)[1].Allocated, (*j)[1].AllocCores, (*j)[1].AllocGPUs, (*j)[1].Start = []int{3}, 4, 2, 99
		}, "3 GPUs are in use on node n4 of machine S at 99 s, it has 2"},
		{"impossible job", func(_ *trace.Run, j *[]trace.FinishedJob, _ *[]trace.Cycle) { (*j)[0].GPUsMin = 3 }, "job 1 needs 3 GPUs per node"},
		{"no time", func(_ *trace.Run, j *[]trace.FinishedJob, _ *[]trace.Cycle) {
			for i := range *j {
				(*j)[i] = trace.FinishedJob{Job: (*j)[i].Job, State: "CANCELLED", Start: trace.NeverStarted}
			}
		}, "all jobs end when the first one is submitted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := backfillRun(2)
			jobs := []trace.FinishedJob{wholeJob(s, 1, 0, 0, 100), wholeJob(s, 2, 0, 100, 400)}
			var cycles []trace.Cycle
			test.edit(&run, &jobs, &cycles)
			got, err := Compute(run, jobs, cycles, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || !reflect.DeepEqual(got, Metrics{}) {
				t.Errorf("got %+v, %v, want an error with %q", got, err, test.want)
			}
		})
	}
}

// A run in which no job starts has no mean over jobs, instead of the shortest wait of all: each measure of jobs is unknown, in
// the busy span too.
func TestNoJobStarts(t *testing.T) {
	s := machineS()
	var jobs []trace.FinishedJob
	for id, submit := range []int{0, 10, 20} {
		j := wholeJob(s, id+1, submit, submit, submit+100)
		jobs = append(jobs, trace.FinishedJob{Job: j.Job, State: "CANCELLED", Submit: float64(submit), Start: trace.NeverStarted, Finish: 1000})
	}
	m, err := Compute(backfillRun(3), jobs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, measure := range append(jobMeasures(), spreadMeasures()...) {
		got, known := measure.Value(m)
		want, has := map[string]float64{
			"cpu_in_use": 0, "lost_work": 0, "never_started": 3, "busy_span.from_s": 10, "busy_span.to_s": 20, "busy_span.cpu_in_use": 0, "busy_span.gpu_in_use": 0,
		}[measure.Key]
		if known != has || got != want {
			t.Errorf("%s: got %g (known: %v), want %g (%v)", measure.Key, got, known, want, has)
		}
	}
}

// The busy span begins where cores or GPUs get short, whenever the policy starts the jobs.
func TestBusySpanIsOfTheWorkload(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 2, Cores: 8, GPUs: 2}
	job := func(id, submit, runtime, cores, gpus int, waits float64) trace.FinishedJob {
		start := float64(submit) + waits
		return trace.FinishedJob{
			Job:   workloads.Job{ID: id, Runtime: runtime, Nodes: 1, Cores: cores, CoresPerNode: cores, GPUsMin: gpus, GPUsMax: gpus},
			State: "COMPLETED", Submit: float64(submit), Start: start, Finish: start + float64(runtime), Allocated: []int{0}, AllocCores: cores, AllocGPUs: gpus,
		}
	}
	for _, c := range []struct {
		name string
		jobs [4][4]int // submission, run time, cores, GPUs
		want float64   // -1 for no span
	}{
		{"cores", [4][4]int{{0, 100, 8, 0}, {10, 100, 8, 0}, {20, 100, 1, 0}, {30, 10, 1, 0}}, 20},
		{"GPUs alone", [4][4]int{{0, 100, 1, 2}, {10, 100, 1, 2}, {20, 100, 1, 1}, {30, 10, 1, 0}}, 20},
		{"all fit", [4][4]int{{0, 100, 8, 2}, {10, 100, 8, 2}, {110, 100, 8, 2}, {120, 10, 1, 0}}, -1},
		{"from the last on", [4][4]int{{0, 100, 8, 0}, {10, 100, 4, 0}, {20, 100, 4, 0}, {30, 10, 1, 0}}, -1},
	} {
		for _, waits := range []float64{0, 1000} {
			var jobs []trace.FinishedJob
			for i, j := range c.jobs {
				jobs = append(jobs, job(i+1, j[0], j[1], j[2], j[3], waits))
			}
			span, in := FindBusySpan(m, jobs), 0
			for _, g := range groups(m, jobs) {
				if g.By == "busy-span" {
					in += g.Jobs
				}
			}
			if c.want < 0 && (span != nil || in > 0) || c.want >= 0 && (span == nil || span.From != c.want || in != len(jobs)) {
				t.Errorf("%s, waits of %g s: %+v, %d jobs in groups, want from %g s", c.name, waits, span, in, c.want)
			}
		}
	}
}

// NIST/SEMATECH e-Handbook 7.2.6.2 names the nearest rank: the least value that so many of 100 values do not exceed.
func TestQuantiles(t *testing.T) {
	for n, want := range map[int]Quantiles{1: {1, 1, 1, 1}, 2: {1, 2, 2, 2}, 20: {10, 19, 20, 20}, 100: {50, 95, 99, 100}, 101: {51, 96, 100, 101}, 200: {100, 190, 198, 200}} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(n - i)
		}
		if got := quantiles(values); *got != want {
			t.Errorf("%d values: got %+v, want %+v", n, *got, want)
		}
	}
	if got := quantiles(nil); got != nil {
		t.Errorf("no values: got %+v", *got)
	}
}

// A job that was cancelled in the queue counts as failed and in no mean.
func TestNeverStartedJob(t *testing.T) {
	jobs := []trace.FinishedJob{wholeJob(machineS(), 1, 0, 0, 100), {
		Job: workloads.Job{ID: 2, Runtime: 10, Cores: 1}, State: "CANCELLED", Start: trace.NeverStarted, Finish: 50,
	}}
	m, err := Compute(backfillRun(2), jobs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Failed != 1 || *m.NeverStarted != 1 || m.Completed != 1 || m.Waiting != (MeanStd{}) || m.Fragmentation != (MeanStd{Mean: 1}) {
		t.Errorf("got %+v", m)
	}
	if m.CPUUtilization != 1 {
		t.Errorf("work that was never done lifts the utilisation to %g", m.CPUUtilization)
	}
	if r := Records(machineS(), jobs); r[0].Packing != 1 || r[1].Fragmentation != -1 || r[1].Spread != -1 || r[1].Packing != -1 {
		t.Errorf("got %+v", r)
	}
}

// A job that its user cancels while it waits ends as planned without a start (sacct(1): a CANCELLED job "may or may not have been
// initiated"): its wait is not censored. Such a job that was started is not censored either.
func TestPlannedCancellationIsNotCensored(t *testing.T) {
	left := trace.FinishedJob{
		Job:   workloads.Job{ID: 2, CancelAfter: 50, Cores: 1, Outcome: workloads.CancelledPending},
		State: workloads.CancelledPending.State(), Start: trace.NeverStarted, Finish: 50,
	}
	started := left
	started.Start = 49
	for _, j := range []trace.FinishedJob{left, started} {
		m, err := Compute(backfillRun(2), []trace.FinishedJob{wholeJob(machineS(), 1, 0, 0, 100), j}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if *m.NeverStarted != 0 || m.CancelledPending.Jobs != 1 {
			t.Errorf("%d never started, %+v", *m.NeverStarted, m.CancelledPending)
		}
	}
}

func TestAgentCycle(t *testing.T) {
	cycles := make([]trace.Cycle, 200)
	for i := range cycles {
		cycles[i] = trace.Cycle{SnapshotMS: 1, BidsMS: 2, SolveMS: float64(10 * (i + 1)), ReleaseMS: 3}
	}
	cycles[0].Checked = []trace.Placement{{Job: 1, Exact: true}, {Job: 2}}
	cycles[9].Checked = []trace.Placement{{Job: 3, Exact: true}}
	// A program that was not asked has thought about nothing.
	cycles = append(cycles, trace.Cycle{SolveMS: 0.01, Solver: trace.SolverWaited})
	run := backfillRun(1)
	run.Policy, run.Parameters = "auction", []byte(`{"window": 500}`)
	m, err := Compute(run, []trace.FinishedJob{wholeJob(machineS(), 1, 0, 0, 100)}, cycles, &accounting.Sdiag{Cycles: 5, MeanMicros: 1, MaxMicros: 1})
	if err != nil {
		t.Fatal(err)
	}
	// Nearest rank: of 200 passes the 198th, 1980 ms + 6 ms.
	if !near(*m.Cycle.Mean, 1.011) || !near(*m.Cycle.P99, 1.986) || !near(*m.Cycle.Max, 2.006) {
		t.Errorf("got %g %g %g", *m.Cycle.Mean, *m.Cycle.P99, *m.Cycle.Max)
	}
	if *m.Placement != (PlacementCount{Checked: 3, Exact: 2}) {
		t.Errorf("got %+v", *m.Placement)
	}
}

// Where Slurm schedules alone there is no placement, and the cost of a cycle is
// sdiag's only where there is backfill.
func TestCycleCostOfSlurmsPolicies(t *testing.T) {
	stats := &accounting.Sdiag{Cycles: 5, MeanMicros: 1000, MaxMicros: 2000}
	// Runs from before the scheduler was recorded were under backfill.
	for scheduler, known := range map[string]bool{"sched/builtin": false, "sched/backfill": true, "": true} {
		run := backfillRun(1)
		run.SchedulerType = scheduler
		m, err := Compute(run, []trace.FinishedJob{wholeJob(machineS(), 1, 0, 0, 100)}, nil, stats)
		if err != nil || (m.Cycle.Mean != nil) != known || m.Placement != nil {
			t.Errorf("%q: cycle %+v, placement %v, %v", scheduler, m.Cycle, m.Placement, err)
		}
	}
}

// DESIGN: the keys of metrics.json are a contract.
func TestMetricsKeys(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, Metrics{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	d := json.NewDecoder(&b)
	depth := 0
	prefix := ""
	for key := true; ; {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' {
				depth++
				if len(got) > 0 {
					prefix = got[len(got)-1] + "."
					got = got[:len(got)-1]
				}
			} else {
				depth--
				prefix = ""
			}
			key = true
			continue
		case string:
			if key {
				got = append(got, prefix+v)
			}
		}
		key = !key
	}
	want := "schema_version policy workload machine seed slurm clock time_scale think_scale real_s speed jobs completed failed theoretical_runtime_s lower_bound_s makespan_s runtime_s cpu_utilization gpu_utilization esp_efficiency waiting_s.mean waiting_s.std slowdown.mean slowdown.std bounded_slowdown.mean bounded_slowdown.std turnaround_s.mean turnaround_s.std fragmentation.mean fragmentation.std spread.mean spread.std packing.mean packing.std switch_spread gpu_fragmentation user_fairness cycle_s.mean cycle_s.p99 cycle_s.max placement elapsed_error_s.mean elapsed_error_s.max elapsed_error_s.exact elapsed_error_s.within_1s arrival_lag_max_s groups"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestWriteReadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(0, 1e9)
		mean := value.Draw(t, "mean")
		length := value.Draw(t, "makespan")
		m := Metrics{
			SchemaVersion: trace.SchemaVersion, Policy: "auction", Seed: rapid.Uint64().Draw(t, "seed"),
			Makespan: length, Runtime: length, PerJob: PerJob{Waiting: MeanStd{value.Draw(t, "w"), value.Draw(t, "s")}},
			UserFairness: &mean, GPUFragmentation: &GPUFragmentation{FGD: mean}, Groups: []Group{{By: "size", Name: "≤ 1/2", Jobs: 3, PerJob: PerJob{Packing: MeanStd{Mean: mean}}}},
			Clock: "jump", ThinkScale: value.Draw(t, "think"), RealSeconds: value.Draw(t, "real"), Speed: &mean,
			ElapsedError: ElapsedError{Max: 3, Exact: 2, WithinSecond: 3},
			Cycle:        CycleCost{Mean: &mean}, Placement: &PlacementCount{Checked: 3, Exact: 2},
		}
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&b, "metrics.json")
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, m)
		}
	})
	for text, want := range map[string]string{"": "read m", "{}": "schema_version: 0 is unknown", `{"schema_version":2}`: "schema_version: 2 is unknown", `{"schema_version":1,"jobs":"x"}`: "jobs"} {
		if _, err := Read(strings.NewReader(text), "m"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"schema_version":1,"jobs":3,"cycle_s":{"mean":0.5,"p99":null,"max":1},"placement":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if again, err := Read(&b, "again"); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%q: %+v, then %+v, %v", text, m, again, err)
		}
	})
}

// A policy may start a job although its user would have cancelled it. That changes only how many jobs there are: not
// the makespan, not the means, not what is measured until the end.
func TestCancelledAsItStarts(t *testing.T) {
	job := func(id int, o workloads.Outcome, submit, start, finish float64, node int) trace.FinishedJob {
		j := trace.FinishedJob{
			Job: workloads.Job{ID: id, Runtime: 100, Limit: 600, Nodes: 1, Cores: 4, GPUsMin: 1, GPUsMax: 1, Class: "a", Outcome: o}, State: o.State(),
			Submit: submit, Start: start, Finish: finish, Allocated: []int{node}, AllocCores: 4, AllocGPUs: 1,
		}
		if o == workloads.CancelledPending {
			j.Runtime, j.CancelAfter = 0, 900
		}
		return j
	}
	run := backfillRun(1)
	run.Machine = workloads.Machine{Name: "m", Nodes: 2, Cores: 4, GPUs: 2}
	jobs := []trace.FinishedJob{job(1, workloads.Completed, 0, 0, 100, 0)}
	alone, err := Compute(run, jobs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	run.Jobs, jobs = 2, append(jobs, job(2, workloads.CancelledPending, 5, 500, 501, 1))
	got, err := Compute(run, jobs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Makespan != 100 || got.PerJob != alone.PerJob || *got.GPUFragmentation != *alone.GPUFragmentation || got.LowerBound != alone.LowerBound || got.CPUUtilization != alone.CPUUtilization {
		t.Errorf("got %+v\nwant %+v", got, alone)
	}
	if *got.CancelledPending != (CancelledPending{Jobs: 1}) || alone.CancelledPending != nil {
		t.Errorf("cancelled pending: %+v, without such a job %+v", got.CancelledPending, alone.CancelledPending)
	}
	points := NewSeries(run.Machine, jobs).FragmentedGPUs
	if !slices.IsSortedFunc(points, func(a, b Point) int { return cmp.Compare(a.T, b.T) }) || points[len(points)-1] != (Point{501, 0}) {
		t.Errorf("series %v", points)
	}
}

// A job that ran when the workload began is load and in no mean; what one had waited by then is part of its wait, its turnaround and
// so of its slowdown.
func TestStateAtTheStart(t *testing.T) {
	job := func(id int, past workloads.Past, submit, start, finish float64) trace.FinishedJob {
		return trace.FinishedJob{
			Job:   workloads.Job{ID: id, Runtime: int(finish - start), Limit: 600, Nodes: 1, Cores: 4, Class: "a", Past: past},
			State: "COMPLETED", Submit: submit, Start: start, Finish: finish, Allocated: []int{id - 1}, AllocCores: 4,
		}
	}
	run := backfillRun(2)
	run.Machine = workloads.Machine{Name: "m", Nodes: 2, Cores: 4}
	m, err := Compute(run, []trace.FinishedJob{
		job(1, workloads.Past{Ran: 500}, 0, 40, 140), job(2, workloads.Past{Waited: 900}, 60, 160, 260),
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Waiting.Mean != 1000 || m.Turnaround.Mean != 1100 || m.Slowdown.Mean != 11 || m.Completed != 2 || m.Makespan != 260 {
		t.Errorf("got %+v", m)
	}
}
