package profile

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

// Quantiles against the sorted numbers: exact below 256, else at most 1/128 too small.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, sbatch.MaxSeconds*100)), 1, 50).Draw(t, "numbers")
		var s Spread
		sum := 0.0
		for _, n := range numbers {
			s.add(n)
			sum += float64(n)
		}
		slices.Sort(numbers)
		if s.Min != numbers[0] || s.Max != numbers[len(numbers)-1] || math.Abs(s.Mean()-sum/float64(len(numbers))) > 1e-6*sum {
			t.Fatalf("%v: %+v", numbers, s)
		}
		for _, q := range []float64{0.01, 0.5, 0.9, 1} {
			want := numbers[int(math.Ceil(q*float64(len(numbers))))-1]
			if got := s.Quantile(q); got > want || want < 256 && got != want || float64(got) < float64(want)*(1-1./128) {
				t.Fatalf("%v: quantile %g is %d, want %d", numbers, q, got, want)
			}
		}
	})
}

// A load worked out by hand: 2 jobs of 8 cores and 4 GPUs for 100 s arrive within 50 s.
func TestLoad(t *testing.T) {
	var p Profile
	for id := range 2 {
		p.Add(workloads.Job{ID: id + 1, Arrival: 10 + 50*id, Runtime: 100, Limit: 150, Nodes: 2, Cores: 8, CoresPerNode: 4, GPUsMin: 2, GPUsMax: 2, Class: "g", User: fmt.Sprint("u", id)})
	}
	m := workloads.Machine{Name: "m", Nodes: 10, Cores: 4, GPUs: 2}
	cores, gpus, ok := p.Load(m)
	if !ok || cores != 1600./50/40 || gpus != 800./50/20 || p.OddLimits != 2 {
		t.Errorf("got %g, %g, %v, %d odd limits", cores, gpus, ok, p.OddLimits)
	}
	if name, part := p.BusiestUser(); name != "u0" || part != 0.5 {
		t.Errorf("busiest: %s, %g", name, part)
	}
	// The smallest machine of two such nodes has a load of 400 %; ten and one more have 80.
	least, _ := p.Demand.Machine(8)
	if least.Nodes != 2 || least.Cores != 4 || least.GPUs != 2 {
		t.Errorf("least %+v", least)
	}
	carrying, ok := p.Carrying(least, 0.8)
	if cores, gpus, _ := p.Load(carrying); !ok || carrying.Nodes != 11 || cores > 0.8 || gpus > 0.8 {
		t.Errorf("%+v has %g and %g, %v", carrying, cores, gpus, ok)
	}
	if _, ok := p.Carrying(least, 1e-6); ok {
		t.Error("a machine of more nodes than a machine file allows")
	}
	var once Profile
	once.Add(workloads.Job{ID: 1, Runtime: 100, Limit: 180, Cores: 8, Class: "g"})
	if _, _, ok := once.Load(m); ok {
		t.Error("one arrival has no load")
	}
}
