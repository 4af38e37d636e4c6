package auction_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// unlimited drops no bid of the tests below.
var unlimited = bidding.BidOptions{MaxBidsPerJob: 10_000}

// free returns nodes of 8 cores and 2 GPUs with so many cores free; the GPUs of a node are
// free unless all its cores are taken.
func free(cores ...int) []machine.Node {
	var nodes []machine.Node
	for i, c := range cores {
		n := machine.Node{Name: fmt.Sprintf("n%d", i), Cores: 8, GPUs: 2, FreeCores: c}
		if c > 0 {
			n.FreeGPUs = 2
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// text shows bids as "A 0-2 3,8,8", sorted.
func text(bids []bidding.Bid) string {
	var all []string
	for _, b := range bids {
		all = append(all, fmt.Sprintf("%v %s %s", b.Class, machine.Ranges(b.Nodes), machine.RunLength(b.Cores)))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// TestClasses holds, for one job each, all bids of AUCSCHED section 4. T_in is the layout of
// Slurm's placement rule.
func TestClasses(t *testing.T) {
	tests := []struct {
		sentence string
		nodes    []machine.Node
		job      bidding.Job
		want     string
	}{
		{
			"type 1, A: as few nodes as possible aligning the bid class to the beginning or end of the nodeset; on idle nodes",
			free(8, 8, 8, 8), bidding.Job{Cores: 16}, "A 0-1 8(x2); A 2-3 8(x2); B 1-2 8(x2)",
		},
		{
			"the sum of A_n^cpu over nodes with A_n^cpu > 0: free cores differ from node to node",
			free(3, 8, 8, 8, 5), bidding.Job{Cores: 20}, "A 0-3 3,8(x2),1; A 2-4 8(x2),4; B 1-3 8(x2),4",
		},
		{
			"as few nodes as possible is not one density: 4 cores need 2 nodes here and 1 there",
			free(2, 2, 8), bidding.Job{Cores: 4}, "A 0-1 2(x2); A 2 4",
		},
		{
			"C: the nodeset is combined with their neighbours to create non-contiguous nodesets with higher number of cores",
			free(4, 0, 4, 0, 8), bidding.Job{Cores: 8}, "A 4 8; C 0,2 4(x2); C 0,2,4 4,3,1; C 2,4 4(x2)",
		},
		{
			"only created if a job does not specifically request contiguous allocation",
			free(4, 0, 4, 0, 8), bidding.Job{Cores: 8, Contiguous: true}, "A 4 8",
		},
		{
			"no node without a core: a combination of more nodes than cores is none",
			free(1, 0, 1, 0, 1), bidding.Job{Cores: 2}, "C 0,2 1(x2); C 2,4 1(x2)",
		},
		{
			"type 2, A and B: at least R_j^cpu cores on R_j^node nodes",
			free(2, 8, 8, 8, 2), bidding.Job{Nodes: 2, Cores: 12}, "B 1-2 8,4; B 2-3 8,4",
		},
		{
			"type 2, A: aligning it to the beginning or end of that node set",
			free(4, 8, 8), bidding.Job{Nodes: 2, Cores: 12}, "A 0-1 4,8; A 1-2 8,4",
		},
		{
			"type 2, C: the nodesets in this case are combined with their neighbours",
			free(8, 8, 0, 8), bidding.Job{Nodes: 2, Cores: 10}, "A 0-1 8,2; C 1,3 8,2",
		},
		{
			"type 2: each of the nodesets with g = R_j^gpu",
			func() []machine.Node { n := free(8, 8, 8); n[1].FreeGPUs = 1; return n }(),
			bidding.Job{Nodes: 2, Cores: 4, GPUs: 2}, "C 0,2 3,1",
		},
		{
			"type 3: each node in the nodeset is checked if there are R_j^cpn cores available on that node",
			free(8, 3, 8, 8, 8), bidding.Job{Nodes: 2, CoresPerNode: 4}, "A 2-3 4(x2); A 3-4 4(x2); C 0,2 4(x2)",
		},
		{
			"a job that fits nowhere has no bid",
			free(3, 0, 3), bidding.Job{Cores: 7}, "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			tt.job.ID = 1
			bids, dropped := auction.PaperBids(tt.nodes, []bidding.Job{tt.job}, nil, unlimited)
			if got := text(bids); got != tt.want || dropped.Total() != 0 {
				t.Errorf("bids %s, %d dropped, want %s", got, dropped.Total(), tt.want)
			}
		})
	}
}

// figure3 is the machine and the window of AUCSCHED figure 3: "two available blocks of nodes
// from node 1 to node 64, and the other from node 81 to node 144".
func figure3() auction.Snapshot {
	s := auction.Snapshot{Nodes: free(slices.Concat(slices.Repeat([]int{8}, 64), make([]int, 16), slices.Repeat([]int{8}, 64))...)}
	s.Jobs = []bidding.Job{
		{ID: 1, Priority: 4, Cores: 512},
		{ID: 2, Priority: 3, Nodes: 64, CoresPerNode: 2, GPUs: 1},
		{ID: 3, Priority: 2, Nodes: 64, CoresPerNode: 4, GPUs: 2},
		{ID: 4, Priority: 1, Nodes: 128, CoresPerNode: 1},
	}
	return s
}

// TestFigure3: "J_1 is allocated to the nodes {1-64, 81-144}, J_2 is allocated to the nodes {1-64}, J_3 is allocated
// to the nodes {81-144}, J_4 is allocated to the nodes {1-64, 81-144}" (AUCSCHED section 5). The bids b_4, b_5, b_8
// and b_11 are among ours, with "at most 4 bids" for a job.
func TestFigure3(t *testing.T) {
	s := figure3()
	bids, _ := auction.PaperBids(s.Nodes, s.Jobs, nil, bidding.BidOptions{MaxBidsPerJob: 4})
	const left, right, both = "0-63", "80-143", "0-63,80-143"
	on := make([][]string, 4)
	for _, b := range bids {
		on[b.Job] = append(on[b.Job], machine.Ranges(b.Nodes))
	}
	for j, nodes := range []string{both, left, right, both} {
		if !slices.Contains(on[j], nodes) || len(on[j]) > 4 {
			t.Errorf("job %d bids for %v, want at most 4 bids and %s among them", j+1, on[j], nodes)
		}
	}
}

// TestFiveBidsOfAllClasses: "for each job at most 5 bids were generated" (AUCSCHED section 6.2), and they are of all
// classes. With "only type A and B (i.e. contiguous block) bids" there are none of class C.
func TestFiveBidsOfAllClasses(t *testing.T) {
	nodes := free(8, 8, 8, 8, 0, 8, 8, 8, 8, 0, 8)
	job := []bidding.Job{{ID: 1, Cores: 16}}
	for _, tt := range []struct {
		blocks bool
		want   string
	}{
		{false, "A 0-1 8(x2); A 2-3 8(x2); B 1-2 8(x2); B 6-7 8(x2); C 8,10 8(x2)"},
		{true, "A 0-1 8(x2); A 2-3 8(x2); A 5-6 8(x2); B 1-2 8(x2); B 6-7 8(x2)"},
	} {
		bids, dropped := auction.PaperBids(nodes, job, nil, bidding.BidOptions{MaxBidsPerJob: 5, OnlyBlocks: tt.blocks})
		if got := text(bids); got != tt.want || dropped.Total() == 0 {
			t.Errorf("only blocks %v: %s, %d dropped, want %s", tt.blocks, got, dropped.Total(), tt.want)
		}
	}
}

// TestSLURMBids: k_1 = k_2 = k_3 = 0 makes F = 1, "the highest F_jc values possible" (AUCSCHED section 5.1). They
// come "in addition" to the MAXBIDSPERJOB others (6.2). "In order to determine the allocation for the second job in
// the queue, we first update our node information table as if that job had been scheduled" (5). Slurm takes the
// nodeset with the fewest cores that suffice.
func TestSLURMBids(t *testing.T) {
	nodes := free(8, 8, 8, 8, 0, 8, 8, 0, 4)
	jobs := []bidding.Job{{ID: 1, Cores: 12}, {ID: 2, Cores: 6}, {ID: 3, Nodes: 2, CoresPerNode: 8}, {ID: 4, Cores: 40}}
	bids, _ := auction.PaperBids(nodes, jobs, nil, bidding.BidOptions{MaxBidsPerJob: 3, SlurmBids: true})
	var slurm []bidding.Bid
	others := make([]int, len(jobs))
	for i, b := range bids {
		switch {
		case b.Class != bidding.ClassSlurm:
			others[b.Job]++
		case b.Preference != 1 || i > 0 && bids[i-1].Job == b.Job:
			t.Errorf("SLURM bid %v has a preference of %g, place %d", b, b.Preference, i)
		default:
			slurm = append(slurm, b)
		}
	}
	// Job 1 takes nodes 5 and 6 but for 4 cores. Of job 2's 6 cores no block has so many
	// but the first. Job 4 finds too little after the others.
	if got, want := text(slurm), "S 0 6; S 1-2 8(x2); S 5-6 8,4"; got != want {
		t.Errorf("SLURM bids %s, want %s", got, want)
	}
	if !slices.Equal(others, []int{3, 3, 3, 3}) {
		t.Errorf("%v bids beside the SLURM bids, want 3 each", others)
	}
}

// TestRanges: "Several bids will be generated for the same job, but the bids may vary in the
// number of GPUs requested", and more GPUs are preferred (AUCSCHED2 section 3).
func TestRanges(t *testing.T) {
	nodes := free(8, 8)
	nodes[1].FreeGPUs = 1
	bids, _ := auction.PaperBids(nodes, []bidding.Job{{ID: 1, Nodes: 1, Cores: 4, GPUs: 1, MaxGPUs: 2}}, nil, bidding.BidOptions{SlurmBids: true})
	var got []string
	for _, b := range bids {
		got = append(got, fmt.Sprintf("%v n%d %d GPUs F=%.2f", b.Class, b.Nodes[0], b.GPUs, b.Preference))
	}
	want := "S n0 1 GPUs F=0.50; A n0 2 GPUs F=1.00; A n1 1 GPUs F=0.50"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}

// TestProperties: every bid fits the snapshot and its job, and T_in is the placement rule's there. Each class lies
// where its name says. No job has more bids than the limit beside its SLURM bid, nor two for the same nodes. SLURM
// bids fit together. F_A > F_B > F_C (equation (11)). What the limits drop is counted.
func TestProperties(t *testing.T) {
	classes := map[bidding.Class]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 6)
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		all, none := s.Bids(bidding.BidOptions{Papers: true, MaxBidsPerJob: 10_000})
		some, byJob := s.Bids(bidding.BidOptions{Papers: true, MaxBidsPerJob: limit, SlurmBids: true})
		if none.Total() != 0 {
			t.Fatalf("%v bids dropped without a limit", none)
		}
		left := slices.Clone(s.Nodes)
		most := make([]int, len(s.Jobs))
		seen := map[string]bool{}
		for _, b := range some {
			checkBid(t, s, b)
			classes[b.Class]++
			if b.Class == bidding.ClassSlurm {
				if !machine.Fits(left, b.Allocation) {
					t.Fatalf("SLURM bid %v does not fit beside those before it", b)
				}
				machine.Take(left, b.Allocation)
				continue
			}
			if most[b.Job]++; most[b.Job] > limit {
				t.Fatalf("more than %d bids of job %d", limit, b.Job)
			}
		}
		for _, b := range all {
			at := fmt.Sprint(b.Job, b.Alternative, b.GPUs, b.Nodes)
			if seen[at] && !beyondPapers(s.Jobs[b.Job]) {
				t.Fatalf("%v: twice the same nodes", b)
			}
			seen[at] = true
		}
		for j := range s.Jobs {
			if most[j]+byJob[j] < limit && byJob[j] > 0 && !beyondPapers(s.Jobs[j]) && s.Jobs[j].Options.MemoryPerCore == 0 {
				t.Fatalf("job %d has %d bids, %d dropped, limit %d", j, most[j], byJob[j], limit)
			}
		}
	})
	for _, c := range []bidding.Class{bidding.ClassA, bidding.ClassB, bidding.ClassC, bidding.ClassSlurm} {
		if classes[c] == 0 {
			t.Errorf("no bid of class %v was drawn", c)
		}
	}
}

// beyondPapers says that a job bids as in package bidding.
func beyondPapers(j bidding.Job) bool {
	return len(j.Options.Required) > 0 || j.Options.Exclusive || j.Options.Switches > 0
}

// checkBid checks one bid of TestProperties.
func checkBid(t *rapid.T, s auction.Snapshot, b bidding.Bid) {
	auctiontest.CheckBid(t, s, b)
	job := s.Jobs[b.Job].With(b.Alternative)
	if b.Class == bidding.ClassSlurm || beyondPapers(job) {
		return
	}
	placed, _ := auctiontest.FreeOf(s.Nodes, b)
	if cores, err := machine.Place(placed, b.Request()); err != nil || !slices.Equal(cores, b.Cores) {
		t.Fatalf("%v: the rule gives %v, %v", b, cores, err)
	}
	usable := func(n int) bool {
		need := max(1, job.CoresPerNode)
		return n >= 0 && n < len(s.Nodes) && s.Nodes[n].FreeCores >= need && s.Nodes[n].FreeGPUs >= b.GPUs && job.Options.Allows(n, s.Nodes[n], need)
	}
	aligned := !usable(b.Nodes[0]-1) || !usable(b.Nodes[len(b.Nodes)-1]+1)
	if b.Class == bidding.ClassA && !aligned || b.Class == bidding.ClassB && aligned {
		t.Fatalf("%v is aligned: %v", b, aligned)
	}
	if job.Type() != bidding.Type1 || b.Class == bidding.ClassC {
		return
	}
	sum := 0
	for _, c := range placed {
		sum += c
	}
	if sum-max(placed[0], placed[len(placed)-1]) >= job.Tasks() {
		t.Fatalf("%v takes more nodes than it needs of %v", b, placed)
	}
}

// TestPreferenceOrder: "F_jcA > F_jcB > F_jcC" (equation (11)) for bids with as many GPUs.
func TestPreferenceOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 4)
		bids, _ := s.Bids(bidding.BidOptions{Papers: true, MaxBidsPerJob: 200})
		for _, b := range bids {
			if beyondPapers(s.Jobs[b.Job]) {
				continue
			}
			for _, other := range bids {
				if other.Job == b.Job && other.Alternative == b.Alternative && other.GPUs == b.GPUs && b.Class < other.Class && b.Preference <= other.Preference {
					t.Fatalf("%v is not preferred to %v", b, other)
				}
			}
		}
	})
}

// TestSlurmPlaceIsBackfills: a SLURM bid is what the model of Slurm's own passes starts.
func TestSlurmPlaceIsBackfills(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var cores []int
		for range 12 {
			cores = append(cores, r.IntN(9))
		}
		nodes := free(cores...)
		jobs := []bidding.Job{{ID: 1, Cores: 1 + r.IntN(30)}, {ID: 2, Nodes: 1 + r.IntN(4), CoresPerNode: 1 + r.IntN(8), Contiguous: r.IntN(2) == 0}}
		starts := backfill.InOrder(backfill.State{Nodes: nodes, Queue: jobs})
		bids, _ := auction.PaperBids(nodes, jobs, nil, bidding.BidOptions{SlurmBids: true})
		for _, start := range starts {
			if !slices.ContainsFunc(bids, func(b bidding.Bid) bool {
				return jobs[b.Job].ID == start.Job && b.Class == bidding.ClassSlurm && slices.Equal(b.Nodes, start.Nodes) && slices.Equal(b.Cores, start.Cores)
			}) {
				t.Fatalf("Slurm starts job %d on %v, bids %v", start.Job, start.Nodes, bids)
			}
		}
	}
}
