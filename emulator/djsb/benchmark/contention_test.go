package benchmark_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
)

const gib = int64(1) << 30

// paperNode is one of DJSB section 4.4: 16 cores, 32 GB.
var paperNode = benchmark.Node{Cores: 16, Memory: 32 * gib}

func simulation(perNode int64) benchmark.Load {
	return benchmark.Load{Nodes: []string{"n1", "n2"}, Threads: 16, Memory: perNode * gib}
}

func analysis() benchmark.Load {
	return benchmark.Load{Nodes: []string{"n1", "n2"}, Threads: 8, Memory: 100 << 20}
}

// By hand, with half of the cores saturating the memory (8 of 16).
func TestRates(t *testing.T) {
	m := benchmark.DefaultContention()
	m.SwitchLoss, m.PressureLoss = 0.25, 0.5
	lending, stopped, full := simulation(4), simulation(4), simulation(16)
	lending.Lends, stopped.Suspended = true, true
	for _, tc := range []struct {
		name string
		jobs []benchmark.Load
		want []float64
	}{
		{"alone", []benchmark.Load{simulation(4)}, []float64{1}},
		{"alone, whatever the memory", []benchmark.Load{simulation(32)}, []float64{1}},
		// 8 cores each want the whole bandwidth, and get half of it.
		{"lent cores", []benchmark.Load{lending, analysis()}, []float64{0.5, 0.5}},
		// 24 threads on 16 cores want 2 of 1, in proportion 2 to 1; a quarter is lost.
		{"shared cores", []benchmark.Load{simulation(4), analysis()}, []float64{2.0 / 3 * 0.75, 1.0 / 3 * 0.75}},
		{"a suspended simulation", []benchmark.Load{stopped, analysis()}, []float64{0, 1}},
		// 16.1 of 32 GiB are filled: half of the speed is lost.
		{"much memory", []benchmark.Load{full, analysis()}, []float64{2.0 / 3 * 0.75 / 2, 1.0 / 3 * 0.75 / 2}},
	} {
		got := m.Rates(paperNode, tc.jobs)
		for i := range tc.want {
			if math.Abs(got[i]-tc.want[i]) > 1e-12 {
				t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
			}
		}
	}
}

// By hand, with half of the cores saturating the memory: what counts are nodes, unless a job has
// less than half of their cores.
func TestSpeed(t *testing.T) {
	for _, tc := range []struct {
		nodes, threads int
		want           float64
	}{{64, 16, 64}, {32, 16, 32}, {64, 8, 64}, {64, 4, 32}, {1, 1, 0.125}} {
		if got := benchmark.DefaultContention().Speed(paperNode, tc.nodes, tc.threads); got != tc.want {
			t.Errorf("%d threads on each of %d nodes: got %v, want %v", tc.threads, tc.nodes, got, tc.want)
		}
	}
}

// The cores of two nodes, by hand: shared 24 threads have 16 cores, which are 2/3 for each.
func TestCores(t *testing.T) {
	lending, stopped := simulation(4), simulation(4)
	lending.Lends, stopped.Suspended = true, true
	for _, tc := range []struct {
		jobs []benchmark.Load
		want [2]float64
	}{
		{[]benchmark.Load{lending, analysis()}, [2]float64{16, 16}},
		{[]benchmark.Load{stopped, analysis()}, [2]float64{0, 16}},
		{[]benchmark.Load{simulation(4), analysis()}, [2]float64{64.0 / 3, 32.0 / 3}},
	} {
		got := benchmark.Cores(paperNode, tc.jobs)
		for i, want := range tc.want {
			if math.Abs(got[i]-want) > 1e-9 {
				t.Errorf("%+v: got %v, want %v", tc.jobs, got, tc.want)
			}
		}
	}
}

// A job goes as fast as on its slowest node, and one elsewhere does nothing to it.
func TestSlowestNode(t *testing.T) {
	m := benchmark.DefaultContention()
	half := analysis()
	half.Nodes = half.Nodes[:1]
	elsewhere := analysis()
	elsewhere.Nodes = []string{"n9"}
	both, one := m.Rates(paperNode, []benchmark.Load{simulation(4), analysis()}), m.Rates(paperNode, []benchmark.Load{simulation(4), half, elsewhere})
	if one[0] != both[0] || one[2] != 1 {
		t.Errorf("got %v, and %v where they share all nodes", one, both)
	}
}

// The paper's section 4.4 on figure 3: in the dynamic scenario the analytics lose 104 % and the
// simulation at most 20 % with six analytics. That follows from the bandwidth alone: half of it
// for 20 s each.
func TestLendingFollowsFromBandwidthAlone(t *testing.T) {
	lending := simulation(4)
	lending.Lends = true
	rates := benchmark.Contention{Saturating: 0.5, PressureFull: 1}.Rates(paperNode, []benchmark.Load{lending, analysis()})
	analytics := 1 / rates[1]
	lost := 6 * 10 * analytics * (1 - rates[0]) / 300
	if math.Abs(analytics-2.04) > 0.05 || math.Abs(lost-0.2) > 0.01 {
		t.Errorf("got slowdowns %.2f and %.2f", analytics, 1+lost)
	}
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		m := benchmark.Contention{Saturating: part("saturating", 0.01, 1), SwitchLoss: part("switch", 0, 0.9), PressureNone: part("none", 0, 0.5), PressureFull: part("full", 0.5, 1), PressureLoss: part("loss", 0, 0.9)}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		var jobs []benchmark.Load
		for i := range rapid.IntRange(1, 4).Draw(t, "jobs") {
			j := benchmark.Load{
				Threads: rapid.IntRange(1, 16).Draw(t, "threads"), Memory: rapid.Int64Range(0, 8*gib).Draw(t, "memory"),
				Lends: rapid.Bool().Draw(t, "lends"), Suspended: rapid.Bool().Draw(t, "suspended"),
			}
			for n := range 3 {
				if n == i%3 || rapid.Bool().Draw(t, "there") {
					j.Nodes = append(j.Nodes, "n"+strconv.Itoa(n))
				}
			}
			jobs = append(jobs, j)
		}
		rates := m.Rates(paperNode, jobs)
		for i, j := range jobs {
			if rates[i] < 0 || rates[i] > 1 || j.Suspended != (rates[i] == 0) && !j.Lends {
				t.Fatalf("job %d: rate %v of %+v", i, rates[i], jobs)
			}
			j.Suspended = false
			if alone := m.Rates(paperNode, []benchmark.Load{j}); alone[0] != 1 {
				t.Fatalf("job %d alone: rate %v", i, alone[0])
			}
		}
		// Without the last job nobody is slower.
		for i, rate := range m.Rates(paperNode, jobs[:len(jobs)-1]) {
			if rate < rates[i]-1e-12 {
				t.Fatalf("job %d: rate %v, and %v beside one more of %+v", i, rate, rates[i], jobs)
			}
		}
	})
}

func TestValidate(t *testing.T) {
	err := benchmark.Contention{Saturating: 0, SwitchLoss: 1, PressureNone: 0.6, PressureFull: 0.5, PressureLoss: math.NaN()}.Validate()
	for _, want := range []string{"saturating: got 0", "switch_loss: got 1", "pressure_full: got 0.5, allowed 0.6..1", "pressure_loss: got NaN"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
