package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// site has two groups of nodes with GPUs of two types, each in a partition.
func site() workloads.Machine {
	l := layout.Layout{
		Groups: []layout.Group{
			{Name: "old", Count: 2, Sockets: 1, Cores: 8, Threads: 1, GPUs: []layout.GPU{{Type: "v100", Count: 2}}},
			{Name: "new", Count: 2, Sockets: 1, Cores: 8, Threads: 1, GPUs: []layout.GPU{{Type: "a100", Count: 4}}},
		},
		Partitions: []layout.Partition{{Name: "day", Groups: []string{"old"}, Default: true}, {Name: "gpu", Groups: []string{"new"}}},
	}
	m, err := workloads.MachineOf("site", l, workloads.Tree{})
	if err != nil {
		panic(err)
	}
	return m
}

// finished is a job of an hour on the first node of its partition.
func finished(id int, user, partition string, submit, wait float64) trace.FinishedJob {
	node, kind := 0, "v100"
	if partition == "gpu" {
		node, kind = 2, "a100"
	}
	return trace.FinishedJob{
		Job:            workloads.Job{ID: id, Cores: 4, GPUsMin: 1, GPUsMax: 1, User: user, Runtime: 3600, Limit: 3600},
		SlurmPartition: partition, State: "COMPLETED", Submit: submit, Start: submit + wait, Finish: submit + wait + 3600,
		Allocated: []int{node}, AllocCores: 4, AllocGPUs: 1, AllocTypes: []layout.GPU{{Type: kind, Count: 1}},
	}
}

func dayRun(day string, shake int, jobs ...trace.FinishedJob) ScenarioRun {
	r := ScenarioRun{Day: day, Shake: shake}
	r.Run.Status, r.Run.Machine, r.Run.Jobs, r.Jobs = trace.StatusComplete, site(), len(jobs), jobs
	return r
}

// whatIfRowOf is the row of a scenario and group.
func whatIfRowOf(t *testing.T, w WhatIf, scenario, group string) WhatIfRow {
	t.Helper()
	for _, r := range w.Rows {
		if r.Scenario == scenario && r.Group == group {
			return r
		}
	}
	t.Fatalf("no row %s, %s", scenario, group)
	return WhatIfRow{}
}

