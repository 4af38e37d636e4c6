package campaign

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// dayJobs are the jobs of a day as the trace has them.
type dayJobs struct {
	jobs   []workloads.Job
	origin []string
	// outages are the recorded events, in seconds after the beginning of the day.
	outages []events.Event
	// late is by how many seconds the window begins after the day, head by how many the workload begins before the window.
	late, head int
}

// readDay imports a day of the trace for the machine of the base.
func (w *whatIf) readDay(d day) (dayJobs, error) {
	o := w.options
	o.Rescale.From, o.Rescale.Until = d.from, d.until
	// Nothing ran before the first job.
	o.KeepState = d.from != interchange.Moment{}
	var rows bytes.Buffer
	summary, err := interchange.Import(w.source, w.format, &rows, o)
	if err != nil {
		return dayJobs{}, err
	}
	name := w.source.Name + " on " + d.label
	jobs, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+rows.String()), name)
	if err != nil {
		return dayJobs{}, err
	}
	// As Workload.Jobs has them: in the order of their arrivals.
	slices.SortStableFunc(jobs, func(a, b workloads.Job) int { return a.Arrival - b.Arrival })
	day := dayJobs{jobs: jobs, origin: summary.Origin(), late: int(summary.Began)}
	if o.KeepState {
		day.head = workloads.HeadStart
	}
	day.outages, err = w.outages.of(d, w.machine.value)
	return day, err
}

// planWhatIf makes the runs of a what-if study: each day, and each shake of it, under each scenario. The scenarios take turns in
// going first, and a day is whole before the next one begins.
func (f *file) planWhatIf(w *whatIf, plan *Plan) {
	for _, s := range w.scenarios {
		plan.Scenarios = append(plan.Scenarios, s.name)
		if s.name != BaseName {
			plan.Pairs = append(plan.Pairs, [2]string{BaseName, s.name})
		}
		for _, b := range f.backends {
			if err := s.policy.CheckSlurm(b.value.Series); err != nil {
				s.FailAll(err)
			}
		}
		if err := s.policy.CheckMachine(s.machine.Name, s.machine.Layout, !s.machine.Blocks.None()); err != nil {
			s.Failf("%w", err)
		}
	}
	if len(f.backends) != 1 {
		f.doc.Faults.Addf(1, "backend: got %d, want one: scenarios are compared on one Slurm", len(f.backends))
	}
	if f.doc.Faults.Len() > 0 {
		return
	}
	plan.Changed = map[string]string{}
	changed := make([]counts, len(w.scenarios))
	for turn, d := range w.days {
		plan.Days = append(plan.Days, d.label)
		recorded, err := w.readDay(d)
		if err != nil {
			d.FailAll(err)
			continue
		}
		for number := range w.shakes + 1 {
			shaken := shake(recorded.jobs, number, w.shakeBy)
			for i := range w.scenarios {
				at := (i + turn + number) % len(w.scenarios)
				s := &w.scenarios[at]
				c := &counts{}
				if number == 0 {
					// Each shake has the same jobs.
					c = &changed[at]
				}
				jobs, parts := s.jobs(shaken, c)
				r, err := s.run(d, recorded, jobs, uint64(number)+1, f.backends[0].value)
				if err != nil {
					s.FailAll(err)
					continue
				}
				r.Parts = parts
				r.Dir = r.Name(f.label(r))
				plan.Runs = append(plan.Runs, r)
			}
		}
	}
	for i, s := range w.scenarios {
		if c := changed[i]; c.over > 0 {
			s.Failf("over_limit: missing, and the scenario allows %s no longer the time limit, such as: %s; want %s",
				text.Plural(c.over, "job"), c.firstOver, strings.Join(overLimitWords(), ", "))
		}
		if line := changed[i].text(); line != "" {
			plan.Notes = append(plan.Notes, fmt.Sprintf("scenario %s: %s", s.name, line))
			plan.Changed[s.name] = line
		}
	}
	f.checkNames(plan.Runs)
}

// WhatIf compares the scenarios by the complete runs. Disturbed and missing runs are among its notes.
func (st *Study) WhatIf(entries Entries, o compare.WhatIfOptions) (compare.WhatIf, error) {
	if !st.HasAnswer(entries) {
		return compare.WhatIf{}, faults.Usage(fmt.Errorf("%s has no complete run of %s and of a scenario to compare with it; make them with: slurmlab whatif %s",
			st.Folder, BaseName, text.ShellWord(st.Folder)))
	}
	results, err := metric.LoadAll(metric.Load, entries.Complete()...)
	if err != nil {
		return compare.WhatIf{}, err
	}
	w, err := compare.NewWhatIf(st.byScenario(results), o)
	if err != nil {
		return w, faults.Usage(err)
	}
	f := st.folder(entries)
	f.Take(results)
	w.Remark(f.Remarks()...)
	return w, nil
}

// HasAnswer says that runs of the base and of another scenario are complete.
func (st *Study) HasAnswer(entries Entries) bool {
	base, other := false, false
	for _, e := range entries {
		if e.state == run.StateComplete {
			base = base || e.config.Policy.Name == BaseName
			other = other || e.config.Policy.Name != BaseName
		}
	}
	return base && other
}

// byScenario are runs of a what-if study by its scenarios, in the order of the file. A scenario without a run is left out.
func (st *Study) byScenario(results []metric.Result) []compare.Scenario {
	asked := map[string]Run{}
	for _, r := range st.Runs {
		asked[filepath.Join(st.Folder, r.Dir)] = r
	}
	runs := map[string][]compare.ScenarioRun{}
	for _, result := range results {
		if r, known := asked[result.Path]; known {
			name := r.Policy.Name
			runs[name] = append(runs[name], compare.ScenarioRun{Day: r.Label, Shake: int(r.Seed) - 1, Data: result.Data, Parts: r.Parts})
		}
	}
	var all []compare.Scenario
	for _, name := range st.Scenarios {
		if len(runs[name]) == 0 {
			continue
		}
		s := compare.Scenario{Name: name, Runs: runs[name]}
		if changed := st.Changed[name]; changed != "" {
			s.Notes = append(s.Notes, "planned for all days: "+changed)
		}
		if late := lateStarts(runs[name]); late > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%s that ran at the beginning of a day started late", text.Plural(late, "job")))
		}
		all = append(all, s)
	}
	return all
}

// lateStarts counts jobs that ran before and that did not start within the head start.
func lateStarts(runs []compare.ScenarioRun) int {
	n := 0
	for _, r := range runs {
		for _, j := range r.Jobs {
			if j.Ran > 0 && (!j.Started() || j.Waiting() >= workloads.HeadStart) {
				n++
			}
		}
	}
	return n
}

// run is a day under a scenario.
func (s *scenario) run(d day, recorded dayJobs, jobs []workloads.Job, seed uint64, b backend.Backend) (Run, error) {
	if len(jobs) == 0 {
		return Run{}, fmt.Errorf("the scenario leaves no job of %s", d.label)
	}
	workload, err := workloads.ListOf(d.label, recorded.origin, jobs)
	if err != nil {
		return Run{}, err
	}
	r := Run{Label: d.label, Spec: drive.Spec{
		Machine: s.machine, Workload: workload, Jobs: jobs, Seed: seed, Policy: s.policy, Backend: b, Events: s.eventsOf(recorded),
		Clock: clock.Settings{Kind: clock.KindJump, TimeScale: 1, ThinkScale: 1, Start: clock.DefaultStart()},
	}}
	return r, r.checkKnown(jobs)
}
