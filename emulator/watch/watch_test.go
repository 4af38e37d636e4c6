package watch_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

func at(seconds int) time.Time {
	return time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func node(state slurmctl.NodeState, cores, gpus int, flags ...string) slurmctl.NodeRecord {
	return slurmctl.NodeRecord{State: state, Flags: flags, CPUs: 8, AllocCPUs: cores, GPUs: 2, AllocGPUs: gpus}
}

// Neighbours that are alike are one entry; what is in use is the sum over all nodes.
func TestSeeNodes(t *testing.T) {
	var l watch.Look
	l.See([]slurmctl.NodeRecord{
		node(slurmctl.NodeAllocated, 8, 2), node(slurmctl.NodeAllocated, 8, 2), node(slurmctl.NodeMixed, 3, 0),
		node(slurmctl.NodeIdle, 0, 0, "DRAIN"), node(slurmctl.NodeIdle, 0, 0, "COMPLETING", "EXTERNAL"), node(slurmctl.NodeIdle, 0, 0, "PLANNED"), node(slurmctl.NodeAllocated, 8, 2),
	}, nil, nil)
	want := []watch.Nodes{
		{Count: 2, Cores: 8, UsedCores: 8, GPUs: 2, UsedGPUs: 2}, {Count: 1, Cores: 8, UsedCores: 3, GPUs: 2},
		{Count: 1, Cores: 8, GPUs: 2, Out: true}, {Count: 2, Cores: 8, GPUs: 2}, {Count: 1, Cores: 8, UsedCores: 8, GPUs: 2, UsedGPUs: 2},
	}
	if !reflect.DeepEqual(l.Nodes, want) {
		t.Errorf("got %+v, want %+v", l.Nodes, want)
	}
	if cores, gpus := l.Cores(), l.GPUs(); cores != (watch.Use{Used: 27, All: 56}) || gpus != (watch.Use{Used: 6, All: 14}) || l.Size() != 7 {
		t.Errorf("cores %+v, GPUs %+v, %d nodes", cores, gpus, l.Size())
	}
}

// A waiting job that asks for cores alone takes as many nodes as have them: Slurm's 1 is only its least (scontrol(1), MinNodes).
func TestLeastNodes(t *testing.T) {
	l := watch.Look{Nodes: []watch.Nodes{{Count: 4, Cores: 8}, {Count: 1, Cores: 16, Out: true}, {Count: 2, Cores: 4}}}
	for _, test := range []struct{ nodes, cores, want int }{{1, 1, 1}, {1, 16, 1}, {1, 17, 2}, {1, 64, 4}, {3, 3, 3}, {2, 64, 2}} {
		if got := l.Least(watch.Job{Nodes: test.nodes, Cores: test.cores}); got != test.want {
			t.Errorf("-N %d with %d cores: got %d nodes, want %d", test.nodes, test.cores, got, test.want)
		}
	}
	if got := l.Outside(); got != 1 {
		t.Errorf("%d nodes are out of service, want 1", got)
	}
}

// The queue is in Slurm's order, the running jobs by their start; all are counted, and
// at most so many listed.
func TestSeeJobs(t *testing.T) {
	var queue []slurmctl.QueuedJob
	for i := range 3 * watch.Most {
		j := slurmctl.QueuedJob{ID: 1 + i, State: slurmctl.JobPending, Priority: i / 2, Nodes: 1, CPUs: 1}
		if i%3 == 0 {
			j.State, j.Start = slurmctl.JobRunning, at(i)
		}
		queue = append(queue, j)
	}
	var l watch.Look
	l.See(nil, queue, nil)
	if l.Waiting != 2*watch.Most || l.Active != watch.Most || len(l.Queue) != watch.Most || len(l.Running) != watch.Most {
		t.Errorf("%d waiting, %d listed, %d running, %d listed", l.Waiting, len(l.Queue), l.Active, len(l.Running))
	}
	for i := 1; i < watch.Most; i++ {
		a, b := l.Queue[i-1], l.Queue[i]
		pa, pb := (a.ID-1)/2, (b.ID-1)/2
		if pa < pb || pa == pb && a.ID > b.ID {
			t.Errorf("job %d of priority %d before job %d of %d", a.ID, pa, b.ID, pb)
		}
		if l.Running[i].Start.After(l.Running[i-1].Start) {
			t.Errorf("job %d, which started later, stands below %d", l.Running[i].ID, l.Running[i-1].ID)
		}
	}
}

// A job runs on nodes as their site calls them, by the numbers of the nodes in slurm.conf. Slurm's placeholder of a job without
// nodes stays.
func TestSeeNodesOfASite(t *testing.T) {
	var l watch.Look
	l.See(nil, []slurmctl.QueuedJob{
		{ID: 1, State: slurmctl.JobRunning, NodeList: "n[1-2,4]"}, {ID: 2, State: slurmctl.JobRunning, NodeList: "(null)"},
	}, []string{"cn01", "cn02", "ga01", "ga02"})
	if a, b := l.Running[1].NodeList, l.Running[0].NodeList; a != "cn[01-02],ga02" || b != "(null)" {
		t.Errorf("got %s and %s", a, b)
	}
}

// A look travels as JSON.
func TestLookTravels(t *testing.T) {
	l := watch.Look{Now: watch.Moment{Real: at(1), Virtual: at(2)}, Clock: "jump", Held: true, Policy: "auction", Agent: &watch.Agent{}}
	l.See([]slurmctl.NodeRecord{node(slurmctl.NodeMixed, 1, 1)}, []slurmctl.QueuedJob{
		{ID: 1, Name: "a", State: slurmctl.JobPending, Reason: "JobHeldUser", Submit: at(0), Nodes: 2, CPUs: 4},
		{ID: 2, Name: "b", State: slurmctl.JobRunning, Submit: at(0), Start: at(1), Nodes: 1, CPUs: 1, NodeList: "n1"},
	}, nil)
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var got watch.Look
	if err = json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, l) {
		t.Errorf("%v, got %+v, want %+v", err, got, l)
	}
}

