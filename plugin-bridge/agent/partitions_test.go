package agent

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// inSeveral is a held job of so many nodes of 8 cores in the partitions, whose names have commas between them.
func inSeveral(id, nodes int, partitions string) HeldJob {
	return heldJob(slurmctl.QueuedJob{ID: id, Tasks: 8 * nodes, Nodes: nodes, TasksPerNode: 8, Partition: partitions}, nil)
}

// A job of several partitions gets the nodes of the first one in which there is room beside the jobs before it.
func TestChoosePartitions(t *testing.T) {
	nodes := []machine.Node{
		{Name: "n1", Cores: 8, FreeCores: 8, Partitions: []string{"a"}}, {Name: "n2", Cores: 8, FreeCores: 8, Partitions: []string{"a"}},
		{Name: "n3", Cores: 8, FreeCores: 8, Partitions: []string{"b"}},
	}
	for _, c := range []struct {
		jobs []HeldJob
		want string
	}{
		{[]HeldJob{inSeveral(1, 1, "a,b")}, "a"},
		{[]HeldJob{inSeveral(1, 1, "b,a"), inSeveral(2, 1, "b,a"), inSeveral(3, 1, "b,a")}, "b a a"},
		{[]HeldJob{inSeveral(1, 2, "a"), inSeveral(2, 1, "a,b")}, "a b"},
		{[]HeldJob{inSeveral(1, 2, "b,a")}, "a"},
		// No partition has three nodes, though both together do.
		{[]HeldJob{inSeveral(1, 3, "b,a"), inSeveral(2, 1, "b,a")}, "b b"},
	} {
		jobs := make([]bidding.Job, len(c.jobs))
		for i, h := range c.jobs {
			jobs[i] = h.Request
			jobs[i].Options.Barred = []int{}
		}
		choosePartitions(c.jobs, jobs, nodes, nil)
		var got, told []string
		for i, j := range jobs {
			got, told = append(got, j.Options.Partition), append(told, c.jobs[i].Request.Options.Partition)
		}
		if text := strings.Join(got, " "); text != c.want || !slices.Equal(got, told) {
			t.Errorf("%s, and the release has %s, want %s", text, strings.Join(told, " "), c.want)
		}
	}
	// A reservation of Slurm keeps the node of b.
	jobs := []bidding.Job{inSeveral(1, 1, "b,a").Request}
	jobs[0].Options.Barred = []int{2}
	if choosePartitions([]HeldJob{inSeveral(1, 1, "b,a")}, jobs, nodes, nil); jobs[0].Options.Partition != "a" || len(jobs[0].Options.Barred) != 1 {
		t.Errorf("%+v, want partition a", jobs[0].Options)
	}
}

// The rules of each partition count in it alone: the time limit and the QOS rule partitions out, the others make other requests.
func TestRulesOfSeveralPartitions(t *testing.T) {
	rules := Rules{
		Partitions: map[string]Partition{"a": {MaxTime: time.Hour}, "b": {MaxNodes: 3, Tier: 7, WholeNodes: true}, "c": {}},
		Layout: layout.Layout{
			QOS: []layout.QOS{{Name: "debug", Limits: layout.Limits{GrpJobs: 2}}},
			Partitions: []layout.Partition{
				{Name: "a"}, {Name: "b", Settings: map[string]string{layout.PartitionQOS: "debug"}}, {Name: "c", Settings: map[string]string{layout.DenyQOS: "normal"}},
			},
		},
	}
	h := inSeveral(1, 1, "a,b,c")
	h.Request.TimeLimit = 2 * time.Hour
	rules.apply(&h)
	state := State{Held: []HeldJob{h}}
	rules.limit(&state, map[int]slurmctl.Charge{1: {Account: "root", User: "root", QOS: "normal", Partition: "a,b,c"}})
	got := state.Held[0]
	if len(got.Within) != 1 || got.Tier != 7 || got.Within[0].MostNodes != 3 || !got.Request.Options.Exclusive || got.Request.Options.Partition != "b" ||
		got.limits().Count("GrpJobs of QOS debug") != 1 || state.Licences.Count("GrpJobs of QOS debug") != 2 {
		t.Errorf("%+v of tier %d, within %+v, limits %v of %v", got.Request.Options, got.Tier, got.Within, got.limits(), state.Licences)
	}
	h.Request.TimeLimit = time.Hour
	if rules.apply(&h); h.Request.Options.Exclusive && h.Request.Options.Partition == "a" {
		t.Errorf("%+v: whole nodes are of partition b", h.Request.Options)
	}
}

// Of the partitions of a job of people those stay in which the idle machine could run it.
func TestSeveralPartitionsOfPeople(t *testing.T) {
	nodes := []machine.Node{{Name: "n1", Cores: 8, Partitions: []string{"a"}}, {Name: "n2", Cores: 16, Partitions: []string{"b"}}}
	h := heldJob(slurmctl.QueuedJob{ID: 1, Tasks: 16, Nodes: 1, TasksPerNode: 16, Partition: "a,b"}, nil)
	if (misfits{}).keepFits(&h, nodes, nil); h.Obstacle != "" || len(h.Within) != 1 || h.Request.Options.Partition != "b" {
		t.Errorf("%+v, %q", h.Within, h.Obstacle)
	}
	h = heldJob(slurmctl.QueuedJob{ID: 1, Tasks: 17, Nodes: 1, TasksPerNode: 17, Partition: "a,b"}, nil)
	if (misfits{}).keepFits(&h, nodes, nil); !strings.Contains(h.Obstacle, "not even the idle machine could run it") || len(h.Within) != 2 {
		t.Errorf("%+v, %q", h.Within, h.Obstacle)
	}
}
