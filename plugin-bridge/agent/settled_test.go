package agent_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
)

// lazySolver gives up before it finds anything.
type lazySolver struct{ auction.Assignment }

func (s lazySolver) Solve(context.Context, auction.Problem) (auction.Assignment, error) {
	return s.Assignment, nil
}

// An agent is settled only if the next cycle could decide nothing, by what the last
// one left behind.
func TestSettled(t *testing.T) {
	tests := []struct {
		name   string
		held   []agent.HeldJob
		set    func(*odd)
		solver auction.Solver
		cycles int
		want   bool
	}{
		{name: "before the first cycle", want: false},
		{name: "nothing to do", cycles: 1, want: true},
		{name: "no room for the job", held: []agent.HeldJob{job(1, 9)}, cycles: 1, want: true},
		{name: "no room, proven", held: []agent.HeldJob{job(1, 9)}, solver: auctiontest.Exhaustive{}, cycles: 1, want: true},
		{name: "a release", held: []agent.HeldJob{job(1, 8)}, cycles: 1, want: false},
		{name: "a started job", held: []agent.HeldJob{job(1, 8)}, cycles: 2, want: true},
		{name: "a job in flight", held: []agent.HeldJob{job(1, 8)}, set: func(c *odd) { c.stuck = true }, cycles: 2, want: false},
		{name: "a job out of patience", held: []agent.HeldJob{job(1, 8)}, set: func(c *odd) { c.stuck = true }, cycles: 3, want: false},
		{name: "a refusal", held: []agent.HeldJob{job(1, 8)}, set: func(c *odd) { c.refuse = true }, cycles: 1, want: false},
		{name: "a job held by Slurm", held: []agent.HeldJob{job(1, 8)}, set: func(c *odd) { c.holds = true }, cycles: 2, want: false},
		{name: "somebody's pending job", set: func(c *odd) { c.pending = []int{7} }, cycles: 1, want: false},
		{name: "a job on its way", set: func(c *odd) { c.transient = true }, cycles: 1, want: false},
		{
			name: "a solver out of time", held: []agent.HeldJob{job(1, 8)}, cycles: 1, want: false,
			solver: lazySolver{auction.Assignment{Bound: 1, Status: program.StatusTimeLimit}},
		},
		{name: "a broken cluster", set: func(c *odd) { c.broken = errors.New("gone") }, cycles: 1, want: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newOdd(1, 8, 0, tt.held...)
			if tt.set != nil {
				tt.set(c)
			}
			if tt.solver == nil {
				tt.solver = auctiontest.Greedy{}
			}
			a := agent.New(c, tt.solver, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 2})
			for range tt.cycles {
				if _, err := a.Cycle(t.Context(), 0); err != nil && !errors.Is(err, c.broken) {
					t.Fatal(err)
				}
			}
			if got := a.Settled(); got != tt.want {
				t.Errorf("settled %v, want %v", got, tt.want)
			}
		})
	}
}

// A settled agent that hears of a change is not settled any more once it acts.
func TestSettledEndsWithAChange(t *testing.T) {
	c := newOdd(1, 8, 0)
	a := newAgent(c)
	for range 2 {
		if _, err := a.Cycle(t.Context(), 0); err != nil || !a.Settled() {
			t.Fatalf("settled %v, %v, want an idle cluster to be settled", a.Settled(), err)
		}
	}
	c.held = append(c.held, job(1, 8))
	if record, err := a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 || a.Settled() {
		t.Fatalf("record %+v, %v, settled %v, want a release", record, err, a.Settled())
	}
}

// Completing jobs and nodes give resources back without a further notice.
func TestCompletingIsTransient(t *testing.T) {
	cluster := slurmtest.New(slurmtest.Config{Nodes: 2, Cores: 8, Completing: 5 * time.Second})
	client := &slurmctl.Client{Runner: cluster}
	if _, err := client.Submit(t.Context(), sbatch.Request{
		Name: "1", Tasks: 8, TimeLimit: time.Hour, Script: "#!/bin/bash\nsleep 10\n",
	}); err != nil {
		t.Fatal(err)
	}
	slurm := agent.NewSlurm(client, client)
	for _, step := range []struct {
		pass      time.Duration
		pending   int
		transient bool
	}{
		{0, 1, false}, {time.Second, 0, false}, {10 * time.Second, 0, true}, {5 * time.Second, 0, false},
	} {
		cluster.Advance(step.pass)
		state, err := slurm.State(t.Context())
		if err != nil || len(state.Pending) != step.pending || state.Transient != step.transient {
			t.Errorf("%v later: state %+v, %v, want %d pending, transient %v", step.pass, state, err, step.pending, step.transient)
		}
	}
}
