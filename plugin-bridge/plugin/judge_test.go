package plugin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// small is a machine of four nodes of 8 cores and 2 GPUs, on the first of which job 9 holds
// 4 cores, with a queue of each type of job.
func small() auction.Snapshot {
	nodes := machine.IdleNodes(4, 8, 2)
	nodes[0].FreeCores = 4
	return auction.Snapshot{
		Nodes: nodes,
		Jobs: []bidding.Job{
			{ID: 1, Priority: 5, Cores: 8, TimeLimit: time.Minute},
			{ID: 2, Priority: 4, Cores: 8, Nodes: 2, GPUs: 1},
			{ID: 3, Priority: 3, Nodes: 2, CoresPerNode: 4, Contiguous: true},
			{ID: 4, Priority: 2, Cores: 11, Nodes: 2, Options: bidding.JobOptions{Excluded: []int{1}, Required: []int{3}}},
			{ID: 5, Priority: 1, Cores: 12, Nodes: 2, MaxNodes: 3, GPUs: 1, MaxGPUs: 2},
		},
		Running: []machine.Holding{{Job: 9, Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{4}}, End: time.Hour}},
		Now:     time.Minute,
	}
}

// sound fails if the bids, started one after the other, oversell a node or are laid out
// otherwise than they say.
func sound(t interface {
	Helper()
	Errorf(format string, args ...any)
}, s auction.Snapshot, bids []bidding.Bid,
) {
	t.Helper()
	starts := machine.NewSequence(s.Nodes)
	for _, b := range bids {
		if !machine.Fits(starts.Left(), b.Allocation) {
			t.Errorf("%v oversells its nodes", b)
		}
		cores, err := starts.Place(b.Nodes, b.Request())
		if err != nil || !slices.Equal(cores, b.Cores) {
			t.Errorf("%v: Slurm lays it out as %v, %v", b, cores, err)
		}
		if b.Class != bidding.ClassR && !starts.Stable(b.Nodes, b.Request()) {
			t.Errorf("%v is not stable and not of class R", b)
		}
		starts.Take(b.Allocation, b.Class != bidding.ClassR)
	}
}

