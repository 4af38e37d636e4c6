package check

import (
	"slices"

	"github.com/slurmlab/slurmlab/cmd/faults/internal/plan"
	"github.com/slurmlab/slurmlab/faultpoint"
)

// Harmless says that a run must survive the fault: "vclockd or worker killed, any STOP
// of 5 s" (issue 16).
func Harmless(c plan.Cell) bool {
	switch c.Victim {
	case plan.Vclockd, plan.Worker:
		return c.Action == plan.Kill || c.Action == plan.Term || c.Action == plan.Pause
	default:
		return c.Action == plan.Pause
	}
}

// slurmlabKilled says that slurmlab could not clean up.
func slurmlabKilled(c plan.Cell) bool { return c.Victim == plan.CLI && c.Action == plan.Kill }

// mentions are words of which slurmlab must print one about a harmless fault. Before the
// first submission, after the last end and outside the container a fault that is survived
// changes no number, and nothing needs to be said. A solver that small programs do not
// ask is missed by nobody; one that is asked is in the records of the cycles.
func mentions(c plan.Cell) []string {
	measured := []string{faultpoint.Submission, faultpoint.Release, faultpoint.End}
	if !slices.Contains(measured, c.Point) || slices.Contains([]plan.Victim{plan.CLI, plan.Engine, plan.Worker}, c.Victim) {
		return nil
	}
	words := []string{string(c.Victim) + " was stopped", "stood still"}
	if c.Victim == plan.Vclockd {
		words = append(words, "controller of the clock", "clock has not jumped")
	}
	return words
}

// causes are words of which the reason of a run that is not complete must have one.
func causes(c plan.Cell) []string {
	words := []string{string(c.Victim)}
	switch c.Victim {
	case plan.Driver:
		words = append(words, "slurmlabd", "no sign of life")
	case plan.Boot, plan.Container:
		words = append(words, "the cluster", "its container", "slurmlabd was killed", "no sign of life")
	case plan.CLI:
		words = []string{"slurmlab ended before", "interrupted"}
	case plan.Engine:
		words = append(words, "the engine", "docker", "no sign of life")
	case plan.Vclockd:
		words = append(words, "clock")
	case plan.Worker:
		words = append(words, "solver")
	case plan.Runner, plan.Slurmjobs:
		words = append(words, "runner")
	case plan.Processes:
		words = append(words, "resource temporarily unavailable", "cannot fork", "process")
	case plan.Memory:
		words = append(words, "killed", "died")
	case plan.Disk:
		words = append(words, "no space left", "disk", "slurmlab ended before")
	case plan.Slurmstep:
		words = append(words, "did not end as planned")
	}
	return words
}
