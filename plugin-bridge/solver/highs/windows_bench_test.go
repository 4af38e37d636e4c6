//go:build highs && cgo

package highs_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// cell is a set of windows of one kind: TSUBAME's 1408 nodes with 12 cores and
// 3 GPUs, 200 jobs, three distributions of sizes.
type cell struct {
	utilisation float64
	bids        int
}

func cells() []cell {
	var all []cell
	for _, utilisation := range []float64{0.9, 0.5, 0} {
		for _, bids := range []int{5, 15, 50} {
			all = append(all, cell{utilisation, bids})
		}
	}
	return all
}

// problems are of even seeds; with SLURMLAB_BENCH=tune of odd ones, on which
// the stages were tuned.
func (c cell) problems() []auction.Problem {
	first := uint64(2)
	if os.Getenv("SLURMLAB_BENCH") == "tune" {
		first = 1
	}
	var all []auction.Problem
	for _, sizes := range []auctiontest.Sizes{auctiontest.Small, auctiontest.Medium, auctiontest.Large} {
		for k := range uint64(2) {
			w := auctiontest.Window{
				Nodes: 1408, Cores: 12, GPUs: 3, Jobs: 200, Sizes: sizes, Utilisation: c.utilisation, Seed: first + 2*k,
			}
			all = append(all, w.Problem(c.bids))
		}
	}
	return all
}

func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}

// narrate prints the course of each solve if SLURMLAB_BENCH is set.
func narrate(format string, values ...any) {
	if os.Getenv("SLURMLAB_BENCH") != "" {
		fmt.Fprintf(os.Stderr, format+"\n", values...)
	}
}

// processorTime is that of this process since its start. The benchmarks
// measure it, not the time of day, so that a busy machine does not count.
func processorTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// course is what was known when.
type course []struct {
	at time.Duration
	auction.Assignment
}

// by is the gap that was proven by a time, 10 (for 1000 %) where none was, and
// the objective.
func (c course) by(mark time.Duration) (gap, objective float64) {
	gap = 10
	for _, s := range c {
		if s.at <= mark && s.Objective > 0 {
			gap, objective = s.Bound/s.Objective-1, s.Objective
		}
	}
	return gap, objective
}

// follow solves p as a worker does, within a limit of processor time.
func follow(b *testing.B, p auction.Problem, limit time.Duration) (auction.Assignment, time.Duration, course) {
	engine, err := highs.New()
	if err != nil {
		b.Fatal(err)
	}
	begin := processorTime(b)
	clock := func() time.Duration { return processorTime(b) - begin }
	var told course
	add := func(at time.Duration, a auction.Assignment) {
		told = append(told, struct {
			at time.Duration
			auction.Assignment
		}{at, a})
	}
	tell := func(a auction.Assignment) { add(clock(), a) }
	limits := packing.QuickLimits()
	limits.Clock, limits.Stop = clock, func() bool { return clock() > limit }
	a := packing.Quick(p, limits)
	at := time.Duration(0)
	for _, phase := range a.Phases {
		at += phase.Time
		add(at, auction.Assignment{Objective: phase.Objective, Bound: phase.Bound})
	}
	tell(a)
	if a.Status != program.StatusOptimal {
		// HiGHS's own limit is of the time of day and must not be reached.
		known := packing.Known{Selected: a.Selected, Bound: a.Bound}
		limits.Time = 20 * limit
		if a, err = packing.Solve(p, known, engine, limits, tell); err != nil {
			b.Fatal(err)
		}
		tell(a)
	}
	if err := p.Check(a.Selected); err != nil {
		b.Fatal(err)
	}
	return a, clock(), told
}

// benchLimit is 5 s of processor time, or SLURMLAB_BENCH_LIMIT.
func benchLimit(b *testing.B) time.Duration {
	text := os.Getenv("SLURMLAB_BENCH_LIMIT")
	if text == "" {
		return 5 * time.Second
	}
	limit, err := time.ParseDuration(text)
	if err != nil {
		b.Fatal(err)
	}
	return limit
}

