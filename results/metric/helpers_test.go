package metric

import (
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// machineS is the papers' Machine-S.
func machineS() workloads.Machine {
	return workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2}
}

// backfillRun is a complete run of n jobs on machine S at 20 times real speed.
func backfillRun(n int) trace.Run {
	return trace.Run{
		SchemaVersion: trace.SchemaVersion, ID: "r", Status: trace.StatusComplete, ArrivalLagMax: 4, Jobs: n,
		Settings: trace.Settings{
			Machine: machineS(), Workload: "W", Seed: 7,
			Policy: "backfill", Clock: trace.ClockScaled, TimeScale: 20, ThinkScale: 1,
		},
	}
}

// wholeJob is a completed job on all nodes and cores of machine m.
func wholeJob(m workloads.Machine, id, submit, start, finish int) trace.FinishedJob {
	return trace.FinishedJob{
		Job:   workloads.Job{ID: id, Arrival: submit, Runtime: finish - start, Nodes: m.Nodes, Cores: m.Nodes * m.Cores, CoresPerNode: m.Cores, GPUsMin: m.GPUs, GPUsMax: m.GPUs, Class: "whole"},
		State: "COMPLETED", Submit: float64(submit), Start: float64(start), Finish: float64(finish),
		Allocated: indices(m.Nodes), AllocCores: m.Nodes * m.Cores, AllocGPUs: m.Nodes * m.GPUs,
	}
}
