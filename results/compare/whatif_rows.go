package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// WhatIfRow is a group of jobs in a scenario, over all of its days.
type WhatIfRow struct {
	Scenario, Group string
	// Days and Runs are how many there are.
	Days, Runs int
	Counts
	// Waits are in seconds over the jobs of all days; those of several shakes of a day count in equal parts.
	Median, P95, Longest, Mean Bound
	Std                        float64
	// GPUSeconds and CoreSeconds are by type of GPUs, those of cores by the type of the GPUs of their nodes; sums over the days.
	GPUSeconds, CoreSeconds map[string]float64
	// GPUsInUse and CoresInUse are parts of what the group could have had, means over the days.
	GPUsInUse, CoresInUse float64
	// Helped, Hurt and Undecided count jobs and users by the stated amount.
	Helped, Hurt, Undecided, UsersHelped, UsersHurt int
	// Difference of the judged measure to the base is the mean over Pairs days; both are empty in rows of the base.
	Pairs      int
	Difference float64
	Interval   *Interval
	P, Holm    float64
	Verdict    string
	pairs      []float64
	rank       int
}

// whatIfMeasure is a measure of a group of jobs that can be judged.
type whatIfMeasure struct {
	name, words string
	// unit is what a value is divided by for people, symbol what stands behind it.
	unit   float64
	symbol string
	// value of a group in a run is NaN if unknown; it is nil for the change of waits, job by job.
	value      func(*figures) float64
	more, less string
}

func whatIfMeasures() []whatIfMeasure {
	wait := func(part float64) func(*figures) float64 {
		return func(f *figures) float64 { return quantile(f.waits, part).Value }
	}
	const longer, shorter = "longer", "shorter"
	return []whatIfMeasure{
		{"wait", "wait, job by job", hour, "h", nil, longer, shorter},
		{"mean", "mean wait", hour, "h", func(f *figures) float64 { m, _ := meanStd(f.waits); return m.Value }, longer, shorter},
		{"median", "median wait", hour, "h", wait(0.5), longer, shorter},
		{"p95", "95th percentile of waits", hour, "h", wait(0.95), longer, shorter},
		{"longest", "longest wait", hour, "h", wait(1), longer, shorter},
		{"over_hour", "jobs that waited more than an hour", 1, "jobs", func(f *figures) float64 { return f.counts.OverHour }, "more", "fewer"},
		{"gpu_hours", "GPU-hours", hour, "GPU-h", func(f *figures) float64 { return sum(f.use.gpus) }, "more", "less"},
		{"core_hours", "core-hours", hour, "core-h", func(f *figures) float64 { return sum(f.use.cores) }, "more", "less"},
		{"gpus_in_use", "GPUs in use", 0.01, "points", func(f *figures) float64 { return f.gpus }, "more", "less"},
		{"cores_in_use", "cores in use", 0.01, "points", func(f *figures) float64 { return f.cores }, "more", "less"},
	}
}

// WhatIfMeasures are the names of the measures whose difference can be judged. The first is "wait", the mean change of
// the wait of each job.
func WhatIfMeasures() []string {
	var names []string
	for _, m := range whatIfMeasures() {
		names = append(names, m.name)
	}
	return names
}

func (w WhatIf) measure() whatIfMeasure {
	all := whatIfMeasures()
	return all[slices.IndexFunc(all, func(m whatIfMeasure) bool { return m.name == w.Judged })]
}

// difference of a group of a run to the base's run of the same day and shake.
func (m whatIfMeasure) difference(f, base *figures) float64 {
	if m.value == nil {
		return f.change / f.paired
	}
	return m.value(f) - m.value(base)
}

// types are those of GPUs on any machine of the scenarios.
func (w *WhatIf) types(scenarios []Scenario) {
	for _, s := range scenarios {
		for _, r := range s.Runs {
			types := metric.NewNodeTypes(r.Run.Machine)
			for _, j := range r.Jobs {
				for _, name := range slices.Sorted(maps.Keys(types.GPUs(j))) {
					if !slices.Contains(w.GPUTypes, name) {
						w.GPUTypes = append(w.GPUTypes, name)
					}
				}
			}
		}
	}
	slices.Sort(w.GPUTypes)
}

// add takes the rows of a scenario.
func (w *WhatIf) add(s Scenario, of, base days, isBase bool) {
	rows := map[string]*WhatIfRow{}
	row := func(group string, rank int) *WhatIfRow {
		if rows[group] == nil {
			rows[group] = &WhatIfRow{
				Scenario: s.Name, Group: group, rank: rank, P: math.NaN(), Holm: math.NaN(), Difference: math.NaN(),
				GPUSeconds: map[string]float64{}, CoreSeconds: map[string]float64{},
			}
		}
		return rows[group]
	}
	var missing []string
	waits, inUse := map[string][]weighted{}, map[string][][2]float64{}
	people := newPeople(w.WhatIfOptions, s.Name)
	for _, day := range slices.Sorted(maps.Keys(of)) {
		shakes := w.shakes(&missing, day, of[day], base[day])
		weight := 1 / float64(len(shakes))
		changes := map[string][]float64{}
		seen := map[string]bool{}
		for _, k := range shakes {
			r, b := of[day][k], base[day][k]
			var beside map[string]*figures
			if isBase {
				b = nil
			} else {
				beside = figuresOf(b, nil, w.By)
			}
			for group, f := range figuresOf(r, b, w.By) {
				to := row(group, f.rank)
				to.Runs++
				seen[group] = true
				to.plus(f.counts, weight)
				addTo(to.GPUSeconds, f.use.gpus, weight)
				addTo(to.CoreSeconds, f.use.cores, weight)
				inUse[group] = append(inUse[group], [2]float64{f.gpus, f.cores})
				for _, v := range f.waits {
					v.weight = weight
					waits[group] = append(waits[group], v)
				}
				before := beside[group]
				if before == nil {
					before = &figures{gpus: math.NaN(), cores: math.NaN()}
				}
				if d := w.measure().difference(f, before); b != nil && !math.IsNaN(d) {
					changes[group] = append(changes[group], d)
				}
			}
			if b != nil {
				people.take(day, r, b)
			}
		}
		for group := range seen {
			rows[group].Days++
			if d := changes[group]; len(d) > 0 {
				mean, _ := MeanInterval(d)
				rows[group].pairs = append(rows[group].pairs, mean)
			}
		}
	}
	for group, r := range rows {
		r.Median, r.P95, r.Longest = quantile(waits[group], 0.5), quantile(waits[group], 0.95), quantile(waits[group], 1)
		r.Mean, r.Std = meanStd(waits[group])
		r.GPUsInUse, r.CoresInUse = meanOf(inUse[group], 0), meanOf(inUse[group], 1)
		people.fill(r)
		w.Rows = append(w.Rows, *r)
	}
	w.Affected = append(w.Affected, people.affected()...)
	w.waits[s.Name] = waits[AllJobs]
	w.note(s, rows[AllJobs], missing)
}

