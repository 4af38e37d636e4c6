package metric

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func TestLowerBoundByHand(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 10, Cores: 8, GPUs: 2}
	job := func(runtime, nodes, cores, perNode, gpus int) workloads.Job {
		return workloads.Job{Runtime: runtime, Nodes: nodes, Cores: cores, CoresPerNode: perNode, GPUsMin: gpus, GPUsMax: gpus}
	}
	tests := []struct {
		name string
		jobs []workloads.Job
		want float64
	}{
		{"no jobs", nil, 0},
		{"one short job: its own length", []workloads.Job{job(100, 0, 1, 0, 0)}, 100},
		{"whole machine twice", []workloads.Job{job(100, 10, 80, 8, 0), job(50, 0, 80, 0, 0)}, 150},
		// 5 + 5 cores do not fit on 8: one after the other, though the cores would do for 125 s.
		{"five cores per node twice", []workloads.Job{job(100, 10, 50, 5, 0), job(100, 10, 50, 5, 0)}, 200},
		// Without --ntasks-per-node Slurm may give 8 and 2 cores, so only cores count.
		{"five cores on average", []workloads.Job{job(100, 10, 50, 0, 0), job(100, 10, 50, 0, 0)}, 125},
		// 5 and 3 fill a node.
		{"five and three", []workloads.Job{job(100, 10, 50, 5, 0), job(100, 10, 30, 3, 0)}, 100},
		// Two jobs with both GPUs of every node exclude each other whatever their cores.
		{"GPUs", []workloads.Job{job(100, 10, 10, 1, 2), job(70, 10, 10, 1, 2)}, 170},
		// A 2-GPU request shares no node with a 1-GPU one, of which two share: 100 + 60/2.
		{"one and two GPUs", []workloads.Job{job(100, 10, 10, 1, 2), job(60, 10, 10, 1, 1)}, 130},
		{"two 1-GPU jobs share", []workloads.Job{job(60, 10, 10, 1, 1), job(60, 10, 10, 1, 1)}, 60},
		// Patterns {5,3} and {5} and {3,3}: 10 x 100 node-seconds of 5 leave room for 10 x 100 of 3; the other 10 x 100 need half as many nodes.
		{"mixture", []workloads.Job{job(100, 10, 50, 5, 0), job(200, 10, 30, 3, 0)}, 200},
		{"mixture of three", []workloads.Job{job(100, 10, 50, 5, 0), job(100, 10, 30, 3, 0), job(100, 10, 30, 3, 0)}, 150},
		// GPUs without nodes: 20 cores need at least 3 nodes, 2 GPUs each; four such jobs do not fit at once on 10 nodes.
		{"GPUs without nodes", []workloads.Job{job(100, 0, 20, 0, 2), job(100, 0, 20, 0, 2), job(100, 0, 20, 0, 2), job(100, 0, 20, 0, 2)}, 120},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := LowerBound(m, test.jobs)
			if err != nil || !near(got, test.want) {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

// IPSCHED Table I: J1 with 4096 cores, J2 and J3 with 512 nodes, 2048 cores and
// 2 GPUs per node fill 1024 nodes of 8 cores at once.
func TestLowerBoundOfIpschedTable1(t *testing.T) {
	m := workloads.Machine{Name: "L", Nodes: 1024, Cores: 8, GPUs: 2}
	for _, perNode := range []int{0, 4} {
		gpuJob := workloads.Job{Runtime: 1000, Nodes: 512, Cores: 2048, CoresPerNode: perNode, GPUsMin: 2, GPUsMax: 2}
		got, err := LowerBound(m, []workloads.Job{{Runtime: 1000, Cores: 4096}, gpuJob, gpuJob})
		if err != nil || !near(got, 1000) {
			t.Errorf("got %v, %v, want 1000", got, err)
		}
	}
}

func TestLowerBoundCountsFromTheFirstArrival(t *testing.T) {
	m := workloads.Machine{Nodes: 10, Cores: 8}
	got, err := LowerBound(m, []workloads.Job{{Arrival: 50, Runtime: 10, Cores: 1}, {Arrival: 30, Runtime: 5, Cores: 1}})
	if err != nil || got != 30 {
		t.Errorf("got %v, %v, want 30", got, err)
	}
}

func TestLowerBoundRefusesImpossibleJobs(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 2, Cores: 8, GPUs: 1}
	_, err := LowerBound(m, []workloads.Job{
		{ID: 1, Cores: 17}, {ID: 2, Cores: 3, Nodes: 3}, {ID: 3, Cores: 9, Nodes: 1}, {ID: 4, Cores: 1, GPUsMin: 2, GPUsMax: 2},
	})
	for _, want := range []string{
		"job 1 needs 3 nodes, machine T has 2", "job 2 needs 3 nodes, machine T has 2",
		"job 3 needs 2 nodes for 9 cores but asks for 1", "job 4 needs 2 GPUs per node, machine T has 1",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}

// genWorkload draws a machine and jobs that fit on it.
func genWorkload(t *rapid.T, maxJobs int) (workloads.Machine, []workloads.Job) {
	m := workloads.Machine{
		Nodes: rapid.IntRange(1, 6).Draw(t, "nodes"), Cores: rapid.IntRange(1, 12).Draw(t, "cores"), GPUs: rapid.IntRange(0, 3).Draw(t, "gpus"),
	}
	jobs := make([]workloads.Job, rapid.IntRange(1, maxJobs).Draw(t, "jobs"))
	for i := range jobs {
		name := func(s string) string { return fmt.Sprint(s, i) }
		j := workloads.Job{ID: i, Runtime: rapid.IntRange(1, 100).Draw(t, name("runtime"))}
		j.GPUsMin = rapid.IntRange(0, m.GPUs).Draw(t, name("gpus"))
		j.GPUsMax = j.GPUsMin
		if j.GPUsMin > 0 {
			j.GPUsMax = rapid.IntRange(j.GPUsMin, m.GPUs).Draw(t, name("gpus max"))
		}
		switch rapid.IntRange(0, 2).Draw(t, name("type")) {
		case 0:
			j.Cores = rapid.IntRange(1, m.Nodes*m.Cores).Draw(t, name("n"))
		case 1:
			j.Nodes = rapid.IntRange(1, m.Nodes).Draw(t, name("N"))
			j.Cores = rapid.IntRange(j.Nodes, j.Nodes*m.Cores).Draw(t, name("n"))
		default:
			j.Nodes = rapid.IntRange(1, m.Nodes).Draw(t, name("N"))
			j.CoresPerNode = rapid.IntRange(1, m.Cores).Draw(t, name("per node"))
			j.Cores = j.Nodes * j.CoresPerNode
		}
		jobs[i] = j
	}
	return m, jobs
}

// No real schedule is shorter than the bound. The
// schedule is made by a list scheduler that spreads cores as unevenly and gives
// as many GPUs of a range as the draw says.
func TestLowerBoundHoldsForSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, jobs := genWorkload(t, 7)
		bound, err := LowerBound(m, jobs)
		if err != nil {
			t.Fatal(err)
		}
		if end := listSchedule(t, m, jobs); bound > float64(end)*(1+1e-9) {
			t.Fatalf("bound %v, but a schedule ends after %d s", bound, end)
		}
	})
}

