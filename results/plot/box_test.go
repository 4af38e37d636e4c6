package plot

import (
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Hyndman and Fan 1996, type 7.
func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		values  []float64
		p, want float64
	}{{[]float64{5}, 0.25, 5}, {[]float64{1, 2, 3, 4}, 0.5, 2.5}, {[]float64{1, 2, 3, 4}, 0.25, 1.75}, {[]float64{1, 9}, 0, 1}, {[]float64{1, 9}, 1, 9}} {
		if got := quantile(test.values, test.p); got != test.want {
			t.Errorf("%v at %g: got %g, want %g", test.values, test.p, got, test.want)
		}
	}
}

// sized is a job that asks for so many cores and waits so long.
func sized(id, cores int, wait float64) trace.FinishedJob {
	j := job(id, wait, wait+10, cores, 0, 0)
	j.Cores = cores
	return j
}

// IPSCHED figure 3b: waiting times by size, a box per schedule.
func TestWaitingBySize(t *testing.T) {
	m := workloads.Machine{Name: "T", Nodes: 4, Cores: 8}
	a := Schedule{"backfill", m, []trace.FinishedJob{sized(1, 32, 5), sized(2, 17, 10), sized(3, 1, 60)}}
	b := Schedule{"auction", m, []trace.FinishedJob{sized(1, 32, 20), sized(2, 17, 30), sized(3, 1, 0)}}
	never := trace.FinishedJob{State: "CANCELLED", Start: trace.NeverStarted, Finish: 9}
	never.ID, never.Cores = 4, 9
	a.Jobs = append(a.Jobs, never)
	p := look(t, func(w io.Writer) error { return WaitingBySize(w, a, b) })
	for _, want := range []string{"≤ 1/32 (1)", "≤ 1/1 (2)", "backfill", "auction", "Waiting time by job size", "60"} {
		if !p.has(want) {
			t.Errorf("%q is not in %q", want, p.texts)
		}
	}
	for _, text := range p.texts {
		if strings.Contains(text, "1/2 ") {
			t.Errorf("a size that no started job has: %q", text)
		}
	}
	// Each of the two schedules has a dot per started job, and a swatch.
	for i := range 2 {
		dots := 0
		for _, s := range p.paths {
			if s.fill == hex(boxColour(i)) {
				dots++
			}
		}
		if dots != 3+1 {
			t.Errorf("schedule %d: %d dots", i, dots-1)
		}
	}
	other := b
	other.Machine.Name, other.Machine.Nodes = "larger", 5
	// A size is a part of the first of two machines, which the axis names.
	two := look(t, func(w io.Writer) error { return WaitingBySize(w, a, other) })
	if axis := "cores asked for, as part of machine " + a.Machine.Name + " (jobs)"; !slices.Contains(two.texts, axis) {
		t.Errorf("got texts %q, want %q", two.texts, axis)
	}
	if err := WaitingBySize(io.Discard); err == nil {
		t.Error("no schedules are drawn")
	}
	look(t, func(w io.Writer) error { return WaitingBySize(w, Schedule{"none", m, nil}) })
}

// A box of many values ends at its quartiles, whatever the values are.
func TestBoxOfManyValues(t *testing.T) {
	values := make([]float64, 101)
	for i := range values {
		values[i] = float64(i)
	}
	p := look(t, func(w io.Writer) error {
		set := categories([]string{"one"}, "", "y", 0, 100, countTicks(100))
		set.Add(box{values: values, width: 0.5, colour: boxColour(1)})
		return figure(w, "test", 100, 1, []panel{{plot: set}})
	})
	if !p.has("one") {
		t.Errorf("no name in %q", p.texts)
	}
	var whisker, quartiles []float64
	for _, s := range p.paths {
		x, y := coordinates(t, s.d)
		switch {
		case s.stroke == hex(boxColour(1)) && len(x) == 2 && x[0] == x[1]:
			whisker = []float64{slices.Min(y), slices.Max(y)}
		case s.fill == hex(light(boxColour(1))):
			quartiles = []float64{slices.Min(y), slices.Max(y)}
		}
	}
	if len(whisker) != 2 || len(quartiles) != 2 {
		t.Fatalf("whisker %v, box %v", whisker, quartiles)
	}
	height := whisker[1] - whisker[0]
	if math.Abs(quartiles[0]-whisker[0]-height/4) > 0.3 || math.Abs(whisker[1]-quartiles[1]-height/4) > 0.3 {
		t.Errorf("whisker %v, box %v, want a quarter above and below", whisker, quartiles)
	}
}

// coordinates are those that a path names.
func coordinates(t *testing.T, d string) (x, y []float64) {
	t.Helper()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, m := range regexp.MustCompile(`([MLHV])([-\d.]+)(?:,([-\d.]+))?`).FindAllStringSubmatch(d, -1) {
		switch m[1] {
		case "H":
			x = append(x, number(m[2]))
		case "V":
			y = append(y, number(m[2]))
		default:
			x, y = append(x, number(m[2])), append(y, number(m[3]))
		}
	}
	return x, y
}

func replica(runtime float64) metric.Metrics {
	return metric.Metrics{Makespan: runtime, CPUUtilization: 0.5, GPUFragmentation: &metric.GPUFragmentation{FGD: 0.25}}
}

func TestReplicas(t *testing.T) {
	a := ReplicaSet{"backfill", []metric.Metrics{replica(3600), replica(7200)}}
	b := ReplicaSet{"auction", []metric.Metrics{replica(3000), replica(7000)}}
	p := look(t, func(w io.Writer) error { return Replicas(w, a, b) })
	for _, want := range []string{"Makespan h", "CPU utilisation %", "GPU FGD %", "backfill", "auction"} {
		if !p.has(want) {
			t.Errorf("%q is not in %q", want, p.texts)
		}
	}
	// What is unknown in one run is left out.
	b.Metrics[1].GPUFragmentation = nil
	if p = look(t, func(w io.Writer) error { return Replicas(w, a, b) }); p.has("GPU FGD %") || !p.has("Makespan h") {
		t.Errorf("got %q", p.texts)
	}
	for want, samples := range map[string][]ReplicaSet{"no runs": nil, `no run of "auction"`: {a, {Name: "auction"}}} {
		if err := Replicas(io.Discard, samples...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

// Ticks of an axis that does not start at 0 lie in it, at least two of them and
// with labels that differ.
func TestRangeTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e5, 1e5).Draw(t, "low")
		high := low + rapid.Float64Range(0.01, 1e5).Draw(t, "span")
		ticks := rangeTicks(low, high)
		labels := map[string]bool{}
		for _, tick := range ticks {
			if tick.Value < low-1e-6 || tick.Value > high+1e-6 {
				t.Fatalf("tick %v outside %g to %g", tick, low, high)
			}
			labels[tick.Label] = true
		}
		if len(ticks) < 1 || len(ticks) > 5 || len(labels) != len(ticks) {
			t.Fatalf("ticks %v of %g to %g", ticks, low, high)
		}
	})
}
