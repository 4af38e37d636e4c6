package layout_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// site has each limit that keeps a job from starting, and drained and failed nodes.
func site() layout.Layout {
	gpus := layout.Limits{GrpTRES: layout.TRES{"gres/gpu": 8}, MaxWall: 60}
	return layout.Layout{
		Groups: []layout.Group{{Name: "a", Count: 4, Sockets: 1, Cores: 8, Threads: 1, GPUs: []layout.GPU{{Count: 4}}}},
		Partitions: []layout.Partition{
			{Name: "p", Groups: []string{"a"}, MaxTime: 60, MaxNodes: 2, Settings: map[string]string{layout.AllowQOS: "low", "GraceTime": "60"}},
			{Name: "free", Groups: []string{"a"}},
		},
		Down: []layout.Down{{Nodes: "n1", State: layout.StateDrain, Reason: "removed"}, {Nodes: "n2", State: layout.StateDown, Reason: "broken"}},
		QOS:  []layout.QOS{{Name: "normal"}, {Name: "low", Priority: 5, Limits: gpus}},
		Accounts: []layout.Account{{
			Name: "x", Limits: layout.Limits{GrpJobs: 3},
			Users: []layout.User{{Name: "anna", Limits: layout.Limits{MaxJobs: 1}}, {Name: "ben", Limits: layout.Limits{MaxJobs: 1}}, {Name: "carl"}},
		}},
	}
}

// A cluster that begins with jobs on its nodes has no limit at first. slurmctld(8) and acct_policy.c look at limits when a job
// starts, and end none that runs: the commands that follow set each limit of the layout, and nothing else.
func TestImposeSetsWhatLenientLeavesOut(t *testing.T) {
	l := site()
	lenient := l.Lenient()
	if again := lenient.Impose(); !again.IsZero() {
		t.Errorf("a lenient layout has limits: %v", again)
	}
	if p := lenient.Partitions[0]; p.MaxTime != 0 || p.MaxNodes != 0 || p.Settings[layout.AllowQOS] != "" || p.Settings["GraceTime"] != "60" {
		t.Errorf("partition %+v, want no limit and its GraceTime", p)
	}
	if len(lenient.Down) != 1 || lenient.Down[0].Nodes != "n2" {
		t.Errorf("out of service are %v, want n2, whose jobs ended when it failed", lenient.Down)
	}
	if lenient.QOS[1].Priority != 5 || !lenient.QOS[1].Limits.IsZero() {
		t.Errorf("QOS %+v, want its priority without limits", lenient.QOS[1])
	}
	imposed := l.Impose()
	var got []string
	for _, words := range slices.Concat(imposed.Updates, imposed.Commands) {
		got = append(got, strings.Join(words, " "))
	}
	want := []string{
		"PartitionName=p MaxTime=60 MaxNodes=2 AllowQos=low",
		"NodeName=n1 State=DRAIN Reason=removed",
		"sacctmgr -i modify qos where name=low set GrpTRES=gres/gpu=8 MaxWall=60",
		"sacctmgr -i modify account where name=x set GrpJobs=3",
		"sacctmgr -i modify user where name=anna,ben account=x set MaxJobs=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if original := site().Impose(); len(original.Updates) != len(imposed.Updates) || l.Partitions[0].MaxTime != 60 || l.Accounts[0].Users[0].Limits.MaxJobs != 1 {
		t.Error("Lenient has changed the layout that it was made of")
	}
}
