package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/workloads"
)

// stream is a wide job that arrives among small ones. These come as a Poisson process for the given time and ask for
// most of the machine, 4 nodes of 8 cores. So without a guard the nodes are never free at once.
func stream(seed uint64, seconds int) (workloads.Machine, []workloads.Job) {
	random := rand.New(rand.NewPCG(seed, 1))
	jobs := []workloads.Job{{ID: 1, Arrival: 600, Runtime: 300, Limit: 600, Nodes: 4, Cores: 32, CoresPerNode: 8}}
	// Mean run time 330 s on one core, every 12 s: 27 of 32 cores.
	for t := 0.0; t < float64(seconds); t += 12 * random.ExpFloat64() {
		run := 60 + random.IntN(541)
		jobs = append(jobs, workloads.Job{ID: len(jobs) + 1, Arrival: int(t), Runtime: run, Limit: 2 * run, Cores: 1})
	}
	return workloads.Machine{Name: "little", Nodes: 4, Cores: 8}, jobs
}

// wideWait plays a stream under the papers' objective, for which two small jobs are
// worth more than the wide one, and returns the wide one's wait.
func wideWait(t testing.TB, guard float64, seconds int) int {
	m, jobs := stream(1, seconds)
	policy := options(auction.ObjectivePriority)
	policy.Guard = auction.NewGuard(guard)
	starts, err := Play(context.Background(), m, jobs, policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range starts {
		if s.Job.ID == 1 {
			return s.Begin - s.Job.Arrival
		}
	}
	t.Fatal("the wide job did not run")
	return 0
}

// TestWideJobStartsInAStream: without a guard a wide job waits until the stream of
// small ones ends, however long that lasts; with it, no longer for a longer stream.
func TestWideJobStartsInAStream(t *testing.T) {
	const short, long = 2 * 3600, 4 * 3600
	if w := wideWait(t, 0, short); w < short-600 {
		t.Fatalf("the wide job waits %d s without a guard: the stream starves nothing", w)
	}
	if w, longer := wideWait(t, 1, short), wideWait(t, 1, long); w != longer || w > short/2 {
		t.Errorf("with the guard the wide job waits %d s in a short stream and %d s in a long one", w, longer)
	}
}

// TestGuardBound checks the bound of auction.Guard on drawn workloads, for each
// job: factor x backlog + (k + 1) x longest limit.
func TestGuardBound(t *testing.T) {
	m := workloads.Machine{Name: "little", Nodes: 4, Cores: 8}
	rapid.Check(t, func(t *rapid.T) {
		var jobs []workloads.Job
		longest := 0
		for i := range rapid.IntRange(1, 60).Draw(t, "jobs") {
			nodes := rapid.SampledFrom([]int{1, 1, 1, 1, 2, 4}).Draw(t, "nodes")
			run := rapid.IntRange(10, 600).Draw(t, "runtime")
			j := workloads.Job{
				ID: i + 1, Arrival: rapid.IntRange(0, 3000).Draw(t, "arrival"), Runtime: run,
				Limit: run + rapid.IntRange(0, run).Draw(t, "slack"), Nodes: nodes, CoresPerNode: 8, Cores: 8 * nodes,
			}
			longest = max(longest, j.Limit)
			jobs = append(jobs, j)
		}
		factor := rapid.SampledFrom([]float64{0.25, 1, 2}).Draw(t, "factor")
		policy := options(rapid.SampledFrom(auction.Objectives()).Draw(t, "objective"))
		policy.Guard = auction.NewGuard(factor)
		starts, err := Play(context.Background(), m, jobs, policy)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range starts {
			seen := float64(s.Job.Arrival)
			backlog := float64(s.Job.Limit)
			for _, o := range starts {
				share := float64(o.Job.Cores) / 32
				switch {
				case o.Job.Arrival > s.Job.Arrival, o.End <= s.Job.Arrival:
				case o.Begin < s.Job.Arrival: // runs
					backlog += share * float64(o.Begin+o.Job.Limit-s.Job.Arrival)
				default: // waits
					backlog += share * float64(o.Job.Limit)
				}
			}
			due := seen + factor*backlog
			before := 0
			for _, o := range starts {
				if o.Job.Arrival <= s.Job.Arrival && o.Job.ID != s.Job.ID && float64(o.Begin) > due {
					before++
				}
			}
			if bound := due + float64((before+1)*longest); float64(s.Begin) > bound {
				t.Fatalf("job %d starts at %d, bound %.0f", s.Job.ID, s.Begin, bound)
			}
		}
	})
}

// BenchmarkGuard reports the wide job's wait in a stream of four hours by factor.
func BenchmarkGuard(b *testing.B) {
	for _, factor := range []float64{0, 0.25, 0.5, 1, 2, 4} {
		b.Run(fmt.Sprint(factor), func(b *testing.B) {
			for range b.N {
				b.ReportMetric(float64(wideWait(b, factor, 4*3600)), "waiting_s")
			}
		})
	}
}
