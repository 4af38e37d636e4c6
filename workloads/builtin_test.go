package workloads

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// AUCSCHED2 Table 2. The cores per node are ours, see specs/1.yaml.
func table2() map[string]struct {
	nodes    bool
	gpus     [2]int
	nodeCore []int
} {
	return map[string]struct {
		nodes    bool
		gpus     [2]int
		nodeCore []int
	}{
		"A":       {false, [2]int{0, 0}, nil},
		"B":       {true, [2]int{0, 0}, []int{6, 12}},
		"C":       {true, [2]int{1, 1}, []int{2, 3}},
		"C-range": {true, [2]int{1, 3}, []int{2, 3}},
		"D":       {true, [2]int{2, 2}, []int{4, 6}},
		"D-range": {true, [2]int{2, 3}, []int{4, 6}},
		"E":       {true, [2]int{3, 3}, []int{6, 9}},
	}
}

// "The number of jobs in the workloads are 350 and 700", "a mean theoretical
// runtime of 5 and 10 hours" (Table 3: 3.12 and 6.21), Table 2's requests.
func TestAUCSCHED2Workloads(t *testing.T) {
	m := machine(t, "tsubame")
	for _, b := range aucsched2() {
		jobs, length := 350, 5*time.Hour
		if strings.Contains(b.Name, "table3") {
			length = 11232 * time.Second
		}
		if strings.HasPrefix(b.Name, "2.") {
			jobs, length = 700, 2*length
		}
		if b.Name[0] == '2' && strings.Contains(b.Name, "table3") {
			length = 22356 * time.Second
		}
		for seed := range uint64(5) {
			got := jobsOf(t, b.Name, "tsubame", seed)
			if len(got) != jobs {
				t.Errorf("%s: got %d jobs, want %d", b.Name, len(got), jobs)
			}
			if runtime := theoretical(got, m); (runtime - length).Abs() > length/1000 {
				t.Errorf("%s seed %d: theoretical runtime %v, want %v", b.Name, seed, runtime, length)
			}
			for _, j := range got {
				checkTable2(t, b.Name, m, j)
			}
		}
	}
}

func checkTable2(t *testing.T, name string, m Machine, j Job) {
	t.Helper()
	kind, known := table2()[j.Class]
	good := known && (j.Nodes > 0) == kind.nodes && j.CoresPerNode == 0 && [2]int{j.GPUsMin, j.GPUsMax} == kind.gpus &&
		j.Runtime >= 60 && j.Runtime <= 600 && j.Limit > j.Runtime && j.Cores%m.Cores == 0
	if kind.nodes && good {
		good = j.Cores%j.Nodes == 0 && slices.Contains(kind.nodeCore, j.Cores/j.Nodes)
	}
	ranges := strings.HasSuffix(name, ".ranges")
	if strings.HasSuffix(j.Class, "-range") && !ranges || (j.Class == "C" || j.Class == "D") && ranges {
		good = false
	}
	if strings.Contains(name, ".NC") && j.Contiguous || strings.Contains(name, ".FC") && !j.Contiguous {
		good = false
	}
	if !good {
		t.Errorf("%s: got %+v", name, j)
	}
	for _, err := range j.Validate(m) {
		t.Errorf("%s: %v", name, err)
	}
}

// "The probability of each job type in the workload is taken as equal", "For HC
// workloads, approximately half of the jobs": chi-squared over 20 fixed seeds.
func TestAUCSCHED2TypesAreEquallyLikely(t *testing.T) {
	counts := map[string]float64{}
	var all, contiguous float64
	for seed := range uint64(20) {
		for _, j := range jobsOf(t, "1.HC.ranges", "tsubame", seed) {
			all++
			counts[j.Class]++
			if j.Contiguous {
				contiguous++
			}
		}
	}
	// The 0.1 % points with 4 and 1 degrees of freedom.
	if chi := chiSquared(counts, map[string]float64{"A": 0.2, "B": 0.2, "C-range": 0.2, "D-range": 0.2, "E": 0.2}); chi > 18.47 {
		t.Errorf("chi-squared %.1f of %v", chi, counts)
	}
	halves := map[string]float64{"yes": contiguous, "no": all - contiguous}
	if chi := chiSquared(halves, map[string]float64{"yes": 0.5, "no": 0.5}); chi > 10.83 {
		t.Errorf("chi-squared %.1f of %v", chi, halves)
	}
}

