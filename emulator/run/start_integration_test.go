//go:build integration

package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// An interrupt leaves no container, not even while the engine is creating it,
// which takes about 0.1 s, or while the cluster is booting.
func TestInterruptedStart(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 5, 10, 20, 40, 80, 160} {
		delay *= time.Millisecond
		t.Run(delay.String(), func(t *testing.T) {
			beforeItsEnd(t, func(cancel func()) testcontainers.ContainerLifecycleHooks {
				return testcontainers.ContainerLifecycleHooks{PreCreates: []testcontainers.ContainerRequestHook{
					func(context.Context, testcontainers.ContainerRequest) error {
						time.AfterFunc(delay, cancel)
						return nil
					},
				}}
			})
		})
	}
	// A clock cannot hit a boot, which takes 0.9 s or 5 s as the image has an empty database or not.
	t.Run("boot", func(t *testing.T) {
		beforeItsEnd(t, func(cancel func()) testcontainers.ContainerLifecycleHooks {
			return testcontainers.ContainerLifecycleHooks{PostStarts: []testcontainers.ContainerHook{
				func(context.Context, testcontainers.Container) error {
					cancel()
					return nil
				},
			}}
		})
	})
}

// beforeItsEnd tries again where the start is over before the interrupt reaches it, as when this process was
// stopped meanwhile.
func beforeItsEnd(t *testing.T, hooks func(cancel func()) testcontainers.ContainerLifecycleHooks) {
	t.Helper()
	for range 10 {
		if interruptStart(t, hooks) {
			return
		}
	}
	t.Error("ten starts were over before their interrupt")
}

// interruptStart starts a cluster with hooks that call cancel, and checks what is left of it. It reports
// whether the interrupt came before the end.
func interruptStart(t *testing.T, hooks func(cancel func()) testcontainers.ContainerLifecycleHooks) bool {
	t.Helper()
	name := fmt.Sprintf("test-start-%d-%d", os.Getpid(), time.Now().UnixNano())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, err := run.Start(ctx, backendtest.Image(t, backendtest.Quick()), slurm.WithBackend(backendtest.Quick()), slurm.WithName(name),
		testcontainers.WithAdditionalLifecycleHooks(hooks(cancel)))
	if err == nil {
		if err = run.Remove(t.Context(), c.GetContainerID()); err != nil {
			t.Fatal(err)
		}
		return false
	}
	if !errors.Is(err, run.ErrStopped) {
		t.Errorf("got %v, want %v", err, run.ErrStopped)
	}
	// By the time that the engine has created another container, it has created the one that nobody waits for.
	another, err := exec.Command("docker", "create", backendtest.Image(t, backendtest.Quick())).Output()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("docker", "rm", strings.TrimSpace(string(another))).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	hosttest.Until(t, "no container is left", func() bool {
		left, err := run.Containers(t.Context(), "", name)
		if err != nil {
			t.Fatal(err)
		}
		return len(left) == 0
	})
	return true
}
