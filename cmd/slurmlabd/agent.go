package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// patience is the number of cycles a released job may take to start: AUCSCHED
// schedules every interval, so two of them are more than enough for a job
// whose nodes are free.
const patience = 2

// newCluster returns the cluster as the agent sees it.
func newCluster(c connection, spec conf.Spec, order priority.Type, p policy.Parameters) *agent.Slurm {
	cluster := agent.NewSlurm(c.Reader, c.Session).WithRules(rulesOf(spec, p.Method))
	if p.FairShare > 0 {
		cluster = cluster.WithAccounts()
	}
	if order == priority.Multifactor {
		cluster = cluster.WithMultifactor()
	}
	if p.Method == policy.MethodFormula {
		cluster = cluster.WithOrder()
	}
	return cluster
}

// rulesOf are the rules of a cluster for jobs. A method whose program has no constraint for memory gets no default: jobs that ask for no
// memory never have less of it than cores. Under a formula Slurm's own scheduler keeps to the limits.
func rulesOf(spec conf.Spec, method policy.Method) agent.Rules {
	r := agent.Rules{Partitions: make(map[string]agent.Partition)}
	for _, p := range spec.Layout.Partitions {
		r.Partitions[p.Name] = agent.Partition{
			MaxNodes: p.MaxNodes, Tier: p.PriorityTier, MaxTime: time.Duration(p.MaxTime) * time.Minute, WholeNodes: p.GivesWholeNodes(),
		}
	}
	if method == policy.MethodAuction {
		r.MemoryPerNode, r.MemoryPerCore = spec.DefaultMemory()
	}
	if method != policy.MethodFormula {
		r.Layout = spec.Layout
	}
	return r
}

// deciders are the processes that decide for an agent: a solver, or a program of the user's.
type deciders struct {
	search  *solver.Solver
	program *plugin.Decider
	process *plugin.Process
}

// Close ends them.
func (a deciders) Close() {
	if a.search != nil {
		a.search.Close()
	}
	if a.program != nil {
		a.program.Close()
	}
}

// lost says why the solver ended that nobody told to, "" while it lives.
func (a deciders) lost() string {
	if a.search == nil {
		return ""
	}
	return a.search.Lost()
}

// mayBeStopped says that a process is a program of the user's, or was started by one. They are stopped between two
// questions and miss nothing.
func (a deciders) mayBeStopped(pid int) bool {
	return a.process != nil && (a.process.PID() == pid || boot.RunBy(pid, conf.ProgramUser))
}

// agentRequest says which agent is wanted.
type agentRequest struct {
	state   boot.State
	cluster agent.Cluster
	// order is the priority of waiting jobs.
	order      priority.Type
	parameters policy.Parameters
	// journal is the directory in which auctions are journaled, none if it is empty.
	journal string
	// remember is agent.Settings.Remember.
	remember func([]agent.Flight) error
	// used receives the process id and the processor time of each solver that has ended. It may be nil.
	used func(pid int, processor time.Duration)
	// host is a program on the user's machine, if the parameters name one.
	host plugin.Program
	log  *slog.Logger
}

// newAgent returns the agent with the program that the parameters name, and its deciders,
// which must be closed.
func newAgent(ctx context.Context, r agentRequest) (*agent.Agent, deciders, error) {
	p := r.parameters
	options := agentOptions(p, r.state.Clock.RealDuration(p.SolveLimit))
	options.Priority, options.Now, options.Remember, options.Log = r.order, r.state.Clock.Now, r.remember, r.log
	if p.DumpModels {
		if err := os.MkdirAll(drive.ModelsDir, 0o755); err != nil {
			return nil, deciders{}, fmt.Errorf("dump programs: %w", err)
		}
		options.Dump = dumpAuctionTo(drive.ModelsDir)
	}
	if p.Method == policy.MethodProgram {
		help, err := newProgramOf(ctx, r.state, p, options, r.host, r.log)
		if err != nil {
			return nil, deciders{}, err
		}
		options.Decider, options.Heard, options.Note = help.program, help.program.Told, help.program.Note
		return agent.New(r.cluster, nil, options), help, nil
	}
	if p.Method == policy.MethodFormula {
		var err error
		options.Formula, err = agent.ParseFormula(p.Formula)
		return agent.New(r.cluster, nil, options), deciders{}, err
	}
	if p.Method == policy.MethodAuction && r.journal != "" {
		var err error
		if options.Journal, err = journalTo(r.journal); err != nil {
			return nil, deciders{}, err
		}
	}
	search, err := newSolver(options.SolveLimit, r.used, r.log)
	if err != nil {
		return nil, deciders{}, err
	}
	help := deciders{search: search}
	if p.Method == policy.MethodAuction {
		if p.PaperBids {
			options.Auction.Arrange = papers.Arrange
		}
		return agent.New(r.cluster, search, options), help, nil
	}
	of := papers.DeciderOptions{
		Solve: search.SolveProgram, Pack: search, Quick: search.Quick, Keep: p.DumpModels, StartLate: p.StartLate,
		Limit: options.SolveLimit, Bids: options.Auction.Bids, Clock: options.Auction.Clock,
	}
	if !p.ColdStart {
		of.Start = search.Quick
	}
	program := newProgram(p, of)
	options.Decider = program
	if p.DumpModels {
		options.Dump = func(cycle int, _ auction.Snapshot, _ auction.Result) error {
			return dumpTo(drive.ModelsDir, cycle, program.Program())
		}
	}
	return agent.New(r.cluster, nil, options), help, nil
}

// agentOptions are the settings of all methods. limit is in real time.
func agentOptions(p policy.Parameters, limit time.Duration) agent.Settings {
	started := time.Now()
	return agent.Settings{
		Window: p.Window, Patience: patience, Shrink: p.Shrink, SolveLimit: limit,
		MaxBypass: p.MaxBypass, FairShare: p.FairShare, Reading: p.Reading,
		Auction: auction.Options{
			Bids: bidding.BidOptions{
				MaxBidsPerJob: p.MaxBidsPerJob, MaxBids: p.MaxBids,
				SlurmBids: p.SlurmBids, Remainders: p.RemainderBids, Papers: p.PaperBids, OnlyBlocks: p.OnlyBlocks, FewestNodes: p.FewestNodes,
			},
			Objective: p.Objective,
			Clock:     func() time.Duration { return time.Since(started) },
		},
	}
}

// newProgram returns the program of a method other than the auction.
func newProgram(p policy.Parameters, o papers.DeciderOptions) *papers.Decider {
	if p.Method == policy.MethodAUCSCHED {
		return papers.NewAUCSCHED(o)
	}
	if p.Objective == policy.ObjectivePriorityCores {
		o.Objective = papers.ByPriorityCores
	}
	return papers.NewIPSCHED(o)
}