// chiSquared is infinite when something was counted that has no share.
func chiSquared(counts, shares map[string]float64) float64 {
	var all, chi float64
	for class, n := range counts {
		all += n
		if shares[class] == 0 {
			return math.Inf(1)
		}
	}
	for class, share := range shares {
		chi += (counts[class] - all*share) * (counts[class] - all*share) / (all * share)
	}
	return chi
}

// A workload and its ranges are the same jobs but for the ranges, so that
// backfill without them and the auction with them can be compared job by job.
func TestRangesChangeNothingElse(t *testing.T) {
	exact, ranges := jobsOf(t, "2.HC", "tsubame", 4), jobsOf(t, "2.HC.ranges", "tsubame", 4)
	changed := 0
	for i, j := range ranges {
		if j.GPUsMax > j.GPUsMin {
			changed++
			j.GPUsMax = j.GPUsMin
			j.Class = strings.TrimSuffix(j.Class, "-range")
		}
		if j != exact[i] {
			t.Errorf("got %+v and %+v", exact[i], ranges[i])
		}
	}
	if changed == 0 {
		t.Error("no job has a range")
	}
}

func TestAUCSCHED2NeedsThreeGPUs(t *testing.T) {
	w, err := Load("1.NC.ranges")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Jobs(machine(t, "S"), 1)
	wantError(t, err, `workload 1.NC.ranges on machine S: types[1].cores_per_node[1]: got 12, allowed up to 8 (cores of a node)
workload 1.NC.ranges on machine S: types[2].gpus_max: got 3, allowed up to 2 (GPUs of a node)
workload 1.NC.ranges on machine S: types[3].gpus_max: got 3, allowed up to 2 (GPUs of a node)
workload 1.NC.ranges on machine S: types[4].gpus: got 3, allowed up to 2 (GPUs of a node)
workload 1.NC.ranges on machine S: types[4].cores_per_gpu[1]: got 3, allowed up to 2 (cores per GPU for 3 GPUs of a node)`)
}

// A number of jobs keeps its mix when the theoretical runtime changes, and a
// run time that these jobs cannot have is an error.
func TestNumberOfJobs(t *testing.T) {
	w, err := Load("1.NC")
	if err != nil {
		t.Fatal(err)
	}
	small := Machine{Name: "small", Nodes: 64, Cores: 12, GPUs: 3}
	half, err := w.WithEstimatedRuntime(30 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := half.Jobs(small, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := theoretical(jobs, small); len(jobs) != 35 || (got-30*time.Minute).Abs() > 36*time.Second {
		t.Errorf("got %d jobs, %v", len(jobs), got)
	}
	s, err := ParseSpec("s.yaml", []byte("jobs: 4\nmax_cores: 0.01\ntheoretical_runtime: 10h\n"+oneType))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Generate(small, 1)
	wantError(t, err, "generate workload s on machine small: theoretical_runtime: got 10h0m0s, allowed 4s..38s for these 4 jobs (change jobs, max_cores or runtime)")
	s.EstimatedRuntime = Duration{}
	if jobs, err = s.Generate(small, 1); err != nil || len(jobs) != 4 {
		t.Errorf("got %d jobs, %v", len(jobs), err)
	}
}

// One factor: within its bounds, the asked theoretical runtime to within a
// second of every job, and the order of run times kept.
func TestStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shortest := rapid.IntRange(1, 300).Draw(t, "shortest")
		longest := shortest + rapid.IntRange(0, 3000).Draw(t, "more")
		var drafts []draft
		var least, most, size int64
		for range rapid.IntRange(1, 200).Draw(t, "jobs") {
			d := draft{shape: shape{cores: 1}, size: rapid.IntRange(1, 20).Draw(t, "size"), runtime: rapid.IntRange(shortest, longest).Draw(t, "runtime")}
			drafts = append(drafts, d)
			size += int64(d.size)
			least += int64(d.size * shortest)
			most += int64(d.size * longest)
		}
		asked := rapid.Int64Range(least, most).Draw(t, "asked")
		out, err := scaleRuntimes(drafts, asked, shortest, longest, 20)
		if err != nil {
			t.Fatal(err)
		}
		var work int64
		for i, d := range out {
			work += d.work()
			if d.runtime < shortest || d.runtime > longest || d.size != drafts[i].size {
				t.Fatalf("got %+v of %+v", d, drafts[i])
			}
			for k := range out[:i] {
				if (drafts[k].runtime < drafts[i].runtime) && out[k].runtime > d.runtime {
					t.Fatalf("the order of jobs %d and %d changed", k+1, i+1)
				}
			}
		}
		if work > asked || asked-work > size {
			t.Fatalf("got %d core-seconds of %d asked", work, asked)
		}
	})
}
