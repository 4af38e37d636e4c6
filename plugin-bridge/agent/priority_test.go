package agent_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
)

// decided runs one cycle that starts nothing and returns what it decided on.
func decided(t rapid.TB, c agent.Cluster, o agent.Settings, result auction.Result) (auction.Snapshot, *agent.Agent) {
	t.Helper()
	var got auction.Snapshot
	o.Patience = 2
	o.Decider = decider{decide: func(s auction.Snapshot, _ int) (auction.Result, error) {
		got = s
		return result, s.Validate()
	}}
	a := agent.New(c, nil, o)
	if _, err := a.Cycle(context.Background(), 0); err != nil {
		t.Fatalf("%v", err)
	}
	return got, a
}

// window writes the jobs of a snapshot with their priorities.
func window(s auction.Snapshot) string {
	text := ""
	for _, j := range s.Jobs {
		text += fmt.Sprintf("%d:%g ", j.ID, j.Priority)
	}
	return text
}

// waiting is a job that was submitted some time before epoch.
func waiting(id, nodes, cores int, since time.Duration) agent.HeldJob {
	h := job(id, cores)
	h.Request.Nodes, h.Submit = nodes, epoch.Add(-since)
	return h
}

// "The plug-in first gets a window of the priority ordered jobs" (IPSCHED section
// IV); "This plug-in allows the job priorities to increase with increasing job size
// and aging".
func TestMultifactorOrdersAndWeighs(t *testing.T) {
	c := newOdd(8, 8, 0, waiting(1, 0, 8, time.Hour), waiting(2, 0, 9, 0), waiting(3, 0, 16, 0), waiting(4, 4, 16, 0), waiting(5, 0, 9, 0))
	o := agent.Settings{Auction: auctiontest.Options(), Window: 4, Now: func() time.Time { return epoch }}
	for _, tt := range []struct {
		priority priority.Type
		want     string
	}{
		{"", "1:4 2:3 3:2 4:1 "},
		{priority.Basic, "1:4 2:3 3:2 4:1 "},
		// 10080 (1/8 + 8/64) / 2 + 60, 10080 (1/8 + 16/64) / 2 and so on.
		{priority.Multifactor, "4:3780 3:1890 2:1338 5:1338 "},
	} {
		o.Priority = tt.priority
		s, _ := decided(t, c, o, auction.Result{})
		if text := window(s); text != tt.want || s.Weighted != (tt.priority == priority.Multifactor) {
			t.Errorf("%q: window %s (weighted: %v), want %s", tt.priority, text, s.Weighted, tt.want)
		}
	}
}

// A nice value counts as in Slurm. Under priority/basic job 3 goes before job 2 and not before job 1. Job 1, which is
// nice, stays before all that came after it.
func TestNiceOfJobs(t *testing.T) {
	jobs := []agent.HeldJob{waiting(1, 0, 8, 0), waiting(2, 0, 8, 0), waiting(3, 0, 8, 0)}
	jobs[0].Nice, jobs[2].Nice = 100, -2
	c, o := newOdd(8, 8, 0, jobs...), agent.Settings{Auction: auctiontest.Options(), Window: 4, Now: func() time.Time { return epoch }}
	for _, tt := range []struct {
		priority priority.Type
		want     string
	}{
		{priority.Basic, "1:3 3:2 2:1 "},
		// 10080 (1/8 + 8/64) / 2 without it.
		{priority.Multifactor, "3:1262 2:1260 1:1160 "},
	} {
		o.Priority = tt.priority
		s, _ := decided(t, c, o, auction.Result{})
		if text := window(s); text != tt.want {
			t.Errorf("%q: window %s, want %s", tt.priority, text, tt.want)
		}
	}
}

// "Submit the batch script to the Slurm controller immediately, like normal, but tell the controller to defer the
// allocation of the job until the specified time" (sbatch(1), --begin). Until then a job is not in the window, and
// the agent is settled only until then.
func TestBeginLater(t *testing.T) {
	jobs := []agent.HeldJob{waiting(1, 0, 8, 0), waiting(2, 0, 8, 0)}
	jobs[0].Begin = epoch.Add(time.Minute)
	for _, tt := range []struct {
		now  time.Duration
		want string
		next time.Time
	}{
		{0, "2:1 ", jobs[0].Begin},
		{59 * time.Second, "2:1 ", jobs[0].Begin},
		{time.Minute, "1:2 2:1 ", time.Time{}},
	} {
		o := agent.Settings{Auction: auctiontest.Options(), Window: 4, Now: func() time.Time { return epoch.Add(tt.now) }}
		proven := auction.Result{Assignment: auction.Assignment{Status: program.StatusOptimal}}
		s, a := decided(t, newOdd(8, 8, 0, jobs...), o, proven)
		if text := window(s); text != tt.want || !a.Settled() || a.Next() != tt.next {
			t.Errorf("after %v: window %s (settled: %v, next %v), want %s (true, %v)", tt.now, text, a.Settled(), a.Next(), tt.want, tt.next)
		}
	}
}

