package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/results/metric"
)

// BenchmarkAgainstBackfill compares the auction with the model of backfill, one
// seed a turn. The seeds begin at 21, since the objective was chosen on those from
// 1 to 20 (docs/records/006-real-queues).
func BenchmarkAgainstBackfill(b *testing.B) {
	for _, machine := range []string{"S", "M"} {
		for _, workload := range []string{"IV.1", "IV.2", "IV.3", "V.1", "V.2", "V.3"} {
			b.Run(machine+"/"+workload, func(b *testing.B) {
				var utilisation, gap, waiting, longest, slowdown, fragmentation, spread []float64
				for seed := range b.N {
					m, jobs := jobs(b, machine, workload, uint64(seed)+21)
					slurm := playJobs(b, m, jobs, NewBackfill(wholeQueue(b), nil))
					ours := playJobs(b, m, jobs, options(auction.ObjectiveValue))
					bound, err := metric.LowerBound(m, jobs)
					if err != nil {
						b.Fatal(err)
					}
					best := 0.0
					for _, j := range jobs {
						best += float64(j.Cores*j.Runtime) / bound / float64(m.Nodes*m.Cores)
					}
					utilisation = append(utilisation, ours.utilisation)
					gap = append(gap, (ours.utilisation-slurm.utilisation)/(best-slurm.utilisation))
					waiting = append(waiting, ours.waiting/slurm.waiting)
					longest = append(longest, ours.longest/slurm.longest)
					slowdown = append(slowdown, ours.slowdown/slurm.slowdown)
					fragmentation = append(fragmentation, ours.fragmentation/slurm.fragmentation)
					spread = append(spread, ours.spread/slurm.spread)
				}
				b.ReportMetric(stat.Mean(utilisation, nil), "utilisation")
				b.ReportMetric(stat.Mean(gap, nil), "gap")
				b.ReportMetric(stat.StdErr(stat.StdDev(gap, nil), float64(b.N)), "gap_stderr")
				b.ReportMetric(stat.Mean(waiting, nil), "waiting_ratio")
				b.ReportMetric(stat.Mean(longest, nil), "longest_ratio")
				b.ReportMetric(stat.Mean(slowdown, nil), "slowdown_ratio")
				b.ReportMetric(slices.Max(slowdown), "worst_slowdown_ratio")
				b.ReportMetric(stat.Mean(fragmentation, nil), "fragmentation_ratio")
				b.ReportMetric(stat.Mean(spread, nil), "spread_ratio")
			})
		}
	}
}

// BenchmarkChance is how much an auction's figures move when the same jobs come in another order, one order a turn.
// They come all at once, or each at a random time within ten seconds.
func BenchmarkChance(b *testing.B) {
	for _, machine := range []string{"S", "M"} {
		for _, within := range []int{1, 10} {
			b.Run(machine+map[int]string{1: "/at-once", 10: "/within-10s"}[within], func(b *testing.B) {
				var utilisation, slowdown []float64
				for turn := range b.N {
					m, jobs := jobs(b, machine, "V.2", 1)
					draw := rand.New(rand.NewPCG(uint64(turn), 0))
					draw.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
					for i := range jobs {
						jobs[i].Arrival = draw.IntN(within)
					}
					n := playJobs(b, m, jobs, options(auction.ObjectiveValue))
					utilisation, slowdown = append(utilisation, n.utilisation), append(slowdown, n.slowdown)
				}
				b.ReportMetric(stat.Mean(utilisation, nil), "utilisation")
				b.ReportMetric(stat.StdDev(utilisation, nil), "utilisation_std")
				b.ReportMetric(stat.Mean(slowdown, nil), "slowdown")
				b.ReportMetric(stat.StdDev(slowdown, nil), "slowdown_std")
			})
		}
	}
}
