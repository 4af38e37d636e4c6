package metric

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// naiveRun is a run read from its raw text, without package trace.
type naiveRun struct {
	dir          string
	machine      workloads.Machine
	leaf         int // nodes of a leaf switch, 0 without switches
	run          map[string]any
	jobs         []naiveJob
	first, last  int64
	cores, gpus  [][]int // in use by second since first and node
	queue        []int   // by second
	sdiag, agent []string
}

// naiveJob is a job with everything about it that has a mean.
type naiveJob struct {
	// victim says that an event killed it.
	victim                bool
	class, user, state    string
	partition             string
	outcome               string // "completed" without the column
	cancelAfter           int
	asked, nodes, perNode int
	gpusMin, gpuMax       int
	fewest, length        int // fewest nodes, longest run time
	shortest              int
	contiguous            bool
	arrival               int
	submit, start, end    int64
	used                  map[int]int // cores by node, counted from 1
	gpus                  int         // on each
	values                map[string]float64
	elapsed               int
}

// Every metric of every run is computed a second time straight from the raw text, second by second and node by node
// instead of interval by interval. It agrees in every digit that tables print. Something must be known of each.
func TestMetricsAgainstRawText(t *testing.T) {
	recorded := "../../cmd/slurmlab/internal/cli/testdata/runs/"
	small := workloads.Machine{Name: "T", Nodes: 9, Cores: 4, GPUs: 2}
	switched := small
	switched.Switches = workloads.Tree{Nodes: 4}
	seen := map[string]bool{}
	for _, dir := range []string{
		"testdata/run", recorded + "S-V.2-auction-seed1", recorded + "S-V.2-backfill-seed1",
		writeRun(t, small, 150, 1).Path(), writeRun(t, small, 40, 2).Path(), writeRun(t, switched, 12, 7).Path(),
		writeRun(t, small, 150, 3, workloads.Outcomes()...).Path(), withVictims(t, writeRun(t, small, 150, 4)).Path(),
	} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			opened, err := trace.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			data, err := opened.Load()
			if err != nil {
				t.Fatal(err)
			}
			got, err := Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
			if err != nil {
				t.Fatal(err)
			}
			n := readNaive(t, dir)
			values, stds := n.metrics(t)
			for _, m := range Measures() {
				want, wanted := values[m.Key]
				v, known := m.Value(got)
				if known != wanted || known && !printsSame(m, v, want) {
					t.Errorf("%s: got %v (known: %v), want %v (%v)", m.Key, v, known, want, wanted)
				}
				if m.Std != nil && !printsSame(m, m.Std(got), stds[m.Key]) {
					t.Errorf("%s: got deviation %v, want %v", m.Key, m.Std(got), stds[m.Key])
				}
				seen[m.Key] = seen[m.Key] || known
			}
			n.checkGroups(t, got.Groups)
			n.checkSeries(t, NewSeries(data.Run.Machine, data.Jobs))
		})
	}
	for _, m := range Measures() {
		if !seen[m.Key] {
			t.Errorf("%s is unknown in all runs", m.Key)
		}
	}
}

// printsSame compares what tables print, and all but the rounding of the rest.
func printsSame(m Measure, got, want float64) bool {
	text := func(v float64) string {
		return strconv.FormatFloat(m.Unit.InTable(v), 'f', m.Unit.Decimals(), 64)
	}
	return text(got) == text(want) && math.Abs(got-want) <= 1e-6*max(1, math.Abs(want))
}

// metrics gives the value of each key that is known, and the deviations.
func (n naiveRun) metrics(t *testing.T) (values, stds map[string]float64) {
	values, stds = map[string]float64{}, map[string]float64{}
	makespan := float64(n.last - n.first)
	allCores, allGPUs := float64(n.machine.Nodes*n.machine.Cores), float64(n.machine.Nodes*n.machine.GPUs)
	work, busyGPUs := 0.0, 0.0
	var errs []float64
	for _, j := range n.jobs {
		work += float64(j.asked) * float64(j.length)
		if j.state == "COMPLETED" {
			values["completed"]++
		}
		n.countEnd(values, j)
		if n.asPlanned(j) && slices.Contains([]string{"completed", "failed", "cancelled", "out_of_memory"}, j.outcome) {
			errs = append(errs, math.Abs(float64(j.elapsed)-n.expected(j)))
		}
	}
	for _, byNode := range n.gpus {
		for _, g := range byNode {
			busyGPUs += float64(g)
		}
	}
	values["failed"] += 0
	values["theoretical_runtime_s"] = work / allCores
	values["lower_bound_s"] = n.lowerBound(t)
	values["makespan_s"] = makespan
	values["cpu_utilization"] = math.Min(1, work/allCores/makespan)
	values["gpu_utilization"] = busyGPUs / (allGPUs * makespan)
	n.espEfficiency(t, values, makespan)
	means, deviations := naiveMeans(n.jobs)
	for key := range means {
		values[key], stds[key] = means[key], deviations[key]
	}
	if n.leaf == 0 {
		delete(values, "switch_spread")
	}
	n.gpuFragmentation(values)
	n.spread(values)
	n.fairness(values)
	n.cycles(t, values)
	values["elapsed_error_s.mean"] = mean(errs)
	values["elapsed_error_s.max"] = slices.Max(errs)
	values["elapsed_error_s.exact"] = 0
	values["elapsed_error_s.within_1s"] = 0
	for _, e := range errs {
		if e == 0 {
			values["elapsed_error_s.exact"]++
		}
		if e <= 1 {
			values["elapsed_error_s.within_1s"]++
		}
	}
	values["arrival_lag_max_s"] = n.run["arrival_lag_max_s"].(float64)
	values["real_s"] = n.run["real_s"].(float64)
	values["speed"] = makespan / values["real_s"]
	return values, stds
}

