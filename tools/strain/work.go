package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// machine is small: its boot is quick, and jobs wait for each other.
const machine = "name: strain\nnodes: 4\ncores: 8\ngpus: 2\n"

// cell is one run.
type cell struct {
	on     backend.Backend
	policy string
	seed   uint64
	dir    string
}

// cell is the run of a number: backends and policies take turns.
func (s *strain) cell(i int) cell {
	of := backend.All().Of(forms()[i%len(forms())])
	c := cell{on: of, policy: "backfill", seed: s.seed + uint64(i)}
	if i/2%2 == 1 {
		c.policy = "auction"
	}
	c.dir = filepath.Join(s.out, "runs", c.name())
	return c
}

func (c cell) name() string { return fmt.Sprintf("%s-%s-seed%d", c.on.Name(), c.policy, c.seed) }

// jobs are ten, of which at least one ends in each way.
func (c cell) jobs() []workloads.Job {
	chance := rand.New(rand.NewPCG(c.seed, 0))
	outcomes := append(workloads.Outcomes(), workloads.Cancelled, workloads.CancelledPending, workloads.OutOfMemory, workloads.Completed)
	all := make([]workloads.Job, len(outcomes))
	for i, o := range outcomes {
		nodes := 1 + chance.IntN(4)
		j := workloads.Job{
			Arrival: chance.IntN(120), Runtime: 20 + chance.IntN(180), Limit: 600,
			Nodes: nodes, CoresPerNode: 8, Cores: 8 * nodes, Class: "strain", Outcome: o,
		}
		switch o {
		case workloads.Timeout:
			j.Runtime = 60 * (1 + chance.IntN(3))
			j.Limit = j.Runtime
		case workloads.CancelledPending:
			j.Runtime, j.CancelAfter = 0, 20+chance.IntN(200)
		case workloads.Completed, workloads.Failed, workloads.Cancelled, workloads.OutOfMemory:
		}
		all[i] = j
	}
	slices.SortStableFunc(all, func(a, b workloads.Job) int { return a.Arrival - b.Arrival })
	for i := range all {
		all[i].ID = i + 1
	}
	return all
}

// events are in each run that can have any: a node that goes down and comes back, a drained one, and a setting.
func (c cell) events() []events.Event {
	if !c.on.Traits().Events {
		return nil
	}
	chance := rand.New(rand.NewPCG(c.seed, 1))
	down, drain := 30+chance.IntN(100), 30+chance.IntN(100)
	all := []events.Event{
		{At: down, Kind: events.Down, Nodes: "n1", Reason: "strain"},
		{At: down + 20 + chance.IntN(60), Kind: events.Resume, Nodes: "n1"},
		{At: drain, Kind: events.Drain, Nodes: "n4", Reason: "strain"},
		{At: drain + 20 + chance.IntN(60), Kind: events.Resume, Nodes: "n4"},
		{At: 10 + chance.IntN(100), Kind: events.Update, Setting: "PartitionName=main MaxTime=1-0"},
	}
	slices.SortStableFunc(all, func(a, b events.Event) int { return a.At - b.At })
	return all
}
