package check

import (
	"github.com/slurmlab/slurmlab/internal/faultpoint"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// What a plug-in does wrong. It goes on doing so until the end of the run.
const (
	// Hang answers nothing.
	Hang Action = "HANG"
	// Garbage answers with what is no JSON.
	Garbage Action = "GARBAGE"
	// End ends at the question.
	End Action = "END"
	// Unknown starts a job that is not there, beside those that are.
	Unknown Action = "UNKNOWN"
	// Oversell starts all jobs that wait, whatever is free.
	Oversell Action = "OVERSELL"
)

const (
	// Plugin is a program of the user's that schedules.
	Plugin Victim = "plug-in"
	// Program is the policy of a run that it schedules.
	Program = "exec"
)

// Misbehaviours lists what plug-ins may do wrong.
func Misbehaviours() []Action { return []Action{Hang, Garbage, End, Unknown, Oversell} }

// PluginCells are the cells of plug-ins: each misbehaviour from the first question on, and from the first release on.
// They are a table of their own, since no signal misbehaves and no other policy has a plug-in. All are played, on
// external nodes alone: the agent that asks is the same on every backend.
func PluginCells() []Cell {
	var all []Cell
	for _, a := range Misbehaviours() {
		for _, at := range []string{faultpoint.Submission, faultpoint.Release} {
			all = append(all, Cell{a, Plugin, at, Program, Of(backend.External)})
		}
	}
	return all
}
