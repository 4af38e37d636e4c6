package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/slurmlab/slurmlab/workloads"
)

// write writes QUEUE.yaml, the machine, and QUEUE-WINDOW-LOAD.csv, the jobs, of each
// window that the flags ask for, and policies.yaml, a file for --policy-file with the list's policies of Slurm's own.
func (b benchmark) write(dir string) error {
	l, err := readList(b.list)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	policies, err := yaml.Marshal(l.ownPolicies())
	if err != nil {
		return err
	}
	if err = os.WriteFile(filepath.Join(dir, "policies.yaml"), policies, 0o644); err != nil {
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

// ownPolicy is an entry of a file for --policy-file.
type ownPolicy struct {
	Name      string
	About     string
	Scheduler struct{ Type, Parameters string }
	Priority  string         `yaml:",omitempty"`
	Settings  map[string]any `yaml:",omitempty"`
}

// ownPolicies are the list's policies under sched/backfill, with the settings that the model has. What it has not is as in slurmlab's own.
func (l list) ownPolicies() []ownPolicy {
	var all []ownPolicy
	for _, p := range l.Policies {
		if p.Backfill == nil {
			continue
		}
		s := p.Backfill.settings()
		own := ownPolicy{Name: p.Name, About: p.settings()}
		own.Scheduler.Type = "sched/backfill"
		own.Scheduler.Parameters = fmt.Sprintf("batch_sched_delay=%d,default_queue_depth=10000,bf_continue,bf_interval=%d,bf_resolution=%d,bf_window=%d,bf_max_job_test=%d",
			s.Delay, s.Interval, s.Resolution, s.Window/60, s.MaxJobs)
		if s.Reserve > 0 {
			own.Scheduler.Parameters += fmt.Sprintf(",bf_job_part_count_reserve=%d", s.Reserve)
		}
		if s.Delay > 0 {
			// In microseconds, unlike batch_sched_delay.
			own.Scheduler.Parameters += fmt.Sprintf(",sched_min_interval=%d", s.Delay*1_000_000)
		}
		if o := p.Backfill.Priority; o != nil {
			own.Priority = "multifactor"
			if o.RelativeToTime {
				own.Priority = "size-by-time"
			}
			own.Settings = map[string]any{"PriorityWeightAge": o.Age, "PriorityWeightJobSize": o.JobSize, "PriorityMaxAge": o.MaxAge / 60}
			if o.FavorSmall {
				own.Settings["PriorityFavorSmall"] = "YES"
			}
		}
		all = append(all, own)
	}
	return all
}
