package metric

import (
	"bytes"
	"os"
	"testing"

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
		SchemaVersion: trace.SchemaVersion, ID: "r", Machine: machineS(), Workload: "W", Seed: 7,
		Policy: policyBackfill, Clock: trace.ClockScaled, TimeScale: 20, ThinkScale: 1, Status: trace.StatusComplete,
		ArrivalLagMax: 4, Jobs: n,
	}
}

// testdataJobs joins testdata/run.
func testdataJobs(t testing.TB) []trace.Job {
	t.Helper()
	read := func(name string) *bytes.Reader {
		data, err := os.ReadFile("testdata/run/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(data)
	}
	workload, err := workloads.ReadCSV(read("workload.csv"), "workload.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := trace.ReadSacct(read("sacct.txt"), "sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := trace.Join(workload, rows, machineS())
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// wholeJob is a completed job on all nodes and cores of machine m.
func wholeJob(m workloads.Machine, id, submit, start, finish int) trace.Job {
	return trace.Job{
		Job:   workloads.Job{ID: id, Arrival: submit, Runtime: finish - start, Nodes: m.Nodes, Cores: m.Nodes * m.Cores, CoresPerNode: m.Cores, GPUsMin: m.GPUs, GPUsMax: m.GPUs, Class: "whole"},
		State: "COMPLETED", Submit: float64(submit), Start: float64(start), Finish: float64(finish),
		Allocated: indices(m.Nodes), AllocCores: m.Nodes * m.Cores, AllocGPUs: m.Nodes * m.GPUs,
	}
}
