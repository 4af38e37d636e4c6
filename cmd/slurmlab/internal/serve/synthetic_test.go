package serve_test

import (
	"container/heap"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// synthetic writes the directory of a run that never was: so many jobs on Tsubame's 1408
// nodes, each started on the nodes that are free first. It is for figures; what is read
// is read as from a real run.
func synthetic(t testing.TB, folder string, jobs int) {
	t.Helper()
	machine, err := workloads.LoadMachine("tsubame")
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	dir, err := trace.Create(filepath.Join(folder, fmt.Sprintf("tsubame-%d-jobs", jobs)))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	free := make(nodesByTime, machine.Nodes)
	for n := range free {
		free[n].node = n
	}
	var list []workloads.Job
	var rows strings.Builder
	rows.WriteString(strings.Join(accounting.SacctFields(), "|") + "\n")
	arrival := 0
	for id := 1; id <= jobs; id++ {
		arrival += rnd.IntN(20)
		nodes := 1 + min(int(rnd.ExpFloat64()*8), 200)
		run := 60 + int(rnd.ExpFloat64()*900)
		gpus := rnd.IntN(2) * machine.GPUs
		job := workloads.Job{
			ID: id, Arrival: arrival, Runtime: run, Limit: (run/60 + 10) * 60, Nodes: nodes, Cores: nodes * machine.Cores, CoresPerNode: machine.Cores,
			GPUsMin: gpus, GPUsMax: gpus, Class: "made",
		}
		start := arrival
		var names []string
		var taken []int
		for range nodes {
			slot := heap.Pop(&free).(freeNode)
			start = max(start, slot.at)
			taken = append(taken, slot.node)
		}
		slices.Sort(taken)
		for _, n := range taken {
			names = append(names, fmt.Sprintf("n%d", n+1))
			heap.Push(&free, freeNode{start + run, n})
		}
		at := func(s int) string { return began.Add(time.Duration(s) * time.Second).Format("2006-01-02T15:04:05") }
		tres := fmt.Sprintf("cpu=%d,node=%d", job.Cores, nodes)
		if gpus > 0 {
			tres += fmt.Sprintf(",gres/gpu=%d", gpus*nodes)
		}
		values := map[string]any{
			"JobID": id, "JobName": id, "User": "root", "Partition": "main", "State": "COMPLETED", "ExitCode": "0:0",
			"Submit": at(arrival), "Eligible": at(arrival), "Start": at(start), "End": at(start + run), "ElapsedRaw": run, "TimelimitRaw": job.Limit / 60,
			"NNodes": nodes, "NCPUS": job.Cores, "ReqTRES": tres, "AllocTRES": tres, "NodeList": values.CompressHosts(names),
		}
		fields := make([]string, len(accounting.SacctFields()))
		for i, name := range accounting.SacctFields() {
			fields[i] = fmt.Sprint(values[name])
		}
		rows.WriteString(strings.Join(fields, "|") + "\n")
		list = append(list, job)
	}
	err = trace.WriteAtomic(dir.WorkloadFile(), func(w io.Writer) error { return workloads.WriteCSV(w, list) })
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(dir.SacctFile(), []byte(rows.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	err = dir.WriteRun(trace.Run{
		SchemaVersion: trace.SchemaVersion, ID: "synthetic", Status: trace.StatusComplete, Jobs: jobs, Submitted: jobs, Started: began, Finished: began, RealSeconds: 1,
		Settings: trace.Settings{
			ToolVersion: "synthetic", Backend: trace.Backend{Form: "external", Series: "26.05"}, Machine: machine, Workload: "synthetic", Policy: "fifo", Parameters: []byte("{}"), WorkloadSpec: []byte("{}"),
			SchedulerType: "sched/builtin", Clock: "jump", TimeScale: 1, ThinkScale: 1,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// freeNode is when a node is free.
type freeNode struct{ at, node int }

type nodesByTime []freeNode

func (h nodesByTime) Len() int { return len(h) }
func (h nodesByTime) Less(a, b int) bool {
	return h[a].at < h[b].at || h[a].at == h[b].at && h[a].node < h[b].node
}
func (h nodesByTime) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *nodesByTime) Push(n any)   { *h = append(*h, n.(freeNode)) }
func (h *nodesByTime) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// BenchmarkDocument reads a run of 10,000 jobs on 1408 nodes.
func BenchmarkDocument(b *testing.B) {
	folder := b.TempDir()
	synthetic(b, folder, 10_000)
	for b.Loop() {
		s := open(b, folder)
		key := s.runs()["tsubame-10000-jobs"].Key
		answer, body := s.get("api/run/" + key)
		if answer.StatusCode != 200 {
			b.Fatal(body)
		}
		b.ReportMetric(float64(len(body))/1e6, "MB")
	}
}
