package compare

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Scenario is what was changed on a site, with its runs.
type Scenario struct {
	Name string
	Runs []ScenarioRun
	// Notes say in a sentence each what the scenario made impossible, such as "12 jobs clipped to 24 h".
	Notes []string
}

// ScenarioRun is a run of one day. The jobs of a day have the same ids in all scenarios.
type ScenarioRun struct {
	// Day names the day, Shake tells its repetitions with other arrivals apart.
	Day   string
	Shake int
	trace.Data
	// Parts are the jobs that are a part of another one, by their ids: Parts[9] is 7 where job 9 goes on with the work of
	// job 7 that was split. It is nil where no job was split.
	Parts map[int]int
}

// WhatIfOptions say how scenarios are compared.
type WhatIfOptions struct {
	// By divides the jobs, in one of the ways of metric.GroupBys; empty is "partition".
	By string
	// Judged is the measure whose difference to the base is weighed, one of WhatIfMeasures; empty is the first of them.
	Judged string
	// Minutes and Percent are by how much a wait must differ for a job to be helped or hurt, by both; 0 is 10.
	Minutes, Percent float64
	// Spread shows mean and standard deviation of the waits.
	Spread bool
}

// Threshold is the default of Minutes and of Percent.
const Threshold = 10

func (o WhatIfOptions) filled() (WhatIfOptions, error) {
	o.By, o.Judged = cmp.Or(o.By, "partition"), cmp.Or(o.Judged, WhatIfMeasures()[0])
	o.Minutes, o.Percent = cmp.Or(o.Minutes, Threshold), cmp.Or(o.Percent, Threshold)
	var bad []error
	word := func(option, got string, allowed []string) {
		if !slices.Contains(allowed, got) {
			bad = append(bad, fmt.Errorf("%s: %q is not known, allowed are %s%s", option, got, strings.Join(allowed, ", "), faults.DidYouMean(got, allowed)))
		}
	}
	word("by", o.By, metric.JobBys())
	word("judged", o.Judged, WhatIfMeasures())
	if o.Minutes < 0 || o.Percent < 0 {
		bad = append(bad, fmt.Errorf("threshold: %g min and %g %% are not allowed, want 0 or more", o.Minutes, o.Percent))
	}
	return o, errors.Join(bad...)
}

// WhatIf compares scenarios with the first of them, the base.
type WhatIf struct {
	WhatIfOptions
	// Scenarios are their names, the base first, Days the ones of the base.
	Scenarios, Days []string
	// Rows are by group, and within each by scenario. The first group is all jobs.
	Rows []WhatIfRow
	// Affected are the users and jobs whose waits differ, the most hurt first.
	Affected []Affected
	// GPUTypes are the types of GPUs of all machines and what is called so of nodes without; see metric.NodeTypes.
	GPUTypes []string
	// notes are about a scenario each, or about all.
	notes []string
	waits map[string][]weighted
}

// AllJobs is the name of the first group.
const AllJobs = "all jobs"

// NewWhatIf compares the scenarios. A day that the base lacks is left out and named, as is a shake that one of both lacks. The error lists
// what is unknown, there twice, or not complete.
func NewWhatIf(scenarios []Scenario, options WhatIfOptions) (WhatIf, error) {
	o, err := options.filled()
	w := WhatIf{WhatIfOptions: o, waits: map[string][]weighted{}}
	bad := []error{err}
	if len(scenarios) < 2 {
		bad = append(bad, fmt.Errorf("got %d scenarios, want the base and at least one other", len(scenarios)))
	}
	for _, s := range scenarios {
		if slices.Contains(w.Scenarios, s.Name) {
			bad = append(bad, fmt.Errorf("scenario %s is there twice", s.Name))
		}
		w.Scenarios = append(w.Scenarios, s.Name)
		bad = append(bad, s.faults()...)
	}
	if err := errors.Join(bad...); err != nil {
		return WhatIf{}, fmt.Errorf("compare scenarios: %w", err)
	}
	base := scenarios[0].days(o.By)
	w.Days = slices.Sorted(maps.Keys(base))
	for _, d := range base {
		for _, r := range d {
			r.span = spanOf(r)
		}
	}
	w.types(scenarios)
	for i, s := range scenarios {
		days := base
		if i > 0 {
			days = s.days(o.By)
		}
		w.add(s, days, base, i == 0)
	}
	w.judge()
	w.order()
	return w, nil
}

func (s Scenario) faults() (bad []error) {
	if s.Name == "" {
		bad = append(bad, errors.New("a scenario without a name"))
	}
	if len(s.Runs) == 0 {
		bad = append(bad, fmt.Errorf("scenario %s has no run", s.Name))
	}
	type key struct {
		day   string
		shake int
	}
	seen := map[key]bool{}
	for _, r := range s.Runs {
		k := key{r.Day, r.Shake}
		switch {
		case seen[k]:
			bad = append(bad, fmt.Errorf("scenario %s, day %s, shake %d is there twice", s.Name, r.Day, r.Shake))
		case r.Run.Status != trace.StatusComplete:
			bad = append(bad, fmt.Errorf("scenario %s, day %s, shake %d: the run is %s: %s", s.Name, r.Day, r.Shake, r.Run.Status, r.Run.Reason))
		case len(r.Jobs) == 0:
			bad = append(bad, fmt.Errorf("scenario %s, day %s, shake %d: the run was read without its jobs", s.Name, r.Day, r.Shake))
		}
		seen[k] = true
	}
	return bad
}

// order puts the rows by group and scenario, and the most hurt first.
func (w *WhatIf) order() {
	scenario := func(name string) int { return slices.Index(w.Scenarios, name) }
	slices.SortStableFunc(w.Rows, func(a, b WhatIfRow) int {
		all := func(r WhatIfRow) int {
			if r.Group == AllJobs {
				return 0
			}
			return 1
		}
		return cmp.Or(all(a)-all(b), a.rank-b.rank, cmp.Compare(a.Group, b.Group), scenario(a.Scenario)-scenario(b.Scenario))
	})
	slices.SortStableFunc(w.Affected, func(a, b Affected) int {
		return cmp.Or(scenario(a.Scenario)-scenario(b.Scenario), cmp.Compare(b.Change(), a.Change()), cmp.Compare(a.User, b.User), cmp.Compare(a.Day, b.Day), a.Job-b.Job)
	})
}
