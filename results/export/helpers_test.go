package export_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/slurmlab/slurmlab/results/export"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func job(id int, submit, start, finish float64, cores, gpus int, nodes ...int) trace.FinishedJob {
	return trace.FinishedJob{
		Job:     workloads.Job{ID: id, Runtime: int(finish - start), Limit: 600, Nodes: len(nodes), Cores: cores, Class: "type2"},
		SlurmID: id + 100, State: "COMPLETED", Submit: submit, Start: start, Finish: finish,
		Allocated: nodes, AllocCores: cores, AllocGPUs: gpus,
	}
}

// run is a schedule on 4 nodes of 2 cores made by hand. Jobs 1 and 2 share node 1, and job 3 starts on it in the
// second in which both end. Job 4 is killed at its limit, job 5 is cancelled in the queue. Jobs 3 and 5 have no user.
func run() trace.Data {
	killed := job(4, 5, 50, 70, 2, 1, 2)
	killed.State = "TIMEOUT"
	cancelled := job(5, 6, trace.NeverStarted, 30, 1, 0)
	cancelled.State, cancelled.AllocCores, cancelled.Runtime = "CANCELLED", 0, 10
	first, second := job(1, 0, 10, 20, 1, 0, 1), job(2, 1, 12, 20, 2, 2, 0, 1)
	first.User, second.User, killed.User = "eve", "bob", "eve"
	return trace.Data{
		Run: trace.Run{
			ID: "r1", RealSeconds: 3.5,
			Settings: trace.Settings{
				ToolVersion: "0.1.0", Workload: "w", Policy: "auction", Seed: 7,
				Machine: workloads.Machine{Name: "mini", Nodes: 4, Cores: 2, GPUs: 1},
			},
		},
		Jobs: []trace.FinishedJob{first, second, job(3, 2, 20, 40, 2, 0, 1), killed, cancelled},
		Cycles: []trace.Cycle{
			{Cycle: 1, Time: 9, SnapshotMS: 100, BidsMS: 200, SolveMS: 300, ReleaseMS: 400, Pending: 2, Bids: 4, Solver: "optimal"},
			{Cycle: 2, Time: 19.5, SolveMS: 500},
		},
	}
}

// drawn is a random schedule in which every core has one job at a time.
func drawn(seed uint64) trace.Data {
	random := rand.New(rand.NewPCG(seed, 0))
	data := run()
	data.Run.Machine = workloads.Machine{Name: "drawn", Nodes: 6, Cores: 3, GPUs: 2}
	data.Jobs = nil
	free := make([][]float64, 6)
	for n := range free {
		free[n] = make([]float64, 3)
	}
	for id := range 60 {
		var nodes []int
		start := float64(id)
		first, count := random.IntN(6), 1+random.IntN(3)
		for n := first; n < min(6, first+count); n++ {
			nodes = append(nodes, n)
			start = max(start, free[n][id%3])
		}
		finish := start + float64(1+random.IntN(20))
		for _, n := range nodes {
			free[n][id%3] = finish
		}
		data.Jobs = append(data.Jobs, job(id+1, float64(id), start, finish, len(nodes), len(nodes), nodes...))
	}
	return data
}

func written(t *testing.T, format string, data trace.Data) []byte {
	t.Helper()
	return writtenBy(t, format, interchange.Node, data)
}

func writtenBy(t *testing.T, format string, resource interchange.Resource, data trace.Data) []byte {
	t.Helper()
	var out, again bytes.Buffer
	if err := export.Write(&out, format, resource, data); err != nil {
		t.Fatal(err)
	}
	if err := export.Write(&again, format, resource, data); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("%s: the same run gave other bytes", format)
	}
	return out.Bytes()
}
