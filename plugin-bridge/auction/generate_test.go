package auction_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// key identifies what a bid takes.
func key(b auction.Bid) string { return fmt.Sprint(b.Job, b.Alternative, b.Nodes, b.Cores, b.GPUs) }

// TestGenerateProperties: every bid fits the snapshot and its job; its T_in is
// the placement rule's and stays so when running jobs end; bids are distinct;
// limits hold and what they cut is counted.
func TestGenerateProperties(t *testing.T) {
	classes := map[auction.Class]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t, 6)
		all, none := auction.Generate(s, auction.Options{MaxBidsPerJob: 10000, MaxBids: 100000})
		if none != 0 {
			t.Fatalf("%d bids cut without a limit in reach", none)
		}
		distinct := map[string]bool{}
		for i, b := range all {
			checkBid(t, s, b)
			classes[b.Class]++
			free, total := freeOf(s.Nodes, b)
			if distinct[key(b)] {
				t.Fatalf("%v twice", b)
			}
			distinct[key(b)] = true
			if i > 0 && b.Job < all[i-1].Job {
				t.Fatal("bids are not grouped by job")
			}
			if b.Exclusive {
				continue
			}
			if cores, err := auction.Place(free, b.Request()); err != nil || !slices.Equal(cores, b.Cores) {
				t.Fatalf("%v: the rule gives %v, %v", b, cores, err)
			}
			if !auction.Stable(free, total, b.Request()) {
				t.Fatalf("%v is not stable on %v, total %v", b, free, total)
			}
		}

		o := auction.Options{MaxBidsPerJob: rapid.IntRange(1, 20).Draw(t, "perJob"), MaxBids: rapid.IntRange(1, 60).Draw(t, "max")}
		kept, cut := auction.Generate(s, o)
		perJob := make([]int, len(s.Jobs))
		for _, b := range kept {
			perJob[b.Job]++
			if !distinct[key(b)] {
				t.Fatalf("%v exists only with a limit", b)
			}
		}
		if len(kept) > o.MaxBids || len(perJob) > 0 && slices.Max(perJob) > o.MaxBidsPerJob {
			t.Fatalf("%d bids, per job %v, with limits %+v", len(kept), perJob, o)
		}
		// A candidate that the rule refuses on a mixed machine, or that lacks
		// memory or cores for all tasks or spans too many switches, is known to be none only when it is
		// tried.
		if m := mixed(s.Nodes) || slices.ContainsFunc(s.Jobs, triedOnly); !m && len(kept)+cut != len(all) || m && len(kept)+cut < len(all) {
			t.Fatalf("%d kept and %d cut of %d", len(kept), cut, len(all))
		}
	})
	for _, c := range []auction.Class{auction.ClassA, auction.ClassB, auction.ClassC} {
		if classes[c] == 0 {
			t.Errorf("no bid of class %v was generated", c)
		}
	}
}

// triedOnly reports whether the job's options may refuse a candidate.
func triedOnly(j auction.Job) bool {
	return j.Options.MemoryPerCore > 0 || j.Options.Exclusive || j.Options.Switches > 0
}

// mixed reports whether the nodes have different totals.
func mixed(nodes []nodeset.Node) bool {
	return slices.ContainsFunc(nodes, func(n nodeset.Node) bool { return n.Cores != nodes[0].Cores })
}

// TestPreferenceOrder: equation (11), "F_jcA > F_jcB > F_jcC", for the bids of
// one request with one number of GPUs; and AUCSCHED2 section 2, "to favour a job's
// bids with a higher number of GPUs over this job's other bids". A request is
// preferred to the alternatives after it. In a tree switches come before classes.
func TestPreferenceOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t, 4)
		bids, _ := auction.Generate(s, auction.Options{MaxBidsPerJob: 200})
		low := map[[4]int]float64{}
		for _, b := range bids {
			at := [4]int{b.Job, b.Alternative, b.GPUs, int(b.Class)}
			if f, known := low[at]; !known || b.Preference < f {
				low[at] = b.Preference
			}
		}
		for _, b := range bids {
			for worse := b.Class + 1; len(s.Nodes[0].Switches) == 0 && worse <= auction.ClassC; worse++ {
				if f, known := low[[4]int{b.Job, b.Alternative, b.GPUs, int(worse)}]; known && f > b.Preference {
					t.Fatalf("%v has less preference than a %v bid's %g", b, worse, f)
				}
			}
			for at, f := range low {
				wanted := at[1] < b.Alternative || at[1] == b.Alternative && at[2] > b.GPUs
				if at[0] == b.Job && wanted && f <= b.Preference {
					t.Fatalf("%v is not behind a bid for alternative %d with %d GPUs of preference %g", b, at[1], at[2], f)
				}
			}
		}
	})
}

// TestSequentialBidsDoNotConflict: with one bid per job all bids fit together,
// like those of a scheduler that takes one job at a time.
func TestSequentialBidsDoNotConflict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t, 8)
		bids, _ := auction.Generate(s, auction.Options{MaxBidsPerJob: 1})
		var first []int
		for i, b := range bids {
			// The first bid of a job that did not fit any more may conflict.
			if rest := auction.Formulate(s, bids[:i+1], auction.ObjectivePriority); rest.Check(append(slices.Clone(first), i)) == nil {
				first = append(first, i)
			} else if b.Job == 0 {
				t.Fatalf("the first job's bid %v does not fit", b)
			}
		}
		a, err := auction.Greedy{}.Solve(context.Background(), auction.Formulate(s, bids, auction.ObjectivePriority))
		if err != nil {
			t.Fatal(err)
		}
		if len(bids) > 0 && len(a.Selected) == 0 {
			t.Fatal("nothing selected")
		}
	})
}

