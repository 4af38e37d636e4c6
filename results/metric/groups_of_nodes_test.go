package metric

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// unequal is a machine of two nodes of 8 cores and one of 4 cores and 2 GPUs, and one more of
// the latter that is drained.
func unequal() workloads.Machine {
	l := layout.Layout{
		Groups: []layout.Group{
			{Name: "thin", Count: 2, Sockets: 1, Cores: 8, Threads: 1},
			{Name: "gpu", Count: 2, Sockets: 1, Cores: 4, Threads: 1, GPUs: []layout.GPU{{Type: "a100", Count: 2}}},
		},
		Partitions: []layout.Partition{{Name: "all", Groups: []string{"thin", "gpu"}, Default: true}, {Name: "thin", Groups: []string{"thin"}}},
		Down:       []layout.Down{{Nodes: "n4", State: layout.StateDrain, Reason: "fan"}},
	}
	return workloads.Machine{Name: "unequal", Nodes: 4, Cores: 8, GPUs: 2, Layout: l}
}

// By hand: 20 cores and 2 GPUs are in service.
func TestMetricsOfUnequalNodes(t *testing.T) {
	m := unequal()
	job := func(id, nodes, cores, gpus, runtime int, start float64, at ...int) trace.FinishedJob {
		return trace.FinishedJob{
			Job:   workloads.Job{ID: id, Runtime: runtime, Limit: 6000, Nodes: nodes, Cores: cores, GPUsMin: gpus, GPUsMax: gpus, Class: "a"},
			State: "COMPLETED", Start: start, Finish: start + float64(runtime), Allocated: at, AllocCores: cores, AllocGPUs: gpus * len(at),
		}
	}
	jobs := []trace.FinishedJob{job(1, 0, 20, 0, 100, 0, 0, 1, 2), job(2, 1, 2, 2, 50, 100, 2), job(3, 1, 1, 2, 50, 150, 2)}
	if err := checkCapacity(m, jobs); err != nil {
		t.Error(err)
	}
	var asked []workloads.Job
	for _, j := range jobs {
		asked = append(asked, j.Job)
	}
	if got := theoreticalRuntime(m, asked); got != (2000+100+50)/20.0 {
		t.Errorf("theoretical runtime %g s", got)
	}
	if got := gpuUtilization(m, jobs, 200); got != 0.5 {
		t.Errorf("GPU utilisation %g: two GPUs are in use for 100 of 200 s", got)
	}
	if got := fewestNodes(m, asked[0]); got != 3 {
		t.Errorf("20 cores need %d nodes", got)
	}
	// Both GPUs are idle once, before the first job with GPUs.
	if f := gpuFragmentation(m, jobs, 200); f == nil || f.Gaps != 0 {
		t.Errorf("GPU fragmentation %+v", f)
	}
	// 2150 core-seconds on 20 cores; the node with GPUs is needed for 100 s alone.
	if got, err := LowerBound(m, asked); err != nil || math.Abs(got-107.5) > 1e-9 {
		t.Errorf("lower bound %g, %v", got, err)
	}
	asked[1].Runtime = 400
	if got, err := LowerBound(m, asked); err != nil || math.Abs(got-450) > 1e-9 {
		t.Errorf("lower bound %g, %v: one node has the GPUs, which are needed for 450 s", got, err)
	}
	jobs[1].Allocated = []int{0}
	if err := checkCapacity(m, jobs); err == nil {
		t.Error("GPUs of a node without any are not noticed")
	}
	asked[0].Cores = 21
	if _, err := LowerBound(m, asked); err == nil {
		t.Error("a job that never fits has a bound")
	}
}

