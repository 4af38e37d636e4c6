package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/slurmlab/slurmlab/results/trace"
)

// hour and minute are in seconds.
const hour = 3600.0

// weighted is a wait in seconds and its weight. A job of a day with four shakes has four waits, each with a weight of 1/4.
type weighted struct {
	wait, weight float64
	// atLeast says that the job never started.
	atLeast bool
}

// Bound is a figure of waits; AtLeast says that jobs which never started may have made it longer.
type Bound struct {
	Value   float64
	AtLeast bool
}

// quantile is the least wait that so large a part of the jobs does not exceed, NaN of no jobs. A job that never started
// waited for longer than is known: if it waits without end, another figure may come out, and this one is a lower bound.
func quantile(waits []weighted, part float64) Bound {
	at := func(key func(weighted) float64) float64 {
		sorted := slices.SortedStableFunc(slices.Values(waits), func(a, b weighted) int { return cmp.Compare(key(a), key(b)) })
		all, sum := 0.0, 0.0
		for _, w := range sorted {
			all += w.weight
		}
		for _, w := range sorted {
			if sum += w.weight; sum >= part*all*(1-rounding) {
				return key(w)
			}
		}
		return math.NaN()
	}
	least := at(func(w weighted) float64 { return w.wait })
	most := at(func(w weighted) float64 {
		if w.atLeast {
			return math.Inf(1)
		}
		return w.wait
	})
	return Bound{least, most > least}
}

// meanStd are the mean and the population's standard deviation, as metrics have it, of no jobs NaN.
func meanStd(waits []weighted) (mean Bound, std float64) {
	values, weights := make([]float64, len(waits)), make([]float64, len(waits))
	for i, w := range waits {
		values[i], weights[i] = w.wait, w.weight
		mean.AtLeast = mean.AtLeast || w.atLeast
	}
	m, variance := stat.PopMeanVariance(values, weights)
	mean.Value = m
	return mean, math.Sqrt(variance)
}

// figures are what a group of jobs had in one run, or the mean over the shakes of a day.
type figures struct {
	rank  int
	waits []weighted
	// change and paired are the sum of the changes of waits to the base and over how many jobs.
	change, paired float64
	counts         Counts
	use            use
	gpus, cores    float64
	units          []*unit
}

// Counts of the jobs of a row, over all days, as means over the shakes of a day.
type Counts struct {
	// Waited is how many jobs the waits are of. NeverStarted are some of them, of whose waits only a lower bound is known.
	Waited, NeverStarted float64
	// OverHour waited for more than an hour.
	OverHour float64
	// Left are jobs whose users cancel them unless they start in time; LeftStarted of them started here. Their waits are
	// in no figure, as which of them wait depends on the scenario.
	Left, LeftStarted float64
	// RanBefore ran when the day began; DelayedBefore of them began more than a minute late.
	RanBefore, DelayedBefore float64
	// Killed were killed by events. Lost started and did not end as planned, such as preempted ones.
	Killed, Lost float64
	// Split were split into several jobs, Changed have another limit or run time than in the base, Moved are in another
	// group. Added are not in the base, and Gone are in the base alone.
	Split, Changed, Moved, Added, Gone float64
}

// plus adds other counts with a weight.
func (c *Counts) plus(o Counts, weight float64) {
	for _, f := range countFields() {
		*f(c) += weight * *f(&o)
	}
}

// countFields are all fields of Counts.
func countFields() []func(*Counts) *float64 {
	return []func(*Counts) *float64{
		func(c *Counts) *float64 { return &c.Waited }, func(c *Counts) *float64 { return &c.NeverStarted }, func(c *Counts) *float64 { return &c.OverHour },
		func(c *Counts) *float64 { return &c.Left }, func(c *Counts) *float64 { return &c.LeftStarted },
		func(c *Counts) *float64 { return &c.RanBefore }, func(c *Counts) *float64 { return &c.DelayedBefore }, func(c *Counts) *float64 { return &c.Killed },
		func(c *Counts) *float64 { return &c.Lost },
		func(c *Counts) *float64 { return &c.Split }, func(c *Counts) *float64 { return &c.Changed }, func(c *Counts) *float64 { return &c.Moved },
		func(c *Counts) *float64 { return &c.Added }, func(c *Counts) *float64 { return &c.Gone },
	}
}

// figuresOf computes the figures of each group of a run beside the base's run of the same day and shake, which is nil for the base
// itself.
func figuresOf(r, base *whatIfRun, by string) map[string]*figures {
	all := map[string]*figures{}
	of := func(group string, rank int) *figures {
		if all[group] == nil {
			all[group] = &figures{rank: rank, use: use{map[string]float64{}, map[string]float64{}}}
		}
		return all[group]
	}
	w := r.span
	if base != nil {
		w = r.shifted(base)
	}
	for _, id := range slices.Sorted(maps.Keys(r.units)) {
		u := r.units[id]
		var before *unit
		if base != nil {
			before = base.units[id]
		}
		had := r.useOf(u, always())
		for _, f := range []*figures{of(AllJobs, 0), of(u.group, u.rank)} {
			f.take(u, before, base != nil)
			f.units = append(f.units, u)
			addTo(f.use.gpus, had.gpus, 1)
			addTo(f.use.cores, had.cores, 1)
		}
	}
	if base != nil {
		for id, b := range base.units {
			if r.units[id] == nil {
				of(AllJobs, 0).counts.Gone++
				of(b.group, b.rank).counts.Gone++
			}
		}
	}
	for group, f := range all {
		f.gpus, f.cores = r.inUse(by, group, f.units, w)
	}
	return all
}

func addTo(total, more map[string]float64, weight float64) {
	for name, v := range more {
		total[name] += weight * v
	}
}

// take counts a unit and its wait beside the same unit of the base, nil where the base has none.
func (f *figures) take(u, before *unit, beside bool) {
	c := &f.counts
	count := func(n *float64, is bool) {
		if is {
			*n++
		}
	}
	counts := u.state == waited || u.state == censored
	count(&c.Waited, counts)
	count(&c.NeverStarted, u.state == censored)
	count(&c.OverHour, counts && u.wait > hour)
	count(&c.Left, u.state == leaves)
	count(&c.LeftStarted, u.state == leaves && u.first().Started())
	count(&c.RanBefore, u.state == ranBefore)
	count(&c.DelayedBefore, u.state == ranBefore && u.first().Started() && u.first().Waiting() > minute)
	count(&c.Killed, u.state == killed)
	count(&c.Lost, u.state != killed && u.state != censored && slices.ContainsFunc(u.jobs, trace.FinishedJob.Lost))
	count(&c.Split, len(u.jobs) > 1)
	if beside {
		count(&c.Added, before == nil)
		count(&c.Changed, before != nil && len(u.jobs) == 1 && u.changed(before))
		count(&c.Moved, before != nil && before.group != u.group)
	}
	if counts {
		f.waits = append(f.waits, weighted{u.wait, 1, u.state == censored})
	}
	if before != nil && u.state == waited && before.state == waited {
		f.change += u.wait - before.wait
		f.paired++
	}
}
