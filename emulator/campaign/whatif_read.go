package campaign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// BaseName is the side of a what-if study that is the site as it is.
const BaseName = "base"

// Bounds of a what-if study, and the largest shift of an arrival without a word.
const (
	maxShakes    = 100
	mostDays     = 366
	usualShakeBy = 30
	maxShakeBy   = 3600
)

// whatIfPhrases puts numbers into the texts of tags.
func whatIfPhrases() *strings.Replacer {
	return strings.NewReplacer("{MaxShakes}", strconv.Itoa(maxShakes))
}

// whatIf is the file of a what-if study that was read.
type whatIf struct {
	machine   named[workloads.Machine]
	policy    named[policy.Policy]
	trace     input.Value
	source    records.Source
	format    string
	options   interchange.ImportOptions
	outages   outages
	days      []day
	shakes    int
	shakeBy   int
	scenarios []scenario
}

// day is one day of the trace.
type day struct {
	input.Value
	// label names it in folders and tables.
	label       string
	from, until interchange.Moment
}

// scenario is a named set of changes. The base is one without any.
type scenario struct {
	input.Value
	name      string
	machine   workloads.Machine
	policy    policy.Policy
	moves     []move
	events    []scenarioEvent
	overLimit overLimit
}

// isWhatIf says that the file is one of a what-if study.
func isWhatIf(root *input.Mapping) bool {
	_, scenarios := root.Peek("scenarios")
	_, base := root.Peek("base")
	return scenarios || base
}

// readWhatIf reads the file of a what-if study and plans its runs.
func (f *file) readWhatIf(from Sources) Plan {
	var k whatIfKeys
	f.root.Read(&k)
	f.root.Done()
	f.keys.Backend, f.keys.Slurm, f.keys.On = k.Backend, k.Slurm, k.On
	w := &whatIf{shakeBy: usualShakeBy}
	good := f.readBase(w, k.Base, from)
	if k.Shakes.There() {
		n, _ := whole(k.Shakes, 0, maxShakes)
		w.shakes = int(n)
	}
	if k.ShakeBy.There() {
		d, is := duration(k.ShakeBy)
		if w.shakeBy = int(d.Seconds()); is && (w.shakeBy < 1 || w.shakeBy > maxShakeBy) {
			k.ShakeBy.Failf("got %s, want 1s to %ds", d, maxShakeBy)
		}
	}
	if good {
		f.readScenarios(w, k.Scenarios)
	}
	if !k.Scenarios.There() {
		f.doc.Faults.Addf(1, "scenarios: missing, want a mapping of names to changes, such as: scenarios: {wide: {settings: {bf_window: 5760}}}")
	}
	if good {
		f.machines = append(f.machines, w.machine)
	}
	for _, s := range w.scenarios {
		if len(s.events) > 0 || w.outages.There() {
			// An empty list asks for a backend that can have events.
			f.events = map[string][]events.Event{}
		}
	}
	f.readBackends(from)
	f.readSite()
	plan := Plan{file: f, Seeds: []uint64{1}, Listed: 1, Site: f.site}
	if f.doc.Faults.Len() == 0 {
		f.planWhatIf(w, &plan)
	}
	plan.Notes = append(f.notes, plan.Notes...)
	return plan
}

// needed notes keys that a mapping must have.
func needed(of input.Value, keys ...neededKey) bool {
	good := true
	for _, k := range keys {
		if !k.value.There() {
			of.Failf("%s: missing, want %s", k.name, k.want)
			good = false
		}
	}
	return good
}

// neededKey is a key that a mapping must have, and what it is.
type neededKey struct {
	name, want string
	value      input.Value
}

