package metric

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// on is a job of one core and the given GPUs on each of the nodes.
func on(id, submit, start, finish, gpus int, nodes ...int) trace.FinishedJob {
	return trace.FinishedJob{
		Job: workloads.Job{
			ID: id, Runtime: max(1, finish-start), Nodes: len(nodes), Cores: len(nodes), CoresPerNode: 1, GPUsMin: gpus, GPUsMax: gpus, Class: "on", User: "root",
		},
		State: "COMPLETED", Submit: float64(submit), Start: float64(start), Finish: float64(finish),
		Allocated: nodes, AllocCores: len(nodes), AllocGPUs: gpus * len(nodes),
	}
}

func by(user string, j trace.FinishedJob) trace.FinishedJob {
	j.User = user
	return j
}

// Schedules made by hand on two nodes of 2 cores and 2 GPUs; the values follow
// from the definitions with pencil and paper.
func TestHandMadeSchedules(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 2, Cores: 2, GPUs: 2}
	for _, test := range []struct {
		name string
		jobs []trace.FinishedJob
		want map[string]float64
	}{
		{"one job on the whole machine", []trace.FinishedJob{wholeJob(m, 1, 0, 0, 50)}, map[string]float64{
			"makespan_s": 50, "cpu_utilization": 1, "gpu_utilization": 1, "waiting_s": 0, "turnaround_s": 50, "slowdown": 1, "bounded_slowdown": 1,
			"fragmentation": 1, "spread": 1, "packing": 1, "lower_bound_s": 50, "theoretical_runtime_s": 50,
			// Nothing is ever idle.
			"gpu_fragmentation.gaps": 0, "gpu_fragmentation.fgd": 0, "gpu_fragmentation.blocks": 1,
		}},
		{"one job on one GPU", []trace.FinishedJob{on(1, 0, 0, 50, 1, 1)}, map[string]float64{
			"gpu_utilization": 0.25, "cpu_utilization": 0.25,
			// Each GPU is idle at one stretch or never, and one more such job fits on both nodes.
			"gpu_fragmentation.gaps": 0, "gpu_fragmentation.fgd": 0, "gpu_fragmentation.blocks": 1,
		}},
		// One GPU of node 0 is in use in 20..30 of 50 s: gaps of 20 and 20 s, 1 - 800/1600.
		{"a gap cut in two", []trace.FinishedJob{on(1, 0, 0, 50, 2, 1), on(2, 0, 20, 30, 1, 0)}, map[string]float64{
			"gpu_fragmentation.gaps": 0.5 / 4, "waiting_s": 10, "turnaround_s": 40,
			"slowdown": (1 + 3) / 2.0, "bounded_slowdown": (1 + 3) / 2.0,
			// Node 0 has 2 idle GPUs for 40 s, which both jobs can use, and 1 for 10 s, which one of two can.
			"gpu_fragmentation.fgd": 0.5 * 10 / (80 + 10),
		}},
		// The second job starts in the second in which the first ends: no gap between them.
		{"same-instant end and start", []trace.FinishedJob{on(1, 0, 0, 20, 2, 0, 1), on(2, 0, 20, 50, 2, 0, 1)}, map[string]float64{
			"gpu_utilization": 1, "gpu_fragmentation.gaps": 0, "gpu_fragmentation.fgd": 0, "waiting_s": 10,
		}},
		// A job that ends in the second of its start holds nothing, and cuts no gap.
		{"no time at all", []trace.FinishedJob{on(1, 0, 0, 50, 2, 0), on(2, 0, 25, 25, 2, 1)}, map[string]float64{
			"gpu_utilization": 0.5, "gpu_fragmentation.gaps": 0, "gpu_fragmentation.fgd": 0, "waiting_s": 12.5, "slowdown": (1 + 25) / 2.0, "bounded_slowdown": (1 + 2.5) / 2,
		}},
		// Jobs without GPUs can use no idle GPU; the two of node 0 are of no use to the GPU job
		// either, whose 2 cores do not fit beside the first job's.
		{"FGD lacks cores", []trace.FinishedJob{on(1, 0, 0, 50, 0, 0), wide(on(2, 0, 0, 50, 1, 1))}, map[string]float64{
			"gpu_fragmentation.fgd": 1, "gpu_utilization": 0.25, "gpu_fragmentation.gaps": 0,
		}},
		// Weng et al. count all idle GPUs against jobs that ask for none.
		{"FGD without GPU jobs", []trace.FinishedJob{on(1, 0, 0, 50, 0, 0)}, map[string]float64{"gpu_fragmentation.fgd": 1, "gpu_fragmentation.blocks": 0, "gpu_utilization": 0}},
		// Bounded slowdowns 1 and 3: (1+3)^2 / (2 (1+9)).
		{"two users", []trace.FinishedJob{by("ann", on(1, 0, 0, 50, 0, 0)), by("bob", on(2, 0, 40, 60, 0, 1))}, map[string]float64{"user_fairness": 16.0 / 20}},
		// Ann's mean counts, not each of her jobs: 1 and (3+5)/2.
		{"means of users", []trace.FinishedJob{by("bob", on(1, 0, 0, 50, 0, 0)), by("ann", on(2, 0, 40, 60, 0, 1)), by("ann", on(3, 0, 80, 100, 0, 1))},
			map[string]float64{"user_fairness": 25.0 / 34}},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := backfillRun(len(test.jobs))
			run.Machine = m
			got, err := Compute(run, test.jobs, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for key, want := range test.want {
				if v, known := FindMeasure(key).Value(got); !known || !near(v, want) {
					t.Errorf("%s: got %v (known: %v), want %v", key, v, known, want)
				}
			}
		})
	}
}