// listSchedule starts jobs first-fit on free nodes and returns the last end.
func listSchedule(t *rapid.T, m workloads.Machine, jobs []workloads.Job) int {
	type running struct {
		end   int
		nodes []int
		cores []int
		gpus  int
	}
	cores, gpus := make([]int, m.Nodes), make([]int, m.Nodes)
	for i := range cores {
		cores[i], gpus[i] = m.Cores, m.GPUs
	}
	var active []running
	pending := append([]workloads.Job(nil), jobs...)
	now, last := 0, 0
	for len(pending)+len(active) > 0 {
		var left []workloads.Job
		for _, j := range pending {
			var nodes, take []int
			rest := j.Cores
			z := rapid.IntRange(j.GPUsMin, j.GPUsMax).Draw(t, "z")
			for _, i := range rapid.Permutation(indices(m.Nodes)).Draw(t, "order") {
				if cores[i] == 0 || gpus[i] < z || rest == 0 || j.Nodes > 0 && len(nodes) == j.Nodes {
					continue
				}
				c := min(cores[i], rest)
				switch {
				case j.CoresPerNode > 0:
					if c = j.CoresPerNode; cores[i] < c {
						continue
					}
				case j.Nodes > 0:
					c = min(c, rest-(j.Nodes-len(nodes)-1))
				}
				nodes, take, rest = append(nodes, i), append(take, c), rest-c
			}
			if rest > 0 || j.Nodes > 0 && len(nodes) != j.Nodes {
				left = append(left, j)
				continue
			}
			for k, i := range nodes {
				cores[i] -= take[k]
				gpus[i] -= z
			}
			active = append(active, running{now + j.RuntimeOn(z), nodes, take, z})
			last = max(last, now+j.RuntimeOn(z))
		}
		pending = left
		next := math.MaxInt
		for _, r := range active {
			next = min(next, r.end)
		}
		now = next
		var still []running
		for _, r := range active {
			if r.end > now {
				still = append(still, r)
				continue
			}
			for k, i := range r.nodes {
				cores[i] += r.cores[k]
				gpus[i] += r.gpus
			}
		}
		active = still
	}
	return last
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// The bound is never below the theoretical runtime nor the bound by GPUs.
func TestLowerBoundContainsTheSimpleBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, jobs := genWorkload(t, 30)
		bound, err := LowerBound(m, jobs)
		if err != nil {
			t.Fatal(err)
		}
		jobs = shortest(jobs)
		gpuSeconds := 0.0
		for _, j := range jobs {
			gpuSeconds += float64(fewestNodes(m, j) * j.GPUsMin * j.Runtime)
		}
		simple := theoreticalRuntime(m, jobs)
		if m.GPUs > 0 {
			simple = max(simple, gpuSeconds/float64(m.Nodes*m.GPUs))
		}
		if bound < simple*(1-1e-9) {
			t.Fatalf("bound %v is below the simple bound %v", bound, simple)
		}
	})
}

