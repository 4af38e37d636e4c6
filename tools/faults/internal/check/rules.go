package check

import (
	"regexp"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
)

// Harmless says that a run must survive the fault: "vclockd or worker killed, any STOP
// of 5 s" (issue 16), and whatever a plug-in does.
func Harmless(c Cell) bool {
	switch c.Victim {
	case Plugin:
		return true
	case Vclockd, Worker:
		return c.Action == Kill || c.Action == Term || c.Action == Pause
	default:
		return c.Action == Pause
	}
}

// slurmlabKilled says that slurmlab could not clean up.
func slurmlabKilled(c Cell) bool { return c.Victim == CLI && c.Action == Kill }

// Unheard says why nobody can tell of a harmless fault, "" if a run must. These are all
// exceptions from "end complete and say so".
func Unheard(c Cell) string {
	outside := slices.Contains([]Victim{CLI, Engine}, c.Victim)
	switch {
	case c.Point == faultpoint.Boot && slices.Contains([]Victim{Boot, Container, Engine}, c.Victim):
		return "the run has not begun, and a slow boot is no fault"
	case c.Point == faultpoint.Copy && !outside:
		return "the run is over, and nobody waits for the processes of its container any more"
	case c.Point == faultpoint.Finish && c.Victim == Engine:
		return "the container has been removed, and nobody asks the engine any more"
	}
	return ""
}

// told is what slurmlab must print about a harmless fault.
func told(c Cell) *regexp.Regexp {
	text := regexp.QuoteMeta(string(c.Victim)) + " was stopped for "
	switch c.Victim {
	case Boot, Driver:
		text = "slurmlabd was stopped for "
	case Container:
		text = "slurmlabd was stopped for |nothing was heard of the cluster for "
	case CLI:
		text = "slurmlab was stopped for "
	case Engine:
		text = "nothing was heard of the cluster for |Docker did not answer for "
	case Worker:
		text = "solver-worker was stopped for |the solver's process "
	case Plugin:
		text = "program that schedules was at fault: .*" + map[Action]string{
			Hang: "late", Garbage: "unreadable", End: "ended", Unknown: "unknown_job", Oversell: "oversold",
		}[c.Action]
	case Vclockd:
		text = "vclockd was stopped for |controller of the clock died|clock stood still"
	}
	return regexp.MustCompile(text)
}

// cause is what the reason of a run that is not complete must have: who was broken, and
// what became of it.
type cause struct{ who, what *regexp.Regexp }

func (c cause) in(reason string) bool { return c.who.MatchString(reason) && c.what.MatchString(reason) }

// causeOf is the cause of a cell.
func causeOf(c Cell) cause {
	// Whole words: slurmd is not in slurmdbd.
	who, what := `\b`+regexp.QuoteMeta(string(c.Victim))+`\b`, map[Action]string{
		Kill:  `died|was killed|killed\)|ended`,
		Term:  `died|was told to end|terminated|ended`,
		Stop:  `stopped by a signal|did not run for|no sign of life`,
		Pause: `stopped by a signal|did not run for|no sign of life`,
	}[c.Action]
	switch c.Victim {
	case Driver:
		who = `\bslurmlabd\b`
	case Boot:
		// It is the container's first process but for tini: with it, the container ends.
		who = `\bslurmlabd\b|\bcontainer\b`
		what += `|exited with`
	case Container:
		who = `\bcontainer\b`
		what += `|exited with|is paused`
	case CLI:
		who, what = `interrupted by the user|\bslurmlab ended before`, ``
	case Engine:
		who, what = `(?i)\bDocker\b|\bengine\b`, `connect|answer|broken|EOF|closed|state|hijack|no sign of life`
	case Worker:
		who = `\bsolver`
	case Slurmstep:
		// Slurm does not tell which process of a job died; the job that ended is named. One
		// that is stopped is seen by slurmlabd.
		if c.Action == Kill || c.Action == Term {
			who, what = `did not end as planned: job \d+`, ``
		}
	case Processes:
		who, what = `processes`, `limit`
	case Memory:
		who, what = `memory`, `limit`
	case Tmpfs:
		who, what = `in memory`, `fill`
	case Disk:
		who, what = `no space left on|disk of|\broom\b`, ``
	}
	return cause{regexp.MustCompile(who), regexp.MustCompile(what)}
}
