package export_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// set reads an interval set of Batsim: "0-3 7".
func set(t *testing.T, text string) []int {
	t.Helper()
	var all []int
	for _, part := range strings.Fields(text) {
		first, last, found := strings.Cut(part, "-")
		if !found {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil {
			t.Fatalf("set %q", text)
		}
		for n := from; n <= to; n++ {
			all = append(all, n)
		}
	}
	return all
}

// The run of run(), by hand: nodes 0 to 3 have the cores 0-1, 2-3, 4-5 and 6-7. Jobs 1 and
// 2 share node 1, where each has a core.
func TestBatsimJobsByCores(t *testing.T) {
	rows := records(t, writtenBy(t, "batsim-jobs", interchange.Core, run()))
	sets, asked := []string{"2", "0 3", "2-3", "4-5", ""}, []string{"1", "2", "2", "2", "1"}
	for i, row := range rows {
		if row["allocated_resources"] != sets[i] || row["requested_number_of_resources"] != asked[i] {
			t.Errorf("row %v", row)
		}
	}
	// Core-seconds: 1*10 + 2*8 + 2*20 + 2*20 of 8 cores in 70 s.
	schedule := records(t, writtenBy(t, "schedule", interchange.Core, run()))[0]
	for name, want := range map[string]string{"nb_computing_machines": "8", "time_computing": "106", "time_idle": "454", "makespan": "70"} {
		if schedule[name] != want {
			t.Errorf("%s: got %s, want %s", name, schedule[name], want)
		}
	}
}

// In any schedule each job has its number of cores, on its own nodes, and no core has two
// jobs at a time. So the utilisation that evalys sums (evalys/metrics.py, compute_load: the
// sizes of allocated_resources) never exceeds the machine, where by nodes it does.
func TestCoresAreNotShared(t *testing.T) {
	beyond := false
	for seed := range uint64(50) {
		data := drawn(seed)
		m := data.Run.Machine
		rows := records(t, writtenBy(t, "batsim-jobs", interchange.Core, data))
		until := map[int][]trace.FinishedJob{}
		for i, j := range data.Jobs {
			onNode := map[int]bool{}
			for _, n := range j.Allocated {
				onNode[n] = true
			}
			cores := set(t, rows[i]["allocated_resources"])
			if len(cores) != j.AllocCores || rows[i]["requested_number_of_resources"] != strconv.Itoa(j.AllocCores) {
				t.Fatalf("seed %d: job %d has %v, want %d cores", seed, j.ID, cores, j.AllocCores)
			}
			for _, c := range cores {
				if !onNode[c/m.Cores] {
					t.Fatalf("seed %d: job %d has core %d, which is on none of its nodes %v", seed, j.ID, c, j.Allocated)
				}
				for _, other := range until[c] {
					if other.Start < j.Finish && j.Start < other.Finish {
						t.Fatalf("seed %d: core %d has jobs %d and %d at a time", seed, c, other.ID, j.ID)
					}
				}
				until[c] = append(until[c], j)
			}
			together := 0
			for _, other := range data.Jobs {
				if other.Start <= j.Start && j.Start < other.Finish {
					together += len(other.Allocated)
				}
			}
			beyond = beyond || together > m.Nodes
		}
	}
	if !beyond {
		t.Error("no schedule has jobs that share nodes")
	}
}
