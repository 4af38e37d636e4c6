package lab

import (
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/progress"
	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// Options are those of a cluster of the machine that is booted for the policy. report
// is told the stages of its boot. A policy's program is copied into the cluster.
func Options(m workloads.Machine, p policy.Policy, c clock.Settings, report func(progress.Update)) []testcontainers.ContainerCustomizer {
	options := []testcontainers.ContainerCustomizer{
		slurm.WithMachine(m.Nodes, m.Cores, m.GPUs), slurm.WithLayout(m.Layout), slurm.WithSwitches(m.Switches.Levels(m.Nodes)...),
		slurm.WithScheduler(p.Scheduler), slurm.WithPriority(p.Priority), slurm.WithClock(c),
		slurm.WithStages(func(stage string) { report(progress.Update{Stage: progress.Booting, Boot: stage}) }),
	}
	if p.ProgramFile != "" {
		options = append(options, testcontainers.WithFiles(testcontainers.ContainerFile{
			HostFilePath: p.ProgramFile, ContainerFilePath: path.Join(conf.ProgramDir, p.Parameters.Program), FileMode: 0o755,
		}))
	}
	return options
}

// Start starts a cluster. A start that fails leaves no container; one that was
// interrupted fails with the reason why ctx ended, ErrStopped or ErrPeer.
//
// The engine finishes the creation of a container even when nobody waits for
// its answer any more, and only the answer tells which one to remove. So an
// interrupt is held back until the container is there.
func Start(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*slurm.Container, error) {
	startCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	created := make(chan struct{})
	announce := sync.OnceFunc(func() { close(created) })
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-created:
		case <-startCtx.Done():
		case <-time.After(graceLimit):
		}
		cancel()
	})
	defer stop()
	cluster, err := slurm.Run(startCtx, image, append(opts,
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostCreates: []testcontainers.ContainerHook{
				func(context.Context, testcontainers.Container) error {
					announce()
					return nil
				},
			},
		}))...)
	if err == nil && ctx.Err() == nil {
		return cluster, nil
	}
	if ctx.Err() != nil {
		err = stopReason(ctx)
	}
	if cluster != nil {
		err = errors.Join(err, Remove(ctx, cluster.GetContainerID()))
		cluster.Close()
	}
	return nil, err
}
