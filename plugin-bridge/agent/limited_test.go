package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
)

const fewJobs = "GrpJobs of QOS low"

// limited is a cluster on which at most so many of the counted jobs run at once. Slurm keeps the capped jobs waiting for a limit that the agent does not know.
type limited struct {
	*odd
	most    int
	counted map[int]machine.Licences
	capped  map[int]string
}

func (c *limited) State(ctx context.Context) (agent.State, error) {
	s, err := c.odd.State(ctx)
	s.Licences, s.Capped = machine.Licences{{Name: fewJobs, Count: c.most}}, c.capped
	for id := range c.running {
		s.Licences.Take(c.counted[id])
	}
	return s, err
}

var one = machine.Licences{{Name: fewJobs, Count: 1}}

func underLimit(id int) agent.HeldJob {
	h := job(id, 2)
	h.Limits = map[string]machine.Licences{"": one}
	return h
}

// firstNode is a program that starts all jobs on the first node, and knows no limits.
var firstNode = decider{decide: func(s auction.Snapshot, _ int) (auction.Result, error) {
	var r auction.Result
	for i, j := range s.Jobs {
		r.Ordered = append(r.Ordered, bidding.Bid{Job: i, Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{j.Cores}}})
	}
	return r, nil
}}

// Of jobs which only together exceed a limit one starts at a time under every program, in the order of the decision. Another one
// waits with the name of the limit, and is not in the window, as Slurm plans nothing for it (acct_policy_job_runnable_post_select in
// src/slurmctld/acct_policy.c).
func TestLimitsHoldForAllPrograms(t *testing.T) {
	for name, settings := range map[string]agent.Settings{
		"program": {Window: 10, Patience: 2, Decider: firstNode},
		"auction": {Window: 10, Patience: 2, Auction: auctiontest.Options()},
	} {
		c := &limited{odd: newOdd(1, 8, 0, underLimit(1), underLimit(2), job(3, 2)), most: 1,
			counted: map[int]machine.Licences{1: one, 2: one}}
		a := agent.New(c, auctiontest.Greedy{}, settings)
		first, err := a.Cycle(t.Context(), 0)
		if err != nil || !slices.Equal(jobsOf(first), []int{1, 3}) {
			t.Fatalf("%s: %+v, %v, want jobs 1 and 3 released", name, first, err)
		}
		second, err := a.Cycle(t.Context(), 0)
		want := trace.Refusal{Job: 2, Reason: "the limit GrpJobs of QOS low leaves less than the 1 that it asks for"}
		if err != nil || len(second.Released) != 0 || second.Window != 0 || !slices.Equal(second.Unplaced, []trace.Refusal{want}) || !slices.Equal(a.Hindered().Obstacles, second.Unplaced) {
			t.Errorf("%s: %+v, %v, hindered %+v, want %+v", name, second, err, a.Hindered(), want)
		}
		delete(c.running, 1)
		c.nodes[0].FreeCores += 2
		third, err := a.Cycle(t.Context(), 0)
		if err != nil || !slices.Equal(jobsOf(third), []int{2}) || len(a.Hindered().Obstacles) != 0 {
			t.Errorf("%s: %+v, %v, want job 2 released after the end of job 1", name, third, err)
		}
	}
}

// A released job that Slurm keeps waiting for a limit holds nothing of the plan any more, and tries again when a job has ended.
func TestJobsBeyondSlurmsOwnLimits(t *testing.T) {
	const grpMem = "QOSGrpMemLimit"
	c := &limited{odd: newOdd(1, 8, 0, job(1, 2)), capped: map[int]string{}}
	a := newAgent(c)
	if _, err := a.Cycle(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	c.held, c.stuck, c.capped[2] = []agent.HeldJob{job(2, 8)}, true, grpMem
	c.held[0].Request.Cores = 6
	if record, err := a.Cycle(t.Context(), 0); err != nil || !slices.Equal(jobsOf(record), []int{2}) {
		t.Fatalf("%+v, %v, want job 2 released", record, err)
	}
	record, err := a.Cycle(t.Context(), 0)
	want := trace.Refusal{Job: 2, Reason: "Slurm keeps it waiting for a limit: " + grpMem}
	if err != nil || !slices.Equal(record.Reheld, []trace.Refusal{want}) || a.Waiting() != 0 {
		t.Fatalf("%+v, %v, want %+v", record, err, want)
	}
	delete(c.capped, 2)
	c.stuck = false
	const waits = "Slurm keeps it waiting for a limit (QOSGrpMemLimit), and no job has ended since"
	if record, err = a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 0 || len(a.Hindered().Obstacles) != 1 || a.Hindered().Obstacles[0].Reason != waits {
		t.Errorf("%+v, %v, hindered %+v, want %q", record, err, a.Hindered(), waits)
	}
	delete(c.running, 1)
	c.nodes[0].FreeCores = 8
	if record, err = a.Cycle(t.Context(), 0); err != nil || !slices.Equal(jobsOf(record), []int{2}) {
		t.Errorf("%+v, %v, want job 2 released after the end of job 1", record, err)
	}
}

// jobsOf are the jobs that a cycle released.
func jobsOf(record trace.Cycle) []int {
	var all []int
	for _, r := range record.Released {
		all = append(all, r.Job)
	}
	return all
}