// readBase reads the site and its record. It is false if what the scenarios change could not be read.
func (f *file) readBase(w *whatIf, v input.Value, from Sources) bool {
	if !v.There() {
		f.doc.Faults.Addf(1, "base: missing, want a mapping with machine, trace and days")
		return false
	}
	var k baseKeys
	m, is := mapping(v, &k)
	if !is {
		return false
	}
	m.Done()
	good := needed(v, neededKey{"machine", "a machine file", k.Machine}, neededKey{"trace", "a record of the site's jobs", k.Trace},
		neededKey{"days", "days such as 2026-03-02..2026-03-06", k.Days})
	if k.Machine.There() {
		good = f.readBaseMachine(w, k.Machine, from) && good
	}
	good = f.readBasePolicy(w, k, v, from) && good
	w.days = days(k.Days)
	f.readTrace(w, k, from)
	f.readOutages(w, k.Events, from)
	return good
}

// readBaseMachine reads the machine of the site. Its nodes are in groups, so that a scenario can add others.
func (f *file) readBaseMachine(w *whatIf, v input.Value, from Sources) bool {
	name, good := word(v)
	if !good {
		return false
	}
	machine, err := from.Machine(name)
	if err != nil {
		v.FailAll(err)
		return false
	}
	w.machine = named[workloads.Machine]{v, machine.WithLayout()}
	return true
}

// readBasePolicy reads the policy of the site.
func (f *file) readBasePolicy(w *whatIf, k baseKeys, base input.Value, from Sources) bool {
	fileName, name := "", "site"
	at := base
	if k.PolicyFile.There() {
		fileName, _ = word(k.PolicyFile)
		at = k.PolicyFile
	}
	all, err := from.Policies(fileName)
	if err != nil {
		at.FailAll(err)
		return false
	}
	if k.Policy.There() {
		name, _ = word(k.Policy)
		at = k.Policy
	}
	p, err := finder{all, from.Program}.find(name)
	if err == nil {
		p, err = p.Change(BaseName)
	}
	if err != nil {
		at.FailAll(err)
		return false
	}
	f.noteProgram(at, name)
	w.policy = named[policy.Policy]{at, p}
	return true
}

// readTrace reads what the record is and how it is imported.
func (f *file) readTrace(w *whatIf, k baseKeys, from Sources) {
	w.trace, w.format = k.Trace, "sacct"
	o := interchange.ImportOptions{Machine: w.machine.value, KeepState: true}
	if k.Format.There() {
		w.format, _ = word(k.Format)
		if err := interchange.CheckImport(w.format); err != nil {
			k.Format.Failf("%s", strings.TrimPrefix(err.Error(), "format: "))
			return
		}
	}
	if k.SkipBad.There() {
		text, good := word(k.SkipBad)
		if good && text != "true" && text != "false" {
			k.SkipBad.Failf("got %s, want true or false", k.SkipBad.Kind())
		}
		o.SkipBad = text == "true"
	}
	if k.Partitions.There() {
		o.Partitions = map[string]string{}
		for old, to := range k.Partitions.Mapping().All() {
			o.Partitions[old], _ = word(to)
		}
	}
	if k.Columns.There() {
		if name, good := word(k.Columns); good {
			table, err := from.Columns(name)
			if err != nil {
				k.Columns.FailAll(err)
			}
			o.Table = table
		}
	}
	if k.Trace.There() {
		if name, good := word(k.Trace); good {
			source, err := from.Trace(name)
			if err != nil {
				k.Trace.FailAll(err)
			}
			w.source = source
		}
	}
	if w.machine.There() {
		if err := o.CheckPartitions(); err != nil {
			k.Partitions.FailAll(err)
		}
	}
	w.options = o
}

// days are dates, ranges of dates, or numbers of days since the first job.
func days(v input.Value) []day {
	if !v.There() {
		return nil
	}
	var all []day
	for _, one := range list(v) {
		text, good := word(one)
		if !good {
			continue
		}
		first, last, isRange := strings.Cut(text, "..")
		if !isRange {
			last = first
		}
		some, err := daysBetween(first, last)
		if err != nil {
			one.Failf("got %q, %w", text, err)
			continue
		}
		for _, d := range some {
			d.Value = one
			if slices.ContainsFunc(all, func(other day) bool { return other.label == d.label }) {
				one.Failf("%s is there already", d.label)
				continue
			}
			all = append(all, d)
		}
	}
	if len(all) > mostDays {
		v.Failf("got %d days, want at most %d", len(all), mostDays)
	}
	return all
}

