package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// Impossible says why a cell cannot be produced; empty for one that can.
func Impossible(c Cell) string {
	for _, rule := range []func(Cell) string{nowhere, ofKind, ofPolicy, ofAction, notYet, gone} {
		if why := rule(c); why != "" {
			return why
		}
	}
	return ""
}

// nowhere is about victims that no cell has.
func nowhere(c Cell) string {
	switch c.Victim {
	case Agent:
		return "the agent of a run is part of \"slurmlabd run\", which is a victim; the agent of \"up\" is no part of a run, and TestCluster kills it"
	case Clock:
		return "the clock of the machine is not the campaign's to step: all other programs use it as well"
	}
	return ""
}

func ofKind(c Cell) string {
	form := c.form()
	switch {
	case form == backend.External && (c.Victim == Slurmd || c.Victim == Slurmstep):
		return "external nodes have no slurmd"
	case form != backend.External && c.Victim == Runner:
		return "only external nodes have a runner"
	case form == backend.OnNodes && c.Victim != Slurmd && c.Victim != Slurmstep && c.Victim != Slurmctld:
		return fmt.Sprintf("on %s it is the same as on %s", c.Slurm, Of(backend.External))
	}
	return ""
}

func ofPolicy(c Cell) string {
	switch {
	case c.Policy == policy.Backfill && c.Victim == Worker:
		return "backfill has no agent"
	case c.Policy == policy.Backfill && c.Point == faultpoint.Release:
		return "backfill releases no job"
	}
	return ""
}

func ofAction(c Cell) string {
	resource := slices.Contains([]Victim{Processes, Memory, Tmpfs, Disk, Clock}, c.Victim)
	switch {
	case resource && c.Action != Exhaust:
		return "a resource takes no signal"
	case !resource && c.Action == Exhaust:
		return "only a resource can be exhausted"
	}
	return ""
}

// notYet is about what a run does not have before some point.
func notYet(c Cell) string {
	begun := slices.Index(Points(), c.Point)
	switch {
	case c.Point == faultpoint.Boot && (c.Victim == Driver || c.Victim == Worker):
		return "it starts after the boot"
	case c.Victim == Slurmchannel && c.form() != backend.External && begun < slices.Index(Points(), faultpoint.Release):
		return "it starts with the first submission; the runner, whose own is there before, is on external nodes only"
	case c.Victim == Slurmstep && begun < slices.Index(Points(), faultpoint.End):
		return "no job runs yet"
	}
	return ""
}

// gone is about what a run no longer has at some point.
func gone(c Cell) string {
	at := slices.Index(Points(), c.Point)
	switch {
	case c.Victim == Slurmstep && at > slices.Index(Points(), faultpoint.End):
		return "no job runs any more"
	case (c.Victim == Driver || c.Victim == Worker || c.Victim == Slurmchannel && c.form() != backend.External) && at >= slices.Index(Points(), faultpoint.Copy):
		return "it has ended"
	case c.Point == faultpoint.Finish && c.Victim != CLI && c.Victim != Engine && c.Victim != Disk:
		return "the container has been removed"
	}
	return ""
}

// Reasons lists why cells cannot be produced, each with the values that it is about.
func Reasons() []string {
	about := map[string]map[string]bool{}
	var order []string
	each(func(c Cell) {
		why := Impossible(c)
		if why == "" {
			return
		}
		if about[why] == nil {
			about[why] = map[string]bool{}
			order = append(order, why)
		}
		about[why][string(c.Victim)] = true
	})
	var out []string
	for _, why := range order {
		victims := slices.Sorted(maps.Keys(about[why]))
		if len(victims) > 5 {
			victims = []string{"several victims"}
		}
		out = append(out, fmt.Sprintf("%s: %s", strings.Join(victims, ", "), why))
	}
	return out
}
