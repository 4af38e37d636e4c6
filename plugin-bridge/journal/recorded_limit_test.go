package journal_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/results/trace"
)

// workerVariable makes this test program a solver's process.
const workerVariable = "SLURMLAB_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) == "" {
		os.Exit(m.Run())
	}
	if err := solver.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// BenchmarkAtTheLimit solves the recorded programs that were not proven within the limit of their run again within
// that limit, in a process as slurmlabd does. Cold is without a point to begin with, warm with AUCSCHED2's selection
// of the same bids. It reports how many are proven, how many end with a point that starts a job, and how many of
// these points came from a process that was then killed. It also reports the median gap of all (100 % where there is
// no point or no bound).
func BenchmarkAtTheLimit(b *testing.B) {
	if highs.Version() == "" {
		hosttest.Elsewhere(b, "in the toolbox, which has HiGHS")
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(workerVariable, "1")
	for _, start := range []string{"cold", "warm"} {
		for _, r := range recordings(b, methodIPSCHED, methodAUCSCHED) {
			if start == "warm" && r.Parameters.Method == methodIPSCHED {
				continue
			}
			b.Run(fmt.Sprintf("start=%s/run=%s", start, r.name), func(b *testing.B) {
				search, err := solver.New(solver.Options{Start: solver.Command(nil, self), TimeLimit: r.Parameters.SolveLimit})
				if err != nil {
					b.Fatal(err)
				}
				defer search.Close()
				for b.Loop() {
					var gaps []float64
					proven, points, killed := 0, 0, 0
					r.each(b, func(c journal.Entry, was trace.Cycle) {
						if was.Gap == 0 {
							return
						}
						found := r.first(b, c, search, start == "warm")
						switch {
						case found.Status == program.StatusOptimal:
							proven++
						case found.Objective > 0 && found.Status == program.StatusAbandoned:
							killed++
							points++
						case found.Objective > 0:
							points++
						}
						gap := found.Gap()
						if gap < 0 {
							gap = 1
						}
						gaps = append(gaps, math.Min(1, gap))
						b.Logf("cycle %d: %s, objective %g, bound %g", c.Cycle, found.Status, found.Objective, found.Bound)
					})
					if len(gaps) == 0 {
						hosttest.Elsewhere(b, "on a slower machine: all programs of the run were proven in time")
					}
					slices.Sort(gaps)
					b.ReportMetric(float64(len(gaps)), "programs")
					b.ReportMetric(float64(proven), "proven")
					b.ReportMetric(float64(points), "points")
					b.ReportMetric(float64(killed), "killed")
					b.ReportMetric(100*gaps[len(gaps)/2], "%gap")
				}
			})
		}
	}
}

// first is the solution of the first program of a cycle.
func (r recording) first(b *testing.B, c journal.Entry, search *solver.Solver, warm bool) program.Solution {
	var all []program.Solution
	o := papers.DeciderOptions{Limit: r.Parameters.SolveLimit, Bids: c.Options.Bids}
	o.Solve = func(ctx context.Context, p program.Program, start []float64, limit time.Duration) (program.Solution, error) {
		found, err := search.SolveProgram(ctx, p, start, limit)
		all = append(all, found)
		return found, err
	}
	if warm {
		o.Start = search.Quick
	}
	decider := r.decider(o)
	if _, err := decider.Decide(context.Background(), c.Snapshot, c.Options.Bids.MaxBids); err != nil {
		b.Fatalf("cycle %d: %v", c.Cycle, err)
	}
	return all[0]
}

// TestStartsArePoints: whatever the recorded window, AUCSCHED2's selection of AUCSCHED's
// bids is a point of AUCSCHED's program, and is decided as such. "The total number of
// CPU cores is equal to the requested number if the bid for class c of job j is
// selected" (AUCSCHED section 3, on constraint 4).
func TestStartsArePoints(t *testing.T) {
	for _, r := range recordings(t, methodAUCSCHED) {
		for _, papersBids := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/papers=%t", r.name, papersBids), func(t *testing.T) {
				points, jobs := 0, 0
				r.each(t, func(c journal.Entry, _ trace.Cycle) {
					o := papers.DeciderOptions{Limit: time.Hour, Bids: c.Options.Bids}
					o.Bids.Papers = papersBids
					o.Start = func(_ context.Context, p auction.Problem) auction.Assignment {
						a := packing.Quick(p, packing.QuickLimits())
						jobs += len(a.Selected)
						return a
					}
					o.Solve = func(_ context.Context, p program.Program, start []float64, _ time.Duration) (program.Solution, error) {
						if err := p.Check(start, 0); err != nil {
							t.Errorf("cycle %d: %v", c.Cycle, err)
						}
						points++
						return program.Solution{Status: program.StatusAbandoned, Values: start, Objective: p.Value(start), Bound: math.Inf(1)}, nil
					}
					if _, err := r.decider(o).Decide(context.Background(), c.Snapshot, c.Options.Bids.MaxBids); err != nil {
						t.Errorf("cycle %d: %v", c.Cycle, err)
					}
				})
				if points < 10 || jobs < 10 {
					t.Errorf("%d points with %d jobs, want at least 10 of each", points, jobs)
				}
			})
		}
	}
}