// wide asks for and gets two cores on each node.
func wide(j trace.FinishedJob) trace.FinishedJob {
	j.CoresPerNode, j.Cores, j.AllocCores = 2, 2*j.Nodes, 2*j.Nodes
	return j
}

func TestUnknownMetrics(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 2, Cores: 2}
	run := backfillRun(1)
	run.Machine = m
	got, err := Compute(run, []trace.FinishedJob{on(1, 0, 0, 50, 0, 0)}, nil, nil)
	if err != nil || got.GPUFragmentation != nil || got.UserFairness != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, key := range []string{"user_fairness", "esp_efficiency", "switch_spread", "gpu_fragmentation.gaps", "gpu_fragmentation.fgd", "gpu_fragmentation.blocks", "cycle_s.mean", "placement.exact"} {
		if v, known := FindMeasure(key).Value(got); known {
			t.Errorf("%s: got %v", key, v)
		}
	}
}

// The README of ESP-2.2.1: the efficiency is 10773 s / elapsed time, the time for
// all jobs. cpu_utilization has the work of the jobs in its place.
func TestESPEfficiency(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 2, Cores: 2}
	run := backfillRun(2)
	run.Machine, run.WorkloadSpec = m, []byte(`{"generator":"esp","minimum_runtime":"2h59m33s"}`)
	jobs := []trace.FinishedJob{wholeJob(m, 1, 5, 10, 11_013), on(2, 5, 11_013, 21_551, 0, 1)}
	got, err := Compute(run, jobs, nil, nil)
	if err != nil || got.ESPEfficiency == nil || *got.ESPEfficiency != 0.5 || !near(got.CPUUtilization, (11_003+10_538/4.0)/21_546) {
		t.Errorf("got %+v, %v", got, err)
	}
	jobs[1].State = "TIMEOUT"
	if got, err = Compute(run, jobs, nil, nil); err != nil || got.ESPEfficiency != nil {
		t.Errorf("with a failed job: got %v, %v", got.ESPEfficiency, err)
	}
}

// Three leaf switches of 4 nodes and one of 2 (docs/design/009).
func TestSwitchSpread(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 14, Cores: 2, Switches: workloads.Tree{Nodes: 4, Fanout: 2}}
	for _, test := range []struct {
		nodes []int
		want  float64
	}{
		{[]int{13}, 1}, {[]int{3, 4}, 2}, {[]int{4, 7}, 1}, {[]int{0, 4, 8, 12}, 4}, {[]int{0, 1, 2, 3, 12}, 1},
		{[]int{3, 4, 5, 6, 7, 8}, 1.5}, {indices(14), 1},
	} {
		run := backfillRun(1)
		run.Machine = m
		got, err := Compute(run, []trace.FinishedJob{on(1, 0, 0, 50, 0, test.nodes...)}, nil, nil)
		if err != nil || got.SwitchSpread == nil || !near(got.SwitchSpread.Mean, test.want) || !near(got.SwitchSpread.Std, 0) {
			t.Errorf("%v: got %v, %v, want %g", test.nodes, got.SwitchSpread, err, test.want)
		}
	}
}

// The switch spread is between 1 and the number of nodes of a job, and moving a job
// by a whole leaf switch does not change it.
func TestSwitchSpreadProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := workloads.Tree{Nodes: rapid.IntRange(1, 9).Draw(t, "leaf")}
		nodes := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 1, 20, rapid.ID[int]).Draw(t, "nodes")
		slices.Sort(nodes)
		leaves := tree.Leaves(70)
		got := SwitchSpread(leaves, nodes)
		if got < 1 || got > float64(len(nodes)) || tree.Nodes == 1 && got != 1 {
			t.Fatalf("%v: %g", nodes, got)
		}
		moved := make([]int, len(nodes))
		for i, n := range nodes {
			moved[i] = n + tree.Nodes
		}
		if again := SwitchSpread(leaves, moved); again != got {
			t.Fatalf("%v: %g, a leaf switch further %g", nodes, got, again)
		}
	})
}

