package metric

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/workloads"
)

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
	if switches, switched := machine["switches"].(map[string]any); switched {
		n.leaf = int(switches["nodes"].(float64))
	}
	n.sdiag = lines(t, dir, "sdiag.txt")
	if n.run["policy"] != "backfill" {
		n.agent = lines(t, dir, "cycles.jsonl")
	}
	rows := map[string][]string{}
	for _, line := range lines(t, dir, "sacct.txt")[1:] {
		f := strings.Split(line, "|")
		rows[f[1]] = f
	}
	workload := lines(t, dir, "workload.csv")
	columns := strings.Split(workload[0], ",")
	for _, line := range workload[1:] {
		w := strings.Split(line, ",")
		outcome := "completed"
		if at := slices.Index(columns, "outcome"); at > 0 {
			outcome = w[at]
		}
		j := n.readJob(t, w, rows[w[0]], outcome)
		if at := slices.Index(columns, "cancel_after_s"); at > 0 {
			j.cancelAfter = number(t, w[at])
		}
		j.victim = n.run["happened"] != nil && j.state == "NODE_FAIL"
		if n.first = min(n.first, j.submit); j.outcome != "cancelled_pending" {
			n.last = max(n.last, j.end)
		}
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
func (n naiveRun) readJob(t *testing.T, w, f []string, outcome string) naiveJob {
	j := naiveJob{
		outcome: outcome, class: w[10], user: f[2], partition: f[3], state: strings.Fields(f[4])[0], asked: number(t, w[5]), gpusMin: number(t, w[7]), gpuMax: number(t, w[8]),
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
	if j.gpuMax > j.gpusMin && outcome != "timeout" {
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
	if n.leaf > 0 {
		j.values["switch_spread"] = n.switchSpread(nodes)
	}
	return j
}

// switchSpread looks below each leaf switch in turn.
func (n naiveRun) switchSpread(nodes []int) float64 {
	used, needed := 0, 0
	for left := len(nodes); left > 0; left -= n.leaf {
		needed++
	}
	for first := 1; first <= n.machine.Nodes; first += n.leaf {
		if slices.ContainsFunc(nodes, func(node int) bool { return first <= node && node < first+n.leaf }) {
			used++
		}
	}
	return float64(used) / float64(needed)
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