// Strong duality: the prices' optimum equals the optimum of the primal program over all patterns, listed one by one
// and solved unchanged.
func TestPatternBoundEqualsThePrimalProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, jobs := genWorkload(t, 5)
		demand := map[request]float64{}
		for _, j := range jobs {
			addDemand(demand, m, j)
		}
		kinds := limitKinds(demand)
		node := request{cores: m.Cores, gpus: m.GPUs}
		want, err := primal(kinds, allPatterns(node, kinds))
		if err != nil {
			t.Skip("the primal simplex gave up: " + err.Error())
		}
		if got, _ := patternBound(node, kinds); math.Abs(got-want) > 1e-6*want {
			t.Fatalf("got %v, want %v for %+v on %+v", got, want, kinds, node)
		}
	})
}

func allPatterns(node request, kinds []kind) [][]int {
	if len(kinds) == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for n := 0; n <= node.fits(kinds[0].request); n++ {
		left := request{cores: node.cores - n*kinds[0].cores, gpus: node.gpus - n*kinds[0].gpus}
		for _, rest := range allPatterns(left, kinds[1:]) {
			all = append(all, append([]int{n}, rest...))
		}
	}
	return all
}

func primal(kinds []kind, patterns [][]int) (float64, error) {
	var used [][]int
	for _, p := range patterns {
		for _, n := range p {
			if n > 0 {
				used = append(used, p)
				break
			}
		}
	}
	columns := len(used) + len(kinds)
	a, b, c := mat.NewDense(len(kinds), columns, nil), make([]float64, len(kinds)), make([]float64, columns)
	for p, pattern := range used {
		c[p] = 1
		for t, n := range pattern {
			a.Set(t, p, float64(n))
		}
	}
	for t, k := range kinds {
		a.Set(t, len(used)+t, -1)
		b[t] = k.demand
	}
	optimum, _, err := lp.Simplex(c, a, b, 1e-10, nil)
	return optimum, err
}

// manyKinds is a machine and a job of each number of cores and GPUs of a node.
func manyKinds() (workloads.Machine, []workloads.Job, float64) {
	m := workloads.Machine{Name: "big", Nodes: 1408, Cores: 128, GPUs: 8}
	var jobs []workloads.Job
	cores := 0.0
	for c := 1; c <= m.Cores; c++ {
		for g := 0; g <= m.GPUs; g++ {
			jobs = append(jobs, workloads.Job{ID: len(jobs), Runtime: 60 + (c*7+g*13)%541, Nodes: 100, Cores: 100 * c, CoresPerNode: c, GPUsMin: g, GPUsMax: g})
			cores += float64(100 * c * jobs[len(jobs)-1].Runtime)
		}
	}
	return m, jobs, cores / float64(m.Nodes*m.Cores)
}

// Splitting the smallest kinds keeps a bound. A program that is not split would not end.
func TestLowerBoundOfManyKinds(t *testing.T) {
	m, jobs, theoretical := manyKinds()
	bound, err := LowerBound(m, jobs)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kinds, bound %.0f s, theoretical %.0f s", len(jobs), bound, theoretical)
	if bound < theoretical || bound > 3*theoretical {
		t.Errorf("bound %v, theoretical runtime %v", bound, theoretical)
	}
}

// BenchmarkLowerBoundOfManyKinds times the largest program that a machine of the tests makes.
func BenchmarkLowerBoundOfManyKinds(b *testing.B) {
	m, jobs, _ := manyKinds()
	for b.Loop() {
		if _, err := LowerBound(m, jobs); err != nil {
			b.Fatal(err)
		}
	}
}
