package policy

import (
	"errors"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// Parameters are the agent's settings. Times are virtual.
type Parameters struct {
	Method Method
	// Interval is the time from the start of one cycle to the start of the
	// next; a cycle that takes longer delays the next one.
	Interval time.Duration
	Cycles   Cycles
	// SolveLimit bounds one solution of the integer program.
	SolveLimit time.Duration
	// Window is the number of held jobs that take part in an auction.
	Window int
	// Objective is what an auction maximises.
	Objective auction.Objective
	// MaxBypass bounds how long other jobs may start before a waiting one: the
	// factor of auction.Guard, 0 for no bound.
	MaxBypass float64
	// MaxBidsPerJob and MaxBids bound the bids of one job and of a cycle.
	MaxBidsPerJob, MaxBids int
	// SlurmBids adds the bids that a job would win in the order of the queue,
	// RemainderBids those of class R. OnlyBlocks leaves out class C.
	SlurmBids, RemainderBids, OnlyBlocks bool
	// PaperBids makes the bids of AUCSCHED's text (auction.PaperBids) in place of ours.
	PaperBids bool
	// Shrink says what becomes smaller after a solution that took too long.
	Shrink agent.Shrink
	// ColdStart gives AUCSCHED's solver no point to begin with.
	ColdStart bool
	// StartLate has IPSCHED start the jobs of a solution that was not proven in time.
	StartLate bool
	// FairShare is the half-life of usage, in virtual time; 0 for no fair share.
	FairShare time.Duration
	// Program is the name of the file of MethodProgram, ProgramSum the SHA-256 of its content.
	Program, ProgramSum string
	// ProgramOnHost has it run on the user's machine instead of in the cluster.
	ProgramOnHost bool
	// DumpModels keeps the integer program of each cycle.
	DumpModels bool
}

// year is the longest half-life of usage; longer than that is as good as for ever.
const year = 365 * 24 * time.Hour

// knobs declares every parameter: name, place, default and allowed values, help.
//
// The defaults of a run that asks for nothing else: AUCSCHED section 6.2 has an
// interval and a solve limit of 5 s, the published plug-in 15 bids per job. Its
// window of 100 jobs is too narrow for an objective that looks for wide jobs: 500
// hold the whole queue of the papers' workloads. max-bids is the product of the
// two, so that only the limit per job cuts.
func (p *Parameters) knobs() []knob {
	const window = 500
	// IPSCHED's program chooses nodes itself.
	bidders := []Method{MethodAUCSCHED, MethodAuction}
	solvers := []Method{MethodIPSCHED, MethodAUCSCHED, MethodAuction}
	return []knob{
		words("method", &p.Method, MethodAuction, []Method{MethodIPSCHED, MethodAUCSCHED, MethodAuction, MethodProgram},
			"program that the agent decides by").only(inFile),
		between("interval", &p.Interval, 5*time.Second, time.Second, time.Hour, "virtual time from one cycle to the next"),
		words("cycles", &p.Cycles, CyclesPrompt, []Cycles{CyclesEvery, CyclesChanged, CyclesPrompt},
			"every (one each interval), changed (those of them after a job came or ended, which decide alike) or "+
				"prompt (as soon as a job came or ended, and an interval apart while jobs wait, less where jobs are short)"),
		between("solve-limit", &p.SolveLimit, 5*time.Second, time.Second, time.Hour, "virtual time limit of one solution, or of one answer of a program"),
		between("window", &p.Window, window, 1, 10_000, "held jobs that take part"),
		words("objective", &p.Objective, auction.ObjectiveAdaptive, p.Method.objectives(),
			"value (what a job takes, wide and short ones first), priority (the papers': its place in the queue) "+
				"or adaptive (value, and where time limits are far apart slowdown)").readBy(solvers...),
		between("max-bypass", &p.MaxBypass, 2, 0, 1000,
			"how many times the backlog that a job found others may pass it, before it is next (0: for ever)").
			readBy(MethodAuction),
		between("max-bids-per-job", &p.MaxBidsPerJob, bidding.DefaultMaxBidsPerJob, 1, 1000, "bids of one job").readBy(bidders...),
		between("max-bids", &p.MaxBids, window*bidding.DefaultMaxBidsPerJob, 1, 100_000, "bids of one cycle").
			readBy(bidders...),
		yesOrNo("slurm-bids", &p.SlurmBids, true, "bids of the order of the queue").readBy(bidders...),
		yesOrNo("remainder-bids", &p.RemainderBids, true, "bids of class R").only(inFile).readBy(bidders...),
		yesOrNo("only-blocks", &p.OnlyBlocks, false, "bids for contiguous blocks alone").readBy(bidders...),
		yesOrNo("paper-bids", &p.PaperBids, false, "bids of AUCSCHED sections 4 and 5 to the letter, in place of ours").
			readBy(bidders...).orNone(),
		words("shrink", &p.Shrink, agent.ShrinkNothing, p.Method.shrinks(),
			"what gets smaller when a solution ends at its limit: nothing, window (by 2) or bids (by 1.5)").readBy(solvers...),
		yesOrNo("cold-start", &p.ColdStart, false,
			"give AUCSCHED's solver no selection of its bids to begin with, as in the paper").
			readBy(MethodAUCSCHED).orNone(),
		yesOrNo("start-late", &p.StartLate, false,
			"start the jobs of the best solution known at the limit, though it is not proven; in the paper none").
			readBy(MethodIPSCHED).orNone(),
		between("fair-share", &p.FairShare, 0, time.Minute, year,
			"weigh jobs by the fair-share factor of their users; the half-life of usage, such as 168h (default: no fair share)").
			orNone().recordedAs("fair_share_half_life_ns"),
		yesOrNo("dump-models", &p.DumpModels, false,
			"keep each cycle's integer program in models/, for slurmlab solve; writing takes its time in the cycle").
			only(inFlags).orNone().readBy(solvers...),
		text("program", &p.Program).readBy(MethodProgram),
		text("program-sum", &p.ProgramSum).recordedAs("program_sha256").readBy(MethodProgram),
		yesOrNo("program-on-host", &p.ProgramOnHost, false, "").only(0).orNone().readBy(MethodProgram),
	}
}

// DefaultParameters returns the parameters of which nobody said anything.
func DefaultParameters() Parameters {
	var p Parameters
	for _, k := range p.knobs() {
		k.reset()
	}
	return p
}

// Validate reports every fault of the parameters.
func (p Parameters) Validate() error {
	var faults []error
	for _, k := range p.knobs() {
		faults = append(faults, k.fault())
	}
	if p.MaxBypass != 0 && p.Method != MethodAuction {
		faults = append(faults, fmt.Errorf("max-bypass: %v is not allowed, want 0: %s has no reservations", p.MaxBypass, p.Method))
	}
	return errors.Join(faults...)
}
