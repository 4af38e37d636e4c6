package workloads

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every AUCSCHED workload on every machine has valid jobs and the theoretical runtime that was asked for. "The
// execution time of each job in the workload was distributed uniformly between 60 and 600 seconds". "The number of
// CPUs a job requests is multiples of the CPUs per node in a system".
func TestAuctionWorkloads(t *testing.T) {
	if n := len(aucsched()); n != 15 {
		t.Fatalf("got %d names, want 15", n)
	}
	for _, b := range aucsched() {
		for _, machineName := range MachineNames() {
			m := machine(t, machineName)
			jobs := jobsOf(t, b.Name, machineName, 1)
			for _, j := range jobs {
				for _, err := range j.Validate(m) {
					t.Errorf("%s on %s: %v", b.Name, machineName, err)
				}
				if j.Runtime < 60 || j.Runtime > 600 || j.Cores%m.Cores != 0 || j.Cores > m.Nodes*m.Cores/5 || j.Arrival != 0 {
					t.Errorf("%s on %s: %+v", b.Name, machineName, j)
				}
			}
			if got := theoretical(jobs, m); (got - 4*time.Hour).Abs() > 10*time.Second {
				t.Errorf("%s on %s: theoretical runtime %v", b.Name, machineName, got)
			}
		}
	}
}

// The workloads of AUCSCHED fit on any machine of at least 8 cores and 2 GPUs
// per node.
func TestAuctionWorkloadsOnAnyMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Machine{
			Name:  "any",
			Nodes: rapid.IntRange(1, 2000).Draw(t, "nodes"), Cores: rapid.IntRange(8, 64).Draw(t, "cores"), GPUs: rapid.IntRange(2, 8).Draw(t, "gpus"),
		}
		b := rapid.SampledFrom(aucsched()).Draw(t, "workload")
		w, err := Load(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := w.Jobs(m, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			for _, err := range j.Validate(m) {
				t.Fatal(err)
			}
			if j.Cores > max(m.Cores, m.Nodes*m.Cores/5) {
				t.Fatalf("larger than a fifth of %+v: %+v", m, j)
			}
		}
		if got := theoretical(jobs, m); (got - 4*time.Hour).Abs() > 4*time.Hour/50 {
			t.Fatalf("theoretical runtime %v", got)
		}
	})
}

// AUCSCHED Table 4, over ten seeds of each family. The bound is four standard
// errors of a share.
func TestTypeShares(t *testing.T) {
	for _, tc := range []struct {
		family string
		want   map[string]float64
	}{
		{"I", map[string]float64{"type1": 1}},
		{"II", map[string]float64{"type3": 1}},
		{"III", map[string]float64{"type1": 0.5, "type3": 0.5}},
		{"IV", map[string]float64{"type1": 0.4, "type3": 0.4, "gpu1": 0.2}},
		{"V", map[string]float64{"type1": 0.333, "type3": 0.333, "gpu1": 0.166, "gpu2": 0.166}},
	} {
		counts := map[string]float64{}
		var all, contiguous, small float64
		for seed := range uint64(10) {
			for _, j := range jobsOf(t, tc.family+".2", "S", seed) {
				all++
				counts[j.Class]++
				if j.Contiguous {
					contiguous++
				}
				if j.CoresPerNode == 4 && j.Class == "type3" {
					small++
				}
				checkKind(t, j)
			}
		}
		near := func(what string, count, of, share float64) {
			if sd := math.Sqrt(share * (1 - share) / of); math.Abs(count/of-share) > 4*sd+0.001 {
				t.Errorf("%s %s: got %.3f, want %.3f", tc.family, what, count/of, share)
			}
		}
		for class, share := range tc.want {
			near(class, counts[class], all, share)
		}
		if len(counts) != len(tc.want) {
			t.Errorf("%s: got classes %v", tc.family, counts)
		}
		near("contiguous", contiguous, all, 0.5)
		if n := counts["type3"]; n > 0 {
			near("4 cores per node", small, n, 0.5)
		}
	}
}

// checkKind compares a job with its column of AUCSCHED Table 4.
func checkKind(t *testing.T, j Job) {
	t.Helper()
	allowed := map[string]struct {
		perNode []int
		gpus    int
	}{
		"type1": {[]int{0}, 0},
		"type3": {[]int{4, 8}, 0},
		"gpu1":  {[]int{1, 2}, 1},
		"gpu2":  {[]int{2, 4}, 2},
	}[j.Class]
	if !slices.Contains(allowed.perNode, j.CoresPerNode) || j.GPUsMin != allowed.gpus || j.GPUsMax != allowed.gpus ||
		(j.Nodes == 0) != (j.Class == "type1") {
		t.Errorf("got %+v", j)
	}
}

// "In the 1st version, none of the jobs requests a contiguous resource
// allocation. In the 2nd version, roughly half of the jobs": the versions of
// one seed differ in that alone.
func TestVersionsDifferInContiguityAlone(t *testing.T) {
	none, half, all := jobsOf(t, "V.1", "S", 3), jobsOf(t, "V.2", "S", 3), jobsOf(t, "V.3", "S", 3)
	if len(none) != len(half) || len(half) != len(all) {
		t.Fatalf("got %d, %d, %d jobs", len(none), len(half), len(all))
	}
	count := 0
	for i := range half {
		if none[i].Contiguous || !all[i].Contiguous {
			t.Errorf("job %d: V.1 %v, V.3 %v", half[i].ID, none[i].Contiguous, all[i].Contiguous)
		}
		if half[i].Contiguous {
			count++
		}
		a, b, c := none[i], half[i], all[i]
		a.Contiguous, b.Contiguous, c.Contiguous = false, false, false
		if a != b || b != c {
			t.Errorf("got %+v, %+v, %+v", a, b, c)
		}
	}
	if share := float64(count) / float64(len(half)); share < 0.4 || share > 0.6 {
		t.Errorf("V.2 has %.2f contiguous jobs", share)
	}
}
