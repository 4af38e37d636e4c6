package agent_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// A reservation keeps its nodes from jobs of others that would run while it lasts, and has those that name it on its nodes alone
// (job_test_resv in src/slurmctld/reservation.c). TestReservationsOnSlurm asks the real Slurm.
func TestBarredNodes(t *testing.T) {
	hours := func(h float64) time.Time { return epoch.Add(time.Duration(h * float64(time.Hour))) }
	reserve := func(name string, from, until float64, nodes ...int) agent.NodeReservation {
		return agent.NodeReservation{Reservation: slurmctl.Reservation{Name: name, Start: hours(from), End: hours(until)}, Nodes: nodes}
	}
	with := func(r agent.NodeReservation, set func(*slurmctl.Reservation)) agent.NodeReservation {
		set(&r.Reservation)
		return r
	}
	course := reserve("course", 1, 2, 1, 2)
	maint := with(reserve("maint", 1, 2, 2), func(r *slurmctl.Reservation) { r.Maint = true })
	for _, tt := range []struct {
		name     string
		reserved []agent.NodeReservation
		job      string        // the reservation that it names
		limit    time.Duration // 0 without one
		now      float64       // hours
		want     string
		next     float64 // hours, 0 for never
	}{
		{"none", nil, "", time.Hour, 0, "[]", 0},
		{"a job ends in time", []agent.NodeReservation{course}, "", 59 * time.Minute, 0, "[]", 0},
		{"a job may not", []agent.NodeReservation{course}, "", time.Hour, 0, "[1 2]", 1},
		{"a job without a limit", []agent.NodeReservation{course}, "", 0, 0, "[1 2]", 1},
		{"it has begun", []agent.NodeReservation{course}, "", time.Minute, 1, "[1 2]", 2},
		{"it is over", []agent.NodeReservation{course}, "", time.Hour, 2, "[]", 0},
		{"its own job before it begins", []agent.NodeReservation{course}, "course", time.Hour, 0.5, "[0 1 2 3]", 1},
		{"its own job", []agent.NodeReservation{course}, "course", time.Hour, 1, "[0 3]", 2},
		{"its own job when it is over", []agent.NodeReservation{course}, "course", time.Hour, 2, "[0 1 2 3]", 0},
		{"its own job of a FLEX reservation", []agent.NodeReservation{with(course, func(r *slurmctl.Reservation) { r.Flex = true })}, "course", time.Hour, 0, "[]", 0},
		{"its own job, and maintenance", []agent.NodeReservation{course, maint}, "course", time.Hour, 1, "[0 2 3]", 2},
		{"its own job of OVERLAP, and maintenance", []agent.NodeReservation{with(course, func(r *slurmctl.Reservation) { r.Overlap = true }), maint}, "course", time.Hour, 1, "[0 2 3]", 2},
		{"its own job of OVERLAP, and another", []agent.NodeReservation{with(course, func(r *slurmctl.Reservation) { r.Overlap = true }), reserve("x", 0, 9, 1)}, "course", time.Hour, 1, "[0 3]", 2},
		{"its own job of maintenance, and another", []agent.NodeReservation{course, maint}, "maint", time.Hour, 1, "[0 1 3]", 2},
		{"two", []agent.NodeReservation{course, reserve("x", 0, 3, 0)}, "", time.Hour, 0.5, "[0 1 2]", 1},
		{"some cores of a node", []agent.NodeReservation{with(course, func(r *slurmctl.Reservation) { r.Parts = true })}, "", time.Hour, 1, "[1 2]", 2},
	} {
		h := agent.HeldJob{ID: 1, Job: 1, Reservation: tt.job, Request: bidding.Job{Cores: 99, TimeLimit: tt.limit}}
		c := newOdd(4, 8, 0, h)
		c.reserved = tt.reserved
		o := agent.Settings{Auction: auctiontest.Options(), Window: 4, Now: func() time.Time { return hours(tt.now) }}
		s, a := decided(t, c, o, auction.Result{Assignment: auction.Assignment{Status: program.StatusOptimal}})
		if got := fmt.Sprint(s.Jobs[0].Options.Barred); got != tt.want {
			t.Errorf("%s: kept from the job are %s, want %s", tt.name, got, tt.want)
		}
		var next time.Time
		if tt.next > 0 {
			next = hours(tt.next)
		}
		if !a.Settled() || a.Next() != next {
			t.Errorf("%s: settled %v until %v, want it until %v", tt.name, a.Settled(), a.Next(), next)
		}
	}
}