// genSchedule draws jobs on nodes of machine S, each node's for itself in turn.
func genSchedule(t *rapid.T) []trace.FinishedJob {
	var jobs []trace.FinishedJob
	free := make([]int, 8)
	for id := range rapid.IntRange(1, 12).Draw(t, "jobs") {
		nodes := rapid.SliceOfNDistinct(rapid.IntRange(0, len(free)-1), 1, 4, rapid.ID[int]).Draw(t, "nodes")
		slices.Sort(nodes)
		submit := rapid.IntRange(0, 50*min(id, 1)).Draw(t, "submit")
		start := submit
		for _, n := range nodes {
			start = max(start, free[n])
		}
		start += rapid.IntRange(0, 20).Draw(t, "wait")
		// The first job takes time, so that the run does.
		finish := start + rapid.IntRange(1-min(id, 1), 60).Draw(t, "run")
		for _, n := range nodes {
			free[n] = finish
		}
		jobs = append(jobs, by(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "user"), on(id+1, submit, start, finish, rapid.IntRange(0, 2).Draw(t, "gpus"), nodes...)))
	}
	return jobs
}

// Bounds on metrics hold for every schedule. The metrics do not change with the
// order of the jobs or the names of users, and only blocks and spread change with
// the order of the nodes.
func TestMetricsInvariants(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 8, Cores: 8, GPUs: 2, Switches: workloads.Tree{Nodes: 2}}
	rapid.Check(t, func(t *rapid.T) {
		jobs := genSchedule(t)
		run := backfillRun(len(jobs))
		run.Machine = m
		got, err := Compute(run, jobs, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		within := func(key string, low, high float64) {
			if v, known := FindMeasure(key).Value(got); known && (math.IsNaN(v) || v < low-1e-12 || v > high+1e-12) {
				t.Fatalf("%s: got %v, want %v to %v", key, v, low, high)
			}
		}
		for _, key := range []string{"cpu_utilization", "gpu_utilization", "gpu_fragmentation.fgd", "gpu_fragmentation.gaps"} {
			within(key, 0, 1)
		}
		within("user_fairness", 1.0/3, 1)
		within("waiting_s", 0, got.Turnaround.Mean)
		// A job that took no time has a bounded slowdown, but no slowdown.
		highest := math.Max(1, got.Slowdown.Mean)
		if slices.ContainsFunc(jobs, func(j trace.FinishedJob) bool { return j.Finish == j.Start }) {
			highest = math.Inf(1)
		}
		within("bounded_slowdown", 1, highest)
		for _, key := range []string{"fragmentation", "spread", "packing", "switch_spread"} {
			within(key, 1, 8)
		}

		other := make([]trace.FinishedJob, len(jobs))
		for i, k := range rapid.Permutation(indices(len(jobs))).Draw(t, "order") {
			other[i] = by("user "+jobs[k].User, jobs[k])
			other[i].Allocated = mirrored(jobs[k].Allocated, m.Nodes)
		}
		again, err := Compute(run, other, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, measure := range Measures() {
			a, knownA := measure.Value(got)
			b, knownB := measure.Value(again)
			if knownA != knownB || !near(a, b) {
				t.Fatalf("%s: %v, of the same jobs mirrored %v", measure.Key, a, b)
			}
		}
	})
}

// mirrored counts the nodes from the other end.
func mirrored(nodes []int, of int) []int {
	out := make([]int, len(nodes))
	for i, n := range nodes {
		out[len(nodes)-1-i] = of - 1 - n
	}
	return out
}

func TestWriteSeries(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 2, Cores: 2, GPUs: 2}
	var b bytes.Buffer
	if err := WriteSeries(&b, NewSeries(m, []trace.FinishedJob{on(1, 0, 0, 20, 2, 0), on(2, 0, 20, 50, 1, 0, 1)})); err != nil {
		t.Fatal(err)
	}
	want := `time_s,used_cores,used_gpus,queued_jobs,fragmented_gpus
0,1,2,1,0
20,2,2,0,1
50,0,0,0,0
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	m.GPUs = 0
	if err := WriteSeries(&b, NewSeries(m, []trace.FinishedJob{on(1, 5, 10, 20, 0, 0)})); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(b.String())[1:], " "); got != "5,0,,1, 10,1,,0, 20,0,,0," {
		t.Errorf("got %s", got)
	}
}
