package agent

import (
	"context"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// account adds accounts to the state: how many cores each is charged for, and which
// one each held job belongs to. A job that was submitted after the queue had been
// read has no account until the next State.
func (s *Slurm) account(ctx context.Context, jobs []slurmctl.QueuedJob, charges map[int]slurmctl.Charge, state *State) error {
	var err error
	if s.shares == nil {
		if s.shares, s.usage, err = s.reader.Shares(ctx); err != nil {
			return err
		}
	}
	state.Shares, state.Used, state.Charged = s.shares, s.usage, map[string]int{}
	for _, j := range jobs {
		if j.State == slurmctl.JobRunning {
			state.Charged[charges[j.ID].Account] += j.CPUs
		}
	}
	for i := range state.Held {
		state.Held[i].Account = charges[state.Held[i].ID].Account
	}
	return nil
}

// fair returns the held jobs that the agent can schedule in the order of fair
// share, at most as many as the window has, each with the weight of its account.
func fair(l *priority.Ledger, state State, jobs []HeldJob, window int) []HeldJob {
	accounts, demand := make([]string, len(jobs)), make([]float64, len(jobs))
	for i, j := range jobs {
		accounts[i] = j.Account
		demand[i] = float64(j.Request.Tasks()) * j.Request.TimeLimit.Seconds()
	}
	order := l.Order(state.Shares, accounts, demand, window)
	chosen := make([]HeldJob, len(order))
	for i, at := range order {
		chosen[i] = jobs[at]
		chosen[i].Request.Weight = l.Factor(state.Shares, jobs[at].Account)
	}
	return chosen
}
