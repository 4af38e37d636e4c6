//go:build integration

package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// The agent reads the tree of topology/tree from Slurm, keeps jobs below as few switches as it can, and honours
// --switches. There are four leaf switches of four nodes, and two of them on each switch above. Nodes 3 and 4 are
// left of the first. So the job of two nodes fits there, the job of three nodes does not, and six nodes need two
// leaves.
func TestTreeOnSlurm(t *testing.T) {
	t.Parallel()
	client, r := start(t, 16, 8, 2, 4, 8, 16)
	r.shell(t, "scontrol update NodeName=n[1-2] State=DRAIN Reason=busy\n")
	r.submit(t, 1, "-N 6 --ntasks-per-node=8")
	r.submit(t, 2, "-N 3 --ntasks-per-node=8 --switches=1")
	r.submit(t, 3, "-N 2 --ntasks-per-node=8 --switches=1@1:00:00")
	r.submit(t, 4, "-N 5 --ntasks-per-node=8 --switches=1")
	cluster := agent.NewSlurm(client, client)
	state, err := cluster.State(t.Context())
	if err != nil || !slices.Equal(state.Nodes[5].Switches, []int{1, 0, 0}) || !slices.Equal(state.Nodes[15].Switches, []int{3, 1, 0}) {
		t.Fatalf("nodes %+v, %v", state.Nodes, err)
	}
	a := agent.New(cluster, packing.QuickSolver{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 2, 3}) {
		t.Fatalf("%+v, %v, want jobs 1, 2 and 3 released", record, err)
	}
	if len(record.Unplaced) != 1 || !strings.Contains(record.Unplaced[0].Reason, "5 nodes below 1 leaf switches") {
		t.Errorf("unplaced %+v, want job 4", record.Unplaced)
	}
	verified(t, a, r, 3)
	details, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range details {
		leaves := map[int]bool{}
		for _, allocated := range d.Allocations {
			i := slices.IndexFunc(state.Nodes, func(n machine.Node) bool { return n.Name == allocated.Node })
			leaves[state.Nodes[i].Switches[0]] = true
		}
		if want := map[string]int{"1": 2, "2": 1, "3": 1}[d.Name]; len(leaves) != want {
			t.Errorf("job %s is below %d leaf switches, want %d: %+v", d.Name, len(leaves), want, d.Allocations)
		}
	}
}
