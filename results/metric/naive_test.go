package metric

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
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
	run          map[string]any
	jobs         []naiveJob
	first, last  int64
	cores, gpus  [][]int // in use by second since first and node
	queue        []int   // by second
	sdiag, agent []string
}

// naiveJob is a job with everything about it that has a mean.
type naiveJob struct {
	class, user, state    string
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

// Every metric of every run is computed a second time straight from the raw
// text, second by second and node by node instead of interval by interval, and
// agrees in every digit that tables print. Something must be known of each.
func TestMetricsAgainstRawText(t *testing.T) {
	recorded := "../../cmd/slurmlab/internal/cli/testdata/runs/"
	small := workloads.Machine{Name: "T", Nodes: 9, Cores: 4, GPUs: 2}
	seen := map[string]bool{}
	for _, dir := range []string{
		"testdata/run", recorded + "S-V.2-auction-seed1", recorded + "S-V.2-backfill-seed1",
		writeRun(t, small, 150, 1).Path(), writeRun(t, small, 40, 2).Path(),
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
	runtime := float64(n.last - n.first)
	allCores, allGPUs := float64(n.machine.Nodes*n.machine.Cores), float64(n.machine.Nodes*n.machine.GPUs)
	work, busyGPUs := 0.0, 0.0
	var errs []float64
	for _, j := range n.jobs {
		work += float64(j.asked) * float64(j.length)
		if j.state == "COMPLETED" {
			errs = append(errs, math.Abs(float64(j.elapsed)-n.expected(j)))
		} else {
			values["failed"]++
		}
	}
	for _, byNode := range n.gpus {
		for _, g := range byNode {
			busyGPUs += float64(g)
		}
	}
	values["failed"] += 0
	values["completed"] = float64(len(errs))
	values["theoretical_runtime_s"] = work / allCores
	values["lower_bound_s"] = n.lowerBound(t)
	values["runtime_s"] = runtime
	values["cpu_utilization"] = math.Min(1, work/allCores/runtime)
	values["gpu_utilization"] = busyGPUs / (allGPUs * runtime)
	means, deviations := naiveMeans(n.jobs)
	for key := range means {
		values[key], stds[key] = means[key], deviations[key]
	}
	n.gpuFragmentation(values)
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
	values["speed"] = runtime / values["real_s"]
	return values, stds
}

// expected is AUCSCHED2 equation 5, rounded up.
func (n naiveRun) expected(j naiveJob) float64 {
	if j.gpuMax > j.gpusMin && j.gpus > 0 {
		return math.Ceil(float64(j.length) * float64(j.gpusMin) / float64(j.gpus))
	}
	return float64(j.length)
}

// lowerBound is the linear program over all patterns, as it stands.
func (n naiveRun) lowerBound(t *testing.T) float64 {
	demand := map[request]float64{}
	arrival, last, work := n.jobs[0].arrival, 0, 0.0
	for _, j := range n.jobs {
		arrival, last = min(arrival, j.arrival), max(last, j.arrival+j.shortest)
		work += float64(j.asked * j.shortest)
		if j.nodes > 0 && j.fewest*j.perNode == j.asked {
			demand[request{j.perNode, j.gpusMin}] += float64(j.fewest * j.shortest)
			continue
		}
		demand[request{1, j.gpusMin}] += float64(j.fewest * j.shortest)
		if rest := j.asked - j.fewest; rest > 0 {
			demand[request{1, 0}] += float64(rest * j.shortest)
		}
	}
	var kinds []kind
	for r, seconds := range demand {
		kinds = append(kinds, kind{r, seconds})
	}
	nodeSeconds, err := primal(kinds, allPatterns(request{n.machine.Cores, n.machine.GPUs}, kinds))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Max([]float64{nodeSeconds / float64(n.machine.Nodes), float64(last - arrival), work / float64(n.machine.Nodes*n.machine.Cores)})
}

// naiveMeans are over the jobs that started.
func naiveMeans(jobs []naiveJob) (means, stds map[string]float64) {
	lists := map[string][]float64{}
	for _, key := range []string{"waiting_s", "turnaround_s", "slowdown", "bounded_slowdown", "fragmentation", "spread", "packing"} {
		lists[key] = nil
	}
	for _, j := range jobs {
		if j.used == nil {
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
		if j.gpus > 0 {
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
		if j.used != nil {
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
				if j.used != nil {
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
	for _, by := range GroupBys() {
		if counted[by] != len(n.jobs) {
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

// readNaive reads the raw files with fixed columns.
func readNaive(t *testing.T, dir string) naiveRun {
	t.Helper()
	n := naiveRun{dir: dir, first: math.MaxInt64}
	text, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err = json.Unmarshal(text, &n.run); err != nil {
		t.Fatal(err)
	}
	machine := n.run["machine"].(map[string]any)
	n.machine = workloads.Machine{Nodes: int(machine["nodes"].(float64)), Cores: int(machine["cores"].(float64)), GPUs: int(machine["gpus"].(float64))}
	n.sdiag = lines(t, dir, "sdiag.txt")
	if n.run["policy"] != "backfill" {
		n.agent = lines(t, dir, "cycles.jsonl")
	}
	rows := map[string][]string{}
	for _, line := range lines(t, dir, "sacct.txt")[1:] {
		f := strings.Split(line, "|")
		rows[f[1]] = f
	}
	for _, line := range lines(t, dir, "workload.csv")[1:] {
		w := strings.Split(line, ",")
		j := n.readJob(t, w, rows[w[0]])
		n.first, n.last = min(n.first, j.submit), max(n.last, j.end)
		n.jobs = append(n.jobs, j)
	}
	for second := n.first; second < n.last; second++ {
		cores, gpus, queue := make([]int, n.machine.Nodes+1), make([]int, n.machine.Nodes+1), 0
		for _, j := range n.jobs {
			if j.submit <= second && (j.used != nil && second < j.start || j.used == nil && second < j.end) {
				queue++
			}
			if j.start <= second && second < j.end {
				for node, c := range j.used {
					cores[node] = min(n.machine.Cores, cores[node]+c)
					gpus[node] += j.gpus
				}
			}
		}
		n.cores, n.gpus, n.queue = append(n.cores, cores), append(n.gpus, gpus), append(n.queue, queue)
	}
	return n
}

// readJob puts a line of workload.csv and one of sacct.txt together.
func (n naiveRun) readJob(t *testing.T, w, f []string) naiveJob {
	j := naiveJob{
		class: w[10], user: f[2], state: strings.Fields(f[4])[0], asked: number(t, w[5]), gpusMin: number(t, w[7]), gpuMax: number(t, w[8]),
		nodes: number(t, w[4]), length: number(t, w[2]), contiguous: w[9] == "1", arrival: number(t, w[1]),
		submit: unix(t, f[6]), end: unix(t, f[9]), elapsed: number(t, f[10]),
	}
	if j.perNode = number(t, w[6]); j.perNode == 0 {
		j.perNode = n.machine.Cores
	}
	for j.fewest = max(1, j.nodes); j.fewest*j.perNode < j.asked; {
		j.fewest++
	}
	j.shortest = j.length
	if j.gpuMax > j.gpusMin {
		j.shortest = int(math.Ceil(float64(j.length*j.gpusMin) / float64(j.gpuMax)))
	}
	if f[16] == "None assigned" {
		return j
	}
	j.start = unix(t, f[8])
	nodes := naiveNodes(t, f[16])
	j.used, j.values = map[int]int{}, map[string]float64{}
	for core := range number(t, f[13]) {
		j.used[nodes[core%len(nodes)]]++
	}
	j.gpus = tresGPUs(t, f[15]) / len(nodes)
	blocks := 0
	for _, node := range nodes {
		if !slices.Contains(nodes, node-1) {
			blocks++
		}
	}
	turnaround, execution := float64(j.end-j.submit), float64(j.end-j.start)
	j.values["allocated"] = float64(number(t, f[13]))
	j.values["waiting_s"] = float64(j.start - j.submit)
	j.values["turnaround_s"] = turnaround
	j.values["slowdown"] = turnaround / math.Max(1, execution)
	j.values["bounded_slowdown"] = math.Max(1, turnaround/math.Max(10, execution))
	j.values["fragmentation"] = float64(blocks)
	j.values["spread"] = float64(slices.Max(nodes)-slices.Min(nodes)+1) / float64(len(nodes))
	j.values["packing"] = float64(len(nodes)) / float64(j.fewest)
	return j
}

// naiveNodes reads "n[1-3,7]", "n4" and "n[1-2],n7", ascending.
func naiveNodes(t *testing.T, text string) []int {
	var nodes []int
	for _, block := range strings.Split(strings.NewReplacer("n", "", "[", "", "]", "").Replace(text), ",") {
		low, high, isRange := strings.Cut(block, "-")
		if !isRange {
			high = low
		}
		for n := number(t, low); n <= number(t, high); n++ {
			nodes = append(nodes, n)
		}
	}
	slices.Sort(nodes)
	return nodes
}

func lines(t *testing.T, dir, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func unix(t *testing.T, s string) int64 {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05", s)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix()
}

func tresGPUs(t *testing.T, s string) int {
	t.Helper()
	_, after, ok := strings.Cut(s, "gres/gpu=")
	if !ok {
		return 0
	}
	text, _, _ := strings.Cut(after, ",")
	return number(t, text)
}

// Everything that "slurmlab metrics" does with a run of 10,000 jobs on the
// largest machine: raw files in, jobs.csv, series.csv and metrics.json out.
func BenchmarkMetricsOf10000Jobs(b *testing.B) {
	dir := writeRun(b, workloads.Machine{Name: "tsubame", Nodes: 1408, Cores: 12, GPUs: 3}, 10_000, 1)
	for b.Loop() {
		data, err := dir.Load()
		if err != nil {
			b.Fatal(err)
		}
		m, err := Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		if err = trace.WriteJobsCSV(&out, m.Workload, Records(data.Run.Machine, data.Jobs)); err != nil {
			b.Fatal(err)
		}
		if err = Write(&out, m); err != nil {
			b.Fatal(err)
		}
		if err = WriteSeries(&out, NewSeries(data.Run.Machine, data.Jobs)); err != nil {
			b.Fatal(err)
		}
	}
}
