package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

//go:embed queues.yaml
var ownList []byte

// list is queues.yaml, which explains its fields.
type list struct {
	Loads     []float64
	Traces    []traceEntry
	Workloads []workloadEntry
	Policies  []policyEntry
}

type traceEntry struct {
	Name, File, Format string
	Machine            struct{ Nodes, Cores, GPUs int }
	// Skip is the number of jobs at the head of the trace that are in no window.
	Skip, Windows, Jobs int
	// Total is the number of jobs of the trace after its import, 0 for a trace that is cut once.
	Total  int
	Choose string
}

type workloadEntry struct {
	Name, Machine  string
	Choose, Report []uint64
	// HeldOut are seeds that no search plays.
	HeldOut []uint64 `yaml:"held_out"`
}

type policyEntry struct {
	Name string
	// Backfill has settings as in a policies file.
	Backfill *yaml.MapSlice
	// ByValue has sched/backfill take jobs in the order of what they are worth to the auction.
	ByValue bool `yaml:"by_value"`
	Auction *auctionEntry

	// own is the entry under sched/backfill as slurmlab takes it by --policy-file. As it is played in memory it has the model and,
	// unless they are nil, the weights.
	own     policy.Policy
	model   Settings
	weights *priority.Weights
}

type auctionEntry struct {
	Interval  int
	Objective auction.Objective
	MaxBypass *float64 `yaml:"max_bypass"`
	// FewestNodes is the parameter fewest_nodes.
	FewestNodes bool `yaml:"fewest_nodes"`
	// Without are the parts of the auction that are left out.
	Without []part
	Rule    *ruleEntry
}

// part is one of the parts of an auction.
type part string

// Without its solver, an auction takes the bids that are worth most one after the other. Without the pace cycles keep to their
// interval, without class R and the bids of the queue jobs have fewer bids.
const (
	partSolver       part = "solver"
	partReservations part = "reservations"
	partPace         part = "pace"
	partClassR       part = "class-r"
	partQueueBids    part = "queue-bids"
)

func parts() []part { return []part{partSolver, partReservations, partPace, partClassR, partQueueBids} }

// has says that a part is not left out.
func (a auctionEntry) has(p part) bool { return !slices.Contains(a.Without, p) }

// ruleEntry is a value rule, as in the product if it is nil; so is a side that is nil.
type ruleEntry struct {
	Alike, Apart *auction.Exponents
	Drain        float64
}

// rule is the rule of the entry.
func (r *ruleEntry) rule() auction.Rule {
	d := auction.DefaultRule()
	if r == nil {
		return d
	}
	return auction.Rule{Alike: *cmp.Or(r.Alike, &d.Alike), Apart: *cmp.Or(r.Apart, &d.Apart), Drain: r.Drain}
}

// check lists the exponents that no rule has.
func (r *ruleEntry) check(fault func(format string, args ...any)) {
	rule := r.rule()
	if !(rule.Drain >= 0 && !math.IsInf(rule.Drain, 1)) {
		fault("rule, drain: got %g, allowed is a number from 0", rule.Drain)
	}
	for _, limits := range []struct {
		are string
		e   auction.Exponents
	}{{"alike", rule.Alike}, {"apart", rule.Apart}} {
		for _, exponent := range []struct {
			name  string
			value float64
		}{{"share", limits.e.Share}, {"limit", limits.e.Limit}, {"wait", limits.e.Wait}, {"wide", limits.e.Wide}} {
			if !(exponent.value >= 0 && exponent.value <= mostExponent) {
				fault("rule, %s, %s: got %g, allowed from 0 to %d", limits.are, exponent.name, exponent.value, mostExponent)
			}
		}
	}
}

// mostExponent keeps values finite: limits and waits of months are 1e7 s.
const mostExponent = 10

