package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
	"github.com/slurmlab/slurmlab/workloads"
)

// misbehaves is the plug-in of the cells that have one.
//
//go:embed misbehaves.py
var misbehaves []byte

// machine is small: its boot is quick, and jobs must wait for each other.
const machine = "name: faults\nnodes: 8\ncores: 4\ngpus: 2\n"

// jobs take about two virtual minutes, so that even a run whose clock no longer jumps ends soon. When the first one
// ends, others run and others wait.
func jobs() []workloads.Job {
	var all []workloads.Job
	for i := range 12 {
		nodes := 1 + i%4
		j := workloads.Job{
			ID: i + 1, Arrival: 2 * i, Runtime: 20 + 7*(i%5), Limit: 120,
			Nodes: nodes, CoresPerNode: 4, Cores: 4 * nodes, Class: "faults",
		}
		if i%3 == 0 {
			j.GPUsMin, j.GPUsMax = 1, 1
		}
		all = append(all, j)
	}
	return all
}

// furnish writes the files that all runs of the campaign read.
func (c *campaign) furnish() error {
	c.stage.Engine, c.stage.Turn = c.engine, &sync.Mutex{}
	c.stage.Image = func(slurm string) string {
		return *c.images[check.BackendOf(slurm).Series]
	}
	c.stage.Machine, c.stage.Workload = filepath.Join(c.out, "machine.yaml"), filepath.Join(c.out, "workload.csv")
	c.stage.Program = filepath.Join(c.out, "misbehaves.py")
	if err := os.WriteFile(c.stage.Program, misbehaves, 0o755); err != nil {
		return fmt.Errorf("write plug-in: %w", err)
	}
	if err := os.WriteFile(c.stage.Machine, []byte(machine), 0o644); err != nil {
		return fmt.Errorf("write machine: %w", err)
	}
	file, err := os.Create(c.stage.Workload)
	if err != nil {
		return fmt.Errorf("write workload: %w", err)
	}
	if err = workloads.WriteCSV(file, jobs()); err != nil {
		return err
	}
	return file.Close()
}
