package explain

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// Input is a run in any state.
type Input struct {
	Run      trace.Run
	Workload []workloads.Job
	// Sacct is empty where Slurm was not asked any more.
	Sacct  []accounting.Row
	Cycles []trace.Cycle
	// Journal reads snapshots.jsonl.gz; nil in a run without agent.
	Journal func(use func(journal.Entry) error) (truncated bool, err error)
}

// ErrUnknown is a job or a cycle that the run does not have, or a cycle in which
// the job did not wait.
var ErrUnknown = errors.New("not in the run")

// Explain explains a job by its id in the workload. Of the cycles it shows one in
// full: the given one, or for 0 the most interesting one.
func Explain(in Input, job, cycle int) (Explanation, error) {
	e, err := newExplanation(in, job)
	if err != nil {
		return e, err
	}
	if in.Journal == nil {
		if cycle != 0 {
			return e, fmt.Errorf("cycle %d: %w: under policy %s there are no cycles", cycle, ErrUnknown, in.Run.Policy)
		}
		return e, e.fromAccounting(in)
	}
	in.Journal = atSite(in.Run.Machine.Layout.SiteNames(), in.Journal)
	w := watch{in: in, job: job, obstacles: obstacles(in.Cycles, job), explanation: &e}
	if e.Truncated, err = in.Journal(w.see); err != nil {
		return e, err
	}
	w.obstructed(endOfTime)
	if cycle == 0 {
		if cycle = e.interesting(); cycle == 0 {
			return e, nil
		}
	}
	return e, w.show(cycle)
}

// atSite gives the nodes of entries the names that people know, if there are some.
func atSite(names []string, read func(func(journal.Entry) error) (bool, error)) func(func(journal.Entry) error) (bool, error) {
	return func(use func(journal.Entry) error) (bool, error) {
		return read(func(entry journal.Entry) error {
			for i := range entry.Snapshot.Nodes {
				if i < len(names) {
					entry.Snapshot.Nodes[i].Name = names[i]
				}
			}
			return use(entry)
		})
	}
}

// newExplanation fills in what workload and accounting know.
func newExplanation(in Input, job int) (Explanation, error) {
	at := slices.IndexFunc(in.Workload, func(j workloads.Job) bool { return j.ID == job })
	switch {
	case len(in.Workload) == 0:
		return Explanation{}, fmt.Errorf("job %d: %w: its workload has no jobs", job, ErrUnknown)
	case at < 0:
		return Explanation{}, fmt.Errorf("job %d: %w: its %s are %d to %d", job, ErrUnknown, text.Plural(len(in.Workload), "job"),
			in.Workload[0].ID, in.Workload[len(in.Workload)-1].ID)
	}
	e := Explanation{
		Run: in.Run.ID, Policy: in.Run.Policy, Status: string(in.Run.Status), Job: job, Request: request(in.Workload[at]),
	}
	row, known := rowOf(in.Sacct, job)
	if !known {
		return e, nil
	}
	zero := began(in)
	e.State = row.State
	e.Submitted, e.Started, e.Ended = since(zero, row.Submit), since(zero, row.Start), since(zero, row.End)
	return e, nil
}

func rowOf(rows []accounting.Row, job int) (accounting.Row, bool) {
	at := slices.IndexFunc(rows, func(r accounting.Row) bool { return r.JobName == strconv.Itoa(job) })
	if at < 0 {
		return accounting.Row{}, false
	}
	return rows[at], true
}

// began is the start of the run on Slurm's clock: the first submission less the
// first arrival.
func began(in Input) time.Time {
	var first time.Time
	for _, r := range in.Sacct {
		if first.IsZero() || r.Submit.Before(first) {
			first = r.Submit
		}
	}
	arrival := in.Workload[0].Arrival
	for _, j := range in.Workload {
		arrival = min(arrival, j.Arrival)
	}
	return first.Add(-time.Duration(arrival) * time.Second)
}

func since(zero, t time.Time) *float64 {
	if t.IsZero() {
		return nil
	}
	seconds := t.Sub(zero).Seconds()
	return &seconds
}

// request writes a job as arguments of sbatch.
func request(j workloads.Job) string {
	text := ""
	add := func(format string, value int) {
		if value > 0 {
			text += fmt.Sprintf(format+" ", value)
		}
	}
	add("-n %d", j.Cores)
	if j.NodesMax > 0 {
		text += fmt.Sprintf("-N %d-%d ", j.Nodes, j.NodesMax)
	} else {
		add("-N %d", j.Nodes)
	}
	add("--ntasks-per-node=%d", j.CoresPerNode)
	if j.GPUsMax > j.GPUsMin {
		text += fmt.Sprintf("--gres=gpu:%d-%d ", j.GPUsMin, j.GPUsMax)
	} else {
		add("--gres=gpu:%d", j.GPUsMin)
	}
	if j.Contiguous {
		text += "--contiguous "
	}
	return text + fmt.Sprintf("-t %s", time.Duration(j.Limit)*time.Second)
}

// interesting is the first cycle of the longest stretch in which the job lost, else
// of the longest in which it had no bid, else of the last; 0 without any.
func (e Explanation) interesting() int {
	rank := map[Outcome]int{Obstructed: -1, Outside: -1, NoBids: 1, Lost: 2}
	best, found := CycleSpan{}, false
	for _, s := range e.Stretches {
		switch d := rank[s.Outcome] - rank[best.Outcome]; {
		case rank[s.Outcome] < 0:
		case !found, d > 0, d == 0 && (rank[s.Outcome] == 0 || s.To-s.From > best.To-best.From):
			best, found = s, true
		}
	}
	return best.First
}
