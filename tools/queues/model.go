package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// entryOf is the index of the entry with the settings of a policy of slurmlab's, -1 if there is none.
func (l list) entryOf(name string) int {
	p, err := policy.Find(name)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(l.Policies, func(e policyEntry) bool { return e.is(p) })
}

// is says that slurmlab's policy has the settings of the entry.
func (p policyEntry) is(other policy.Policy) bool {
	if p.Auction != nil {
		same := policy.DefaultParameters()
		same.Interval, same.Objective, same.MaxBypass = seconds(p.Auction.Interval), p.Auction.Objective, p.Auction.bypass()
		return other.HasAgent() && other.Parameters == same && p.Auction.Rule.rule() == auction.DefaultRule()
	}
	lines := func(p policy.Policy) string {
		return fmt.Sprint(p.Scheduler.Type, p.Scheduler.Parameters, slices.Sorted(slices.Values(p.Scheduler.PriorityLines(p.Priority))))
	}
	return !other.HasAgent() && lines(p.own) == lines(other)
}

// windowName is the name of a workload that write made: queue, window, load.
var windowName = regexp.MustCompile(`^(.+)-(\d+)-([0-9.]+)$`)

// measure writes a cell for each run, under the name that its policy has in the list. They are results of a file of their own,
// beside which those in memory would be the same cells.
func (b benchmark) measure(out io.Writer, runs []string) error {
	l, err := readList(b.list)
	if err != nil {
		return err
	}
	for _, path := range runs {
		c, err := l.cellOf(path)
		if err != nil {
			return fmt.Errorf("run %s: %w", path, err)
		}
		if err = json.NewEncoder(out).Encode(c); err != nil {
			return err
		}
	}
	return nil
}

// cellOf is the cell of one run.
func (l list) cellOf(path string) (cell, error) {
	run, err := wholeRun(path)
	if err != nil {
		return cell{}, err
	}
	name := windowName.FindStringSubmatch(run.Run.Workload)
	at := slices.IndexFunc(l.Policies, func(p policyEntry) bool { return p.Backfill != nil && p.Name == run.Run.Policy })
	if at < 0 {
		at = l.entryOf(run.Run.PolicyToday())
	}
	if name == nil || at < 0 {
		return cell{}, fmt.Errorf("workload and policy: got %s and %s, allowed QUEUE-WINDOW-LOAD and backfill, backfill-whole-queue, auction or one of Slurm's own in the list", run.Run.Workload, run.Run.Policy)
	}
	number, err := strconv.ParseUint(name[2], 10, 64)
	if err != nil {
		return cell{}, err
	}
	load, err := strconv.ParseFloat(name[3], 64)
	if err != nil {
		return cell{}, err
	}
	settings, err := settingsOf(run.Run.Settings)
	if err != nil {
		return cell{}, err
	}
	c := cell{
		Queue: name[1], Window: number, Load: load, Policy: l.Policies[at].Name, figures: figuresOf(run.Run.Machine, run.Jobs),
		RealSeconds: run.Run.RealSeconds, Settings: settings, Build: run.Run.ToolVersion, Slurm: run.Run.SlurmVersion,
	}
	for _, t := range l.Traces {
		c.Chooses = c.Chooses || t.Name == c.Queue && t.chooses(number)
	}
	return c, nil
}

// settingsOf are what run.json has of a run's policy, in a line.
func settingsOf(s trace.Settings) (string, error) {
	if s.ValueRule == "" {
		return strings.TrimSuffix(fmt.Sprintf("%s, %s, %s", s.SchedulerParameters, s.PriorityType, s.PriorityParameters), ", "), nil
	}
	var parameters bytes.Buffer
	err := json.Compact(&parameters, s.Parameters)
	return fmt.Sprintf("%s, rule %s", parameters.String(), s.ValueRule), err
}

// wholeRun loads a run all of whose jobs have started.
func wholeRun(path string) (trace.Data, error) {
	dir, err := trace.Open(path)
	if err != nil {
		return trace.Data{}, err
	}
	run, err := dir.Load()
	if err != nil {
		return run, err
	}
	for _, j := range run.Jobs {
		if !j.Started() {
			return run, fmt.Errorf("job %d has not started", j.ID)
		}
	}
	return run, nil
}

// model plays the jobs of each run in memory under the same policy, and writes each figure of the run as a ratio to
// the rehearsal's. It writes how many jobs start at the same time in both, to a cycle of 30 s and the whole minute of
// Slurm's plans.
func (b benchmark) model(ctx context.Context, out io.Writer, runs []string) error {
	l, err := readList(b.list)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, path := range runs {
		row, failed := l.held(ctx, path)
		if failed != nil {
			return fmt.Errorf("run %s: %w", path, failed)
		}
		rows = append(rows, row)
	}
	header := []string{"run", "jobs", "waiting, s", "model", "bounded slowdown", "model", "utilisation", "model", "same start", "median of the differences, s"}
	return table.Texts(1, header, rows).WriteMarkdown(out)
}

// held is the row of one run.
func (l list) held(ctx context.Context, path string) ([]string, error) {
	run, err := wholeRun(path)
	if err != nil {
		return nil, err
	}
	at := l.entryOf(run.Run.PolicyToday())
	if at < 0 {
		return nil, fmt.Errorf("policy: got %q, allowed backfill, backfill-whole-queue and auction", run.Run.Policy)
	}
	begins := map[int]float64{}
	jobs := make([]workloads.Job, len(run.Jobs))
	for i, j := range run.Jobs {
		jobs[i] = j.Job
		begins[j.ID] = j.Start
	}
	real := figuresOf(run.Run.Machine, run.Jobs)
	starts, err := Play(ctx, run.Run.Machine, jobs, l.Policies[at].scheduler())
	if err != nil {
		return nil, err
	}
	model := measure(run.Run.Machine, starts)
	same, apart := 0, make([]float64, len(starts))
	for i, s := range starts {
		apart[i] = math.Abs(begins[s.Job.ID] - float64(s.Begin))
		if apart[i] <= 90 {
			same++
		}
	}
	slices.Sort(apart)
	return []string{
		run.Run.ID, strconv.Itoa(real.Jobs), table.Fixed(real.Waiting, 0), table.Fixed(model.Waiting/real.Waiting, 2),
		table.Fixed(real.BoundedSlowdown, 2), table.Fixed(model.BoundedSlowdown/real.BoundedSlowdown, 2),
		table.Fixed(real.Utilisation, 3), table.Fixed(model.Utilisation/real.Utilisation, 2),
		fmt.Sprintf("%d %%", 100*same/len(starts)), table.Fixed(apart[len(apart)/2], 0),
	}, nil
}
