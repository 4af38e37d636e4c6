package campaign

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Sources load what a campaign file names.
type Sources struct {
	Machine  func(nameOrFile string) (workloads.Machine, error)
	Workload func(nameOrFile string) (workloads.Workload, error)
	// Events reads what happens to a machine during each run.
	Events func(file string, m workloads.Machine) ([]events.Event, error)
	// Policies are slurmlab's own and, for a file, those that it has.
	Policies func(file string) (policy.Policies, error)
	// Program adds the program FILE of a policy "exec:FILE" or "host:FILE" to it.
	Program func(p policy.Policy, file string) (policy.Policy, error)
	// Backend refuses one that cannot be had; nil allows all.
	Backend func(backend.Backend) error
	// Former reads the file of a folder that was begun when one word named form and series of a backend, and the default
	// was another one.
	Former bool
	// Metric is the name in CSV of what a user calls a metric.
	Metric func(name string) (string, error)
	// Trace is the record of a site, and Columns says what the columns of one in format csv mean.
	Trace   func(file string) (records.Source, error)
	Columns func(file string) (*interchange.Table, error)
}

// Bounds of a campaign.
const (
	mostRuns  = 100_000
	mostSeeds = 10_000
)

// Plan is what a campaign file asks for.
type Plan struct {
	// Runs are in the order in which they are to be made.
	Runs []Run
	// Pairs are the policies that are compared, by their names; the first of a pair is
	// what the second is compared with.
	Pairs [][2]string
	// Sweeps are the settings that have several values.
	Sweeps []compare.Sweep
	// Seeds of the runs; Listed counts the ones that the file lists.
	Seeds  []uint64
	Listed int
	// Until is the aim of a campaign that adds seeds, nil for others.
	Until *Until
	// Site is what the key "on" asks a site's Slurm for.
	Site Site
	// Notes say why backends were taken that the file does not name, and what scenarios made of jobs.
	Notes []string
	// Scenarios and Days of a what-if study, the base first; nil for other files.
	Scenarios, Days []string
	// Changed says for each scenario what it made of the jobs of the trace.
	Changed map[string]string
	file    *file
}

// file is a campaign file that was read, with the positions for later faults.
type file struct {
	doc       *input.Document
	machines  []named[workloads.Machine]
	workloads []work
	seeds     []uint64
	policies  []named[policy.Policy]
	backends  []named[backend.Backend]
	exclude   []exclusion
	pairs     [][2]string
	sweeps    []compare.Sweep
	until     *Until
	site      Site
	root      *input.Mapping
	keys      keys
	// events are by the names of the machines.
	events map[string][]events.Event
	// eventsName is what their file is called, without its ending.
	eventsName string
	programs   Programs
	// notes of the plan; former as in Sources.
	notes  []string
	former bool
}

// named is a value with its position in the file.
type named[T any] struct {
	input.Value
	value T
}

// work is a workload or a window of one.
type work struct {
	input.Value
	label string
	value workloads.Workload
}

// Read reads a campaign file or the file of a what-if study, whose name is used in errors. The error lists all faults
// that can be told apart, each with its line and field.
func Read(name string, text []byte, from Sources) (Plan, error) {
	doc := input.Open(name, text, input.Want)
	body, there := doc.Body("")
	if other := otherFile(name, text, body); other != "" {
		return Plan{}, fmt.Errorf("%s: got %s, want a campaign or a what-if file; from a site's files one is made by: slurmlab whatif init", name, other)
	}
	if !there && doc.Faults.Len() == 0 {
		doc.Faults.Addf(1, "document: got nothing, want machines, workloads and policies")
	}
	if !there {
		return Plan{}, doc.Faults.Err()
	}
	f := &file{doc: doc, root: body.Mapping(), former: from.Former}
	if !body.IsMapping() {
		return Plan{}, doc.Faults.Err()
	}
	if isWhatIf(f.root) {
		doc.Readers = workloads.Readers()
		plan := f.readWhatIf(from)
		return plan, doc.Faults.Err()
	}
	f.root.Read(&f.keys)
	f.read(from)
	plan := Plan{Pairs: f.pairs, Sweeps: f.sweeps, Seeds: f.seeds, Listed: len(f.seeds), Until: f.until, Site: f.site, Notes: f.notes, file: f}
	if doc.Faults.Len() > 0 {
		f.seekFaults()
	} else {
		plan.Runs = f.expand()
	}
	return plan, doc.Faults.Err()
}

// otherFile says what a file is that is none of a campaign: a dump of sacct, a machine file or a list of policies; "" for any other. A dump
// need be no YAML.
func otherFile(name string, text []byte, body input.Value) string {
	has := func(v input.Value, keys ...string) bool {
		return v.IsMapping() && slices.ContainsFunc(keys, func(key string) bool {
			_, there := v.Mapping().Peek(key)
			return there
		})
	}
	entries, isList := body.Entries()
	switch {
	case has(body, "groups", "cores"):
		return "a machine file"
	case body.IsMapping():
		return ""
	case isList && len(entries) > 0 && has(entries[0], "scheduler", "like"):
		return "a file of policies"
	}
	source := records.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
	if is, err := interchange.LooksLikeSacct(source); err == nil && is {
		return "a dump of sacct"
	}
	return ""
}