// countEnd counts a job that did not end as planned, and one whose user gave up.
func (n naiveRun) countEnd(values map[string]float64, j naiveJob) {
	if !n.asPlanned(j) && !j.victim {
		values["failed"]++
	}
	if j.outcome == "cancelled_pending" {
		values["cancelled_pending.cancelled"] += 0
		if j.used == nil {
			values["cancelled_pending.cancelled"]++
		}
	}
}

// asPlanned goes by the words of Slurm; times may be a second too short.
func (n naiveRun) asPlanned(j naiveJob) bool {
	ran := j.used != nil && float64(j.elapsed)+1 >= n.expected(j)
	return map[string]bool{
		"completed/COMPLETED": true, "timeout/TIMEOUT": true, "failed/FAILED": ran, "cancelled/CANCELLED": ran, "out_of_memory/OUT_OF_MEMORY": ran,
		"cancelled_pending/CANCELLED": j.used != nil || j.end-j.submit+1 >= int64(j.cancelAfter),
	}[j.outcome+"/"+j.state]
}

// counts says whether the job is in means over jobs.
func (j naiveJob) counts() bool {
	return j.used != nil && j.outcome != "cancelled_pending" && !j.victim
}

func (n naiveRun) espEfficiency(t *testing.T, values map[string]float64, makespan float64) {
	spec, _ := n.run["workload_spec"].(map[string]any)
	minimum, published := spec["minimum_runtime"].(string)
	if !published || values["completed"] < float64(len(n.jobs)) {
		return
	}
	seconds, err := time.ParseDuration(minimum)
	if err != nil {
		t.Fatal(err)
	}
	values["esp_efficiency"] = seconds.Seconds() / makespan
}

// expected is AUCSCHED2 equation 5, rounded up.
func (n naiveRun) expected(j naiveJob) float64 {
	if j.gpuMax > j.gpusMin && j.gpus > 0 && j.outcome != "timeout" {
		return math.Ceil(float64(j.length) * float64(j.gpusMin) / float64(j.gpus))
	}
	return float64(j.length)
}

// lowerBound is the linear program over all patterns, as it stands.
func (n naiveRun) lowerBound(t *testing.T) float64 {
	demand := map[request]float64{}
	arrival, last, work := n.jobs[0].arrival, 0, 0.0
	for _, j := range n.jobs {
		arrival = min(arrival, j.arrival)
		if j.outcome != "cancelled_pending" {
			last = max(last, j.arrival+j.shortest)
		}
		work += float64(j.asked * j.shortest)
		if j.nodes > 0 && j.fewest*j.perNode == j.asked {
			demand[request{cores: j.perNode, gpus: j.gpusMin}] += float64(j.fewest * j.shortest)
			continue
		}
		demand[request{cores: 1, gpus: j.gpusMin}] += float64(j.fewest * j.shortest)
		if rest := j.asked - j.fewest; rest > 0 {
			demand[request{cores: 1}] += float64(rest * j.shortest)
		}
	}
	var kinds []kind
	for r, seconds := range demand {
		kinds = append(kinds, kind{r, seconds})
	}
	nodeSeconds, err := primal(kinds, allPatterns(request{cores: n.machine.Cores, gpus: n.machine.GPUs}, kinds))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Max([]float64{nodeSeconds / float64(n.machine.Nodes), float64(last - arrival), work / float64(n.machine.Nodes*n.machine.Cores)})
}

