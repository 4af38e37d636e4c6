package watch_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/results/trace"
)

// moment is an instant so many seconds after the start of a cluster whose clock runs ten times
// as fast as ours.
func moment(seconds int) watch.Moment {
	return watch.Moment{
		Real:    time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second),
		Virtual: time.Date(2029, 1, 1, 0, 0, 10, 0, time.UTC).Add(time.Duration(10*seconds) * time.Second),
	}
}

// healthy is a cluster whose agent had cycle 3 and decided in cycle 2, with an error
// before.
func healthy() watch.Cluster {
	a := &watch.Agent{Began: moment(0), Interval: 5 * time.Second}
	a.Fail(1, errors.New("read state: slurm does not answer"), moment(1))
	a.Learn(trace.Cycle{Cycle: 2, Window: 3, Bids: 17, Solver: "optimal", SolveMS: 12, SnapshotMS: 8,
		Released: []trace.Release{{Job: 1}, {Job: 2}}, Deferred: []trace.Refusal{{Job: 3}}}, moment(2))
	a.Learn(trace.Cycle{Cycle: 3, SnapshotMS: 9}, moment(3))
	a.Obstacles, a.HeldByOwner = []trace.Refusal{{Job: 5, Reason: "it wants 2 CPUs per task"}}, []int{8, 9}
	return watch.Cluster{
		Now: moment(4), Clock: "scaled", Nodes: 4, Cores: 8, GPUs: 2, Policy: "auction", Priority: "priority/basic",
		Daemons:    []watch.Daemon{{Name: "slurmctld", Alive: true}, {Name: "agent", Alive: true}},
		NodeStates: map[string]int{"IDLE": 1, "MIXED": 3}, JobStates: map[string]int{"PENDING": 3, "RUNNING": 2}, Agent: a,
	}
}

func lines(c watch.Cluster) string {
	var b strings.Builder
	for _, p := range c.Text() {
		fmt.Fprintf(&b, "%s: %s\n", p.Heading, p.Text)
	}
	return b.String()
}

