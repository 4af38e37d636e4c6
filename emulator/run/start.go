package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
)

// Options of a cluster that is booted for what is asked for. report is called at the stages of its boot. A
// policy's program is copied into the cluster.
func Options(s drive.Spec, report func(progress.Update)) []slurm.Option {
	m, p := s.Machine, s.Policy
	options := []slurm.Option{
		slurm.WithBackend(s.Backend),
		slurm.WithMachine(m.Nodes, m.Cores, m.GPUs), slurm.WithLayout(m.Layout), slurm.WithSwitches(m.Switches.Levels(m.Nodes)...),
		slurm.WithSwitchList(m.Switches.List), slurm.WithBlocks(m.Blocks.Of(m.Nodes), m.Blocks.Sizes),
		slurm.WithScheduler(p.Scheduler), slurm.WithPriority(p.Priority), slurm.WithClock(s.Clock),
		slurm.WithStages(func(stage string) { report(progress.Update{Stage: progress.Booting, Boot: stage}) }),
	}
	if p.ProgramFile != "" && !p.Parameters.ProgramOnHost {
		options = append(options, slurm.WithProgram(p.ProgramFile, p.Parameters.Program,
			map[string][]byte{plugin.PythonClientFile: plugin.PythonClient()}))
	}
	return options
}

// SettingNotes are sentences on settings of its policy that the Slurm of a cluster has otherwise.
func SettingNotes(ctx context.Context, cluster Cluster) ([]string, error) {
	var out, said bytes.Buffer
	code, err := cluster.Stream(ctx, nil, strings.NewReader(""), &out, &said, "cat", boot.StatePath)
	if err == nil && code != 0 {
		err = errors.New(strings.TrimSpace(said.String()))
	}
	var state struct {
		Settings boot.Settings `json:"settings"`
	}
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &state)
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings of the cluster: %w", err)
	}
	return state.Settings.Notes, nil
}

// start starts a cluster under Docker. A start that fails leaves no container; one that was
// interrupted fails with the reason why ctx ended, ErrStopped or ErrPeer.
//
// The engine finishes the creation of a container even when nobody waits for its answer any more, and only the answer
// names the one to remove. So an interrupt is held back until the container is there.
func (d Docker) start(ctx context.Context, image string, opts ...testcontainers.ContainerCustomizer) (*slurm.Container, error) {
	startCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	created := make(chan struct{})
	announce := sync.OnceFunc(func() { close(created) })
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-created:
		case <-startCtx.Done():
		case <-time.After(graceLimit):
		}
		cancel(nil)
	})
	defer stop()
	if d.Host != "" {
		go func() { cancel(d.away(startCtx)) }()
	}
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
	var absent *EngineError
	switch {
	case ctx.Err() != nil:
		err = stopReason(ctx)
	case errors.As(context.Cause(startCtx), &absent):
		err = absent
	}
	if cluster != nil {
		err = errors.Join(err, d.remove(ctx, cluster.GetContainerID()))
		cluster.Close()
	}
	return nil, err
}

// awayPoll is the pause between two questions to an engine that starts a cluster.
const awayPoll = 5 * time.Second

// away is the error of an engine that does not answer any more, nil when ctx ends before. slurm.Run does not notice
// that the engine has died.
func (d Docker) away(ctx context.Context) error {
	tick := time.NewTicker(awayPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if _, err := d.Check(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}