// readList reads a list, or the one of this program without a file.
func readList(file string) (list, error) {
	text, name := ownList, "queues.yaml"
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			return list{}, fmt.Errorf("read list: %w", err)
		}
		name = file
	}
	var l list
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.DisallowUnknownField()).Decode(&l); err != nil {
		return list{}, fmt.Errorf("read list %s: %w", name, err)
	}
	if err := l.check(name); err != nil {
		return l, err
	}
	for i := range l.Policies {
		if err := l.Policies[i].complete(); err != nil {
			return l, fmt.Errorf("read list %s: policy %s: %w", name, l.Policies[i].Name, err)
		}
	}
	return l, nil
}

// complete has an entry under sched/backfill as a policy of slurmlab's: whole-queue with the settings of the entry.
func (p *policyEntry) complete() error {
	if p.Backfill == nil {
		return nil
	}
	whole, err := policy.Find(policy.WholeQueue)
	if err != nil {
		return err
	}
	var changes []policy.Setting
	for _, item := range *p.Backfill {
		changes = append(changes, policy.Setting{Key: fmt.Sprint(item.Key), Value: fmt.Sprint(item.Value)})
	}
	if p.own, err = whole.Change(p.Name, changes...); err != nil {
		return err
	}
	if p.model, err = SettingsOf(p.own.Scheduler.Parameters); err != nil {
		return err
	}
	if p.weights, err = weightsOf(p.own); err != nil {
		return err
	}
	p.own.About, p.own.Source = p.settings(), ""
	return nil
}

// weightsOf returns a policy's weights, nil for the order of submission.
func weightsOf(p policy.Policy) (*priority.Weights, error) {
	w, multifactor := p.Priority.Weights()
	if !multifactor {
		return nil, nil
	}
	for _, line := range conf.CutPriority(p.Scheduler.Priority) {
		key, value, _ := strings.Cut(line, "=")
		var err error
		switch key {
		case "PriorityWeightAge":
			w.Age, err = strconv.Atoi(value)
		case "PriorityWeightJobSize":
			w.JobSize, err = strconv.Atoi(value)
		case "PriorityFavorSmall":
			w.FavorSmall = value == "YES"
		default:
			err = fmt.Errorf("%s: the model has no such setting", key)
		}
		if err != nil {
			return nil, err
		}
	}
	return &w, nil
}

// check lists what the list says that cannot be played.
func (l list) check(name string) error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("read list %s: "+format, append([]any{name}, args...)...))
	}
	for _, load := range l.Loads {
		if load <= 0 || load > 10 {
			fault("loads: got %g, allowed above 0 up to 10", load)
		}
	}
	for _, t := range l.Traces {
		if !slices.Contains([]string{"odd", "none", "seen"}, t.Choose) {
			fault("trace %s, choose: got %q, allowed odd, none or seen", t.Name, t.Choose)
		}
		if t.Total < 1 && slices.ContainsFunc(l.Traces, func(o traceEntry) bool { return o.File == t.File && o.Name != t.Name }) {
			fault("trace %s, total: got %d, allowed the number of jobs of %s: it is cut more than once", t.Name, t.Total, t.File)
		}
		if t.Windows < 1 || t.Jobs < 1 || t.Skip < 0 {
			fault("trace %s: got windows %d, jobs %d, skip %d, allowed from 1, 1 and 0", t.Name, t.Windows, t.Jobs, t.Skip)
		}
		if err := interchange.CheckImport(t.Format); err != nil {
			fault("trace %s, %w", t.Name, err)
		}
	}
	for _, p := range l.Policies {
		if (p.Backfill == nil) == (p.Auction == nil) {
			fault("policy %s: allowed is one of backfill and auction", p.Name)
		}
		if p.Auction != nil && !slices.Contains(auction.Objectives(), p.Auction.Objective) {
			fault("policy %s, objective: got %q, allowed %v", p.Name, p.Auction.Objective, auction.Objectives())
		}
		if p.ByValue && p.Backfill == nil {
			fault("policy %s, by_value: got it, allowed with backfill alone", p.Name)
		}
		if p.Auction != nil {
			for _, w := range p.Auction.Without {
				if !slices.Contains(parts(), w) {
					fault("policy %s, without: got %q, allowed %v", p.Name, w, parts())
				}
			}
			p.Auction.Rule.check(func(format string, args ...any) { fault("policy "+p.Name+", "+format, args...) })
		}
	}
	return errors.Join(faults...)
}

