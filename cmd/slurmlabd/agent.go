package main

import (
	"fmt"
	"os"
	"time"

	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/emulator/boot"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/decision"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// patience is the number of cycles a released job may take to start: AUCSCHED
// schedules every interval, so two of them are more than enough for a job
// whose nodes are free.
const patience = 2

// newCluster returns the cluster as the agent sees it.
func newCluster(client *slurmctl.Client, session *slurmctl.Session, order priority.Type, p emulator.Parameters) *agent.Slurm {
	cluster := agent.NewSlurm(client, session)
	if p.FairShare > 0 {
		cluster = cluster.WithAccounts()
	}
	if order == priority.Multifactor {
		cluster = cluster.WithMultifactor()
	}
	return cluster
}

// newAgent returns the agent with the program that the parameters name, and a
// function that ends its solver. Auctions are journaled in the directory out, if
// that is not empty.
func newAgent(state boot.State, cluster agent.Cluster, order priority.Type, p emulator.Parameters, out string) (*agent.Agent, func(), error) {
	if highs.Version() == "" {
		return nil, nil, highs.ErrNotBuilt
	}
	// The solver is this program again, so that both are of one build.
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find own program: %w", err)
	}
	// All of a cluster shares one core. A real controller does not keep its
	// compute nodes from ending a job, so the solver gives way to them.
	gently := []string{"-n", "10", self}
	options := agentOptions(p, state.Clock.RealDuration(p.SolveLimit))
	options.Priority, options.Now = order, state.Clock.Now
	if p.DumpModels {
		if err = os.MkdirAll(emulator.ModelsDir, 0o755); err != nil {
			return nil, nil, fmt.Errorf("dump programs: %w", err)
		}
		options.Dump = dumpAuctionTo(emulator.ModelsDir)
	}
	if p.Method == emulator.MethodAuction {
		if out != "" {
			if options.Journal, err = journalTo(out); err != nil {
				return nil, nil, err
			}
		}
		search, err := solver.New(solver.Options{
			Start: solver.Command("nice", append(gently, workerCommandName)...), TimeLimit: options.SolveLimit,
		})
		if err != nil {
			return nil, nil, err
		}
		return agent.New(cluster, search, options), search.Close, nil
	}
	policy := newPolicy(p, decision.Options{
		Solve: solver.Programs{Path: "nice", Args: append(gently, programCommandName)}.Solve,
		Limit: options.SolveLimit, Bids: options.Auction, Clock: options.Auction.Clock,
	})
	options.Decide, options.Obstacle, options.Recheck = policy.Decide, policy.Obstacle, true
	if p.DumpModels {
		options.Dump = func(cycle int, _ auction.Snapshot, _ auction.Result) error {
			return dumpTo(emulator.ModelsDir, cycle, policy.Program())
		}
	}
	return agent.New(cluster, nil, options), func() {}, nil
}

// agentOptions are the settings of all methods. limit is in real time.
func agentOptions(p emulator.Parameters, limit time.Duration) agent.Options {
	started := time.Now()
	return agent.Options{
		Window: p.Window, Patience: patience, Shrink: p.Shrink, SolveLimit: limit,
		MaxBypass: p.MaxBypass, FairShare: p.FairShare,
		Auction: auction.Options{
			MaxBidsPerJob: p.MaxBidsPerJob,
			MaxBids:       p.MaxBids,
			Objective:     p.Objective,
			NoSlurmBids:   !p.SlurmBids,
			NoRemainders:  !p.RemainderBids,
			OnlyBlocks:    p.OnlyBlocks,
			Clock:         func() time.Duration { return time.Since(started) },
		},
	}
}

// newPolicy returns the policy of a method other than the auction.
func newPolicy(p emulator.Parameters, o decision.Options) *decision.Policy {
	if p.Method == emulator.MethodAUCSCHED {
		return decision.NewAUCSCHED(o)
	}
	if p.Objective == emulator.ObjectivePriorityCores {
		o.Objective = formulation.ByPriorityCores
	}
	return decision.NewIPSCHED(o)
}