// TestRemainders: class R bids lie on what the given winners leave, do not
// conflict with each other, are packed by the rule in that order, and are
// preferred below all other bids of their job.
func TestRemainders(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t, 6)
		bids, _ := auction.Generate(s, auction.Options{})
		var rigid []auction.Bid
		for _, b := range bids {
			if s.Jobs[b.Job].With(b.Alternative).Type() != auction.Type1 {
				rigid = append(rigid, b)
			}
		}
		a, err := auction.Greedy{}.Solve(context.Background(), auction.Formulate(s, rigid, auction.ObjectivePriority))
		if err != nil {
			t.Fatal(err)
		}
		left := auction.Snapshot{Nodes: slices.Clone(s.Nodes), Jobs: s.Jobs}
		subtract := func(b auction.Bid) {
			for i, n := range b.Nodes {
				left.Nodes[n].FreeCores -= b.Cores[i]
				left.Nodes[n].FreeGPUs -= b.GPUs
				left.Nodes[n].FreeMemory -= memoryOf(s, b, i)
				if left.Nodes[n].FreeMemory < 0 {
					t.Fatalf("%v oversells the memory of node %d", b, n)
				}
			}
		}
		var winners []auction.Bid
		for _, i := range a.Selected {
			winners = append(winners, rigid[i])
			subtract(rigid[i])
		}
		unstable := rapid.Bool().Draw(t, "unstable")
		for _, r := range auction.Remainders(s, bids, winners, auction.Options{UnstableRemainders: unstable}) {
			found++
			if r.Class != auction.ClassR {
				t.Fatalf("%v is not of class R", r)
			}
			checkBid(t, s, r)
			for _, b := range bids {
				if b.Job == r.Job && (key(b) == key(r) || b.Preference <= r.Preference) {
					t.Fatalf("%v against %v of the same job", r, b)
				}
			}
			for i, n := range r.Nodes {
				if !unstable && !s.Nodes[n].Idle() {
					t.Fatalf("%v uses node %d, where a job runs", r, n)
				}
				if r.Cores[i] > left.Nodes[n].FreeCores {
					t.Fatalf("%v takes %d cores of %d left on node %d", r, r.Cores[i], left.Nodes[n].FreeCores, n)
				}
			}
			subtract(r)
		}
	})
	if found == 0 {
		t.Error("no class R bid was generated")
	}
}

// bigSnapshot is a machine like Tsubame, about half busy and fragmented, with a
// window of 200 jobs.
func bigSnapshot() auction.Snapshot {
	var s auction.Snapshot
	for i := range 1408 {
		n := nodeset.Node{Name: fmt.Sprintf("n%d", i+1), Cores: 12, GPUs: 3}
		switch i / 7 * 31 % 10 {
		case 0, 1, 2:
		case 3, 4, 5:
			n.FreeCores, n.FreeGPUs = 1+i/7%11, i%4
		default:
			n.FreeCores, n.FreeGPUs = 12, 3
		}
		s.Nodes = append(s.Nodes, n)
	}
	for j := range 200 {
		job := auction.Job{ID: j, Priority: float64(1000 - j), Contiguous: j%2 == 0}
		size := 1 + j*37%140
		switch j % 4 {
		case 0, 1:
			job.Cores = size * 12
		case 2:
			job.Nodes, job.Cores, job.GPUs = size, size*5, 1+j%3
		default:
			job.Nodes, job.CoresPerNode, job.GPUs = size, 6, j%3
		}
		s.Jobs = append(s.Jobs, job)
	}
	return s
}

// The benchmarks below must not measure an easy instance.
func TestBigSnapshotIsHard(t *testing.T) {
	bids, cut := auction.Generate(bigSnapshot(), auction.Options{})
	if len(bids) < 1000 || cut == 0 {
		t.Errorf("%d bids, %d cut: the instance is too easy", len(bids), cut)
	}
}

func BenchmarkGenerate(b *testing.B) {
	s := bigSnapshot()
	for b.Loop() {
		auction.Generate(s, auction.Options{})
	}
}

func BenchmarkFormulate(b *testing.B) {
	s := bigSnapshot()
	bids, _ := auction.Generate(s, auction.Options{})
	p := auction.Formulate(s, bids, auction.ObjectivePriority)
	for b.Loop() {
		auction.Formulate(s, bids, auction.ObjectivePriority)
	}
	b.ReportMetric(float64(len(p.Objective)), "columns")
	b.ReportMetric(float64(len(p.Rows)), "rows")
	b.ReportMetric(float64(p.NonZeros()), "nonzeros")
}

func BenchmarkGreedy(b *testing.B) {
	s := bigSnapshot()
	bids, _ := auction.Generate(s, auction.Options{})
	p := auction.Formulate(s, bids, auction.ObjectivePriority)
	for b.Loop() {
		a, err := auction.Greedy{}.Solve(context.Background(), p)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(a.Objective, "objective")
		b.ReportMetric(a.Bound, "bound")
	}
}