func (f *file) read(from Sources) {
	estimated := time.Duration(0)
	if f.keys.TheoreticalRuntime.There() {
		estimated, _ = duration(f.keys.TheoreticalRuntime)
	}
	for _, v := range f.need("machines", f.keys.Machines) {
		if name, good := word(v); good {
			m, err := from.Machine(name)
			if err != nil {
				v.FailAll(err)
				continue
			}
			f.machines = append(f.machines, named[workloads.Machine]{v, m})
		}
	}
	for _, v := range f.need("workloads", f.keys.Workloads) {
		f.readWorkload(v, estimated, from)
	}
	f.readEvents(from)
	f.seeds = []uint64{1}
	if f.keys.Seeds.There() {
		f.seeds = seeds(f.keys.Seeds)
	}
	f.readPolicies(from)
	f.readTwins()
	f.readBackends(from)
	f.readExclusions()
	f.readPairs()
	f.readUntil(from)
	f.readSite()
	f.root.Done()
	unique(f.machines, func(m named[workloads.Machine]) (input.Value, string) { return m.Value, m.value.Name })
	unique(f.workloads, func(w work) (input.Value, string) { return w.Value, w.name() })
	unique(f.policies, func(p named[policy.Policy]) (input.Value, string) { return p.Value, p.value.Name })
	unique(f.backends, func(b named[backend.Backend]) (input.Value, string) { return b.Value, b.value.Name() })
}

// readEvents reads the file of events for each machine. They count from the start of a run, which is another one in each
// window of a workload.
func (f *file) readEvents(from Sources) {
	v := f.keys.Events
	if !v.There() {
		return
	}
	name, good := word(v)
	if !good {
		return
	}
	f.events, f.eventsName = map[string][]events.Event{}, events.NameOf(name)
	for _, m := range f.machines {
		list, err := from.Events(name, m.value)
		if err != nil {
			v.FailAll(err)
		}
		f.events[m.value.Name] = list
	}
	for _, w := range f.workloads {
		if _, windows := w.value.Window(); windows > 0 {
			v.Failf("not allowed beside windows of a workload: the times are of one run")
		}
	}
}

// need is a list that a campaign cannot do without.
func (f *file) need(key string, v input.Value) []input.Value {
	if !v.There() {
		f.doc.Faults.Addf(1, "%s: missing, so that the campaign has no run", key)
		return nil
	}
	return list(v)
}

// unique notes values that are named alike: their runs would have the same directories.
func unique[T any](all []T, of func(T) (input.Value, string)) {
	first := map[string]input.Value{}
	for _, one := range all {
		v, name := of(one)
		if before, twice := first[name]; twice && before.Path() != v.Path() {
			v.Failf("%q is there already in line %d; give it a name of its own, or leave it out", name, before.Line())
			continue
		}
		first[name] = v
	}
}

// readWorkload reads a name or file, or a mapping with more about it.
func (f *file) readWorkload(v input.Value, estimated time.Duration, from Sources) {
	value, windows, label := v, uint64(0), ""
	own := false
	if v.IsMapping() {
		var k workloadKeys
		o, _ := mapping(v, &k)
		if value = k.Workload; !value.There() {
			v.Failf("workload: missing, want a name or a file")
			return
		}
		if k.TheoreticalRuntime.There() {
			estimated, own = duration(k.TheoreticalRuntime)
		}
		if k.Windows.There() {
			windows, _ = whole(k.Windows, 2, 1000)
		}
		if k.Name.There() {
			label, _ = word(k.Name)
			if err := policy.CheckName(label); err != nil {
				k.Name.Failf("%w", err)
			}
		}
		o.Done()
	}
	name, good := word(value)
	if !good {
		return
	}
	w, err := from.Workload(name)
	if err != nil {
		value.FailAll(err)
		return
	}
	if estimated > 0 && (own || w.Drawn()) {
		if w, err = w.WithEstimatedRuntime(estimated); err != nil {
			value.FailAll(err)
			return
		}
	}
	if windows == 0 {
		f.workloads = append(f.workloads, work{value, label, w})
		return
	}
	parts, err := w.Windows(int(windows))
	if err != nil {
		value.FailAll(err)
		return
	}
	for _, part := range parts {
		f.workloads = append(f.workloads, work{value, label, part})
	}
}

// name is what the directories of its runs have.
func (w work) name() string {
	if w.label != "" {
		return w.label
	}
	return w.value.Name()
}

// seeds are single numbers and ranges like 1..10.
func seeds(v input.Value) []uint64 {
	var all []uint64
	for _, one := range list(v) {
		text, good := word(one)
		if !good {
			continue
		}
		low, high, isRange := strings.Cut(text, "..")
		from, errLow := strconv.ParseUint(low, 10, 64)
		to, errHigh := from, error(nil)
		if isRange {
			to, errHigh = strconv.ParseUint(high, 10, 64)
		}
		switch {
		case errLow != nil || errHigh != nil || from > to || to == math.MaxUint64:
			one.Failf("got %q, want a whole number or a range such as 1..10", text)
			continue
		case to-from >= mostSeeds || len(all)+int(to-from) >= mostSeeds:
			one.Failf("got %q, want at most %d seeds", text, mostSeeds)
			continue
		}
		for seed := from; seed <= to; seed++ {
			if slices.Contains(all, seed) {
				one.Failf("seed %d is there already", seed)
				break
			}
			all = append(all, seed)
		}
	}
	return all
}
