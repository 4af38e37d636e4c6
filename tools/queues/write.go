package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/workloads"
)

// write writes QUEUE.yaml, the machine, and QUEUE-WINDOW-LOAD.csv, the jobs, of each window that the flags ask for.
// It writes policies.yaml, a file for --policy-file with the list's policies of Slurm's own.
func (b benchmark) write(dir string) error {
	l, err := readList(b.list)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	policies := ""
	for _, p := range l.Policies {
		if p.Backfill != nil {
			policies += p.own.File()
		}
	}
	if err = os.WriteFile(filepath.Join(dir, "policies.yaml"), []byte(policies), 0o644); err != nil {
		return err
	}
	for _, w := range l.windows(b.traces) {
		if !b.wanted(cell{Queue: w.Queue, Window: w.Number, Load: w.Load, Chooses: w.chooses}) {
			continue
		}
		m, jobs, err := w.make()
		if err != nil {
			return err
		}
		if b.jobs > 0 {
			jobs = jobs[:min(b.jobs, len(jobs))]
		}
		machine := fmt.Sprintf("name: %s\nnodes: %d\ncores: %d\ngpus: %d\n", m.Name, m.Nodes, m.Cores, m.GPUs)
		if err = os.WriteFile(filepath.Join(dir, w.Queue+".yaml"), []byte(machine), 0o644); err != nil {
			return err
		}
		if err = writeJobs(filepath.Join(dir, fmt.Sprintf("%s-%d-%g.csv", w.Queue, w.Number, w.Load)), jobs); err != nil {
			return err
		}
	}
	return nil
}

func writeJobs(file string, jobs []workloads.Job) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(workloads.WriteCSV(out, jobs), out.Close())
}