func TestJudge(t *testing.T) {
	two := 2
	for _, tt := range []struct {
		name  string
		start []plugin.Start
		want  string
	}{
		{"by Slurm's rule", []plugin.Start{{Job: 1, Nodes: []string{"n2"}}}, "1: F nodes 1 cores 8"},
		{"in any order of nodes", []plugin.Start{{Job: 2, Nodes: []string{"n3", "n2"}, Cores: []int{4, 4}}}, "2: F nodes 1-2 cores 4(x2)"},
		{"range of GPUs", []plugin.Start{{Job: 5, Nodes: []string{"n2", "n3", "n4"}, GPUs: &two}}, "5: F nodes 1-3 cores 4(x3) gpus 2"},
		{"unstable where a job may end", []plugin.Start{{Job: 4, Nodes: []string{"n1", "n4"}, Cores: []int{4, 7}}}, "4: R nodes 0,3 cores 4,7"},
		{"unknown", []plugin.Start{{Job: 8, Nodes: []string{"n1"}}}, "unknown_job: job 8: it is not in the queue of the snapshot"},
		{"running", []plugin.Start{{Job: 9, Nodes: []string{"n1"}}}, "unknown_job: job 9: it runs already"},
		{"twice", []plugin.Start{{Job: 1, Nodes: []string{"n2"}}, {Job: 1, Nodes: []string{"n3"}}}, "unknown_job: job 1: the answer starts it already"},
		{"no such node", []plugin.Start{{Job: 1, Nodes: []string{"n5"}}}, `impossible: job 1: there is no node "n5"`},
		{"a node twice", []plugin.Start{{Job: 2, Nodes: []string{"n2", "n2"}}}, "impossible: job 2: it gets node n2 twice"},
		{"no nodes", []plugin.Start{{Job: 1}}, "impossible: job 1: it gets 0 nodes and asks for 1 to 8"},
		{"other number of nodes", []plugin.Start{{Job: 2, Nodes: []string{"n2"}}}, "impossible: job 2: it gets 1 nodes and asks for 2"},
		{"other cores", []plugin.Start{{Job: 2, Nodes: []string{"n2", "n3"}, Cores: []int{4, 5}}}, "impossible: job 2: it gets 9 cores and asks for 8"},
		{"a node without cores", []plugin.Start{{Job: 2, Nodes: []string{"n2", "n3"}, Cores: []int{8, 0}}}, "impossible: job 2: it gets a node without a core"},
		{"cores for other nodes", []plugin.Start{{Job: 2, Nodes: []string{"n2", "n3"}, Cores: []int{8}}}, "impossible: job 2: it gets 1 numbers of cores for 2 nodes"},
		{"uneven cores per node", []plugin.Start{{Job: 3, Nodes: []string{"n2", "n3"}, Cores: []int{5, 3}}}, "impossible: job 3: it gets cores 5,3 and asks for 4 on each node"},
		{"not neighbours", []plugin.Start{{Job: 3, Nodes: []string{"n2", "n4"}}}, "impossible: job 3: its nodes are not neighbours"},
		{"excluded", []plugin.Start{{Job: 4, Nodes: []string{"n2", "n4"}}}, "impossible: job 4: it may not use node n2"},
		{"required", []plugin.Start{{Job: 4, Nodes: []string{"n1", "n3"}}}, "impossible: job 4: it does not get node n4, which it requires"},
		{"no layout of Slurm's", []plugin.Start{{Job: 2, Nodes: []string{"n2", "n3"}, Cores: []int{2, 6}}}, "impossible: job 2: Slurm cannot be asked for cores 2,6 on these nodes"},
		{"other GPUs", []plugin.Start{{Job: 2, Nodes: []string{"n2", "n3"}, GPUs: &two}}, "impossible: job 2: it gets 2 GPUs a node and asks for 1"},
		{"too few cores", []plugin.Start{{Job: 1, Nodes: []string{"n1"}}}, "oversold: job 1: its nodes have 4 free cores of 8 needed"},
		{"too few after another start", []plugin.Start{{Job: 1, Nodes: []string{"n2"}}, {Job: 2, Nodes: []string{"n2", "n3"}}}, "oversold: job 2: node n2 has 0 free cores of 1 needed"},
		{"too few GPUs", []plugin.Start{{Job: 5, Nodes: []string{"n3", "n4"}, GPUs: &two}, {Job: 2, Nodes: []string{"n2", "n3"}}}, "oversold: job 2: node n3 has 0 free GPUs of 1 needed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := small()
			bids, faults := plugin.Judge(s, plugin.Answer{Start: tt.start})
			sound(t, s, bids)
			var got []string
			for _, b := range bids {
				got = append(got, fmt.Sprintf("%d: %v", s.Jobs[b.Job].ID, b))
			}
			for _, f := range faults {
				got = append(got, f.String())
			}
			if text := strings.Join(got, "\n"); len(got) != len(tt.start) || !strings.Contains(text, tt.want) {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}

// A reservation starts nothing; one of a job that does not wait is a fault.
func TestJudgeReservations(t *testing.T) {
	bids, faults := plugin.Judge(small(), plugin.Answer{
		Start:   []plugin.Start{{Job: 1, Nodes: []string{"n2"}}},
		Reserve: []plugin.Reserve{{Job: 2, StartS: 90}, {Job: 1, StartS: 90}, {Job: 3, StartS: 90, Nodes: []string{"m1"}}},
	})
	want := []plugin.Fault{
		{Kind: plugin.KindUnknownJob, Job: 1, Text: "the answer starts it already"},
		{Kind: plugin.KindImpossible, Job: 3, Text: `there is no node "m1"`},
	}
	if len(bids) != 1 || !slices.Equal(faults, want) {
		t.Errorf("%v, %v", bids, faults)
	}
}

// No answer oversells the machine or gives a job what it does not ask for (issue 21: "never
// fatal to the jobs").
func TestJudgeProperties(t *testing.T) {
	started := 0
	property := func(t *rapid.T) {
		s := small()
		for i := range s.Nodes {
			s.Nodes[i].FreeCores = auctiontest.Between(0, 8).Draw(t, "cores")
			s.Nodes[i].FreeGPUs = auctiontest.Between(0, 2).Draw(t, "gpus")
		}
		start := rapid.Custom(func(t *rapid.T) plugin.Start {
			names := rapid.SliceOfN(rapid.SampledFrom([]string{"n1", "n2", "n3", "n4"}), 1, 4).Draw(t, "nodes")
			one := plugin.Start{Job: auctiontest.Between(1, 6).Draw(t, "job"), Nodes: names}
			if rapid.Bool().Draw(t, "cores given") {
				one.Cores = rapid.SliceOfN(auctiontest.Between(0, 8), len(names), len(names)).Draw(t, "cores")
			}
			return one
		})
		bids, faults := plugin.Judge(s, plugin.Answer{Start: rapid.SliceOfN(start, 0, 6).Draw(t, "starts")})
		sound(t, s, bids)
		seen := map[int]bool{}
		for _, b := range bids {
			job := s.Jobs[b.Job]
			if seen[b.Job] || b.TotalCores() != job.Tasks() || b.GPUs < job.GPUs {
				t.Errorf("%v for job %+v, %v", b, job, faults)
			}
			seen[b.Job] = true
		}
		started += len(bids)
	}
	// One time in a hundred, a hundred draws have no answer that is right.
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			property(t)
		}
	})
	if started == 0 {
		t.Error("no start was right")
	}
}
