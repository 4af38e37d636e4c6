//go:build integration

package slurmtest

import (
	"os"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// TestContractOnSlurm needs to run where a Slurm as described at target is up
// and its commands are in PATH. It cancels all jobs of that Slurm.
func TestContractOnSlurm(t *testing.T) {
	exec := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	session, err := slurmctl.OpenSession(t.Context(), exec, time.Minute)
	must(t, err)
	defer func() { must(t, session.Close()) }()
	tg := target{
		client: &slurmctl.Client{Runner: exec},
		do:     session.Do,
		pass:   func() { time.Sleep(100 * time.Millisecond) },
		passes: 300,
	}
	tg.clean(t)
	contract(t, tg)
}
