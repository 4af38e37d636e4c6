package serve

import (
	"cmp"
	"errors"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// basis says what is known of the jobs of a run.
type basis string

const (
	// fromAccounting jobs are those of sacct, all of them or, in a run that broke, those
	// that had ended.
	fromAccounting basis = "accounting"
	// fromCycles jobs are those that the agent released, with the ends that their run
	// times plan.
	fromCycles basis = "cycles"
	// fromLogs jobs are those whose starts and ends Slurm has logged.
	fromLogs basis = "logs"
	// fromNothing is a run of which no more than its workload is known.
	fromNothing basis = "nothing"
)

// The states of jobs that no accounting knows yet.
const (
	pending = "PENDING"
	running = "RUNNING"
	planned = "COMPLETED (planned)"
)

// load reads a run in any state, and says what its jobs are known from.
func load(dir trace.Dir, whole func(trace.Dir) (metric.Result, error)) (metric.Result, basis, error) {
	data, err := dir.Partial()
	if err != nil {
		return metric.Result{}, fromNothing, err
	}
	if data.Run.Status == trace.StatusComplete {
		r, wholeErr := whole(dir)
		return r, fromAccounting, wholeErr
	}
	r := metric.Result{Path: dir.Path(), Data: data}
	jobs, rows, err := dir.Accounting()
	if err != nil {
		return r, fromNothing, err
	}
	if rows != nil {
		r.Jobs = trace.JoinEnded(jobs, rows, data.Run.Machine)
		return r, fromAccounting, nil
	}
	progress, err := dir.Progress()
	if err != nil {
		return r, fromNothing, err
	}
	if progress != nil {
		r.Jobs, err = logged(jobs, progress, data.Cycles)
		return r, fromLogs, err
	}
	if len(data.Cycles) == 0 {
		return r, fromNothing, nil
	}
	r.Jobs, err = released(jobs, data.Cycles)
	return r, fromCycles, err
}

// logged are the jobs that have arrived by the last look at the logs. A job counts as
// submitted at its arrival.
func logged(jobs []workloads.Job, progress []trace.Progress, cycles []trace.Cycle) ([]trace.FinishedJob, error) {
	first := firstArrival(jobs)
	until := max(0, progress[len(progress)-1].Time-first)
	last := map[int]trace.Seen{}
	for _, line := range progress {
		for _, s := range line.Jobs {
			// Of a job that Slurm started again the end of an earlier try may come late.
			if before, known := last[s.Job]; known && s.State != "" && before.State == "" && before.Start > s.End+1 {
				continue
			}
			last[s.Job] = s
		}
	}
	onGPUs := releasedGPUs(cycles)
	var known []trace.FinishedJob
	var faults []error
	for _, w := range jobs {
		s, seen := last[w.ID]
		submit := float64(w.Arrival) - first
		if submit > until && !seen {
			continue
		}
		j := trace.FinishedJob{Job: w, SlurmID: s.Slurm, State: pending, Submit: submit, Start: trace.NeverStarted, Finish: until}
		if s.Nodes != "" {
			nodes, err := nodesOf(s.Nodes)
			faults = append(faults, err)
			// Slurm logs the cores of some starts and the GPUs of none. GPUs of a range are known at the end only,
			// unless the agent has chosen them.
			j.State, j.Allocated, j.AllocCores = running, nodes, cmp.Or(s.Cores, w.Cores)
			j.AllocGPUs = cmp.Or(onGPUs[w.ID], w.GPUsMin) * len(nodes)
			j.Start = max(submit, s.Start-first)
			j.Finish = max(until, j.Start)
		}
		if s.State != "" {
			j.State, j.Finish = s.State, max(j.Submit, j.Start, s.End-first)
			j.AllocGPUs = s.GPUs
		}
		known = append(known, j)
	}
	return known, errors.Join(faults...)
}

// releasedGPUs are the GPUs per node of the jobs that an agent released last.
func releasedGPUs(cycles []trace.Cycle) map[int]int {
	gpus := map[int]int{}
	for _, c := range cycles {
		for _, r := range c.Released {
			gpus[r.Job] = r.GPUs
		}
	}
	return gpus
}

// nodesOf are the indices of a list of Slurm's.
func nodesOf(list string) ([]int, error) {
	nodes, err := values.HostNumbers(list, "n")
	for i := range nodes {
		nodes[i]--
	}
	return nodes, err
}

// now is the virtual time of the last cycle since the first submission.
func now(jobs []workloads.Job, cycles []trace.Cycle) float64 {
	first := firstArrival(jobs)
	last := 0.0
	if n := len(cycles); n > 0 {
		last = cycles[n-1].Time - first
	}
	return max(0, last)
}

func firstArrival(jobs []workloads.Job) float64 {
	if len(jobs) == 0 {
		return 0
	}
	return float64(slices.MinFunc(jobs, func(a, b workloads.Job) int { return a.Arrival - b.Arrival }).Arrival)
}

// released are the jobs that have arrived by the last cycle. Of those that the agent
// released, the last release counts: one that did not start in time was held again.
func released(jobs []workloads.Job, cycles []trace.Cycle) ([]trace.FinishedJob, error) {
	first, until := firstArrival(jobs), now(jobs, cycles)
	type start struct {
		at float64
		by trace.Release
	}
	starts := map[int]start{}
	for _, c := range cycles {
		for _, r := range c.Reheld {
			delete(starts, r.Job)
		}
		for _, r := range c.Released {
			starts[r.Job] = start{max(0, c.Time-first), r}
		}
	}
	var known []trace.FinishedJob
	var faults []error
	for _, w := range jobs {
		submit := float64(w.Arrival) - first
		if submit > until {
			continue
		}
		j := trace.FinishedJob{Job: w, State: pending, Submit: submit, Start: trace.NeverStarted, Finish: until}
		if s, ok := starts[w.ID]; ok {
			nodes, err := nodesOf(s.by.Nodes)
			faults = append(faults, err)
			j.SlurmID, j.Allocated, j.AllocCores, j.AllocGPUs = s.by.Slurm, nodes, w.Cores, s.by.GPUs*len(nodes)
			j.State, j.Start = running, max(s.at, submit)
			if end := j.Start + float64(w.RuntimeOn(s.by.GPUs)); end <= until {
				j.State, j.Finish = planned, end
			}
		}
		known = append(known, j)
	}
	return known, errors.Join(faults...)
}
