package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/paper"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// rehearsed are the rows of the papers' tables that are played with each reading of the priorities
// (docs/design/012).
var rehearsed = []struct {
	paper string
	table int
	rows  []string
	// method is the paper's name of its scheduler, empty for all of these rows.
	method string
}{
	{"ipsched", 5, []string{"2", "3", "5", "6"}, ""},
	{"aucsched", 5, []string{"IV.1", "IV.2", "V.1", "V.2"}, "AUCSCHED"},
	{"aucsched2", 3, []string{"1.NC", "1.HC", "2.NC", "2.HC"}, "AUCSCHED2"},
}

// papers plays the rows and writes a line for each column of each row and reading, in CSV.
func (benchmark) papers(ctx context.Context, to io.Writer, seeds uint64, names []string) error {
	out := csv.NewWriter(to)
	if err := out.Write([]string{"paper", "row", "policy", "reading", "column", "published", "rehearsed", "distance", "seeds", "decisions", "unproven"}); err != nil {
		return err
	}
	for _, of := range rehearsed {
		if len(names) > 0 && !slices.Contains(names, of.paper) {
			continue
		}
		at := slices.IndexFunc(paper.Papers(), func(p paper.Paper) bool { return p.Name == of.paper })
		published, err := paper.Papers()[at].Rows(of.table, of.rows...)
		if err != nil {
			return err
		}
		for _, row := range published {
			if of.method != "" && row.Method != of.method {
				continue
			}
			p, err := policy.Find(row.Policies[0])
			if err != nil {
				return err
			}
			for _, reading := range auction.Readings() {
				lines, err := rehearse(ctx, row, p, reading, seeds)
				if err != nil {
					return fmt.Errorf("%s %s %s: %w", of.paper, row.Name, reading, err)
				}
				for i, line := range lines {
					lines[i] = append([]string{of.paper, row.Name, p.Name, string(reading)}, line...)
				}
				if err = out.WriteAll(lines); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// rehearse plays a row with one reading, and returns its columns.
func rehearse(ctx context.Context, row paper.Row, p policy.Policy, reading auction.Reading, seeds uint64) ([][]string, error) {
	if p.Parameters.Reading = reading; reading == auction.ReadSize && p.Parameters.Objective == policy.ObjectivePriorityCores {
		// This objective counts cores already.
		p.Parameters.Reading = auction.ReadRanks
	}
	m, err := workloads.LoadMachine(row.Machine)
	if err != nil {
		return nil, err
	}
	w, err := workloads.Load(row.Workload)
	if err != nil {
		return nil, err
	}
	sums, decisions, unproven := map[string]float64{}, 0, 0
	for seed := range seeds {
		jobs, err := w.Jobs(m, seed+1)
		if err != nil {
			return nil, err
		}
		play := paperPolicy(p)
		decide := play.Program
		play.Program = func(ctx context.Context, s auction.Snapshot) (auction.Result, error) {
			r, decideErr := decide(ctx, s)
			decisions++
			if r.Assignment.Status != program.StatusOptimal {
				unproven++
			}
			return r, decideErr
		}
		starts, err := Play(ctx, m, jobs, play)
		if err != nil {
			return nil, err
		}
		run := trace.Run{Status: trace.StatusComplete, Jobs: len(jobs), Settings: trace.Settings{Machine: m, Policy: p.Name, SchedulerType: p.Scheduler.Type}}
		found, err := metric.Compute(run, finished(starts), nil, nil)
		if err != nil {
			return nil, err
		}
		for _, of := range metric.Measures() {
			v, known := of.Value(found)
			if !known {
				continue
			}
			sums[of.Column] += of.Unit.InTable(v) / float64(seeds)
			if of.Std != nil {
				sums[of.StdColumn()] += of.Unit.InTable(of.Std(found)) / float64(seeds)
			}
		}
	}
	return columnsOf(row, sums, seeds, decisions, unproven), nil
}

// columnsOf are the columns of a row that count in its distance.
func columnsOf(row paper.Row, sums map[string]float64, seeds uint64, decisions, unproven int) (lines [][]string) {
	for _, of := range metric.Measures() {
		for _, column := range slices.Compact([]string{of.Column, of.StdColumn()}) {
			published := row.Values[column]
			if published == 0 || column == "theoretical_runtime_h" {
				continue
			}
			ours := sums[column]
			number := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
			lines = append(lines, []string{
				column, number(published), number(ours), number(math.Abs(ours/published - 1)),
				strconv.FormatUint(seeds, 10), strconv.Itoa(decisions), strconv.Itoa(unproven),
			})
		}
	}
	return lines
}

// finished are the jobs of a rehearsal as a run has them.
func finished(starts []Start) []trace.FinishedJob {
	all := make([]trace.FinishedJob, len(starts))
	for i, s := range starts {
		all[i] = trace.FinishedJob{
			Job: s.Job, Submit: float64(s.Job.Arrival), Start: float64(s.Begin), Finish: float64(s.End), State: "COMPLETED",
			Allocated: s.Nodes, AllocCores: s.TotalCores(), AllocGPUs: s.GPUs * len(s.Nodes),
		}
	}
	return all
}

// paperPolicy is a paper's policy in memory. What neither a knapsack nor a packing program proves starts as far as it is
// known.
func paperPolicy(p policy.Policy) *Papers {
	of := p.Parameters
	play := &Papers{
		Window: of.Window, Interval: int(of.Interval / time.Second), Reading: of.Reading, Multifactor: p.Priority == priority.Multifactor,
	}
	bids := bidding.BidOptions{
		MaxBidsPerJob: of.MaxBidsPerJob, MaxBids: of.MaxBids, SlurmBids: of.SlurmBids, Remainders: of.RemainderBids,
		Papers: of.PaperBids, OnlyBlocks: of.OnlyBlocks,
	}
	if of.Method == policy.MethodAuction {
		o := auction.Options{Objective: of.Objective, Bids: bids, Arrange: papers.Arrange}
		play.Program = func(ctx context.Context, s auction.Snapshot) (auction.Result, error) {
			return auction.Auction(ctx, s, o, packing.QuickSolver{})
		}
		return play
	}
	o := papers.DeciderOptions{Solve: noSolver, Pack: packing.QuickSolver{}, Start: quick, StartLate: true, Limit: time.Hour, Bids: bids}
	decider := papers.NewAUCSCHED(o)
	if of.Method == policy.MethodIPSCHED {
		if of.Objective == policy.ObjectivePriorityCores {
			o.Objective = papers.ByPriorityCores
		}
		decider = papers.NewIPSCHED(o)
	}
	play.Program = func(ctx context.Context, s auction.Snapshot) (auction.Result, error) {
		return decider.Decide(ctx, s, of.MaxBids)
	}
	return play
}

func quick(_ context.Context, p auction.Problem) auction.Assignment {
	return packing.Quick(p, packing.QuickLimits())
}

// noSolver keeps the point to begin with, and proves nothing.
func noSolver(_ context.Context, p program.Program, start []float64, _ time.Duration) (program.Solution, error) {
	found := program.Solution{Status: program.StatusTimeLimit, Values: start, Bound: math.Inf(1)}
	if start != nil {
		found.Objective = p.Value(start)
	}
	return found, nil
}
