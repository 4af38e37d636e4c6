//go:build integration

package benchmark_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// The contract on a real Slurm: "jobs executed in an interactive session, or submitted in a previously created
// reservation, together with the interaction with job schedulers such as SLURM" (DJSB section 2.2). The reservation
// has all nodes, so no job could start outside.
func TestSlurm(t *testing.T) {
	c := backendtest.Start(t, backendtest.FrontEnd(), slurm.WithMachine(2, 4, 0))
	cluster := target{Dir: "/tmp", Read: func(t *testing.T, path string) string {
		t.Helper()
		text, err := c.Run(t.Context(), nil, "bash", "-c", "cat "+path+" 2> /dev/null || true")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}}
	t.Run("jobs of the queue", func(t *testing.T) {
		cluster.Scheduler = &benchmark.Slurm{Runner: c, TaskPerCore: true}
		contract(t, cluster)
	})
	_, err := c.Run(context.Background(), nil, "scontrol", "create", "reservation", "ReservationName=djsb", "StartTime=now", "Duration=60", "Users=root", "Nodes=ALL")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("jobs of a reservation", func(t *testing.T) {
		cluster.Scheduler, cluster.Dir = &benchmark.Slurm{Runner: c, Reservation: "djsb", TaskPerCore: true}, "/var/tmp"
		contract(t, cluster)
	})
}

// inCluster is set where this program runs in a cluster's container.
const inCluster = "SLURMLAB_TEST_IN_CLUSTER"

// The contract through the programs that run already, where they are.
func TestCluster(t *testing.T) {
	if os.Getenv(inCluster) != "" {
		shell := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
		session, err := slurmctl.OpenSession(t.Context(), shell, hosttest.Hang)
		if err != nil {
			t.Fatal(err)
		}
		reader := channel.NewReader(shell, hosttest.Hang)
		defer func() { _, _ = session.Close(), reader.Close() }()
		control := struct {
			*channel.Helper
			*slurmctl.Session
		}{reader.Helper, session}
		contract(t, target{Scheduler: &benchmark.Cluster{Control: control, Runner: shell}, Dir: t.TempDir(), Read: readHere})
		return
	}
	c := backendtest.Start(t, backendtest.FrontEnd(), slurm.WithMachine(2, 4, 0))
	program := filepath.Join(t.TempDir(), "jobs.test")
	build := exec.Command("go", "test", "-c", "-tags", "integration", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := c.CopyFileToContainer(t.Context(), program, "/usr/local/bin/jobs.test", 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := c.Run(t.Context(), nil, "env", inCluster+"=1", "jobs.test", "-test.v", "-test.run", "^TestCluster$")
	if err != nil || !strings.Contains(string(out), "--- PASS: TestCluster ") {
		t.Errorf("got %v, %s", err, out)
	}
}

// inAllocation is set where this program runs in an allocation.
const inAllocation = "SLURMLAB_TEST_IN_ALLOCATION"

// The contract in an allocation, of somebody who is nobody's operator: this program runs there.
func TestAllocation(t *testing.T) {
	if os.Getenv(inAllocation) != "" {
		a := &benchmark.Allocation{Runner: slurmctl.Here{}, ID: os.Getenv("SLURM_JOB_ID")}
		contract(t, target{Scheduler: a, Dir: t.TempDir(), Read: readHere})
		return
	}
	c := backendtest.Start(t, backendtest.OnNodes(), slurm.WithMachine(2, 2, 0))
	self, err := os.Executable()
	if err == nil {
		err = c.CopyFileToContainer(t.Context(), self, "/usr/local/bin/jobs.test", 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Run(t.Context(), nil, "bash", "-c", "useradd -m owner; su owner -c 'cd; "+inAllocation+"=1 salloc -Q -N 2 -n 4 jobs.test -test.v -test.run ^TestAllocation$' 2>&1 || echo failed")
	if err != nil || strings.HasSuffix(string(out), "failed\n") || !strings.Contains(string(out), "--- PASS: TestAllocation ") {
		t.Errorf("got %v, %s", err, out)
	}
}
