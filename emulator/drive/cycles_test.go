package drive_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads"
)

// thinking is a perfect solver that takes its time.
type thinking struct{ time.Duration }

func (s thinking) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	if len(p.Objective) > 0 {
		time.Sleep(s.Duration)
	}
	return auctiontest.Exhaustive{}.Solve(ctx, p)
}

// agentRun is a run that an agent schedules.
type agentRun struct {
	jobs       []workloads.Job
	interval   time.Duration
	completing time.Duration
	thinking   time.Duration
	patience   int
	maxBids    int
	// later is how long after its submission the first job may begin. Nodes 1 and 2 are reserved for reserved, from kept on.
	later, kept, reserved time.Duration
}

// waits is a cluster in which jobs wait for times, like an agentRun's cluster.
type waits struct {
	agent.Cluster
	agentRun
	began time.Time
}

func (w waits) State(ctx context.Context) (agent.State, error) {
	state, err := w.Cluster.State(ctx)
	for i := range state.Held {
		if h := &state.Held[i]; h.Job == 1 {
			h.Begin = h.Submit.Add(w.later)
		}
	}
	if w.reserved > 0 {
		r := slurmctl.Reservation{Name: "course", Start: w.began.Add(w.kept), End: w.began.Add(w.kept + w.reserved)}
		state.Reservations = []agent.NodeReservation{{Reservation: r, Nodes: []int{0, 1}}}
	}
	return state, err
}

// run returns the record of each cycle.
func (s agentRun) run(t *testing.T, cycles policy.Cycles) (records []trace.Cycle) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, s.completing, s.jobs...)
		b.driver.Request.Policy.Parameters.Interval = s.interval
		b.driver.Request.Policy.Parameters.Cycles = cycles
		cluster := waits{agent.NewSlurm(b.driver.Client, b.driver.Client), s, time.Now()}
		b.driver.Scheduler = agent.New(cluster, thinking{s.thinking}, agent.Settings{
			Now: time.Now, Window: 6, Patience: s.patience, Auction: auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: s.maxBids})},
		})
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Errorf("cycles %s: end %+v", cycles, end)
		}
		records = b.cycles()
	})
	return records
}

func drawAgentRun(t *rapid.T) agentRun {
	seconds := func(low, high int) *rapid.Generator[time.Duration] {
		return rapid.Map(rapid.IntRange(low, high), func(n int) time.Duration { return time.Duration(n) * time.Second })
	}
	s := agentRun{
		interval:   seconds(2, 10).Draw(t, "interval"),
		completing: seconds(0, 15).Draw(t, "completing"),
		thinking:   seconds(0, 12).Draw(t, "thinking"),
		patience:   rapid.IntRange(2, 3).Draw(t, "patience"),
		maxBids:    rapid.IntRange(1, 3).Draw(t, "bids per job"),
		later:      seconds(0, 300).Draw(t, "begin of the first job"),
		kept:       seconds(0, 300).Draw(t, "begin of the reservation"),
		reserved:   seconds(0, 300).Draw(t, "reservation"),
	}
	arrival := 0
	for id := range rapid.IntRange(1, 10).Draw(t, "jobs") {
		arrival += rapid.SampledFrom([]int{0, 0, 1, 5, 17, 100}).Draw(t, "pause")
		job := workloads.Job{
			ID: id + 1, Arrival: arrival, Runtime: rapid.IntRange(1, 150).Draw(t, "run time"),
			Limit: 600, Cores: rapid.IntRange(1, 32).Draw(t, "cores"), Class: "a",
		}
		if rapid.Bool().Draw(t, "rigid") {
			job.Nodes = rapid.IntRange(1, 4).Draw(t, "nodes")
			job.CoresPerNode = rapid.IntRange(1, 8).Draw(t, "cores per node")
			job.Cores = job.Nodes * job.CoresPerNode
			job.GPUsMin = rapid.IntRange(0, 2).Draw(t, "gpus")
			job.GPUsMax = job.GPUsMin
		}
		s.jobs = append(s.jobs, job)
	}
	return s
}

