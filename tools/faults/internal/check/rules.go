package check

import (
	"regexp"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/tools/faults/internal/plan"
)

// Harmless says that a run must survive the fault: "vclockd or worker killed, any STOP
// of 5 s" (issue 16), and whatever a plug-in does.
func Harmless(c plan.Cell) bool {
	switch c.Victim {
	case plan.Plugin:
		return true
	case plan.Vclockd, plan.Worker:
		return c.Action == plan.Kill || c.Action == plan.Term || c.Action == plan.Pause
	default:
		return c.Action == plan.Pause
	}
}

// slurmlabKilled says that slurmlab could not clean up.
func slurmlabKilled(c plan.Cell) bool { return c.Victim == plan.CLI && c.Action == plan.Kill }

// Unheard says why nobody can tell of a harmless fault, "" if a run must. These are all
// exceptions from "end complete and say so".
func Unheard(c plan.Cell) string {
	outside := slices.Contains([]plan.Victim{plan.CLI, plan.Engine}, c.Victim)
	switch {
	case c.Point == faultpoint.Boot && slices.Contains([]plan.Victim{plan.Boot, plan.Container, plan.Engine}, c.Victim):
		return "the run has not begun, and a slow boot is no fault"
	case c.Point == faultpoint.Copy && !outside:
		return "the run is over, and nobody waits for the processes of its container any more"
	case c.Point == faultpoint.Finish && c.Victim == plan.Engine:
		return "the container has been removed, and nobody asks the engine any more"
	}
	return ""
}

// told is what slurmlab must print about a harmless fault.
func told(c plan.Cell) *regexp.Regexp {
	text := regexp.QuoteMeta(string(c.Victim)) + " was stopped for "
	switch c.Victim {
	case plan.Boot, plan.Driver:
		text = "slurmlabd was stopped for "
	case plan.Container:
		text = "slurmlabd was stopped for |nothing was heard of the cluster for "
	case plan.CLI:
		text = "slurmlab was stopped for "
	case plan.Engine:
		text = "nothing was heard of the cluster for |Docker did not answer for "
	case plan.Worker:
		text = "solver-worker was stopped for |the solver's process "
	case plan.Plugin:
		text = "program that schedules was at fault: .*" + map[plan.Action]string{
			plan.Hang: "late", plan.Garbage: "unreadable", plan.End: "ended", plan.Unknown: "unknown_job", plan.Oversell: "oversold",
		}[c.Action]
	case plan.Vclockd:
		text = "vclockd was stopped for |controller of the clock died|clock stood still"
	}
	return regexp.MustCompile(text)
}

// cause is what the reason of a run that is not complete must have: who was broken, and
// what became of it.
type cause struct{ who, what *regexp.Regexp }

func (c cause) in(reason string) bool { return c.who.MatchString(reason) && c.what.MatchString(reason) }

// causeOf is that of a cell.
func causeOf(c plan.Cell) cause {
	// Whole words: slurmd is not in slurmdbd.
	who, what := `\b`+regexp.QuoteMeta(string(c.Victim))+`\b`, map[plan.Action]string{
		plan.Kill:  `died|was killed|killed\)|ended`,
		plan.Term:  `died|was told to end|terminated|ended`,
		plan.Stop:  `stopped by a signal|did not run for|no sign of life`,
		plan.Pause: `stopped by a signal|did not run for|no sign of life`,
	}[c.Action]
	switch c.Victim {
	case plan.Driver:
		who = `\bslurmlabd\b`
	case plan.Boot:
		// It is the container's first process but for tini: with it, the container ends.
		who = `\bslurmlabd\b|\bcontainer\b`
		what += `|exited with`
	case plan.Container:
		who = `\bcontainer\b`
		what += `|exited with|is paused`
	case plan.CLI:
		who, what = `interrupted by the user|\bslurmlab ended before`, ``
	case plan.Engine:
		who, what = `(?i)\bDocker\b|\bengine\b`, `connect|answer|broken|EOF|closed|state|hijack|no sign of life`
	case plan.Worker:
		who = `\bsolver`
	case plan.Slurmstep:
		// Slurm does not tell which process of a job died; the job that ended is named. One
		// that is stopped is seen by slurmlabd.
		if c.Action == plan.Kill || c.Action == plan.Term {
			who, what = `did not end as planned: job \d+`, ``
		}
	case plan.Processes:
		who, what = `processes`, `limit`
	case plan.Memory:
		who, what = `memory`, `limit`
	case plan.Tmpfs:
		who, what = `in memory`, `fill`
	case plan.Disk:
		who, what = `no space left on|disk of|\broom\b`, ``
	}
	return cause{regexp.MustCompile(who), regexp.MustCompile(what)}
}
