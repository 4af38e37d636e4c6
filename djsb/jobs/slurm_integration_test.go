//go:build integration

package jobs_test

import (
	"context"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/frontend"
	"github.com/slurmlab/slurmlab/containers/slurm/kinds/kindstest"
	"github.com/slurmlab/slurmlab/djsb/jobs"
	"github.com/slurmlab/slurmlab/djsb/jobs/jobstest"
)

// The contract on a real Slurm: "jobs executed in an interactive session, or submitted in a
// previously created reservation, together with the interaction with job schedulers such as
// SLURM" (DJSB section 2.2). The reservation has all nodes, so that no job could start outside.
func TestSlurm(t *testing.T) {
	c := kindstest.Start(t, frontend.Series, slurm.WithMachine(2, 4, 0))
	target := jobstest.Target{Dir: "/tmp", Read: func(t *testing.T, path string) string {
		t.Helper()
		text, err := c.Run(t.Context(), nil, "bash", "-c", "cat "+path+" 2> /dev/null || true")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}}
	t.Run("jobs of the queue", func(t *testing.T) {
		target.Scheduler = &jobs.Slurm{Runner: c}
		jobstest.Contract(t, target)
	})
	_, err := c.Run(context.Background(), nil, "scontrol", "create", "reservation", "ReservationName=djsb", "StartTime=now", "Duration=60", "Users=root", "Nodes=ALL")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("jobs of a reservation", func(t *testing.T) {
		target.Scheduler, target.Dir = &jobs.Slurm{Runner: c, Reservation: "djsb"}, "/var/tmp"
		jobstest.Contract(t, target)
	})
}
