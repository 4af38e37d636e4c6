//go:build integration

package slurmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/kinds/kindstest"
	"github.com/slurmlab/slurmlab/policy"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// TestContractOnSlurm needs to run where a Slurm as described at target is up
// and its commands are in PATH, which is inside a cluster's container;
// TestContractInContainer carries it there. It cancels all jobs of that Slurm.
func TestContractOnSlurm(t *testing.T) {
	if _, err := exec.LookPath("slurmctld"); err != nil {
		t.Skip("no Slurm here; TestContractInContainer runs this test where there is one")
	}
	local := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	session, err := slurmctl.OpenSession(t.Context(), local, time.Minute)
	must(t, err)
	defer func() { must(t, session.Close()) }()
	tg := target{
		client: &slurmctl.Client{Runner: local},
		do:     session.Do,
		pass:   func() { time.Sleep(100 * time.Millisecond) },
		// Slurm 26.05 may look at the dependency of a held job only every sched_interval,
		// which is a minute.
		passes: 900,
	}
	nodes, err := tg.client.Nodes(t.Context())
	must(t, err)
	tg.external = slices.Contains(nodes[0].Flags, "EXTERNAL")
	tg.clean(t)
	contract(t, tg)
}

// The same contract on the real Slurm of each kind: this test program, linked
// statically, is copied into the container of a cluster and run there.
func TestContractInContainer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "contract")
	build := exec.Command("go", "test", "-c", "-tags", "integration", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The policy backfill holds no job at its submission; with nothing pending on
	// busy nodes it starts jobs as sched/builtin does. With Slurm's own parameters
	// slurmctld may look at a dependency a minute late.
	backfill, err := policy.Find("backfill")
	must(t, err)
	kindstest.Each(t, func(t *testing.T, series string) {
		cluster := kindstest.Start(t, series, slurm.WithMachine(16, cores, gpus), slurm.WithScheduler(backfill.Scheduler))
		must(t, cluster.CopyFileToContainer(t.Context(), program, "/tmp/contract", 0o755))
		out, err := cluster.Run(t.Context(), nil, "/tmp/contract", "-test.run", "TestContractOnSlurm", "-test.v")
		t.Logf("%s", out)
		must(t, err)
		if !strings.Contains(string(out), "--- PASS: TestContractOnSlurm") {
			t.Error("the contract was not run")
		}
	})
}
