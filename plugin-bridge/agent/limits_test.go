package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Job 1, of anna in account chem below physics, runs on a node with 3 cores and a GPU. Job 2 of the same user waits
// for 2 nodes with 4 cores and 2 GPUs each. In the order of acct_policy.c a limit of the QOS takes the place of the
// same one of account and user.
func TestLimitsAreLicences(t *testing.T) {
	for _, c := range []struct {
		name    string
		qos     layout.Limits
		gpu     layout.Limits // of the QOS of the partition
		physics layout.Limits
		chem    layout.Limits
		anna    layout.Limits
		want    string
	}{
		{name: "none"},
		{name: "jobs of a user in a QOS", qos: layout.Limits{MaxJobsPerUser: 2}, want: "1 of MaxJobsPerUser of QOS debug for anna, 1 free"},
		{name: "jobs of a QOS", qos: layout.Limits{GrpJobs: 1}, want: "1 of GrpJobs of QOS debug, 0 free"},
		{name: "jobs of an account in a QOS", qos: layout.Limits{MaxJobsPerAccount: 3}, want: "1 of MaxJobsPerAccount of QOS debug for chem, 2 free"},
		{name: "resources", qos: layout.Limits{GrpTRES: layout.TRES{"cpu": 20, "node": 4, "gres/gpu": 5, "mem": 7}},
			want: "8 of GrpTRES of QOS debug cpu, 17 free; 2 of GrpTRES of QOS debug node, 3 free; 4 of GrpTRES of QOS debug gres/gpu, 4 free"},
		{name: "a parent account", physics: layout.Limits{GrpTRES: layout.TRES{"cpu": 10}}, want: "8 of GrpTRES of account physics cpu, 7 free"},
		{name: "a QOS before accounts", qos: layout.Limits{GrpTRES: layout.TRES{"cpu": 20}}, physics: layout.Limits{GrpTRES: layout.TRES{"cpu": 10, "node": 4}},
			want: "8 of GrpTRES of QOS debug cpu, 17 free; 2 of GrpTRES of account physics node, 3 free"},
		{name: "the QOS of the partition before that of the job", gpu: layout.Limits{GrpJobs: 5, GrpTRES: layout.TRES{"cpu": 30}}, qos: layout.Limits{GrpJobs: 2, GrpTRES: layout.TRES{"cpu": 20, "node": 4}},
			want: "1 of GrpJobs of QOS gpupart, 4 free; 8 of GrpTRES of QOS gpupart cpu, 27 free; 2 of GrpTRES of QOS debug node, 3 free"},
		{name: "the QOS of the partition before accounts", gpu: layout.Limits{MaxJobsPerUser: 5}, anna: layout.Limits{MaxJobs: 2, GrpJobs: 3},
			want: "1 of MaxJobsPerUser of QOS gpupart for anna, 4 free; 1 of GrpJobs of anna in account chem, 2 free"},
		{name: "jobs of each user of an account", physics: layout.Limits{MaxJobs: 4}, want: "1 of MaxJobs of anna in account chem, 3 free"},
		{name: "the nearest of these", physics: layout.Limits{MaxJobs: 4}, chem: layout.Limits{MaxJobs: 3}, anna: layout.Limits{MaxJobs: 2},
			want: "1 of MaxJobs of anna in account chem, 1 free"},
		{name: "a user", anna: layout.Limits{GrpJobs: 1, GrpTRES: layout.TRES{"cpu": 8}},
			want: "1 of GrpJobs of anna in account chem, 0 free; 8 of GrpTRES of anna in account chem cpu, 5 free"},
	} {
		rules := Rules{Layout: layout.Layout{
			Partitions: []layout.Partition{{Name: "gpu", Settings: map[string]string{layout.PartitionQOS: "gpupart"}}},
			QOS:        []layout.QOS{{Name: "debug", Limits: c.qos}, {Name: "gpupart", Limits: c.gpu}},
			Accounts: []layout.Account{
				{Name: "physics", Limits: c.physics},
				{Name: "chem", Parent: "physics", Limits: c.chem, Users: []layout.User{{Name: "anna", Limits: c.anna}}},
			},
		}}
		state := State{
			Held: []HeldJob{{ID: 2, Request: bidding.Job{Nodes: 2, CoresPerNode: 4, GPUs: 2}}},
			Running: []RunningJob{
				{ID: 1, Holding: machine.Holding{Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{3}, GPUs: 1}}},
				{ID: 3, Holding: machine.Holding{Allocation: machine.Allocation{Nodes: []int{1}, Cores: []int{3}, GPUs: 1}}},
			},
		}
		anna := slurmctl.Charge{Account: "chem", User: "anna", QOS: "debug", Partition: "gpu"}
		rules.limit(&state, map[int]slurmctl.Charge{1: anna, 2: anna, 3: {Account: "root", User: "root", QOS: "normal"}})
		var got []string
		for _, l := range state.Held[0].limits() {
			got = append(got, fmt.Sprintf("%d of %s, %d free", l.Count, l.Name, state.Licences.Count(l.Name)))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// Rules reach a held job: the rules of its partition, and memory where it asks for none.
func TestRulesOfHeldJobs(t *testing.T) {
	rules := Rules{Partitions: map[string]Partition{"gpu": {MaxNodes: 2, Tier: 3}}, MemoryPerCore: 1000}
	for _, c := range []struct{ asks, want bidding.JobOptions }{
		{bidding.JobOptions{Partition: "gpu"}, bidding.JobOptions{Partition: "gpu", MostNodes: 2, MemoryPerCore: 1000}},
		{bidding.JobOptions{Partition: "main", MemoryPerNode: 5}, bidding.JobOptions{Partition: "main", MemoryPerNode: 5}},
	} {
		h := HeldJob{Request: bidding.Job{Options: c.asks}}
		rules.apply(&h)
		if fmt.Sprint(h.Request.Options) != fmt.Sprint(c.want) || (h.Tier == 3) != (c.asks.Partition == "gpu") {
			t.Errorf("%+v becomes %+v of tier %d, want %+v", c.asks, h.Request.Options, h.Tier, c.want)
		}
	}
}
