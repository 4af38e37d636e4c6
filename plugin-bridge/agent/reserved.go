package agent

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// NodeReservation is a slurmctl.Reservation with its nodes by index.
type NodeReservation struct {
	slurmctl.Reservation
	Nodes []int
}

// year is how long Slurm takes a job without a limit to run (_get_job_duration in src/slurmctld/reservation.c).
const year = 365 * 24 * time.Hour

// barred are the nodes, of so many, that reservations keep from a job that would start now, by index in ascending
// order, as job_test_resv in src/slurmctld/reservation.c has it. A reservation keeps its nodes from all jobs of
// others that would run while it lasts. A job that names one (--reservation) runs only on its nodes, from its start
// to its end, unless it is FLEX. A reservation of some cores keeps all of its nodes from others here.
func barred(h HeldJob, all []NodeReservation, nodes int, now time.Time) []int {
	if len(all) == 0 && h.Reservation == "" {
		return nil
	}
	own := find(all, h.Reservation)
	kept := make([]bool, nodes)
	if h.Reservation != "" && (own == nil || !own.Flex) {
		for i := range kept {
			kept[i] = true
		}
		if own != nil && own.lasts(now, now) {
			for _, n := range own.Nodes {
				kept[n] = false
			}
		}
	}
	limit := cmp.Or(h.Request.TimeLimit, year)
	for i := range all {
		r := &all[i]
		if r == own || own != nil && own.shares(*r) || !r.lasts(now, now.Add(limit)) {
			continue
		}
		for _, n := range r.Nodes {
			kept[n] = true
		}
	}
	var out []int
	for n, is := range kept {
		if is {
			out = append(out, n)
		}
	}
	return out
}

// find is the reservation with a name, nil for none.
func find(all []NodeReservation, name string) *NodeReservation {
	i := slices.IndexFunc(all, func(r NodeReservation) bool { return r.Name == name })
	if name == "" || i < 0 {
		return nil
	}
	return &all[i]
}

// lasts says that the reservation keeps its nodes at some time from one instant to another, the latter included, as the agent
// decides a moment before Slurm starts a job.
func (r NodeReservation) lasts(from, until time.Time) bool {
	return !r.Start.After(until) && r.End.After(from)
}

// shares says that the jobs of the reservation may also use the nodes of another one.
func (r NodeReservation) shares(other NodeReservation) bool {
	return r.Maint || r.Overlap && !other.Maint
}

// reservationObstacle says why a job can not run in the reservation that it names, "" for a job without one or one that can.
func reservationObstacle(h HeldJob, all []NodeReservation) string {
	if h.Reservation == "" {
		return ""
	}
	switch own := find(all, h.Reservation); {
	case own == nil:
		return fmt.Sprintf("its reservation %s is over, or was deleted, so that Slurm holds it", h.Reservation)
	case own.Parts && !own.Flex:
		return fmt.Sprintf("its reservation %s has some cores of its nodes alone, and the agent knows whole nodes", h.Reservation)
	}
	return ""
}
