package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// days are the runs of a scenario by day and shake.
type days map[string]map[int]*whatIfRun

// whatIfRun is a run with its jobs as their users know them.
type whatIfRun struct {
	ScenarioRun
	types metric.NodeTypes
	units map[int]*unit
	span  judgedSpan
}

// judgedSpan is a time of a run in its seconds.
type judgedSpan struct {
	from, to float64
	// whole says that the queue never fills, so that it goes from the first to the last submission.
	whole bool
}

// unit is a job as its user submitted it; where a scenario split it, it has several jobs.
type unit struct {
	jobs []trace.FinishedJob
	// rank and group are where the unit is.
	rank  int
	group string
	state unitState
	// wait is in seconds: what all parts waited, each from the end of the part before.
	wait float64
}

// unitState says whether the wait of a unit counts.
type unitState int

const (
	// waited is a unit whose wait counts.
	waited unitState = iota
	// censored is one of which a part never started: it waited for longer than is known.
	censored
	// leaves is one that its user cancels unless it starts in time, and whose wait no run has in common with others.
	leaves
	// ranBefore is one that ran when the day began, and killed one that an event of the run killed.
	ranBefore
	killed
)

func (s Scenario) days(by string) days {
	all := days{}
	for _, r := range s.Runs {
		if all[r.Day] == nil {
			all[r.Day] = map[int]*whatIfRun{}
		}
		all[r.Day][r.Shake] = newWhatIfRun(r, by)
	}
	return all
}

func newWhatIfRun(r ScenarioRun, by string) *whatIfRun {
	run := &whatIfRun{ScenarioRun: r, types: metric.NewNodeTypes(r.Run.Machine), units: map[int]*unit{}}
	group, _ := metric.GroupOf(by, r.Run.Machine)
	for _, j := range r.Jobs {
		id := j.ID
		if of, part := r.Parts[id]; part {
			id = of
		}
		if run.units[id] == nil {
			run.units[id] = &unit{}
		}
		run.units[id].jobs = append(run.units[id].jobs, j)
	}
	for _, u := range run.units {
		// A part has a larger id than the one that it waits for.
		slices.SortFunc(u.jobs, func(a, b trace.FinishedJob) int { return a.ID - b.ID })
		u.rank, u.group = group(u.jobs[0])
		u.state, u.wait = waitOf(u.jobs)
	}
	return run
}

// waitOf is what the parts of a job waited, in their order.
func waitOf(parts []trace.FinishedJob) (unitState, float64) {
	wait, state, free := 0.0, waited, math.Inf(-1)
	for i, j := range parts {
		switch {
		case j.Outcome == workloads.CancelledPending:
			return leaves, 0
		case j.Victim:
			return killed, 0
		case j.Ran > 0 && i == 0:
			state = ranBefore
		case !j.Started():
			// What follows never started either.
			return max(state, censored), wait + max(0, j.Finish-max(j.Submit, free)) + float64(j.Waited)
		default:
			wait += max(0, j.Start-max(j.Submit, free)) + float64(j.Waited)
		}
		free = j.Finish
	}
	return state, wait
}

// first is the job with which the unit began.
func (u *unit) first() trace.FinishedJob { return u.jobs[0] }

// changed says that the unit is not what it was in the base: its limit or run time is another one.
func (u *unit) changed(base *unit) bool {
	a, b := u.first(), base.first()
	return a.Limit != b.Limit || a.Runtime != b.Runtime
}

// spanOf is the busy span of a run of the base, in which the queue decides.
func spanOf(r *whatIfRun) judgedSpan {
	first, last := math.Inf(1), math.Inf(-1)
	for _, j := range r.Jobs {
		first, last = min(first, j.Submit), max(last, j.Submit)
	}
	if s := metric.FindBusySpan(r.Run.Machine, r.Jobs); s != nil {
		return judgedSpan{from: first + s.From, to: first + s.To}
	}
	return judgedSpan{first, last, true}
}