// By hand: an exclusive job of one core takes a node of at least 4 cores, and on one with GPUs all of them. A job
// confined to the thin nodes needs those. GPUs are of no use to a job of another partition, nor to an exclusive one
// beside another job.
func TestMetricsOfOptions(t *testing.T) {
	m := unequal()
	whole := workloads.Job{ID: 1, Runtime: 300, Limit: 6000, Nodes: 3, Cores: 3, Class: "a", Options: workloads.Options{Exclusive: true}}
	thin := workloads.Job{ID: 2, Runtime: 400, Limit: 6000, Cores: 16, Class: "a", Options: workloads.Options{Partition: "thin"}}
	if got, err := LowerBound(m, []workloads.Job{whole, whole}); err != nil || math.Abs(got-600) > 1e-9 {
		t.Errorf("lower bound %g, %v: each job has three of three nodes", got, err)
	}
	if got, err := LowerBound(m, []workloads.Job{thin, thin}); err != nil || math.Abs(got-800) > 1e-9 {
		t.Errorf("lower bound %g, %v: both jobs need all thin nodes", got, err)
	}
	ran := trace.FinishedJob{Job: whole, State: "COMPLETED", Start: 0, Finish: 300, Allocated: []int{0, 1, 2}, AllocCores: 20, AllocGPUs: 2}
	if err := checkCapacity(m, []trace.FinishedJob{ran}); err != nil {
		t.Error(err)
	}
	free := map[int]use{}
	sweep(m, []trace.FinishedJob{ran}, func(at float64, node int, u use) {
		if at == 0 {
			free[node] = u
		}
	})
	if free[0] != (use{8, 0}) || free[2] != (use{4, 2}) {
		t.Errorf("the exclusive job uses %+v", free)
	}
	asks := func(options workloads.Options) [][][]int {
		j := workloads.Job{ID: 3, Runtime: 60, Limit: 60, Cores: 1, GPUsMin: 1, GPUsMax: 1, Class: "a", Options: options}
		return newFragmentTable(m, []trace.FinishedJob{{Job: j}}).useless
	}
	for _, c := range []struct {
		options workloads.Options
		cores   int
		gpus    int
		useless int
	}{
		{workloads.Options{}, 1, 1, 0}, {workloads.Options{}, 0, 1, 1}, {workloads.Options{GPUType: "a100"}, 4, 2, 0},
		{workloads.Options{Partition: "thin"}, 4, 2, 1}, {workloads.Options{Exclusive: true}, 4, 2, 0}, {workloads.Options{Exclusive: true}, 3, 2, 1},
		{workloads.Options{Exclusive: true}, 4, 1, 1},
	} {
		if got := asks(c.options)[1][c.cores][c.gpus]; got != c.useless {
			t.Errorf("%+v on a node with %d cores and %d GPUs: %d", c.options, c.cores, c.gpus, got)
		}
	}
}

// EvenShare gives away what the job has and no node more than it has, and on equal nodes each
// node its even share.
func TestEvenShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) workloads.NodeSize {
			return workloads.NodeSize{Cores: rapid.IntRange(1, 9).Draw(t, "cores")}
		}), 1, 6).Draw(t, "sizes")
		all, nodes := 0, []int{}
		for i, s := range sizes {
			nodes, all = append(nodes, i), all+s.Cores
		}
		cores := rapid.IntRange(len(sizes), all).Draw(t, "cores of the job")
		sum := 0
		for i, c := range EvenShare(cores, nodes, sizes) {
			if c < 1 || c > sizes[i].Cores {
				t.Fatalf("node %d of %+v has %d", i, sizes[i], c)
			}
			sum += c
		}
		if sum != cores {
			t.Fatalf("%d of %d cores", sum, cores)
		}
		for i := range sizes {
			sizes[i] = workloads.NodeSize{Cores: 9}
		}
		for i, c := range EvenShare(cores, nodes, sizes) {
			want := cores / len(sizes)
			if i < cores%len(sizes) {
				want++
			}
			if c != want {
				t.Fatalf("%d of equal nodes has %d, want %d", i, c, want)
			}
		}
	})
}