// naiveMeans are over the jobs that count.
func naiveMeans(jobs []naiveJob) (means, stds map[string]float64) {
	lists := map[string][]float64{}
	for _, key := range []string{"waiting_s", "turnaround_s", "slowdown", "bounded_slowdown", "fragmentation", "spread", "packing", "switch_spread"} {
		lists[key] = nil
	}
	for _, j := range jobs {
		if !j.counts() {
			continue
		}
		for key := range lists {
			lists[key] = append(lists[key], j.values[key])
		}
	}
	means, stds = map[string]float64{}, map[string]float64{}
	for key, list := range lists {
		squares := 0.0
		for _, v := range list {
			squares += v * v / float64(len(list))
		}
		means[key] = mean(list)
		stds[key] = math.Sqrt(math.Max(0, squares-means[key]*means[key]))
	}
	return means, stds
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / math.Max(1, float64(len(list)))
}

func (n naiveRun) gpuFragmentation(values map[string]float64) {
	var ofGPU, blocks []float64
	for node := 1; node <= n.machine.Nodes; node++ {
		for k := 1; k <= n.machine.GPUs; k++ {
			var sum, squares, gap float64
			for second := 0; second <= len(n.gpus); second++ {
				if second < len(n.gpus) && n.gpus[second][node] < k {
					gap++
					continue
				}
				sum, squares, gap = sum+gap, squares+gap*gap, 0
			}
			if sum == 0 {
				ofGPU = append(ofGPU, 0)
			} else {
				ofGPU = append(ofGPU, 1-squares/(sum*sum))
			}
		}
	}
	idle, fragments := 0.0, 0.0
	for second := range n.gpus {
		idle += n.idleGPUs(second)
		fragments += n.fragments(second)
	}
	for _, j := range n.jobs {
		if j.gpus > 0 && j.counts() {
			blocks = append(blocks, j.values["fragmentation"])
		}
	}
	values["gpu_fragmentation.gaps"] = mean(ofGPU)
	values["gpu_fragmentation.fgd"] = fragments / math.Max(1, idle)
	values["gpu_fragmentation.blocks"] = mean(blocks)
}

func (n naiveRun) idleGPUs(second int) float64 {
	idle := 0
	for node := 1; node <= n.machine.Nodes; node++ {
		idle += n.machine.GPUs - n.gpus[second][node]
	}
	return float64(idle)
}

// fragments asks each job on each node whether it could use it.
func (n naiveRun) fragments(second int) float64 {
	useless := 0
	for node := 1; node <= n.machine.Nodes; node++ {
		cores, gpus := n.machine.Cores-n.cores[second][node], n.machine.GPUs-n.gpus[second][node]
		for _, j := range n.jobs {
			share := int(math.Ceil(float64(j.asked) / float64(j.fewest)))
			if j.gpusMin == 0 || gpus < j.gpusMin || cores < share {
				useless += gpus
			}
		}
	}
	return float64(useless) / float64(len(n.jobs))
}

func (n naiveRun) fairness(values map[string]float64) {
	users := map[string][]float64{}
	for _, j := range n.jobs {
		if j.counts() {
			users[j.user] = append(users[j.user], j.values["bounded_slowdown"])
		}
	}
	if len(users) < 2 {
		return
	}
	var x, squares []float64
	for _, list := range users {
		x, squares = append(x, mean(list)), append(squares, mean(list)*mean(list))
	}
	values["user_fairness"] = mean(x) * mean(x) / mean(squares)
}

// cycles reads the costs as they stand in the text.
func (n naiveRun) cycles(t *testing.T, values map[string]float64) {
	if n.agent == nil {
		scale := 1e6 * n.run["time_scale"].(float64)
		for _, line := range n.sdiag {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch key {
			case "Mean cycle":
				values["cycle_s.mean"] = float64(number(t, strings.TrimSpace(value))) / scale
			case "Max cycle":
				values["cycle_s.max"] = float64(number(t, strings.TrimSpace(value))) / scale
			case "Mean depth cycle":
				// The section of the main scheduler ends here.
				delete(values, "cycle_s.mean")
				delete(values, "cycle_s.max")
			}
		}
		if values["cycle_s.mean"] == 0 {
			delete(values, "cycle_s.max")
		}
		return
	}
	var costs []float64
	for _, line := range n.agent {
		var c map[string]any
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		cost := 0.0
		for _, phase := range []string{"snapshot_ms", "bids_ms", "solve_ms", "release_ms"} {
			cost += c[phase].(float64) / 1000
		}
		costs = append(costs, cost)
	}
	values["placement.exact"] = float64(strings.Count(strings.Join(n.agent, ""), `"exact":true`))
	values["cycle_s.mean"], values["cycle_s.max"] = mean(costs), slices.Max(costs)
	for _, c := range costs {
		within := 0
		for _, other := range costs {
			if other <= c {
				within++
			}
		}
		if 100*within >= 99*len(costs) {
			if least, found := values["cycle_s.p99"]; !found || c < least {
				values["cycle_s.p99"] = c
			}
		}
	}
}