// daysBetween are the days from one to another, both included.
func daysBetween(first, last string) ([]day, error) {
	const want = "want a date such as 2026-03-02, a range such as 2026-03-02..2026-03-06, or numbers of days from 1"
	if n, err := strconv.ParseUint(first, 10, 16); err == nil {
		m, err := strconv.ParseUint(last, 10, 16)
		if err != nil || n < 1 || m < n || m-n >= mostDays {
			return nil, fmt.Errorf("%s, at most %d", want, mostDays)
		}
		var all []day
		for ; n <= m; n++ {
			all = append(all, day{
				label: fmt.Sprintf("day%d", n), from: interchange.Moment{After: time.Duration(n-1) * 24 * time.Hour}, until: interchange.Moment{After: time.Duration(n) * 24 * time.Hour},
			})
		}
		return all, nil
	}
	from, err := time.Parse(time.DateOnly, first)
	to, errTo := time.Parse(time.DateOnly, last)
	if err != nil || errTo != nil || to.Before(from) || to.Sub(from) >= mostDays*24*time.Hour {
		return nil, fmt.Errorf("%s, at most %d", want, mostDays)
	}
	var all []day
	for ; !to.Before(from); from = from.AddDate(0, 0, 1) {
		all = append(all, day{label: from.Format(time.DateOnly), from: interchange.Moment{Date: from}, until: interchange.Moment{Date: from.AddDate(0, 0, 1)}})
	}
	return all, nil
}

// readScenarios reads the scenarios, of which the first is the base.
func (f *file) readScenarios(w *whatIf, v input.Value) {
	base := scenario{Value: w.machine.Value, name: BaseName, machine: w.machine.value, policy: w.policy.value}
	w.scenarios = append(w.scenarios, base)
	if !v.There() {
		return
	}
	m := v.Mapping()
	if v.IsMapping() && len(m.Keys) == 0 {
		v.Failf("got no scenario, want at least one")
	}
	for name, of := range m.All() {
		s := base
		s.Value, s.name = of, name
		if err := policy.CheckName(name); err != nil {
			of.Failf("%w", err)
			continue
		}
		if name == BaseName {
			of.Failf("got the name %s, which is the site as it is; want another one", BaseName)
			continue
		}
		if s.read() {
			w.scenarios = append(w.scenarios, s)
		}
	}
	if len(w.scenarios) > mostRuns/(max(1, len(w.days))*(w.shakes+1)) {
		v.Failf("got %d scenarios on %d days, each made %d times, want at most %d runs", len(w.scenarios), len(w.days), w.shakes+1, mostRuns)
	}
}

// read reads the changes of a scenario.
func (s *scenario) read() bool {
	var k scenarioKeys
	m, is := mapping(s.Value, &k)
	if !is {
		return false
	}
	m.Done()
	s.readSettings(k.Settings)
	s.changeMachine(k)
	s.readMoves(k.Move)
	s.readEvents(k.Events)
	if k.OverLimit.There() {
		text, good := word(k.OverLimit)
		if s.overLimit = overLimit(text); good && !slices.Contains(overLimits(), s.overLimit) {
			k.OverLimit.Failf("got %q, want %s", text, strings.Join(overLimitWords(), ", "))
		}
	}
	return true
}

// readSettings changes the policy.
func (s *scenario) readSettings(v input.Value) {
	var settings []policy.Setting
	m := &input.Mapping{}
	if v.There() {
		if m = v.Mapping(); !v.IsMapping() {
			return
		}
	}
	for _, key := range m.Keys {
		value, _ := m.Peek(key)
		if text, good := word(value); good {
			settings = append(settings, policy.Setting{Key: key, Value: text})
		}
	}
	changed, err := s.policy.Change(s.name, settings...)
	if err != nil {
		failEach(m, err, s.Value)
		return
	}
	s.policy = changed
}
