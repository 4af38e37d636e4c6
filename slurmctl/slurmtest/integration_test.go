//go:build integration

package slurmtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// TestContractOnSlurm needs to run where a Slurm as described at target is up
// and its commands are in PATH, which is inside a cluster's container;
// TestContractInContainer carries it there. It cancels all jobs of that Slurm.
func TestContractOnSlurm(t *testing.T) {
	if _, err := exec.LookPath("slurmctld"); err != nil {
		hosttest.Elsewhere(t, "in a cluster, where TestContractInContainer runs this test")
	}
	local := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	session, err := slurmctl.OpenSession(t.Context(), local, hosttest.Hang)
	must(t, err)
	defer func() { must(t, session.Close()) }()
	tg := target{
		client: &slurmctl.Client{Runner: local},
		do:     session.Do,
		pass:   func() { time.Sleep(100 * time.Millisecond) },
		now:    time.Now,
		// Slurm 26.05 may look at the dependency of a held job only every sched_interval,
		// which is a minute. Only a hang takes more than five.
		passes: 3000,
	}
	nodes, err := tg.client.Nodes(t.Context())
	must(t, err)
	tg.external = slices.Contains(nodes[0].Flags, "EXTERNAL")
	release, err := local.Run(t.Context(), nil, "scontrol", "--version")
	must(t, err)
	tg.patient = !strings.Contains(string(release), " "+backendtest.FrontEnd().Series+".")
	t.Run("a session keeps no command", func(t *testing.T) { sessionForgets(t, session) })
	t.Run("a session gives reasons", func(t *testing.T) {
		must(t, session.Update(t.Context(), "NodeName=n1", "State=DRAIN", "Reason=power supply"))
		shown, err := local.Run(t.Context(), nil, "scontrol", "-o", "show", "node", "n1")
		must(t, err)
		if !strings.Contains(string(shown), "Reason=power supply [") {
			t.Errorf("want the reason without quotes: %s", shown)
		}
		must(t, session.Update(t.Context(), "NodeName=n1", "State=RESUME"))
		wantRefusal(t, session.Update(t.Context(), "NodeName=n1", "State=RESUME"), "Invalid node state")
	})
	tg.clean(t)
	contract(t, tg)
}

// "20,000 jobs through one cluster ... memory and descriptors of every process ... flat after
// warm-up" (issue 16): interactive scontrol does not grow with the commands of a session. With
// readline's history a line takes at least 100 bytes.
func sessionForgets(t *testing.T, session *slurmctl.Session) {
	self, err := process.NewProcess(int32(os.Getpid()))
	must(t, err)
	resident := func() uint64 {
		children, err := self.Children()
		must(t, err)
		if len(children) != 1 {
			t.Fatalf("processes %v, want one scontrol", children)
		}
		memory, err := children[0].MemoryInfo()
		must(t, err)
		return memory.RSS
	}
	send := func(commands int) {
		for range commands {
			var refused *slurmctl.RefusedError
			if err := session.Do(t.Context(), "release 999999"); !errors.As(err, &refused) {
				t.Fatalf("release of no job: %v, want a refusal", err)
			}
		}
	}
	const commands = 3000
	send(commands / 10)
	before := resident()
	send(commands)
	if grown := int(resident() - before); grown > 50*commands {
		t.Errorf("scontrol grew by %d bytes with %d commands", grown, commands)
	}
}

// part are the cases that run on the other backends as well. They show that a slurmd on each node starts jobs
// correctly. The other cases concern slurmctld alone, and the first backend covers them.
const part = "keeps no command|gives reasons|both daemons|held job keeps|impossible submission|table of the notes|GPUs is chosen|nodes count|accounting|cancelled jobs"

// The same contract on the real Slurm of each kind: this test program, linked
// statically, is copied into the container of a cluster and run there.
func TestContractInContainer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "contract")
	build := exec.Command("go", "test", "-c", "-tags", "integration", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The policy backfill-whole-queue holds no job at its submission; with nothing pending on
	// busy nodes it starts jobs as sched/builtin does. With Slurm's own parameters
	// slurmctld may look at a dependency a minute late.
	backfill, err := policy.Find(policy.WholeQueue)
	must(t, err)
	check := func(t *testing.T, on backend.Backend, cases string) {
		// In real time the clusters mostly wait, so that they may share the machine.
		t.Parallel()
		cluster := backendtest.Start(t, on, slurm.WithMachine(16, cores, gpus), slurm.WithScheduler(backfill.Scheduler))
		must(t, cluster.CopyFileToContainer(t.Context(), program, "/usr/local/bin/contract.test", 0o755))
		out, err := cluster.Run(t.Context(), nil, "/usr/local/bin/contract.test", "-test.run", "TestContractOnSlurm/("+strings.ReplaceAll(cases, " ", "_")+")", "-test.v")
		t.Logf("%s", out)
		must(t, err)
		if ran := strings.Count(string(out), "--- PASS: TestContractOnSlurm/"); ran <= strings.Count(cases, "|") {
			t.Errorf("%d cases of the contract were run", ran)
		}
	}
	backendtest.Each(t, func(t *testing.T, on backend.Backend) { check(t, on, "") })
	backendtest.Others(t, func(t *testing.T, on backend.Backend) { check(t, on, part) })
}