// meanOf is the mean of the known ones, NaN of none.
func meanOf(values [][2]float64, i int) float64 {
	var known []float64
	for _, v := range values {
		if !math.IsNaN(v[i]) {
			known = append(known, v[i])
		}
	}
	if len(known) == 0 {
		return math.NaN()
	}
	mean, _ := MeanInterval(known)
	return mean
}

// shakes lists the shakes of a day that the base has as well; what is left out is missing.
func (w *WhatIf) shakes(missing *[]string, day string, of, base map[int]*whatIfRun) (both []int) {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		if base[k] == nil {
			*missing = append(*missing, fmt.Sprintf("day %s shake %d", day, k))
			continue
		}
		both = append(both, k)
	}
	return both
}

// judge weighs the differences of each scenario together: Holm's correction is for the rows of a scenario, which is a
// question of its own. A row that repeats another is not counted.
func (w *WhatIf) judge() {
	m := w.measure()
	for _, name := range w.Scenarios[1:] {
		var of []*WhatIfRow
		var p []float64
		var changes [][]float64
		for i := range w.Rows {
			r := &w.Rows[i]
			if r.Scenario != name {
				continue
			}
			if r.Pairs = len(r.pairs); r.Pairs > 0 {
				r.Difference, _ = MeanInterval(r.pairs)
			}
			if r.Pairs > 1 {
				r.Interval, _, r.P = weigh(r.pairs)
				of, p, changes = append(of, r), append(p, r.P), append(changes, r.changes())
			}
		}
		for i, holm := range holmOnce(p, changes) {
			of[i].Holm = holm
			of[i].Verdict = m.verdict(*of[i])
		}
	}
}

// changes are the differences of the days by which a row repeats another: all jobs are the jobs of the only partition. Rows
// without any change do not repeat each other, as their jobs differ.
func (r WhatIfRow) changes() []float64 {
	if slices.Max(r.pairs) == 0 && slices.Min(r.pairs) == 0 {
		return nil
	}
	return r.pairs
}

// verdict says in words what the days show.
func (m whatIfMeasure) verdict(r WhatIfRow) string {
	word := m.more
	if r.Difference < 0 {
		word = m.less
	}
	switch {
	case r.Difference == 0 && r.Interval.Low == r.Interval.High:
		return "equal"
	case r.Holm < significance:
		return word
	case r.P < significance:
		return word + OrChance
	}
	return notShown
}

// baseRow is all jobs of the base.
func (w *WhatIf) baseRow() *WhatIfRow {
	at := slices.IndexFunc(w.Rows, func(r WhatIfRow) bool { return r.Scenario == w.Scenarios[0] && r.Group == AllJobs })
	if at < 0 {
		return nil
	}
	return &w.Rows[at]
}

// note says in a sentence what is special about a scenario.
func (w *WhatIf) note(s Scenario, all *WhatIfRow, missing []string) {
	var parts []string
	say := func(n float64, what string) {
		if n > 0 {
			parts = append(parts, text.Number(math.Round(10*n)/10)+" "+what)
		}
	}
	if all != nil {
		say(all.NeverStarted, "jobs never started: their waits are lower bounds (≥)")
		if base := w.baseRow(); s.Name == w.Scenarios[0] || base == nil || base.Left != all.Left || base.LeftStarted != all.LeftStarted {
			say(all.Left, fmt.Sprintf("jobs that their users cancel unless they start in time, of which %s started: their waits count nowhere", text.Number(all.LeftStarted)))
		}
		say(all.DelayedBefore, fmt.Sprintf("of %s jobs that ran when the day began went on more than a minute late", text.Number(all.RanBefore)))
		say(all.Killed, "jobs killed by events: their waits count nowhere")
		say(all.Lost, "jobs that did not end as planned, such as preempted ones: their waits count")
		say(all.Split, "jobs split, each counted once")
		say(all.Changed, "jobs with another limit or run time than in the base")
		say(all.Moved, "jobs in another "+groupWord(w.By)+" than in the base")
		say(all.Added, "jobs that the base lacks")
		say(all.Gone, "jobs of the base left out")
	}
	if n := len(missing); n > 0 {
		parts = append(parts, fmt.Sprintf("%s without the base's: %s", text.Plural(n, "run"), strings.Join(missing, ", ")))
	}
	parts = append(parts, s.Notes...)
	if len(parts) > 0 {
		w.notes = append(w.notes, s.Name+": "+strings.Join(parts, "; ")+".")
	}
}