func TestWaits(t *testing.T) {
	// Two nodes with 5 cores and no GPU free, one with all 8 and both GPUs, one out of
	// service: 18 cores.
	nodes := []slurmctl.NodeRecord{node(slurmctl.NodeMixed, 3, 2), node(slurmctl.NodeMixed, 3, 2), node(slurmctl.NodeIdle, 0, 0), node(slurmctl.NodeIdle, 0, 0, "DRAIN")}
	agent := &watch.Agent{
		Good:        &watch.Cycle{Ended: watch.Moment{Virtual: at(100)}},
		Obstacles:   []trace.Refusal{{Job: 7, Reason: "it wants 2 CPUs per task"}},
		HeldByOwner: []int{8},
		Losses:      []watch.Loss{{Loss: trace.Loss{Job: 20, To: 5}, Cycle: 12}, {Loss: trace.Loss{Job: 21}, Cycle: 12}},
	}
	pending := func(reason string, nodes, cores, perNode, gpus int) watch.Job {
		return watch.Job{ID: 1, Name: "70", State: "PENDING", Reason: reason, Submit: at(50), Nodes: nodes, Cores: cores, CoresPerNode: perNode, GPUs: gpus}
	}
	held := func(j watch.Job, id int) watch.Job {
		j.Held, j.Reason, j.ID = true, slurmctl.ReasonHeldAdmin, id
		return j
	}
	planned := pending("Resources", 1, 20, 1, 0)
	planned.Start = at(100 + 65)
	late := held(pending("", 1, 99, 1, 0), 1)
	late.Submit = at(101)
	byName := held(pending("", 1, 1, 1, 0), 3)
	byName.Name = "7"
	for _, tt := range []struct {
		name   string
		job    watch.Job
		agent  *watch.Agent
		byName bool
		want   string
	}{
		{"cores", pending("Resources", 1, 20, 1, 0), nil, false, "Resources: 20 cores, 18 free"},
		{"one core", pending("Resources", 1, 1, 1, 0), nil, false, "Resources"},
		{"nodes", pending("Priority", 2, 16, 8, 0), nil, false, "Priority: 2 nodes with 8 cores, 1 free"},
		{"GPUs", pending("Priority", 2, 2, 1, 1), nil, false, "Priority: 2 nodes with 1 core and 1 GPU, 1 free"},
		{"cores of some nodes", pending("Priority", 2, 14, 1, 0), nil, false, "Priority: 14 cores on 2 nodes, 13 free"},
		{"cores beside GPUs", pending("None", 1, 9, 1, 2), nil, false, "9 cores beside 2 GPUs, 8 free"},
		{"planned", planned, nil, false, "Resources: 20 cores, 18 free, planned in 1m05s"},
		{"dependency", pending("Dependency", 1, 99, 1, 0), nil, false, "Dependency"},
		{"held by a user of Slurm", held(pending("", 1, 1, 1, 0), 1), nil, false, "held (JobHeldAdmin)"},
		{"lost", held(pending("", 2, 16, 8, 0), 1), agent, false, "2 nodes with 8 cores, 1 free"},
		{"others first", held(pending("", 1, 1, 1, 0), 1), agent, false, "a cycle that places it: its cores and GPUs are free"},
		{"too late", late, agent, false, "the next cycle"},
		{"impossible", held(pending("", 1, 1, 1, 0), 7), agent, false, "cannot be scheduled: it wants 2 CPUs per task"},
		{"impossible by name", byName, agent, true, "cannot be scheduled: it wants 2 CPUs per task"},
		{"not that one", byName, agent, false, "a cycle that places it: its cores and GPUs are free"},
		{"outbid", held(pending("", 2, 16, 8, 0), 20), agent, false, "lost to job 5 in cycle 12; 2 nodes with 8 cores, 1 free"},
		{"outbid, and its nodes are free again", held(pending("", 1, 1, 1, 0), 20), agent, false, "lost to job 5 in cycle 12"},
		{"lost to nobody", held(pending("", 1, 1, 1, 0), 21), agent, false, "its bids lost in cycle 12"},
		{"owner", held(pending("", 1, 1, 1, 0), 8), agent, false, "held by its owner"},
		{"released", pending("Resources", 1, 20, 1, 0), agent, false, "Resources: 20 cores, 18 free"},
	} {
		l := watch.Look{Now: watch.Moment{Virtual: at(100)}, Agent: tt.agent, ByName: tt.byName}
		l.See(nodes, nil, nil)
		if got := l.Waits(tt.job); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59999 * time.Millisecond: "59s", time.Minute: "1m00s", 3*time.Hour + 5*time.Minute + 59*time.Second: "3h05m",
		24 * time.Hour: "1d00h", 1000 * 24 * time.Hour: "1000d00h",
	} {
		if got := watch.Span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