// shifted is the base's window in the time of another run of the same jobs: by as much as the first common job was
// submitted later.
func (r *whatIfRun) shifted(base *whatIfRun) judgedSpan {
	first, by := math.Inf(1), 0.0
	for id, b := range base.units {
		if u := r.units[id]; u != nil && b.first().Submit < first {
			first, by = b.first().Submit, u.first().Submit-b.first().Submit
		}
	}
	w := base.span
	w.from, w.to = w.from+by, w.to+by
	return w
}

// use is what jobs had in use: seconds of GPUs and cores by type.
type use struct{ gpus, cores map[string]float64 }

// useOf is the use of a unit in a window.
func (r *whatIfRun) useOf(u *unit, w judgedSpan) use {
	total := use{map[string]float64{}, map[string]float64{}}
	for _, j := range trace.Started(u.jobs) {
		seconds := max(0, min(j.Finish, w.to)-max(j.Start, w.from))
		for name, n := range r.types.GPUs(j) {
			total.gpus[name] += n * seconds
		}
		for name, n := range r.types.Cores(j) {
			total.cores[name] += float64(n) * seconds
		}
	}
	return total
}

// always is a window without ends.
func always() judgedSpan { return judgedSpan{from: math.Inf(-1), to: math.Inf(1)} }

func sum(of map[string]float64) (total float64) {
	// In one order, as the last digit depends on it.
	for _, name := range slices.Sorted(maps.Keys(of)) {
		total += of[name]
	}
	return total
}

// inUse are the parts of GPUs and cores in use within a window. For a partition it is of its nodes, whatever jobs are on
// them; for a type of GPUs of these GPUs; for other groups it is the part of the whole machine that jobs of the group
// had. NaN stands where the machine has none.
func (r *whatIfRun) inUse(by, group string, units []*unit, w judgedSpan) (gpus, cores float64) {
	if w.to <= w.from {
		return math.NaN(), math.NaN()
	}
	nodes := r.nodesOf(by, group)
	haveGPUs, haveCores := 0, 0
	for i, s := range r.Run.Machine.Sizes() {
		if nodes[i] {
			haveGPUs, haveCores = haveGPUs+s.GPUs, haveCores+s.Cores
		}
	}
	if by == "partition" {
		units = slices.Collect(maps.Values(r.units))
	}
	usedGPUs, usedCores, gpusOf := 0.0, 0.0, metric.GPUsOf(r.Run.Machine)
	for _, u := range units {
		for _, j := range trace.Started(u.jobs) {
			here := 0
			for _, n := range j.Allocated {
				if nodes[n] {
					here++
				}
			}
			part := max(0, min(j.Finish, w.to)-max(j.Start, w.from)) * float64(here) / float64(len(j.Allocated))
			usedGPUs += part * gpusOf(j)
			usedCores += part * float64(j.AllocCores)
		}
	}
	of := func(used float64, have int) float64 {
		if have == 0 {
			return math.NaN()
		}
		// Spreading a job evenly over unequal nodes alone can lift a full partition above 1.
		return min(1, used/(float64(have)*(w.to-w.from)))
	}
	return of(usedGPUs, haveGPUs), of(usedCores, haveCores)
}

// nodesOf says of each node whether it is one of the group's.
func (r *whatIfRun) nodesOf(by, group string) []bool {
	m := r.Run.Machine
	nodes := make([]bool, m.Nodes)
	for i := range nodes {
		nodes[i] = true
	}
	if !m.Unequal() || group == AllJobs {
		return nodes
	}
	of := m.Layout.GroupOf()
	in := func(layout.Group) bool { return true }
	switch by {
	case "partition":
		p, _ := m.Layout.Find(group)
		in = func(g layout.Group) bool { return slices.Contains(p.Groups, g.Name) }
	case "gpu-type":
		in = func(g layout.Group) bool { return group == metric.NoGPU || g.OfType(group) > 0 }
	}
	for i := range nodes {
		nodes[i] = in(m.Layout.Groups[of[i]])
	}
	return nodes
}