// Whatever waits, the window is in falling order, and jobs of one priority are in
// that of submission.
func TestMultifactorOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var held []agent.HeldJob
		since := time.Duration(0)
		for id := rapid.IntRange(1, 12).Draw(t, "jobs"); id > 0; id-- {
			since += time.Duration(rapid.IntRange(0, 300).Draw(t, "gap, s")) * time.Second
			held = append(held, waiting(id, rapid.IntRange(0, 2).Draw(t, "nodes"), rapid.IntRange(2, 32).Draw(t, "cores"), since))
		}
		slices.Reverse(held)
		s, _ := decided(t, newOdd(4, 8, 0, held...), agent.Settings{
			Auction: auctiontest.Options(),
			Window:  len(held), Priority: priority.Multifactor, Now: func() time.Time { return epoch },
		}, auction.Result{})
		for i, j := range s.Jobs[1:] {
			if before := s.Jobs[i]; j.Priority > before.Priority || j.Priority == before.Priority && j.ID < before.ID {
				t.Fatalf("%+v goes before %+v", before, j)
			}
		}
	})
}

// With time another job may come into a full window, and other weights may choose
// another job than one that cannot be asked of Slurm.
func TestMultifactorSettles(t *testing.T) {
	deferred := auction.Result{Deferred: []auction.Deferral{{Reason: "odd"}}}
	for _, tt := range []struct {
		name   string
		window int
		result auction.Result
		want   bool
	}{
		{"nothing fits", 2, auction.Result{}, true},
		{"the window is full", 1, auction.Result{}, false},
		{"a job is deferred", 2, deferred, false},
	} {
		for _, p := range []priority.Type{priority.Basic, priority.Multifactor} {
			_, a := decided(t, newOdd(1, 8, 0, job(1, 9)), agent.Settings{
				Auction: auctiontest.Options(),
				Window:  tt.window, Priority: p, Now: func() time.Time { return epoch },
			}, tt.result)
			if want := tt.want || p == priority.Basic; a.Settled() != want {
				t.Errorf("%s, %s: settled %v, want %v", tt.name, p, a.Settled(), want)
			}
		}
	}
}

// commands are those that were sent.
type commands []string

func (c *commands) Do(_ context.Context, command string) error {
	*c = append(*c, command)
	return nil
}

// Under priority/multifactor a job starts after those released before it only if
// its nice value lowers its priority by more than age and size can raise it.
func TestNiceKeepsTheOrderOfRelease(t *testing.T) {
	client := &slurmctl.Client{Runner: slurmtest.New(slurmtest.Config{Nodes: 2, Cores: 8})}
	var sent commands
	for _, multifactor := range []bool{false, true} {
		sent = nil
		cluster := agent.NewSlurm(client, &sent)
		if multifactor {
			cluster = cluster.WithMultifactor()
		}
		if _, err := cluster.State(t.Context()); err != nil {
			t.Fatal(err)
		}
		last, beganAnew := 0, 0
		for id := 1; id <= 100_000; id++ {
			sent = sent[:0]
			if err := cluster.Release(t.Context(), id, agent.Plan{Nodes: []int{0}, Request: machine.Request{Tasks: 4}}); err != nil {
				t.Fatal(err)
			}
			found := regexp.MustCompile(` Nice=(-?\d+)$`).FindStringSubmatch(sent[0])
			if (found != nil) != multifactor {
				t.Fatalf("multifactor %v: %q", multifactor, sent)
			}
			if !multifactor {
				break
			}
			nice, err := strconv.Atoi(found[1])
			if err != nil || nice <= -1<<31+3 || nice >= 0 {
				t.Fatalf("job %d has %q", id, found[1])
			}
			if id > 1 && nice-last <= priority.IPSCHED().Max() {
				beganAnew++
			}
			last = nice
		}
		if multifactor && beganAnew != 1 {
			t.Errorf("the order of release was broken %d times in 100000, want once", beganAnew)
		}
	}
}