func TestText(t *testing.T) {
	want := `machine: 4 nodes of 8 cores and 2 GPUs: 3 mixed, 1 idle
clock: scaled, 2029-01-01 00:00:50
scheduler: auction, priority/basic
jobs: 3 pending, 2 running
agent: began 4 s ago, a cycle every 5s
last good: cycle 3 at 2029-01-01 00:00:40, 1 s ago, in 9 ms
decided: cycle 2, 2 s ago: 3 jobs, 17 bids, 2 jobs released, solved in 12 ms (optimal), 1 deferred
last error: cycle 1 at 2029-01-01 00:00:20, 3 s ago: read state: slurm does not answer (over: later cycles were good)
held: by their owners: 8, 9
job 5: cannot be scheduled: it wants 2 CPUs per task
`
	if got := lines(healthy()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	own := watch.Cluster{Now: moment(4), Clock: "real", Nodes: 1, Cores: 8, Policy: "sched/backfill", Priority: "priority/basic",
		Daemons: []watch.Daemon{{Name: "slurmctld", Alive: true}}, Stuck: []trace.Refusal{{Job: 4, Reason: "PartitionTimeLimit"}}}
	want = `machine: 1 node of 8 cores and 0 GPUs: states not known
clock: real, 2029-01-01 00:00:50
scheduler: sched/backfill, priority/basic
jobs: none
agent: none: Slurm schedules by itself
job 4: waits: PartitionTimeLimit
`
	if got := lines(own); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The text has each group of nodes that differ, and their sums.
func TestGroupsOfNodes(t *testing.T) {
	c := watch.Cluster{Now: moment(4), Clock: "real", Nodes: 6, Cores: 16, GPUs: 4, Groups: []watch.NodeGroup{
		{Name: "cpu", Nodes: 5, Cores: 8}, {Name: "gpu", Nodes: 1, Cores: 16, GPUs: 4},
	}, NodeStates: map[string]int{"IDLE": 6}}
	const want = "machine: 6 nodes with 56 cores and 4 GPUs (cpu 5 nodes of 8 cores and 0 GPUs, gpu 1 node of 16 cores and 4 GPUs): 6 idle\n"
	if got := lines(c); !strings.Contains(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A daemon that died and was started again is shown, and is no fault.
func TestRestartsAreTold(t *testing.T) {
	c := healthy()
	c.Restarts = []watch.Restart{
		{Daemon: "slurmdbd", How: "exit status 1", Died: moment(1).Virtual, Outage: time.Second},
		{Daemon: "slurmctld", How: "signal: killed", Died: moment(2).Virtual, Outage: 430 * time.Millisecond},
	}
	const want = "restarts: 2 of daemons; the last: slurmctld died at 2029-01-01 00:00:30 (signal: killed) and did not serve for 0.4 s\n"
	if got := lines(c); !strings.Contains(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if faults := c.Faults(); len(faults) > 0 {
		t.Errorf("faults %q, want none", faults)
	}
}

// Of failures in a row, the first one's cycle and moment stay, and the last one's text.
func TestFailuresInARow(t *testing.T) {
	var a watch.Agent
	for i := 1; i <= 3; i++ {
		a.Fail(i, fmt.Errorf("failure %d", i), moment(i))
	}
	if want := (watch.Error{Cycle: 1, At: moment(1), Text: "failure 3"}); *a.Error != want {
		t.Errorf("error %+v, want %+v", *a.Error, want)
	}
	a.Learn(trace.Cycle{Cycle: 4}, moment(4))
	a.Fail(5, errors.New("another"), moment(5))
	if want := (watch.Error{Cycle: 5, At: moment(5), Text: "another"}); *a.Error != want {
		t.Errorf("error %+v, want %+v", *a.Error, want)
	}
}

// The last loss of a job is kept until the job wins, whatever later cycles without bids say, and
// copies of an Agent keep theirs.
func TestLosses(t *testing.T) {
	var a watch.Agent
	a.Learn(trace.Cycle{Cycle: 1, Window: 3, Released: []trace.Release{{Job: 1}}, Lost: []trace.Loss{{Job: 2, To: 1}, {Job: 3, To: 1}}}, moment(1))
	before := a
	a.Learn(trace.Cycle{Cycle: 2, Window: 2}, moment(2))
	a.Learn(trace.Cycle{Cycle: 3, Window: 2, Released: []trace.Release{{Job: 2}}, Lost: []trace.Loss{{Job: 4, To: 2}}}, moment(3))
	a.Learn(trace.Cycle{Cycle: 4, Window: 2, Lost: []trace.Loss{{Job: 3}}}, moment(4))
	if want := []watch.Loss{{Loss: trace.Loss{Job: 4, To: 2}, Cycle: 3}, {Loss: trace.Loss{Job: 3}, Cycle: 4}}; !slices.Equal(a.Losses, want) {
		t.Errorf("got %+v, want %+v", a.Losses, want)
	}
	if want := []watch.Loss{{Loss: trace.Loss{Job: 2, To: 1}, Cycle: 1}, {Loss: trace.Loss{Job: 3, To: 1}, Cycle: 1}}; !slices.Equal(before.Losses, want) {
		t.Errorf("the copy has %+v, want %+v", before.Losses, want)
	}
	for i := range 2 * watch.MostLosses {
		a.Learn(trace.Cycle{Cycle: 5 + i, Lost: []trace.Loss{{Job: 100 + i}}}, moment(5))
	}
	if n := len(a.Losses); n != watch.MostLosses || a.Losses[n-1].Job != 99+2*watch.MostLosses {
		t.Errorf("%d losses, the last %+v", n, a.Losses[n-1])
	}
}

func TestFaults(t *testing.T) {
	ended := moment(3)
	for _, tt := range []struct {
		name  string
		spoil func(*watch.Cluster)
		want  []string
	}{
		{"healthy", func(*watch.Cluster) {}, nil},
		{"dead agent", func(c *watch.Cluster) {
			c.Now = moment(3000)
			c.Daemons[1] = watch.Daemon{Name: "agent", Ended: &ended, How: "exit status 1", LastWords: "slurmlabd: no"}
		}, []string{"agent is not running since 2029-01-01 00:00:40 (49 min ago): exit status 1; its last words: slurmlabd: no"}},
		{"daemon that nobody waited for", func(c *watch.Cluster) { c.Daemons[0].Alive = false }, []string{"slurmctld is not running"}},
		{"hanging agent", func(c *watch.Cluster) { c.Now = moment(300) },
			[]string{"the agent has had no good cycle for 4 min: it hangs, or Slurm does not answer it"}},
		{"agent that never had a cycle", func(c *watch.Cluster) { c.Now, c.Agent.Good = moment(300), nil },
			[]string{"the agent has had no good cycle for 5 min: it hangs, or Slurm does not answer it"}},
		// Between two cycles of a cluster whose clock jumps much virtual time may pass.
		{"jump", func(c *watch.Cluster) { c.Now.Virtual = c.Now.Virtual.Add(time.Hour) }, nil},
		{"failing cycles", func(c *watch.Cluster) { c.Agent.Fail(4, errors.New("no"), moment(4)) }, []string{"the agent's cycles fail since cycle 4"}},
		{"silent Slurm", func(c *watch.Cluster) { c.SlurmError = "no answer" }, []string{"Slurm does not answer: no answer"}},
		{"no word of the agent", func(c *watch.Cluster) { c.Agent, c.AgentError = nil, "no file" }, []string{"nothing is known of the agent: no file"}},
	} {
		c := healthy()
		tt.spoil(&c)
		if got := c.Faults(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		for _, fault := range tt.want {
			if !strings.Contains(lines(c), "FAULT: "+fault+"\n") {
				t.Errorf("%s: the text lacks it:\n%s", tt.name, lines(c))
			}
		}
	}
}
