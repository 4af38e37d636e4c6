package metric

import (
	"strings"
	"testing"
)

// checkGroups recomputes each group from the jobs that belong to its name.
func (n naiveRun) checkGroups(t *testing.T, groups []Group) {
	t.Helper()
	counted := map[string]int{}
	for _, g := range groups {
		counted[g.By] += g.Jobs
		var members []naiveJob
		started := 0
		for _, j := range n.jobs {
			if n.belongs(t, j, g) {
				members = append(members, j)
				if j.counts() {
					started++
				}
			}
		}
		means, stds := naiveMeans(members)
		for _, m := range Measures() {
			if m.Std == nil {
				continue
			}
			v, _ := m.Value(Metrics{PerJob: g.PerJob})
			if !printsSame(m, v, means[m.Key]) || !printsSame(m, m.Std(Metrics{PerJob: g.PerJob}), stds[m.Key]) {
				t.Errorf("group %s %s: %s: got %v, want %v ± %v", g.By, g.Name, m.Key, v, means[m.Key], stds[m.Key])
			}
		}
		if g.Jobs != len(members) || g.Started != started || g.Jobs == 0 {
			t.Errorf("group %s %s: %d jobs, %d started, want %d and %d", g.By, g.Name, g.Jobs, g.Started, len(members), started)
		}
	}
	from, last := n.fills()
	for _, by := range GroupBys() {
		// No recorded run tells the QOS of its jobs, and no machine has types of GPUs.
		if none := by == "qos" || by == gpuType || by == busySpan && from >= last; !none && counted[by] != len(n.jobs) || none && counted[by] > 0 {
			t.Errorf("groups by %s have %d of %d jobs", by, counted[by], len(n.jobs))
		}
	}
}

func (n naiveRun) belongs(t *testing.T, j naiveJob, g Group) bool {
	switch g.By {
	case "type":
		return j.class == g.Name
	case "gpu":
		return (j.gpuMax > 0) == (g.Name == "with GPUs")
	case "contiguity":
		return j.contiguous == (g.Name == "contiguous")
	case "partition":
		return j.partition == g.Name
	case busySpan:
		from, _ := n.fills()
		return (j.submit >= from) == (g.Name == "in the busy span")
	case "user", "account":
		// Where a workload names neither, Slurm charges the account of the user's name.
		return j.user == g.Name
	}
	part := number(t, strings.TrimPrefix(g.Name, "≤ 1/"))
	all := n.machine.Nodes * n.machine.Cores
	return j.asked*part <= all && (part == 1024 || j.asked*part*2 > all)
}

// checkSeries compares the step functions at every second.
func (n naiveRun) checkSeries(t *testing.T, series Series) {
	t.Helper()
	for second := range n.cores {
		at, cores, gpus := float64(second), 0, 0
		for node := range n.cores[second] {
			gpus += n.gpus[second][node]
		}
		for _, j := range n.jobs {
			if j.used != nil && j.start <= n.first+int64(second) && n.first+int64(second) < j.end {
				cores += int(j.values["allocated"])
			}
		}
		got := []float64{valueAt(series.UsedCores, at), valueAt(series.UsedGPUs, at), valueAt(series.Queue, at), valueAt(series.FragmentedGPUs, at)}
		want := []float64{float64(cores), float64(gpus), float64(n.queue[second]), n.fragments(second)}
		for i := range want {
			if !near(got[i], want[i]) {
				t.Fatalf("at %g s: got %v, want %v", at, got, want)
			}
		}
	}
}

func valueAt(points []Point, t float64) float64 {
	v := 0.0
	for _, p := range points {
		if p.T <= t {
			v = p.V
		}
	}
	return v
}
