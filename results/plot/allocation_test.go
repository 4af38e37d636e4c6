package plot

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// AUCSCHED figures 4 and 5 show who has which cores of which node at an instant.
// Half-open: a job that ends at the instant is gone, one that starts is there.
func TestAllocationAtAnInstant(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 4, Cores: 4, GPUs: 1}
	s := Schedule{"auction", m, []trace.FinishedJob{
		job(1, 0, 50, 8, 0, 0, 1), job(2, 50, 90, 8, 2, 0, 1), job(3, 20, 60, 4, 0, 2, 3), job(4, 40, 60, 2, 0, 2), job(5, 70, 90, 1, 0, 3),
	}}
	a := newAllocation(s, 50, map[int]int{})
	want := map[int][]span{2: {{0, 4}, {0, 4}}, 3: {{0, 2}, {0, 2}}, 4: {{2, 4}}}
	if len(a.running) != len(want) {
		t.Fatalf("got %+v", a.running)
	}
	for k, j := range a.running {
		for i, level := range a.levels[k] {
			if level != want[j.ID][i] {
				t.Errorf("job %d: got %v, want %v", j.ID, a.levels[k], want[j.ID])
			}
		}
	}
	p := look(t, func(w io.Writer) error { return Allocation(w, []float64{50, 75}, s) })
	for _, text := range []string{
		"after 50 s: 3 jobs running on 88 % of the cores, 1 waiting", "after 1 min 15 s: 2 jobs running on 56 % of the cores, 0 waiting", "node index", "J2",
	} {
		if !p.has(text) {
			t.Errorf("%q is not in %q", text, p.texts)
		}
	}
	if p.has("J1") {
		t.Error("job 1 is over")
	}
}

// No rectangle covers another one, and every core that is in use is drawn.
func TestAllocationKeepsCoresApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workloads.Machine{Nodes: 12, Cores: 8, GPUs: 2}
		s := Schedule{"p", m, fcfs(m, 30, rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]int{1, 3}).Draw(t, "stride"), rapid.Bool().Draw(t, "skip"))}
		at := math.Floor(rapid.Float64Range(0, 1).Draw(t, "at") * end([]Schedule{s}))
		a := newAllocation(s, at, nil)
		drawn, inUse := 0.0, 0
		tops := make([]float64, m.Nodes)
		for k, j := range a.running {
			for i, n := range j.Allocated {
				level := a.levels[k][i]
				if level.lo != tops[n] || level.hi > float64(m.Cores) {
					t.Fatalf("job %d on node %d: %v above %g", j.ID, n, level, tops[n])
				}
				tops[n] = level.hi
				drawn += level.hi - level.lo
			}
		}
		for _, j := range s.Jobs {
			if j.Start <= at && at < j.Finish {
				inUse += j.AllocCores
			}
		}
		if drawn != float64(inUse) {
			t.Fatalf("%g cores drawn, %d in use", drawn, inUse)
		}
	})
}

func TestAllocationFaults(t *testing.T) {
	s := Schedule{"p", machineS(), []trace.FinishedJob{job(1, 0, 50, 8, 0, 0)}}
	for want, draw := range map[string]func() error{
		"no instant given":          func() error { return Allocation(io.Discard, nil, s) },
		"instant NaN is not finite": func() error { return Allocation(io.Discard, []float64{math.NaN()}, s) },
		"none given":                func() error { return Allocation(io.Discard, []float64{1}) },
	} {
		if err := draw(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

// The instants of the shortest schedule, each once.
func TestQuarters(t *testing.T) {
	s := Schedule{"p", machineS(), []trace.FinishedJob{job(1, 0, 50, 8, 0, 0)}}
	for finish, want := range map[float64][]float64{31: {7, 15, 23}, 1: {0}, 3: {0, 1, 2}, 90: {12, 25, 37}} {
		if got := Quarters(s, Schedule{"q", machineS(), []trace.FinishedJob{job(1, 0, finish, 8, 0, 0)}}); !slices.Equal(got, want) {
			t.Errorf("%g s: got %v, want %v", finish, got, want)
		}
	}
}

// The schedules of an instant are together, so that they can be compared.
func TestAllocationOrder(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 4, Cores: 4}
	a, b := Schedule{"a", m, []trace.FinishedJob{job(1, 0, 50, 8, 0, 0, 1)}}, Schedule{"b", m, []trace.FinishedJob{job(1, 10, 60, 8, 0, 0, 1)}}
	p := look(t, func(w io.Writer) error { return Allocation(w, []float64{5, 40}, a, b) })
	var order []string
	for _, text := range p.texts {
		if text == "a" || text == "b" || strings.HasPrefix(text, "after") {
			order = append(order, strings.SplitN(text, ":", 2)[0])
		}
	}
	if want := []string{"a", "after 5 s", "b", "after 5 s", "a", "after 40 s", "b", "after 40 s"}; !slices.Equal(order, want) {
		t.Errorf("got %q, want %q", order, want)
	}
}