// settings are all settings of the policy in a line, even settings that the list leaves out: cells that differ in
// them are not of one policy. Parameters are in Slurm's units (sched_min_interval in microseconds), parameters of the
// priority and of an auction in the list's.
func (p policyEntry) settings() string {
	if s := p.model; p.Backfill != nil {
		text := fmt.Sprintf("bf_interval=%d,bf_resolution=%d,bf_window=%d,bf_max_job_test=%d,bf_job_part_count_reserve=%d,sched_min_interval=%d",
			s.Interval, s.Resolution, s.Window/60, s.MaxJobs, s.Reserve, s.Delay*1_000_000)
		if p.ByValue {
			text += ", by value"
		}
		if w := p.weights; w != nil {
			text += fmt.Sprintf(", priority age=%d,size=%d,max_age=%.0f,small_first=%t,small_relative_to_time=%t",
				w.Age, w.JobSize, w.MaxAge.Seconds(), w.FavorSmall, w.RelativeToTime)
		}
		return text
	}
	more := ""
	if p.Auction.FewestNodes {
		more = ",fewest_nodes=true"
	}
	for _, w := range p.Auction.Without {
		more += ",without=" + string(w)
	}
	return fmt.Sprintf("interval=%d,objective=%s,max_bypass=%g%s, rule %s", p.Auction.Interval, p.Auction.Objective, p.Auction.bypass(), more, p.Auction.Rule.rule())
}

// bypass is the guard's factor.
func (a auctionEntry) bypass() float64 {
	if !a.has(partReservations) {
		return 0
	}
	if a.MaxBypass != nil {
		return *a.MaxBypass
	}
	return policy.DefaultParameters().MaxBypass
}

// window is one list of jobs with its machine.
type window struct {
	Queue   string
	Number  uint64
	Load    float64
	chooses bool
	make    func() (workloads.Machine, []workloads.Job, error)
}

// windows lists all windows of the list; traces lie in a directory.
func (l list) windows(dir string) []window {
	var all []window
	for _, t := range l.Traces {
		var once []workloads.Job
		m := workloads.Machine{Name: t.Name, Nodes: t.Machine.Nodes, Cores: t.Machine.Cores, GPUs: t.Machine.GPUs}
		for k := range t.Windows {
			if !l.plays(t, uint64(k)+1) {
				continue
			}
			for _, load := range l.Loads {
				all = append(all, window{t.Name, uint64(k) + 1, load, t.chooses(uint64(k) + 1), func() (workloads.Machine, []workloads.Job, error) {
					if once == nil {
						var err error
						if once, err = t.read(dir, m); err != nil {
							return m, nil, err
						}
					}
					jobs, err := t.cut(once, k)
					if err != nil {
						return m, nil, err
					}
					return m, atLoad(m, jobs, load), nil
				}})
			}
		}
	}
	for _, w := range l.Workloads {
		for _, seeds := range [][]uint64{w.Choose, w.Report} {
			for _, seed := range seeds {
				all = append(all, window{w.Name, seed, 0, slices.Contains(w.Choose, seed), func() (workloads.Machine, []workloads.Job, error) {
					m, err := workloads.LoadMachine(w.Machine)
					if err != nil {
						return m, nil, err
					}
					loaded, err := workloads.Load(w.Name)
					if err != nil {
						return m, nil, err
					}
					jobs, err := loaded.Jobs(m, seed)
					return m, jobs, err
				}})
			}
		}
	}
	return all
}

