package agent

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/explain"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// busy is a machine of 4 nodes of 8 cores, 2 GPUs and 100 MiB, of which the running jobs
// hold everything.
func busy() []machine.Node {
	nodes := make([]machine.Node, 4)
	for i := range nodes {
		nodes[i] = machine.Node{Name: "n" + string(rune('1'+i)), Cores: 8, GPUs: 2, Memory: 100, Partitions: []string{"main"}}
	}
	return nodes
}

func TestMisfit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		request bidding.Job
		want    string
	}{
		{"all of the machine", bidding.Job{Cores: 32, Nodes: 4, GPUs: 2}, ""},
		{"a range of nodes whose least has too few cores", bidding.Job{Cores: 24, Nodes: 2, MaxNodes: 4}, ""},
		{"a range of nodes whose most has too few cores", bidding.Job{Cores: 24, Nodes: 1, MaxNodes: 2}, "it does not fit the machine"},
		{"too many cores", bidding.Job{Cores: 33}, "it does not fit the machine"},
		{"too many GPUs", bidding.Job{Cores: 2, Nodes: 2, GPUs: 3}, "too few GPUs: 4"},
		{"an alternative", bidding.Job{Cores: 33, Alternatives: []bidding.Alternative{{Cores: 4}}}, ""},
		{"all nodes excluded", bidding.Job{Cores: 1, Options: bidding.JobOptions{Excluded: []int{0, 1, 2, 3}}}, "ruled out by its options: 4"},
		{"nodes excluded and kept by reservations", bidding.Job{Cores: 1, Options: bidding.JobOptions{Excluded: []int{0}, Barred: []int{0, 1, 2, 3}}},
			"ruled out by its options: 1, kept by Slurm's reservations: 3"},
		{"no such feature", bidding.Job{Cores: 1, Options: bidding.JobOptions{Features: []string{"fast"}}}, "ruled out by its options: 4"},
		{"memory for each core", bidding.Job{Cores: 8, Nodes: 1, Options: bidding.JobOptions{MemoryPerCore: 20}}, "too little memory: 4"},
		{"memory for each core of whole nodes", bidding.Job{Cores: 1, Options: bidding.JobOptions{Exclusive: true, MemoryPerCore: 20}}, "no layout"},
		{"one block that the excluded node parts", bidding.Job{Cores: 3, Nodes: 3, Contiguous: true, Options: bidding.JobOptions{Excluded: []int{1}}},
			"at most 2 in one block"},
	} {
		h := HeldJob{ID: 7, Request: tt.request}
		learned := misfits{}
		got := learned.learn(h, busy(), nil)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		// A later cycle knows it without another look at the nodes.
		if again := (misfits{}).learn(h, nil, learned); again != got {
			t.Errorf("%s: then %q", tt.name, again)
		}
		if h.Request.Cores++; (misfits{}).learn(h, nil, learned) == "" {
			t.Errorf("%s: a changed request is not looked at again", tt.name)
		}
	}
}

// No job waits without a word: a job that the check lets pass has a bid when the machine is idle.
func TestWhatFitsBids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := busy()
		for i := range nodes {
			nodes[i].FreeCores, nodes[i].FreeGPUs, nodes[i].FreeMemory = nodes[i].Cores, nodes[i].GPUs, nodes[i].Memory
		}
		j := bidding.Job{
			ID: 1, Priority: 1, Cores: rapid.IntRange(1, 34).Draw(t, "cores"), Nodes: rapid.IntRange(0, 5).Draw(t, "nodes"),
			CoresPerNode: rapid.IntRange(0, 9).Draw(t, "per node"), GPUs: rapid.IntRange(0, 3).Draw(t, "gpus"),
			Contiguous: rapid.Bool().Draw(t, "contiguous"),
			Options: bidding.JobOptions{
				Required:  rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 0, 3, rapid.ID).Draw(t, "required"),
				Excluded:  rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 0, 2, rapid.ID).Draw(t, "excluded"),
				Exclusive: rapid.Bool().Draw(t, "exclusive"), MemoryPerCore: rapid.SampledFrom([]int{0, 10, 20}).Draw(t, "memory"),
			},
		}
		if j.Validate() != nil || explain.Misfit(nodes, j) != "" {
			return
		}
		bids, _ := bidding.NewGenerator(nodes, []bidding.Job{j}, nil, bidding.BidOptions{SlurmBids: true}).Bids()
		if len(bids) == 0 {
			t.Errorf("%+v has no bid on the idle machine", j)
		}
	})
}
