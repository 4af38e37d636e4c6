package drive_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
	"github.com/slurmlab/slurmlab/workloads"
)

var small = workloads.Machine{Name: "small", Nodes: 2, Cores: 4, GPUs: 1}

func starts(job int, name string, placed ...slurmtest.Placed) slurmtest.Event {
	return slurmtest.Event{Job: job, Name: name, State: slurmctl.JobRunning, Placed: placed}
}

func ends(job int, name string) slurmtest.Event {
	return slurmtest.Event{Job: job, Name: name, State: slurmctl.JobCompleted}
}

func on(node, gpus int, cores ...int) slurmtest.Placed {
	return slurmtest.Placed{Node: node, Cores: cores, GPUs: gpus}
}

// The checker says nothing of an honest cluster and catches each way to cheat.
func TestCheckerCatchesCheating(t *testing.T) {
	both := []workloads.Job{{ID: 1}, {ID: 2}}
	tests := []struct {
		name     string
		events   []slurmtest.Event
		hindered []string
		want     string
	}{
		{
			name: "honest",
			events: []slurmtest.Event{
				starts(1, "1", on(0, 1, 0, 1)), starts(2, "2", on(0, 0, 2, 3), on(1, 0, 0)), ends(1, "1"), ends(2, "2"),
			},
		},
		{
			name:   "honest, the same core one after the other",
			events: []slurmtest.Event{starts(1, "1", on(0, 1, 0)), ends(1, "1"), starts(2, "2", on(0, 1, 0)), ends(2, "2")},
		},
		{name: "honest, with an obstacle", events: []slurmtest.Event{starts(1, "1", on(0, 1, 0)), ends(1, "1")}, hindered: []string{"2"}},
		{
			name:   "an oversold core",
			events: []slurmtest.Event{starts(1, "1", on(0, 0, 0, 1)), starts(2, "2", on(0, 0, 1, 2)), ends(1, "1"), ends(2, "2")},
			want:   "core 1 of node 0 is held by the jobs 1 and 2",
		},
		{
			name:   "an oversold GPU",
			events: []slurmtest.Event{starts(1, "1", on(1, 1, 0)), starts(2, "2", on(1, 1, 1)), ends(1, "1"), ends(2, "2")},
			want:   "node 1 has 1 GPUs, and 2 are in use with job 2",
		},
		{
			name: "a double start",
			events: []slurmtest.Event{
				starts(1, "1", on(0, 0, 0)), starts(3, "1", on(1, 0, 0)), ends(1, "1"), starts(2, "2", on(0, 0, 1)), ends(2, "2"),
			},
			want: "job 1 started 2 times",
		},
		{
			name:   "an end too many",
			events: []slurmtest.Event{starts(1, "1", on(0, 0, 0)), ends(1, "1"), ends(1, "1"), starts(2, "2", on(0, 0, 0)), ends(2, "2")},
			want:   "job 1 ended 2 times",
		},
		{
			name:   "a job that does not end",
			events: []slurmtest.Event{starts(1, "1", on(0, 0, 0)), starts(2, "2", on(0, 0, 1)), ends(2, "2")},
			want:   "job 1 did not end",
		},
		{
			name:   "a lost job",
			events: []slurmtest.Event{starts(1, "1", on(0, 0, 0)), ends(1, "1")},
			want:   "job 2 never started and has no obstacle",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecker(small)
			for _, e := range tt.events {
				c.observe(e)
			}
			c.over(both, tt.hindered)
			caught(t, c, tt.want)
		})
	}
}

// The checker catches records that hide something.
func TestCheckerCatchesRecords(t *testing.T) {
	release := func(job int, nodes, cores string) trace.Release {
		return trace.Release{Job: job, Slurm: job, Nodes: nodes, Cores: cores}
	}
	refusal := []trace.Refusal{{Job: 1, Reason: "why"}}
	tests := []struct {
		name string
		feed func(c *checker)
		want string
	}{
		{"honest failure", func(c *checker) { c.recorded(trace.Cycle{Cycle: 3, Error: "no answer"}, errors.New("no answer"), 0) }, ""},
		{"hidden failure", func(c *checker) { c.recorded(trace.Cycle{Cycle: 3}, errors.New("no answer"), 0) }, "cycle 3 failed, and its record"},
		{"an honest reason", func(c *checker) { c.blames("cycle 3: slurm does not answer: squeue", []string{"does not answer"}) }, ""},
		{"another reason", func(c *checker) { c.blames("1 job waits", []string{"does not answer"}) }, "the run failed for another reason"},
		{"honest refusal", func(c *checker) { c.recorded(trace.Cycle{Refused: refusal}, nil, 1) }, ""},
		{"hidden refusal", func(c *checker) { c.recorded(trace.Cycle{Cycle: 3}, nil, 1) }, "cycle 3: 1 releases were refused"},
		{"honest promises", func(c *checker) {
			c.promise(trace.Cycle{Cycle: 1, Released: []trace.Release{release(1, "n[1-2]", "3(x2)"), release(2, "n1", "1")}})
			c.promise(trace.Cycle{Cycle: 2, Reheld: refusal})
			c.promise(trace.Cycle{Cycle: 3, Released: []trace.Release{release(3, "n[1-2]", "3,4")}})
		}, ""},
		{"a node promised twice", func(c *checker) {
			c.promise(trace.Cycle{Cycle: 1, Released: []trace.Release{release(1, "n[1-2]", "3(x2)")}})
			c.promise(trace.Cycle{Cycle: 2, Released: []trace.Release{release(2, "n2", "2")}})
		}, "cycle 2: node n2 has 4 cores, and 5 are promised to jobs [1 2]"},
		{"a refusal when all is calm", func(c *checker) { c.calm([]trace.Cycle{{Cycle: 9, Refused: refusal}}, nil) }, "cycle 9 without a fault: job 1: why"},
		{"other nodes when all is calm", func(c *checker) {
			c.calm([]trace.Cycle{
				{Cycle: 8, Released: []trace.Release{release(1, "n1", "4")}},
				{Cycle: 9, Checked: []trace.Placement{{Job: 1, Planned: "n1", Actual: "n2"}}},
			}, nil)
		}, "job 1 was planned on n1 and got n2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecker(small)
			tt.feed(c)
			caught(t, c, tt.want)
		})
	}
}

func caught(t *testing.T, c *checker, want string) {
	t.Helper()
	got := strings.Join(c.faults, "\n")
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("the checker says %q, want %q", got, want)
	}
}

// A cluster that makes two jobs of each submission is caught by a whole scenario, and
// no step of the nemesis is needed for it.
func TestScenarioCatchesTwins(t *testing.T) {
	for _, kept := range []bool{true, false} {
		s := newScenario(1)
		s.kept, s.twins = kept, true
		out := play(t, s, nil)
		if len(out.faults) == 0 {
			t.Fatalf("kept %v: nothing was noticed", kept)
		}
		least := shrink(t, s, out)
		if text := strings.Join(least.faults, "\n"); len(least.steps) > 0 || !strings.Contains(text, "started 2 times") {
			t.Errorf("kept %v: the checker says %s\nafter\n%s", kept, text, lines(least.steps))
		}
	}
}