// A shake of a day is no further day: the differences of shakes are averaged before the interval, so that 100 shakes of
// two days have the interval of two values.
func TestShakesAreNoDays(t *testing.T) {
	wait := func(day string, shakes int, waits ...float64) []ScenarioRun {
		var runs []ScenarioRun
		for s := range shakes {
			var jobs []trace.FinishedJob
			for i, v := range waits {
				jobs = append(jobs, finished(i+1, "ann", "day", 0, v))
			}
			runs = append(runs, dayRun(day, s, jobs...))
		}
		return runs
	}
	for _, shakes := range []int{1, 20} {
		w, err := NewWhatIf([]Scenario{
			{Name: "base", Runs: append(wait("mon", shakes, 3600, 7200), wait("tue", 1, 3600, 3600)...)},
			{Name: "more", Runs: append(wait("mon", shakes, 0, 3600), wait("tue", 1, 1800, 1800)...)},
		}, WhatIfOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r := whatIfRowOf(t, w, "more", AllJobs)
		// Differences of -1 h and -0.5 h: t(1) is 12.706, and the half width 12.706 x 0.3536 / sqrt(2) h.
		if r.Pairs != 2 || math.Abs(r.Difference+2700) > 1e-6 || math.Abs(r.Interval.High-(-2700+12.7062*900)) > 1 {
			t.Errorf("%d shakes: got %d pairs, %g s %v", shakes, r.Pairs, r.Difference, r.Interval)
		}
		if r.Verdict != notShown || r.Waited != 4 {
			t.Errorf("%d shakes: got %q of %g jobs", shakes, r.Verdict, r.Waited)
		}
	}
}

// Each scenario is a question of its own: Holm's correction counts its rows, of all groups, and those of no other scenario.
func TestHolmCountsTheRowsOfAScenario(t *testing.T) {
	waits := func(factor float64) []ScenarioRun {
		var runs []ScenarioRun
		for i, day := range []string{"mon", "tue", "wed"} {
			noise := 100 * float64(i)
			runs = append(runs, dayRun(day, 0, finished(1, "ann", "day", 0, factor*4000+noise), finished(2, "bob", "gpu", 0, factor*1000+5*factor*noise)))
		}
		return runs
	}
	all := []Scenario{{Name: "base", Runs: waits(1)}, {Name: "more", Runs: waits(2)}, {Name: "most", Runs: waits(3)}, {Name: "same", Runs: waits(1)}}
	together, err := NewWhatIf(all, WhatIfOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all[1:] {
		alone, err := NewWhatIf([]Scenario{all[0], s}, WhatIfOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var p, holm []float64
		for _, r := range together.Rows {
			if r.Scenario != s.Name {
				continue
			}
			p, holm = append(p, r.P), append(holm, r.Holm)
			if own := whatIfRowOf(t, alone, s.Name, r.Group); own.Holm != r.Holm || own.Verdict != r.Verdict {
				t.Errorf("%s, %s: p (Holm) %g beside other scenarios, %g alone", s.Name, r.Group, r.Holm, own.Holm)
			}
		}
		if len(p) != 3 || !slices.Equal(Holm(p), holm) {
			t.Errorf("%s: %v is corrected to %v, want three rows and %v", s.Name, p, holm, Holm(p))
		}
	}
	if text := strings.Join(together.Explain(), " "); !strings.Contains(text, "Holm's correction counts its rows in this table") {
		t.Errorf("the family is not named: %s", text)
	}
}

// The figures of a scenario by hand.
func TestWhatIf(t *testing.T) {
	never := finished(4, "bob", "day", 0, 0)
	never.Start, never.Finish, never.Allocated, never.AllocCores, never.AllocGPUs, never.AllocTypes, never.State = trace.NeverStarted, 9000, nil, 0, 0, nil, "CANCELLED"
	leaves := finished(5, "bob", "day", 0, 100)
	leaves.Outcome, leaves.CancelAfter, leaves.Runtime, leaves.State, leaves.Finish = workloads.CancelledPending, 4000, 0, "CANCELLED", leaves.Start
	before := finished(6, "cid", "gpu", 0, 0)
	before.Ran = 600
	base := dayRun("mon", 0, finished(1, "ann", "day", 0, 1000), finished(2, "ann", "day", 0, 5000), finished(3, "bob", "gpu", 0, 0), finished(4, "bob", "day", 0, 400), leaves, before)
	// Job 2 was split in two parts of which each waits 1000 s, job 3 is in another partition and waits longer, 1 is gone.
	second := finished(20, "ann", "day", 0, 2000+3600)
	more := dayRun("mon", 0, finished(2, "ann", "day", 0, 1000), second, finished(3, "bob", "day", 0, 601), never, leaves, before)
	more.Parts = map[int]int{20: 2}
	w, err := NewWhatIf([]Scenario{{Name: "base", Runs: []ScenarioRun{base}}, {Name: "more", Runs: []ScenarioRun{more}, Notes: []string{"1 job dropped"}}}, WhatIfOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := whatIfRowOf(t, w, "more", AllJobs)
	want := Counts{Waited: 3, NeverStarted: 1, OverHour: 1, Left: 1, LeftStarted: 1, RanBefore: 1, Split: 1, Moved: 1, Gone: 1}
	if r.Counts != want {
		t.Errorf("got %+v, want %+v", r.Counts, want)
	}
	// Waits 601, 1000 + 1000 and at least 9000.
	if r.Median != (Bound{2000, false}) || r.P95 != (Bound{9000, true}) || r.Longest != (Bound{9000, true}) {
		t.Errorf("got %v, %v, %v", r.Median, r.P95, r.Longest)
	}
	// Job 2 falls by 3000 s, job 3 rises by 601 s; job 4 has no wait, but one of at least 9000 s where it had 400 s.
	if math.Abs(r.Difference-(-3000+601)/2.0) > 1e-9 || r.Interval != nil || r.Helped != 1 || r.Hurt != 2 {
		t.Errorf("got %g %v, %d helped, %d hurt", r.Difference, r.Interval, r.Helped, r.Hurt)
	}
	// Ann's two hours, bob's hour and cid's; the job that left held nothing.
	if r.GPUSeconds["v100"] != 3*3600 || r.GPUSeconds["a100"] != 3600 || r.CoreSeconds["v100"] != 4*3*3600 {
		t.Errorf("got %v, %v", r.GPUSeconds, r.CoreSeconds)
	}
	if gpu := whatIfRowOf(t, w, "base", "gpu"); gpu.GPUSeconds["a100"] != 2*3600 || gpu.Waited != 1 {
		t.Errorf("got %+v", gpu)
	}
	notes := strings.Join(w.Notes(), "\n")
	for _, part := range []string{"1 jobs never started", "of which 1 started", "1 jobs split", "1 jobs of the base left out", "1 job dropped"} {
		if !strings.Contains(notes, part) {
			t.Errorf("%q lacks %q", notes, part)
		}
	}
	if explain := strings.Join(w.Explain(), " "); strings.Count(explain, "One day has no interval") != 1 {
		t.Errorf("got %q", explain)
	}
}

// A scenario that ends jobs says so beside the waits that it shortens.
func TestFindingsNameLostJobs(t *testing.T) {
	lost := finished(1, "ann", "day", 0, 0)
	lost.State = "PREEMPTED"
	w, err := NewWhatIf([]Scenario{
		{Name: "base", Runs: []ScenarioRun{dayRun("mon", 0, finished(1, "ann", "day", 0, 0), finished(2, "bob", "gpu", 0, 7200))}},
		{Name: "preempt", Runs: []ScenarioRun{dayRun("mon", 0, lost, finished(2, "bob", "gpu", 0, 0))}},
	}, WhatIfOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(w.Findings(), "\n"); !strings.HasSuffix(got, "1 user helped and 0 hurt; 1 more jobs did not end as planned.") {
		t.Errorf("got %q", got)
	}
}

// Bad scenarios and options are one error with all faults.
func TestWhatIfFaults(t *testing.T) {
	good := Scenario{Name: "base", Runs: []ScenarioRun{dayRun("mon", 0, finished(1, "ann", "day", 0, 0))}}
	twice, broken := good, dayRun("tue", 0)
	twice.Runs = append(twice.Runs, twice.Runs[0])
	broken.Run.Status, broken.Run.Reason = trace.StatusFailed, "no core"
	for name, c := range map[string]struct {
		scenarios []Scenario
		options   WhatIfOptions
		want      string
	}{
		"one":    {[]Scenario{good}, WhatIfOptions{}, "got 1 scenarios"},
		"twice":  {[]Scenario{good, twice}, WhatIfOptions{}, "scenario base is there twice\nscenario base, day mon, shake 0 is there twice"},
		"broken": {[]Scenario{good, {Name: "x", Runs: []ScenarioRun{broken}}}, WhatIfOptions{}, "scenario x, day tue, shake 0: the run is failed: no core"},
		"lean":   {[]Scenario{good, {Name: "x", Runs: []ScenarioRun{dayRun("tue", 0)}}}, WhatIfOptions{}, "scenario x, day tue, shake 0: the run was read without its jobs"},
		"empty":  {[]Scenario{good, {}}, WhatIfOptions{}, "a scenario without a name\nscenario  has no run"},
		"by":     {[]Scenario{good, good}, WhatIfOptions{By: "partitions", Judged: "p59"}, `by: "partitions" is not known`},
		"amount": {[]Scenario{good, good}, WhatIfOptions{Minutes: -1}, "threshold: -1 min"},
	} {
		_, err := NewWhatIf(c.scenarios, c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// A terminal of 100 columns shows the change with its interval and verdict, and one of 60 still has the interval.
func TestIntervalIsShown(t *testing.T) {
	run := func(day string, wait float64) ScenarioRun {
		return dayRun(day, 0, finished(1, "ann", "day", 0, wait), finished(2, "bob", "gpu", 0, wait/2))
	}
	w, err := NewWhatIf([]Scenario{
		{Name: "base", Runs: []ScenarioRun{run("mon", 90000), run("tue", 80000), run("wed", 70500)}},
		{Name: "eight-more-gpus", Runs: []ScenarioRun{run("mon", 9000), run("tue", 8000), run("wed", 8000)}},
	}, WhatIfOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := w.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		width int
		want  string
	}{{100, "Partition Scenario Median h p95 h Longest h > 1 h Change h 95 % interval Verdict"}, {60, "Partition Scenario Change h 95 % interval"}, {50, "Partition Scenario 95 % interval"}} {
		if got := strings.Join(table.Fit(c.width).Header(), " "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d columns: got %q, want %q", c.width, got, c.want)
		}
	}
	if r := whatIfRowOf(t, w, "eight-more-gpus", AllJobs); r.Verdict != "shorter" {
		t.Errorf("got %q, p %g", r.Verdict, r.Holm)
	}
}
