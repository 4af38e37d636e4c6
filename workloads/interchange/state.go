package interchange

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// state makes the jobs that ran or waited when the time window began a part of the workload. First come those that
// ran, on the nodes on which they ran where these are known, in the order of their starts. They have what was left of
// their run times and limits, and the head start. Then come those that waited, in the order of their submissions,
// with their age. The jobs of the window follow.
type state struct {
	keep bool
	// jobs counts those that were submitted before the window.
	jobs                     int
	running, waiting, window []placedJob
	// placed counts the running ones that have the nodes on which they ran; sites and free are the machine's nodes by the site's
	// names, and what these have left.
	placed int
	sites  map[string]int
	free   []free
}

// free is what the jobs that ran left of a node.
type free struct{ cores, gpus int }

// placedJob is a job with what it is ordered by.
type placedJob struct {
	job workloads.Job
	at  float64
}

// checkState refuses to keep a state that the format does not tell, and the changes that would make it another one.
func (o ImportOptions) checkState(format string) error {
	switch {
	case !o.KeepState:
		return nil
	case !slices.Contains(FormatsWithStarts(), format) && (o.Table == nil || !o.Table.knowsStart()):
		return fmt.Errorf("keep-state: got a trace of format %s, allowed are those that say when jobs start: %s", format, strings.Join(FormatsWithStarts(), ", "))
	case o.Rescale.From.isZero():
		return fmt.Errorf("keep-state: has no effect without a start of the time window (--from), as nothing was running before the first job")
	case o.Rescale.arrivalFactor() != 1:
		return fmt.Errorf("keep-state: got an arrival factor of %g, allowed 1: what was left of the jobs is of the recorded time", o.Rescale.ArrivalFactor)
	}
	return nil
}

func (s *state) headStart() int {
	if s.keep {
		return workloads.HeadStart
	}
	return 0
}

// past is what a job had behind it at the time from of the trace, the zero value if it was submitted later, or had ended. A part of
// a second counts as one, so that what ran and waited has a past.
func (s *state) past(req request, from float64) workloads.Past {
	if !s.keep || req.submit >= from || req.leftOut != "" {
		return workloads.Past{}
	}
	waited := workloads.Past{Waited: seconds(math.Ceil(from - req.submit))}
	switch {
	case req.outcome == workloads.CancelledPending:
		if req.submit+req.cancelAfter > from {
			return waited
		}
	case !req.started:
	case req.start >= from:
		return waited
	case req.start+req.runtime > from:
		return workloads.Past{Ran: seconds(math.Ceil(from - req.start))}
	}
	return workloads.Past{}
}

// take leaves of a job what it had still before it.
func (s *state) take(j *workloads.Job, past workloads.Past) {
	j.Past = past
	switch {
	case past.Ran > 0:
		j.Arrival, j.BeginAfter = 0, 0
		j.Runtime = max(1, j.Runtime-past.Ran) + workloads.HeadStart
		j.Limit = workloads.WholeMinutes(j.Limit - past.Ran + workloads.HeadStart)
		switch {
		case j.Outcome == workloads.Timeout:
			// Its run time is its limit, in Slurm's whole minutes.
			j.Runtime = max(60, j.Limit)
			j.Limit = j.Runtime
		case j.Limit <= j.Runtime:
			j.Limit = workloads.WholeMinutes(j.Runtime + 60)
		}
	case past.Waited > 0:
		j.Arrival = workloads.HeadStart
		j.BeginAfter = max(0, j.BeginAfter-past.Waited)
		if j.Outcome == workloads.CancelledPending {
			j.CancelAfter = max(1, j.CancelAfter-past.Waited)
		}
	}
}

// settle puts a job that ran on the nodes on which it did, if the machine has these and they have room for it. A
// machine file may have fewer nodes than there were, or other ones. An equal part of its cores is taken to be on
// each.
func (s *state) settle(j *workloads.Job, req request, m workloads.Machine) {
	if j.Ran == 0 || req.hosts == "" {
		return
	}
	if s.sites == nil {
		s.sites = m.Layout.Sites()
		l := m.WithLayout().Layout
		for _, group := range l.GroupOf() {
			g := l.Groups[group]
			s.free = append(s.free, free{g.Cores, g.AllGPUs()})
		}
	}
	names, err := values.ExpandHosts(req.hosts)
	if err != nil || len(names) != j.Nodes {
		return
	}
	cores := ceil(j.Cores, j.Nodes)
	var numbers []int
	for _, name := range names {
		i, known := s.sites[name]
		if !known || s.free[i].cores < cores || s.free[i].gpus < j.GPUsMin {
			return
		}
		numbers = append(numbers, i+1)
	}
	slices.Sort(numbers)
	with := *j
	with.NodeList = workloads.NodeListOf(numbers)
	if !with.MayHave(m) {
		return
	}
	*j = with
	s.placed++
	for _, n := range numbers {
		s.free[n-1].cores -= cores
		s.free[n-1].gpus -= j.GPUsMin
		if j.Exclusive {
			s.free[n-1] = free{}
		}
	}
}

// add keeps a job until all are known.
func (s *state) add(j workloads.Job, req request) {
	switch {
	case j.Ran > 0:
		s.running = append(s.running, placedJob{j, req.start})
	case j.Waited > 0:
		s.waiting = append(s.waiting, placedJob{j, req.submit})
	default:
		s.window = append(s.window, placedJob{j, 0})
	}
}

// write writes the rows of all jobs that were kept.
func (s *state) write(out io.Writer, columns workloads.Columns) error {
	byTime := func(a, b placedJob) int { return cmp.Compare(a.at, b.at) }
	slices.SortStableFunc(s.running, byTime)
	// Those that may have any nodes come after those that have theirs.
	slices.SortStableFunc(s.running, func(a, b placedJob) int {
		return cmp.Compare(min(len(b.job.NodeList), 1), min(len(a.job.NodeList), 1))
	})
	slices.SortStableFunc(s.waiting, byTime)
	var row []byte
	for _, p := range slices.Concat(s.running, s.waiting, s.window) {
		row = p.job.AppendCSV(row[:0], columns)
		if _, err := out.Write(row); err != nil {
			return fmt.Errorf("%w: %w", records.ErrWrite, err)
		}
	}
	return nil
}
