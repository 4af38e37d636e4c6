package policy

import (
	"errors"
	"fmt"
	"slices"
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
	// Reading says what the priorities of the papers' objectives are.
	Reading auction.Reading
	// MaxBypass bounds how long other jobs may start before a waiting one: the
	// factor of auction.Guard, 0 for no bound.
	MaxBypass float64
	// MaxBidsPerJob and MaxBids bound the bids of one job and of a cycle.
	MaxBidsPerJob, MaxBids int
	// SlurmBids adds the bids that a job would win in the order of the queue,
	// RemainderBids those of class R. OnlyBlocks leaves out class C.
	SlurmBids, RemainderBids, OnlyBlocks bool
	// FewestNodes has jobs prefer their fewest nodes (bidding.BidOptions).
	FewestNodes bool
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
	// Formula is the order of the queue under MethodFormula.
	Formula string
	// Program is the name of the file of MethodProgram, ProgramSum the SHA-256 of its content.
	Program, ProgramSum string
	// ProgramOnHost has it run on the user's machine instead of in the cluster.
	ProgramOnHost bool
	// DumpModels keeps the integer program of each cycle.
	DumpModels bool
}

// year is the longest half-life of usage; a longer one makes no difference in a run.
const year = 365 * 24 * time.Hour

// knobs declares every parameter: name, default and allowed values, help.
//
// The defaults of a run that asks for nothing else. AUCSCHED section 6.2 has an interval and a solve limit of 5 s,
// the published plug-in 15 bids per job. Its window of 100 jobs is too narrow for an objective that looks for wide
// jobs: 500 hold the whole queue of the papers' workloads. max_bids is the product of the two, so that only the limit
// per job cuts.
func (p *Parameters) knobs() []knob {
	const window = 500
	// IPSCHED's program chooses nodes itself.
	bidders := []Method{MethodAUCSCHED, MethodAuction}
	solvers := []Method{MethodIPSCHED, MethodAUCSCHED, MethodAuction}
	deciders := append(slices.Clone(solvers), MethodProgram)
	return []knob{
		words("method", &p.Method, MethodAuction, []Method{MethodIPSCHED, MethodAUCSCHED, MethodAuction, MethodProgram, MethodFormula},
			"program that the agent decides by"),
		between("interval", &p.Interval, 5*time.Second, time.Second, time.Hour, "", "virtual time from one cycle to the next"),
		words("cycles", &p.Cycles, CyclesPrompt, []Cycles{CyclesEvery, CyclesChanged, CyclesPrompt},
			"every (one each interval), changed (only the ones after a job came or ended, which decide alike) or "+
				"prompt (as soon as a job came or ended, and an interval apart while jobs wait, less where jobs are short)"),
		between("solve_limit", &p.SolveLimit, 5*time.Second, time.Second, time.Hour, "", "virtual time limit of one solution, or of one answer of a program").
			readBy(deciders...),
		between("window", &p.Window, window, 1, 10_000, "jobs", "held jobs that take part").readBy(deciders...),
		words("objective", &p.Objective, auction.ObjectiveAdaptive, p.Method.objectives(),
			"value (what a job takes, wide and short ones first), priority (the papers': its position in the queue) "+
				"or adaptive (value; slowdown when time limits vary widely)").readBy(solvers...),
		words("priorities", &p.Reading, auction.ReadRanks, auction.Readings(),
			"P_j of the objective priority: literal (Slurm's own: under priority/basic most jobs first, then those submitted "+
				"first), ranks (places in the queue, |J| to 1) or size (ranks times cores); under multifactor Slurm's own, or times cores").
			readBy(solvers...).assume(auction.ReadRanks),
		between("max_bypass", &p.MaxBypass, 2, 0, 1000, "backlogs",
			"reserve nodes for a job once others have overtaken it by so many times the backlog at its arrival (0: never)").
			readBy(MethodAuction),
		between("max_bids_per_job", &p.MaxBidsPerJob, bidding.DefaultMaxBidsPerJob, 1, 1000, "bids", "bids of one job").readBy(bidders...),
		between("max_bids", &p.MaxBids, window*bidding.DefaultMaxBidsPerJob, 1, 100_000, "bids", "bids of one cycle").
			readBy(bidders...),
		yesOrNo("slurm_bids", &p.SlurmBids, true, "bids of the order of the queue").readBy(bidders...),
		yesOrNo("remainder_bids", &p.RemainderBids, true, "bids of class R").readBy(bidders...),
		yesOrNo("only_blocks", &p.OnlyBlocks, false, "bids for contiguous blocks alone").readBy(bidders...),
		yesOrNo("fewest_nodes", &p.FewestNodes, false,
			"few nodes before many: a bid on very many nodes is worth half of one on the job's fewest").
			readBy(MethodAuction).orNone(),
		yesOrNo("paper_bids", &p.PaperBids, false, "bids of AUCSCHED sections 4 and 5 to the letter, in place of ours").
			readBy(bidders...).orNone(),
		words("shrink", &p.Shrink, agent.ShrinkNothing, p.Method.shrinks(),
			"what gets smaller when a solution ends at its limit: nothing, window (by 2) or bids (by 1.5)").readBy(solvers...),
		yesOrNo("cold_start", &p.ColdStart, false,
			"give AUCSCHED's solver no selection of its bids to begin with, as in the paper").
			readBy(MethodAUCSCHED).orNone(),
		yesOrNo("start_late", &p.StartLate, false,
			"start the jobs of the best solution known at the limit, though it is not proven; in the paper none").
			readBy(MethodIPSCHED).orNone(),
		between("fair_share", &p.FairShare, 0, time.Minute, year, "",
			"weigh jobs by the fair-share factor of their users; the half-life of usage, such as 168h").
			orNone().recordedAs("fair_share_half_life_ns").readBy(deciders...),
		yesOrNo("dump_models", &p.DumpModels, false,
			"keep each cycle's integer program in models/, for slurmlab dev solve; writing takes its time in the cycle").
			orNone().readBy(solvers...),
		formula("formula", &p.Formula,
			"number of each waiting job, of which the greatest goes first, such as -limit for the shortest").readBy(MethodFormula),
		text("program", &p.Program).readBy(MethodProgram),
		text("program_sum", &p.ProgramSum).recordedAs("program_sha256").readBy(MethodProgram),
		yesOrNo("program_on_host", &p.ProgramOnHost, false, "").recorded().orNone().readBy(MethodProgram),
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
		if !k.unread(p.Method) {
			faults = append(faults, k.fault())
		}
	}
	if p.MaxBypass != 0 && p.Method != MethodAuction {
		faults = append(faults, fmt.Errorf("max_bypass: %v is not allowed, want 0: %s has no reservations", p.MaxBypass, p.Method))
	}
	if p.FewestNodes && p.PaperBids {
		faults = append(faults, errors.New("fewest_nodes: true is not allowed with paper_bids, want false: the papers say what their bids are worth"))
	}
	switch {
	case p.Reading == auction.ReadSize && p.Objective == ObjectivePriorityCores:
		faults = append(faults, fmt.Errorf("priorities: size is not allowed with the objective %s, want literal or ranks: it counts cores already", p.Objective))
	case p.Reading != "" && p.Reading != auction.ReadRanks && p.Objective.ByValue() && slices.Contains(p.Method.objectives(), p.Objective):
		faults = append(faults, fmt.Errorf("priorities: %s is not allowed with the objective %s, want ranks: it has no priorities", p.Reading, p.Objective))
	}
	if (p.Method == MethodFormula) != (p.Formula != "") {
		faults = append(faults, fmt.Errorf("formula: %q is not allowed with method %s, want one with method %s alone", p.Formula, p.Method, MethodFormula))
	}
	return errors.Join(faults...)
}