// decisions are all that cycles decided, and when.
func decisions(records []trace.Cycle) []string {
	var list []string
	for _, r := range records {
		if len(r.Released)+len(r.Refused)+len(r.Reheld)+len(r.Deferred) > 0 {
			list = append(list, fmt.Sprintf("%.3f released %v refused %v reheld %v deferred %v",
				r.Time, r.Released, r.Refused, r.Reheld, r.Deferred))
		}
	}
	return list
}

// Leaving cycles out changes no decision, and the remaining cycles run at their usual instants. A cycle begins within
// the first half of a second of the run, also after one that took longer than the interval. Jobs end at the other
// half, so no end falls into the reading of the queue.
func TestSkippedCyclesWouldHaveDecidedNothing(t *testing.T) {
	every, changed := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		s := drawAgentRun(rt)
		all, some := s.run(t, policy.CyclesEvery), s.run(t, policy.CyclesChanged)
		if t.Failed() {
			rt.FailNow()
		}
		every, changed = every+len(all), changed+len(some)
		want, got := decisions(all), decisions(some)
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				rt.Fatalf("decision %d with every cycle:\n%s\nwithout those that could not decide:\n%s", i, want[i], got[i])
			}
		}
		if len(want) != len(got) {
			rt.Fatalf("%d cycles decided something, %d when some were left out", len(want), len(got))
		}
		for _, r := range slices.Concat(all, some) {
			if fraction := math.Mod(r.Time, 1); fraction >= 0.4 {
				rt.Fatalf("a cycle at %.3f s of the run, want it within the first 0.4 s of a second", r.Time)
			}
		}
		at := -1
		for _, r := range some {
			at += r.Skipped + 1
			if at >= len(all) || all[at].Time != r.Time {
				rt.Fatalf("the cycle at %.3f s is not number %d of all %d", r.Time, at, len(all))
			}
		}
	})
	t.Logf("%d cycles of %d took place", changed, every)
	if changed*2 > every {
		t.Errorf("%d cycles of %d took place, want less than half", changed, every)
	}
}

// With prompt cycles a job that arrives on an idle machine is released at once. Cycles are an interval apart while
// jobs are held or on their way, or a second where jobs are short. The agent makes the same decisions sooner: it ends
// up with the same jobs released.
func TestPromptCycles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawAgentRun(rt)
		all, some := s.run(t, policy.CyclesEvery), s.run(t, policy.CyclesPrompt)
		if t.Failed() {
			rt.FailNow()
		}
		released := func(records []trace.Cycle) (jobs []int) {
			for _, r := range records {
				for _, x := range r.Released {
					jobs = append(jobs, x.Job)
				}
			}
			slices.Sort(jobs)
			return slices.Compact(jobs)
		}
		if want, got := released(all), released(some); !slices.Equal(want, got) {
			rt.Fatalf("released %v, want %v", got, want)
		}
		for i, r := range some[1:] {
			before := some[i]
			if apart := r.Time - before.Time; apart < min(1, s.interval.Seconds())-0.1 && (before.Pending > 0 || len(before.Released) > 0) {
				rt.Fatalf("a cycle at %.3f s and, with %d jobs held and %d released, one at %.3f s", before.Time, before.Pending, len(before.Released), r.Time)
			}
		}
	})
	// Job 3 arrives while job 2 is on its way, and job 4 when nothing is. Once jobs of half a minute have ended, cycles are a
	// second apart (auction.Pace), behind longer ones an interval.
	for runtime, third := range map[int]float64{30: 65, 190: 68} {
		s := agentRun{interval: 5 * time.Second, patience: 3, maxBids: 3}
		for id, arrival := range []int{0, 63, 65, 200} {
			s.jobs = append(s.jobs, workloads.Job{ID: id + 1, Arrival: arrival, Runtime: runtime, Limit: 600, Cores: 1, Class: "a"})
		}
		at := map[int]float64{}
		for _, r := range s.run(t, policy.CyclesPrompt) {
			for _, x := range r.Released {
				at[x.Job] = r.Time
			}
		}
		for job, want := range map[int]float64{1: 0, 2: 63, 3: third, 4: 200} {
			if math.Abs(at[job]-want) > 0.5 {
				t.Errorf("jobs of %d s: job %d is released at %.3f s, want %.0f s", runtime, job, at[job], want)
			}
		}
	}
}
