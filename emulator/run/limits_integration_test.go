//go:build integration

package run_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// external26 is a run on Slurm 26.05, which boots fastest.
func external26(t *testing.T, name string, estimated time.Duration) run.Config {
	t.Helper()
	c := config(t, backendtest.External(), "S", "V.2", policy.WholeQueue, estimated)
	c.Dir = run.OwnDir(t, name)
	return c
}

// inContainer runs a command in the container of a run.
func inContainer(t *testing.T, name string, argv ...string) string {
	list, err := run.Containers(context.Background(), "run", name)
	if err != nil || len(list) != 1 {
		t.Errorf("clusters %v, %v", list, err)
		return ""
	}
	out, err := exec.Command("docker", append([]string{"exec", list[0].ID}, argv...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v: %s", argv[0], err, out)
	}
	return string(out)
}

// Issue 16, item 6: limits of memory and processes, sized file systems in memory, no
// network, six capabilities and no new ones. Both kinds run their jobs within them, exact
// to the second.
func TestContainerIsConfined(t *testing.T) {
	t.Parallel()
	for _, on := range backendtest.Core() {
		t.Run(on.Name(), func(t *testing.T) {
			t.Parallel()
			c := config(t, on, "S", "V.2", policy.WholeQueue, 40*time.Minute)
			c.Dir = run.OwnDir(t, "confined-"+on.Name())
			name := filepath.Base(c.Dir)
			seen := make(chan struct{})
			whenRunning(&c, func() {
				defer close(seen)
				confined(t, name)
			})
			complete(t, c)
			select {
			case <-seen:
			case <-time.After(hosttest.Hang):
				t.Error("no job was seen running, and the container not looked at")
			}
		})
	}
}

func confined(t *testing.T, name string) {
	list, err := run.Containers(context.Background(), "run", name)
	if err != nil || len(list) != 1 {
		t.Errorf("clusters %v, %v", list, err)
		return
	}
	docker, err := client.New(client.FromEnv)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = docker.Close() }()
	found, err := docker.ContainerInspect(context.Background(), list[0].ID, client.ContainerInspectOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	host := found.Container.HostConfig
	if host.Memory < 2<<30 || host.MemorySwap != host.Memory || host.PidsLimit == nil || *host.PidsLimit < 2048 {
		t.Errorf("memory %d, with swap %d, processes %v", host.Memory, host.MemorySwap, host.PidsLimit)
	}
	if host.NetworkMode != "none" || host.Privileged || fmt.Sprint(host.SecurityOpt) != "[no-new-privileges]" {
		t.Errorf("network %s, privileged %v, security %v", host.NetworkMode, host.Privileged, host.SecurityOpt)
	}
	// What the kernel says, not only the engine: capabilities(7), /proc/net/dev.
	status := inContainer(t, name, "cat", "/proc/1/status")
	// CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, KILL 5, SETGID 6, SETUID 7.
	for _, want := range []string{"CapBnd:\t00000000000000eb\n", "NoNewPrivs:\t1\n"} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in %s", want, status)
		}
	}
	if interfaces := strings.Count(inContainer(t, name, "cat", "/proc/net/dev"), ":"); interfaces != 1 {
		t.Errorf("%d network interfaces, want the loopback alone", interfaces)
	}
	for _, dir := range []string{"/var/lib/mysql", "/var/spool"} {
		mounts := inContainer(t, name, "grep", " "+dir+" ", "/proc/mounts")
		if !strings.HasPrefix(mounts, "tmpfs ") || !strings.Contains(mounts, ",size=") {
			t.Errorf("%s is %q, want a sized tmpfs", dir, mounts)
		}
	}
}

// Three things fail a run, each with its reason: a cluster that comes up against its limit of memory, full files in
// memory, and a clock whose slots are all taken.
func TestExceededLimits(t *testing.T) {
	t.Parallel()
	// As much as the limit itself.
	const eat = `$x = "x" x (900 << 20); sleep 3600`
	const fill = `open(F, ">", "/var/spool/fill"); print F "x" x (1 << 20) for 1 .. 3000; sleep 3600`
	// A slot is 64 bytes and begins with its owner's process id; they end the page
	// (vclock.h). Process 1 lives as long as the container. Those who lose their slot want
	// another one for their next wait.
	const occupy = `open(F, "+<:raw", "/dev/shm/vclock"); $b = (-s F) - 64 * 16384;
		for (0 .. 16383) { seek(F, $b + 64 * $_, 0); print F pack("l", 1) } close F`
	for _, tt := range []struct {
		name, program, want string
		memory              int64
	}{
		{"memory", eat, "out of memory: the kernel killed ", 900 << 20},
		{"files", fill, "the files in /var/spool, which are in memory, fill their ", 0},
		{"slots", occupy, "all 16384 slots of the clock are taken: too many threads of the cluster wait at the same time", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := external26(t, "exceeded-"+tt.name, 4*time.Hour)
			c.Memory = tt.memory
			c.Warn = func(string) {}
			name := filepath.Base(c.Dir)
			whenRunning(&c, func() {
				list, err := run.Containers(context.Background(), "run", name)
				if err != nil || len(list) != 1 {
					t.Errorf("clusters %v, %v", list, err)
					return
				}
				// The program may be killed, and the container goes with the run.
				out, err := exec.Command("docker", "exec", list[0].ID, "perl", "-e", tt.program).CombinedOutput()
				t.Logf("%s, %v", out, err)
			})
			r, err := run.Run(t.Context(), c)
			if err == nil || r.Status != trace.StatusFailed || !strings.Contains(r.Reason, tt.want) {
				t.Errorf("run %s: %s\n%v\nwant %q", r.Status, r.Reason, err, tt.want)
			}
		})
	}
}