// BenchmarkWindows measures the solver on windows drawn at random.
func BenchmarkWindows(b *testing.B) {
	limit := benchLimit(b)
	for _, c := range cells() {
		b.Run(fmt.Sprintf("busy=%g/bids=%d", c.utilisation, c.bids), func(b *testing.B) {
			problems := c.problems()
			for b.Loop() {
				measure(b, problems, limit)
			}
		})
	}
}

// measure reports over some instances how many are proven optimal within the limit, and the median, the 95th
// percentile and the maximum of the time. It reports the median and the largest gap proven at four marks. It reports
// how far the selections at two marks are below the last one, at the median and at most. Times are processor times of
// one thread.
func measure(b *testing.B, problems []auction.Problem, limit time.Duration) {
	var times []float64
	gaps := map[time.Duration][]float64{}
	short := map[time.Duration][]float64{}
	optimal := 0
	for n, p := range problems {
		a, took, told := follow(b, p, limit)
		times = append(times, took.Seconds())
		if a.Status == program.StatusOptimal {
			optimal++
		}
		for _, mark := range []time.Duration{100 * time.Millisecond, 500 * time.Millisecond, time.Second, limit} {
			gap, objective := told.by(mark)
			narrate("%d: %.6g at %v", n, objective, mark)
			gaps[mark] = append(gaps[mark], gap)
			if mark < time.Second {
				short[mark] = append(short[mark], 1-objective/a.Objective)
			}
		}
		narrate("%d: %d columns %d terms %.3f s %s %.6g gap %.4f", n, len(p.Objective), p.NonZeros(), took.Seconds(), a.Status, a.Objective, a.Gap())
		for _, phase := range a.Phases {
			narrate("   %-10s %7.1f ms %9d  %.6g %.6g", phase.Name, float64(phase.Time.Microseconds())/1000, phase.Work, phase.Objective, phase.Bound)
		}
	}
	reportTimes(b, optimal, times)
	for mark, values := range gaps {
		b.ReportMetric(100*quantile(values, 0.5), fmt.Sprintf("%%gap-%gs", mark.Seconds()))
		b.ReportMetric(100*slices.Max(values), fmt.Sprintf("%%gap-max-%gs", mark.Seconds()))
	}
	for mark, values := range short {
		b.ReportMetric(100*quantile(values, 0.5), fmt.Sprintf("%%short-%gs", mark.Seconds()))
		b.ReportMetric(100*slices.Max(values), fmt.Sprintf("%%short-max-%gs", mark.Seconds()))
	}
}

func reportTimes(b *testing.B, optimal int, times []float64) {
	b.ReportMetric(float64(len(times)), "instances")
	b.ReportMetric(float64(optimal), "optimal")
	b.ReportMetric(quantile(times, 0.5), "s-median")
	b.ReportMetric(quantile(times, 0.95), "s-p95")
	b.ReportMetric(slices.Max(times), "s-max")
}

// BenchmarkPlain is HiGHS on the program of the paper, as it comes. Its time
// limit is 5 s of processor time, and it is stopped where it asks.
func BenchmarkPlain(b *testing.B) {
	for _, c := range cells() {
		b.Run(fmt.Sprintf("busy=%g/bids=%d", c.utilisation, c.bids), func(b *testing.B) {
			problems := c.problems()
			for b.Loop() {
				measurePlain(b, problems)
			}
		})
	}
}

func measurePlain(b *testing.B, problems []auction.Problem) {
	var times, gaps []float64
	optimal := 0
	for n, p := range problems {
		begin := processorTime(b)
		found, err := highs.Plain(p, func() bool { return processorTime(b)-begin < 5*time.Second })
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, (processorTime(b) - begin).Seconds())
		gap := 10.0
		if value := p.Value(found.Selected); value > 0 {
			gap = min(gap, found.Bound/value-1)
		}
		gaps = append(gaps, gap)
		if found.Optimal {
			optimal++
		}
		narrate("%d: %.3f s optimal %v %.6g gap %.4f", n, times[n], found.Optimal, p.Value(found.Selected), gap)
	}
	reportTimes(b, optimal, times)
	b.ReportMetric(100*quantile(gaps, 0.5), "%gap-5s")
	b.ReportMetric(100*slices.Max(gaps), "%gap-max-5s")
}
