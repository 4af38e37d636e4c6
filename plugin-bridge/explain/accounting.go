package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// fromAccounting explains a job of a run that Slurm scheduled by itself. On a machine with groups of nodes the schedule says
// what was missing. On equal nodes it is the model, at the instant of the job's submission. Under sched/builtin there is no model, and its rule says all. The queue is in the order of the run's
// priorities at that instant. sacct shows which jobs ran and on which nodes, but not how many of its cores a job had
// on each. They are taken to be spread evenly.
func (e *Explanation) fromAccounting(in Input) error {
	if e.Submitted == nil {
		return fmt.Errorf("job %d: %w: sacct.txt does not know it, and without an agent there is nothing else", e.Job, ErrUnknown)
	}
	if in.Run.Machine.Unequal() && !in.Run.HasAgent() {
		return e.fromSchedule(in)
	}
	if !in.Run.HasAgent() && !in.Run.Backfilled() {
		e.inOrder = true
		if l := in.Run.Machine.Layout; l.Enforces() || len(l.Reservations) > 0 {
			return fmt.Errorf("machine: an explanation by the order of submission knows neither limits nor reservations, and %s has some", in.Run.Machine.Name)
		}
		return workloads.CheckPlain("an explanation by the order of submission", in.Workload, workloads.OfNodes()...)
	}
	if err := in.Run.Machine.CheckEqual("an explanation by the model of backfill"); err != nil {
		return err
	}
	if err := workloads.CheckPlain("the model of backfill", in.Workload); err != nil {
		return err
	}
	zero := began(in)
	row, _ := rowOf(in.Sacct, e.Job)
	m := in.Run.Machine
	s := backfill.State{Now: row.Submit.Sub(zero), Nodes: machine.IdleNodes(m.Nodes, m.Cores, m.GPUs)}
	rows := slices.Clone(in.Sacct)
	slices.SortStableFunc(rows, func(a, b accounting.Row) int { return a.JobID - b.JobID })
	type waiting struct {
		job bidding.Job
		age time.Duration
	}
	var queue []waiting
	for _, r := range rows {
		job, err := strconv.Atoi(r.JobName)
		if err != nil {
			continue
		}
		started := !r.Start.IsZero() && !r.Start.After(row.Submit) && job != e.Job
		ended := !r.End.IsZero() && !r.End.After(row.Submit)
		switch {
		case ended || r.Submit.After(row.Submit):
		case started:
			occupy(&s, r, job, zero)
		default:
			for _, w := range in.Workload {
				if w.ID == job {
					// The model of backfill plans with one number of nodes.
					asked, _ := bidding.Choices{}.Narrow(bidding.Job{
						ID: job, Cores: w.Cores, Nodes: w.Nodes, MaxNodes: w.NodesMax, CoresPerNode: w.CoresPerNode, GPUs: w.GPUsMin,
						Contiguous: w.Contiguous, TimeLimit: time.Duration(w.Limit) * time.Second,
					}, s.Nodes)
					queue = append(queue, waiting{asked, row.Submit.Sub(r.Submit)})
				}
			}
		}
	}
	order, known := priority.Recorded(cmp.Or(in.Run.PriorityType, trace.PriorityBasic), in.Run.PriorityParameters)
	if !known {
		return fmt.Errorf("job %d: the run has %s with %s, an order of the queue that this slurmlab does not know", e.Job, in.Run.PriorityType, in.Run.PriorityParameters)
	}
	if key := unmodelled(in.Run.SlurmSettings); key != "" {
		return fmt.Errorf("job %d: the run has %s=%s in slurm.conf, which the model of backfill does not know", e.Job, key, in.Run.SlurmSettings[key])
	}
	if weights, multifactor := order.Weights(); multifactor {
		of := func(w waiting) int {
			return weights.Of(priority.WaitingJob{Age: w.age, Nodes: max(1, w.job.Nodes), Cores: w.job.Cores, Limit: w.job.TimeLimit},
				priority.Machine{Nodes: m.Nodes, Cores: m.Nodes * m.Cores})
		}
		// Jobs of one priority stay in the order of submission, as in Slurm.
		slices.SortStableFunc(queue, func(a, b waiting) int { return cmp.Compare(of(b), of(a)) })
	}
	for _, w := range queue {
		s.Queue = append(s.Queue, w.job)
	}
	if i := slices.IndexFunc(s.Queue, func(j bidding.Job) bool { return j.ID == e.Job }); i >= 0 {
		e.AtSubmission = &model(s, i)[0]
	}
	return nil
}

// unmodelled is the first setting that gives jobs other resources, or stops them, "" for none.
func unmodelled(settings map[string]string) string {
	other := []string{"SelectTypeParameters", "DefMem", "MaxMem", "DefCPUPerGPU", "Preempt", "License", "MCS", "TopologyParam"}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if slices.ContainsFunc(other, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			return key
		}
	}
	return ""
}

// occupy adds a running job.
func occupy(s *backfill.State, r accounting.Row, job int, zero time.Time) {
	if len(r.NodeList) == 0 || r.NodeList[len(r.NodeList)-1] >= len(s.Nodes) {
		return
	}
	running := machine.Holding{Job: job, Allocation: machine.Allocation{Nodes: r.NodeList}}
	if r.TimeLimit > 0 {
		running.End = r.Start.Sub(zero) + time.Duration(r.TimeLimit)*time.Minute
	}
	gpus, _ := strconv.Atoi(strings.TrimSpace(r.AllocTRES["gres/gpu"]))
	running.GPUs = gpus / len(r.NodeList)
	for i, n := range r.NodeList {
		cores := r.Cores / len(r.NodeList)
		if i < r.Cores%len(r.NodeList) {
			cores++
		}
		running.Cores = append(running.Cores, min(cores, s.Nodes[n].FreeCores))
	}
	machine.Take(s.Nodes, running.Allocation)
	s.Running = append(s.Running, running)
}