// One job after the other is a schedule, so that the bound is not above it.
func TestLowerBoundOfUnequalNodes(t *testing.T) {
	m := unequal()
	rapid.Check(t, func(t *rapid.T) {
		var jobs []workloads.Job
		sum := 0
		for i := range rapid.IntRange(1, 8).Draw(t, "jobs") {
			j := workloads.Job{ID: i + 1, Runtime: rapid.IntRange(1, 1000).Draw(t, "seconds"), Limit: 6000, Cores: rapid.IntRange(1, 20).Draw(t, "cores"),
				Nodes: rapid.IntRange(0, 3).Draw(t, "nodes"), GPUsMin: rapid.IntRange(0, 2).Draw(t, "GPUs"), Class: "a"}
			j.GPUsMax = j.GPUsMin
			j.Exclusive = rapid.Bool().Draw(t, "exclusive")
			j.Partition = rapid.SampledFrom([]string{"", "all", "thin"}).Draw(t, "partition")
			if len(j.Validate(m)) == 0 {
				jobs, sum = append(jobs, j), sum+j.Runtime
			}
		}
		if got, err := LowerBound(m, jobs); err != nil || got > float64(sum)*(1+1e-9) {
			t.Fatalf("%g s, %v, for %d s of jobs one after the other: %+v", got, err, sum, jobs)
		}
	})
}

// On a single group the bound is at least that of equal nodes.
func TestGroupsBoundIsThatOfEqualNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := request{cores: rapid.IntRange(1, 12).Draw(t, "cores"), gpus: rapid.IntRange(0, 4).Draw(t, "GPUs")}
		count := rapid.IntRange(1, 5).Draw(t, "nodes")
		var kinds, plain []kind
		for i := range rapid.IntRange(1, 5).Draw(t, "kinds") {
			k := kind{request{cores: 1 + i%node.cores, gpus: rapid.IntRange(0, node.gpus).Draw(t, "asked")}, rapid.Float64Range(1, 1000).Draw(t, "demand")}
			plain = append(plain, k)
			k.hosts = "1"
			kinds = append(kinds, k)
		}
		want, _ := patternBound(node, plain)
		got := groupsBound([]workloads.NodeKind{{Count: count, Cores: node.cores, GPUs: node.gpus}}, kinds)
		if want /= float64(count); got < want*(1-1e-6) {
			t.Fatalf("got %g, want at least %g", got, want)
		}
	})
}

