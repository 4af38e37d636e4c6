package journal_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/highs"
	"github.com/slurmlab/slurmlab/results/trace"
)

// BenchmarkCycles decides the recorded cycles of IPSCHED and AUCSCHED as slurmlabd does, once by the papers' programs alone and
// once with what stands for a program first. It reports for each way how many cycles it decides in a second and how many are
// proven, and for how many cycles the first objective is greater or less with what stands for a program. HiGHS works in a
// process of its own, within the limit of the run.
func BenchmarkCycles(b *testing.B) {
	if highs.Version() == "" {
		hosttest.Elsewhere(b, "in the toolbox, which has HiGHS")
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(workerVariable, "1")
	for _, r := range recordings(b, methodIPSCHED, methodAUCSCHED) {
		b.Run("run="+r.name, func(b *testing.B) {
			search, err := solver.New(solver.Options{Start: solver.Command(nil, self), TimeLimit: r.Parameters.SolveLimit})
			if err != nil {
				b.Fatal(err)
			}
			defer search.Close()
			for b.Loop() {
				var alone, direct way
				greater, less := 0, 0
				r.each(b, func(c journal.Entry, _ trace.Cycle) {
					was, is := alone.decide(b, r, c, search, nil), direct.decide(b, r, c, search, search)
					switch slack := 1e-6 * max(1, was); {
					case is > was+slack:
						greater++
					case is < was-slack:
						less++
					}
				})
				alone.report(b, "program")
				direct.report(b, "direct")
				b.ReportMetric(float64(greater), "greater")
				b.ReportMetric(float64(less), "less")
				b.ReportMetric(alone.took.Seconds()/direct.took.Seconds(), "times")
			}
		})
	}
}

// way counts the cycles that were decided in one way.
type way struct {
	cycles, proven int
	took           time.Duration
}

// decide decides a recorded cycle and returns the objective of its first program.
func (w *way) decide(b *testing.B, r recording, c journal.Entry, search *solver.Solver, pack auction.Solver) float64 {
	o := papers.DeciderOptions{Limit: r.Parameters.SolveLimit, Bids: c.Options.Bids, Solve: search.SolveProgram, Start: search.Quick, Pack: pack, Quick: search.Quick}
	began := time.Now()
	o.Clock = func() time.Duration { return time.Since(began) }
	result, err := r.decider(o).Decide(context.Background(), c.Snapshot, c.Options.Bids.MaxBids)
	w.took += time.Since(began)
	if err != nil {
		b.Fatalf("cycle %d: %v", c.Cycle, err)
	}
	w.cycles++
	if result.Assignment.Status == program.StatusOptimal {
		w.proven++
	}
	return result.Assignment.Objective
}

func (w *way) report(b *testing.B, name string) {
	b.ReportMetric(float64(w.cycles)/w.took.Seconds(), name+"-cycles/s")
	b.ReportMetric(float64(w.proven)/float64(w.cycles)*100, name+"-%proven")
}