// chooses says whether the window of this number chooses a setting, or chose one in the records.
func (t traceEntry) chooses(number uint64) bool { return t.Choose != "none" && number%2 == 1 }

// plays says whether a window is played: one that chose once is not, nor one that would report jobs of a window that
// chooses.
func (l list) plays(t traceEntry, number uint64) bool {
	if t.chooses(number) {
		return t.Choose == "odd"
	}
	return l.shared(t, number, func(o traceEntry) bool { return o.Choose == "odd" }) == 0
}

// shared is the largest number of jobs that a window has in common with a choosing window of other entries of its trace.
func (l list) shared(t traceEntry, number uint64, counts func(traceEntry) bool) int {
	most := 0
	first := t.first(number)
	for _, o := range l.Traces {
		if o.File != t.File || o.Name == t.Name || !counts(o) {
			continue
		}
		for n := range uint64(o.Windows) {
			if other := o.first(n + 1); o.chooses(n + 1) {
				most = max(most, min(first+t.Jobs, other+o.Jobs)-max(first, other))
			}
		}
	}
	return most
}

// first is the index of the first job of a window among all jobs of the trace.
func (t traceEntry) first(number uint64) int {
	return t.Skip + (int(number)-1)*((t.Total-t.Skip)/t.Windows)
}

// read imports the trace.
func (t traceEntry) read(dir string, m workloads.Machine) ([]workloads.Job, error) {
	path := filepath.Join(dir, t.File)
	var rows bytes.Buffer
	summary, err := interchange.Import(records.Source{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }},
		t.Format, &rows, interchange.ImportOptions{Machine: m, Renumber: true, SkipBad: true, AllComplete: true})
	if err != nil {
		return nil, err
	}
	var jobs []workloads.Job
	_, err = workloads.StreamCSV(io.MultiReader(bytes.NewBufferString(workloads.CSVHeader(summary.Columns)+"\n"), &rows), path,
		func(j workloads.Job) { jobs = append(jobs, j) })
	slices.SortStableFunc(jobs, func(a, b workloads.Job) int { return a.Arrival - b.Arrival })
	return jobs, err
}

// cut returns the jobs of a window, from 0, numbered from 1; the first arrives at 0.
func (t traceEntry) cut(all []workloads.Job, window int) ([]workloads.Job, error) {
	if t.Total > 0 && len(all) != t.Total {
		return nil, fmt.Errorf("trace %s, total: got %d, allowed %d: the trace has so many jobs", t.Name, t.Total, len(all))
	}
	stretch := (len(all) - t.Skip) / t.Windows
	if stretch < t.Jobs {
		return nil, fmt.Errorf("trace %s: got windows of %d jobs, allowed up to %d: the trace has %d jobs", t.Name, t.Jobs, stretch, len(all))
	}
	first := t.Skip + window*stretch
	jobs := slices.Clone(all[first : first+t.Jobs])
	start := jobs[0].Arrival
	for i := range jobs {
		jobs[i].ID = i + 1
		jobs[i].Arrival -= start
	}
	return jobs, nil
}

// atLoad stretches the arrivals so that the work of the jobs is load times what the
// machine can do from the first to the last of them.
func atLoad(m workloads.Machine, jobs []workloads.Job, load float64) []workloads.Job {
	var cores, gpus float64
	for _, j := range jobs {
		cores += float64(j.Cores) * float64(j.Runtime)
		gpus += float64(max(1, j.Nodes)*j.GPUsMin) * float64(j.Runtime)
	}
	work := cores / float64(m.Nodes*m.Cores)
	if m.GPUs > 0 {
		work = max(work, gpus/float64(m.Nodes*m.GPUs))
	}
	factor := work / load / float64(max(1, jobs[len(jobs)-1].Arrival))
	for i := range jobs {
		jobs[i].Arrival = int(float64(jobs[i].Arrival) * factor)
	}
	return jobs
}
