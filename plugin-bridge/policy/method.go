package policy

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Method says which program the agent decides by.
type Method string

const (
	// MethodIPSCHED is the program of IPSCHED section III.
	MethodIPSCHED Method = "ipsched"
	// MethodAUCSCHED is the program of AUCSCHED section 3, with variables u and r.
	MethodAUCSCHED Method = "aucsched"
	// MethodAuction is the program of AUCSCHED2 section 2, by package auction.
	MethodAuction Method = "auction"
	// MethodProgram is a program of the user's, by package plugin.
	MethodProgram Method = "program"
	// MethodFormula orders the queue of Slurm's own scheduler, which decides.
	MethodFormula Method = "formula"
)

// ObjectivePriorityCores is IPSCHED's second objective, sum p r (s - c).
const ObjectivePriorityCores auction.Objective = "priority-cores"

// objectives are those that a method knows.
func (m Method) objectives() []auction.Objective {
	switch m {
	case MethodIPSCHED:
		return []auction.Objective{auction.ObjectivePriority, ObjectivePriorityCores}
	case MethodAUCSCHED:
		return []auction.Objective{auction.ObjectivePriority}
	default:
		return auction.Objectives()
	}
}

// shrinks are the ways in which the budget of a method may shrink.
func (m Method) shrinks() []agent.Shrink {
	if m == MethodIPSCHED {
		return []agent.Shrink{agent.ShrinkNothing, agent.ShrinkWindow}
	}
	return []agent.Shrink{agent.ShrinkNothing, agent.ShrinkWindow, agent.ShrinkBids}
}

// Cycles says which of the agent's cycles take place.
type Cycles string

const (
	// CyclesEvery runs the agent at every interval.
	CyclesEvery Cycles = "every"
	// CyclesChanged leaves out cycles that could not decide anything, since no
	// job was submitted or ended. The decisions are the same.
	CyclesChanged Cycles = "changed"
	// CyclesPrompt runs the agent as soon as a job was submitted or ended. The earliest time is an interval after the
	// last cycle, unless that left no job waiting or jobs are short (auction.Pace).
	CyclesPrompt Cycles = "prompt"
)