// By hand, on 2 nodes with 2 GPUs and 8 shards, and one with 3 GPUs and 7 of MPS, which GPUs have unequally: 2, 2 and 3.
// Slurm's gres.html, "Sharding": a shard is a part of a GPU, and AllocTRES has no gres/gpu for it.
func TestMetricsOfPartsOfGPUs(t *testing.T) {
	m := workloads.Machine{Name: "parts", Nodes: 3, Cores: 8, GPUs: 3, Layout: layout.Layout{
		Groups: []layout.Group{
			{Name: "a", Count: 2, Sockets: 1, Cores: 8, Threads: 1, GPUs: []layout.GPU{{Type: "a100", Count: 2}}, Shards: 8},
			{Name: "b", Count: 1, Sockets: 1, Cores: 8, Threads: 1, GPUs: []layout.GPU{{Type: "v100", Count: 3}}, MPS: 7},
		},
		Partitions: []layout.Partition{{Name: "all", Groups: []string{"a", "b"}, Default: true}},
	}}
	job := func(start, finish float64, gpus int, o workloads.Options, at ...int) trace.FinishedJob {
		return trace.FinishedJob{
			Job: workloads.Job{Nodes: len(at), Cores: len(at), Class: "a", Options: o}, State: "COMPLETED",
			Start: start, Finish: finish, Allocated: at, AllocCores: len(at), AllocGPUs: gpus,
		}
	}
	jobs := []trace.FinishedJob{
		job(0, 100, 0, workloads.Options{Shards: 2}, 0, 1),                // 2 x 2/4 GPU
		job(0, 50, 0, workloads.Options{MPS: 3}, 2),                       // 9/7 GPUs
		job(0, 50, 0, workloads.Options{MPS: 2}, 2),                       // 6/7
		job(0, 50, 0, workloads.Options{MPS: 2}, 2),                       // 6/7
		job(50, 100, 2, workloads.Options{Shards: 1, Exclusive: true}, 0), // all GPUs, as Slurm accounts them
		job(100, 100, 0, workloads.Options{Shards: 3}, 0),                 // no time
		{Job: workloads.Job{Options: workloads.Options{Shards: 3}}, Start: trace.NeverStarted, Finish: 100},
	}
	// It is no schedule, as node 1 has more than 2 GPUs in use from 50 to 100 s. What is held counts nevertheless.
	if got, want := gpuUtilization(m, trace.Started(jobs), 100), (100*1+50*3+50*2)/(7*100.0); math.Abs(got-want) > 1e-12 {
		t.Errorf("GPU utilisation %g, want %g", got, want)
	}
	if got, want := NewSeries(m, jobs).UsedGPUs, []Point{{0, 4}, {50, 3}, {100, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("GPUs in use %v, want %v", got, want)
	}
	if _, gpu := inUse(m, jobs, 0, 50); math.Abs(gpu-4/7.0) > 1e-12 {
		t.Errorf("%g of the GPUs are in use in the first 50 s, want 4/7", gpu)
	}
	// Of which GPU a shard is, Slurm does not tell.
	if got, points := gpuFragmentation(m, jobs, 100), NewSeries(m, jobs).FragmentedGPUs; got != nil || points != nil {
		t.Errorf("GPU fragmentation %+v, FGD over time %v, want unknown", got, points)
	}
	if whole := jobs[4:5]; gpuFragmentation(m, whole, 100) == nil || NewSeries(m, whole).FragmentedGPUs == nil {
		t.Error("the GPUs of an exclusive job are known")
	}
	types := NewNodeTypes(m)
	for i, want := range []map[string]float64{{"a100": 1}, {"v100": 9 / 7.0}} {
		if got := types.GPUs(jobs[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("job %d has GPUs %v, want %v", i, got, want)
		}
	}
	if rank, name := types.group(jobs[6]); rank != 1 || name != untyped {
		t.Errorf("a job that never had its shards is among %q", name)
	}
	if err := checkCapacity(m, jobs[1:4]); err != nil {
		t.Errorf("sevenths make three whole GPUs: %v", err)
	}
	if err := checkCapacity(m, append(jobs[1:4:4], job(0, 50, 4, workloads.Options{}, 0, 1), jobs[0])); err == nil || !strings.Contains(err.Error(), "8 GPUs are in use at 0 s, machine parts has 7") {
		t.Errorf("7 GPUs and two halves: %v", err)
	}
}

// The busy span begins where shards get short, or shards and whole GPUs together, on 2 nodes of 2 GPUs with 8 shards in all each.
func TestBusySpanOfPartsOfGPUs(t *testing.T) {
	m := workloads.Machine{Name: "parts", Nodes: 3, Cores: 64, GPUs: 2, Layout: layout.Layout{
		Groups: []layout.Group{
			{Name: "a", Count: 2, Sockets: 1, Cores: 64, Threads: 1, GPUs: []layout.GPU{{Type: "a100", Count: 2}}, Shards: 8},
			{Name: "b", Count: 1, Sockets: 1, Cores: 64, Threads: 1, GPUs: []layout.GPU{{Type: "v100", Count: 2}}},
		},
		Partitions: []layout.Partition{{Name: "all", Groups: []string{"a", "b"}, Default: true}},
	}}
	job := func(submit float64, shards, gpus int) trace.FinishedJob {
		return trace.FinishedJob{Job: workloads.Job{Nodes: 1, Cores: 1, GPUsMin: gpus, Runtime: 1000, Options: workloads.Options{Shards: shards}}, Submit: submit}
	}
	for _, c := range []struct {
		what string
		jobs []trace.FinishedJob
		from float64
		full bool
	}{
		{"all shards", []trace.FinishedJob{job(0, 8, 0), job(10, 8, 0), job(20, 0, 2), job(30, 0, 0)}, 0, false},
		{"a shard too many", []trace.FinishedJob{job(0, 8, 0), job(10, 8, 0), job(20, 1, 0), job(30, 0, 0)}, 20, true},
		{"whole GPUs beside shards", []trace.FinishedJob{job(0, 8, 0), job(10, 4, 0), job(20, 0, 2), job(30, 0, 2), job(40, 0, 0)}, 30, true},
	} {
		if from, full := fills(m, c.jobs); from != c.from || full != c.full {
			t.Errorf("%s: the busy span begins at %g s, %t, want %g s, %t", c.what, from, full, c.from, c.full)
		}
	}
}
