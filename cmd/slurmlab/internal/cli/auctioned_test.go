package cli_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/results/trace"
)

// auctioned adds cycles.jsonl and snapshots.jsonl.gz to a directory that has
// run.json and workload.csv: two auctions of all jobs, whose winners do not end.
// They are made here and not recorded, so that they are the bids of this version.
func auctioned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: auctioned RUN")
	}
	dir, err := trace.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	run, err := dir.ReadRun()
	ts.Check(err)
	workload, _, err := dir.Accounting()
	ts.Check(err)
	s := auction.Snapshot{}
	for i := range run.Machine.Nodes {
		s.Nodes = append(s.Nodes, machine.Node{
			Name: "n" + strconv.Itoa(i+1), Cores: run.Machine.Cores, FreeCores: run.Machine.Cores,
			GPUs: run.Machine.GPUs, FreeGPUs: run.Machine.GPUs,
		})
	}
	for i, j := range workload {
		s.Jobs = append(s.Jobs, bidding.Job{
			ID: j.ID, Priority: float64(len(workload) - i), Cores: j.Cores, Nodes: j.Nodes, CoresPerNode: j.CoresPerNode,
			GPUs: j.GPUsMin, MaxGPUs: max(0, j.GPUsMax*min(1, j.GPUsMax-j.GPUsMin)), Contiguous: j.Contiguous,
			TimeLimit: time.Duration(j.Limit) * time.Second,
		})
	}
	cycles, err := os.Create(dir.CyclesFile())
	ts.Check(err)
	snapshots, err := os.Create(dir.SnapshotsFile())
	ts.Check(err)
	writer := journal.NewWriter(snapshots)
	var running []machine.Holding
	for number := 1; number <= 2; number++ {
		solver := &journal.Recorder{Solver: packing.QuickSolver{}}
		s.Now = 5 * time.Duration(number) * time.Second
		options := auctiontest.Options()
		r, err := auction.Auction(context.Background(), s, options, solver)
		ts.Check(err)
		record := trace.Cycle{
			Cycle: number, Time: s.Now.Seconds(), Window: len(s.Jobs), Bids: len(r.Bids), NonZero: r.Problem.NonZeros(),
			Solver: string(r.Assignment.Status), Gap: r.Assignment.Gap(), Objective: r.Assignment.Objective,
		}
		ts.Check(writer.Write(journal.Entry{
			Options: options,
			Cycle:   number, Snapshot: s, Selections: solver.Selections, Running: slices.Clone(running),
		}))
		s.Nodes = slices.Clone(s.Nodes)
		won := make(map[int]bool)
		for _, b := range r.Ordered {
			j := s.Jobs[b.Job]
			won[j.ID] = true
			record.Released = append(record.Released, trace.Release{Job: j.ID, Class: b.Class.String(), Nodes: fmt.Sprintf("n[%d-%d]", b.Nodes[0]+1, b.Nodes[len(b.Nodes)-1]+1)})
			running = append(running, machine.Holding{Job: j.ID, Allocation: b.Allocation, End: s.Now + j.TimeLimit})
			for i, n := range b.Nodes {
				s.Nodes[n].FreeCores -= b.Cores[i]
				s.Nodes[n].FreeGPUs -= b.GPUs
			}
		}
		s.Jobs = slices.DeleteFunc(slices.Clone(s.Jobs), func(j bidding.Job) bool { return won[j.ID] })
		ts.Check(trace.WriteCycle(cycles, record))
	}
	ts.Check(cycles.Close())
	ts.Check(snapshots.Close())
	know(ts, args[0])
}
