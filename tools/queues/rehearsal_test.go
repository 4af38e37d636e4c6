package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

// options are the parameters of the agent, with a solver that needs no HiGHS.
func options(o auction.Objective) *Auction {
	return &Auction{Guard: auction.NewGuard(0), Window: 500, Options: auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBids: 7500}), Objective: o}, Solver: packing.QuickSolver{}}
}

// numbers are the metrics of AUCSCHED section 6.2.
type numbers struct{ utilisation, waiting, longest, slowdown, fragmentation, spread float64 }

func playSeed(t testing.TB, workload string, seed uint64, policy Scheduler) numbers {
	t.Helper()
	m, jobs := jobs(t, "S", workload, seed)
	return playJobs(t, m, jobs, policy)
}

func jobs(t testing.TB, machine, workload string, seed uint64) (workloads.Machine, []workloads.Job) {
	t.Helper()
	m, err := workloads.LoadMachine(machine)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(workload)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := w.Jobs(m, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m, jobs
}

func playJobs(t testing.TB, m workloads.Machine, jobs []workloads.Job, policy Scheduler) numbers {
	t.Helper()
	starts, err := Play(context.Background(), m, jobs, policy)
	if err != nil {
		t.Fatal(err)
	}
	if len(starts) != len(jobs) {
		t.Fatalf("%d of %d jobs ran", len(starts), len(jobs))
	}
	return numbersOf(m, starts)
}

func numbersOf(m workloads.Machine, starts []Start) numbers {
	var n numbers
	var work, end float64
	for _, s := range starts {
		waited, ran := float64(s.Begin-s.Job.Arrival), float64(s.End-s.Begin)
		for _, c := range s.Cores {
			work += ran * float64(c)
		}
		end, n.longest = max(end, float64(s.End)), max(n.longest, waited)
		n.waiting += waited / float64(len(starts))
		n.slowdown += (waited + ran) / ran / float64(len(starts))
		n.fragmentation += float64(metric.Fragmentation(s.Nodes)) / float64(len(starts))
		n.spread += metric.Spread(s.Nodes) / float64(len(starts))
	}
	n.utilisation = work / end / float64(m.Nodes*m.Cores)
	return n
}

// TestPlay: two jobs of half of the machine run side by side, the one that wants
// all of it waits for both, and a late one starts when it comes.
func TestPlay(t *testing.T) {
	m := workloads.Machine{Name: "little", Nodes: 4, Cores: 8, GPUs: 2}
	job := func(id, arrival, runtime, nodes int) workloads.Job {
		return workloads.Job{ID: id, Arrival: arrival, Runtime: runtime, Limit: 600, Nodes: nodes, Cores: 8 * nodes, CoresPerNode: 8}
	}
	jobs := []workloads.Job{job(1, 0, 100, 2), job(2, 0, 150, 2), job(3, 10, 50, 4), job(4, 300, 70, 1)}
	starts, err := Play(context.Background(), m, jobs, options(auction.ObjectivePriority))
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, s := range starts {
		got += fmt.Sprintf("%d:%d-%d ", s.Job.ID, s.Begin, s.End)
	}
	if want := "1:0-100 2:0-150 3:150-200 4:300-370 "; got != want {
		t.Errorf("played %s, want %s", got, want)
	}
	if _, err := Play(context.Background(), m, []workloads.Job{job(1, 0, 60, 5)}, options("")); err == nil {
		t.Error("a job of five nodes ran on four")
	}
}

// TestValueBeatsPriority is the claim of docs/design/006 in small: over seeds, the
// objective by value has more utilisation and less slowdown than the papers' on
// the workloads with GPUs.
func TestValueBeatsPriority(t *testing.T) {
	hosttest.Long(t, "plays eight whole workloads")
	t.Parallel()
	for _, workload := range []string{"IV.2", "V.2"} {
		var value, priority numbers
		for seed := range uint64(2) {
			v, p := playSeed(t, workload, seed+1, options(auction.ObjectiveValue)), playSeed(t, workload, seed+1, options(auction.ObjectivePriority))
			value.utilisation += v.utilisation / 2
			value.slowdown += v.slowdown / 2
			priority.utilisation += p.utilisation / 2
			priority.slowdown += p.slowdown / 2
		}
		if value.utilisation <= priority.utilisation || value.slowdown >= priority.slowdown {
			t.Errorf("%s: value %+v, priority %+v", workload, value, priority)
		}
	}
}

// TestAdaptiveServesShortJobs is the claim of docs/design/006 on real queues in small: one
// long job of ten, which is twice as wide, come faster than the machine can run them. The
// adaptive objective has less slowdown than the papers'.
func TestAdaptiveServesShortJobs(t *testing.T) {
	m := workloads.Machine{Name: "little", Nodes: 8, Cores: 1}
	var jobs []workloads.Job
	for i := range 200 {
		j := workloads.Job{ID: i + 1, Arrival: 40 * i, Runtime: 60, Limit: 120, Nodes: 2, Cores: 2, CoresPerNode: 1}
		if i%10 == 0 {
			j.Runtime, j.Limit, j.Nodes, j.Cores = 1200, 3600, 4, 4
		}
		jobs = append(jobs, j)
	}
	papers, adaptive := playJobs(t, m, jobs, options(auction.ObjectivePriority)), playJobs(t, m, jobs, options(auction.ObjectiveAdaptive))
	if adaptive.slowdown >= papers.slowdown {
		t.Errorf("slowdown: priority %.2f, adaptive %.2f", papers.slowdown, adaptive.slowdown)
	}
}

// BenchmarkObjectives reports the figures of docs/records/006-value-objective, one workload and
// seed a turn.
func BenchmarkObjectives(b *testing.B) {
	for _, o := range auction.Objectives() {
		for _, workload := range []string{"IV.1", "IV.2", "IV.3", "V.1", "V.2", "V.3"} {
			b.Run(string(o)+"/"+workload, func(b *testing.B) {
				var sum numbers
				for seed := range b.N {
					n := playSeed(b, workload, uint64(seed)+1, options(o))
					sum.utilisation += n.utilisation
					sum.waiting += n.waiting
					sum.slowdown += n.slowdown
					sum.fragmentation += n.fragmentation
					sum.spread += n.spread
				}
				b.ReportMetric(sum.utilisation/float64(b.N), "utilisation")
				b.ReportMetric(sum.waiting/float64(b.N), "waiting_s")
				b.ReportMetric(sum.slowdown/float64(b.N), "slowdown")
				b.ReportMetric(sum.fragmentation/float64(b.N), "fragmentation")
				b.ReportMetric(sum.spread/float64(b.N), "spread")
			})
		}
	}
}
