package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

func scheduleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   boot.AgentCommand,
		Short: "Schedule the jobs of people until told to end",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			var p policy.Policy
			if err = json.Unmarshal(state.Spec.AgentPolicy, &p); err != nil {
				return fmt.Errorf("read policy: %w", err)
			}
			log, logFile, err := openLog(boot.LogDir, state.Clock)
			if err != nil {
				return err
			}
			defer func() { _ = logFile.Close() }()
			cycles, err := os.OpenFile(filepath.Join(boot.LogDir, "cycles.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
			if err != nil {
				return fmt.Errorf("record cycles: %w", err)
			}
			ctx := cmd.Context()
			err = schedule(ctx, state, p, log, func(c trace.Cycle) error { return json.NewEncoder(cycles).Encode(c) }, func() {})
			if ctx.Err() != nil {
				err = nil
			}
			return errors.Join(err, cycles.Close())
		},
	}
}

// schedule runs an agent until ctx ends. ready is called when its programs have been started.
func schedule(ctx context.Context, state boot.State, p policy.Policy, log *slog.Logger, record func(trace.Cycle) error, ready func()) error {
	order := state.Spec.Priority
	slurm, err := connect(ctx, state)
	if err != nil {
		return err
	}
	defer func() { _ = slurm.Close() }()
	cluster := newCluster(slurm, state.Spec, order, p.Parameters).ForPeople()
	scheduler, help, err := newAgent(ctx, agentRequest{
		state: state, cluster: cluster, order: order, parameters: p.Parameters, remember: saveFlights(boot.FlightsPath), log: log,
	})
	if err != nil {
		return err
	}
	defer help.Close()
	flights, err := loadFlights(boot.FlightsPath)
	if err != nil {
		// Jobs that were in flight may get nodes that others were planned on: Slurm lets the later ones wait.
		log.Error("jobs in flight are forgotten", "error", err)
	}
	if len(flights) > 0 {
		log.Warn("going on for an agent that died", "flights", len(flights))
	}
	scheduler.Resume(flights)
	if _, err := cluster.State(ctx); err != nil {
		// The first cycle asks again.
		log.Warn("no answer before the first cycle", "error", err)
	}
	ready()
	stand := func(a watch.Agent) error { return saveAgent(boot.AgentPath, a) }
	return drive.Keep(ctx, drive.Kept{
		Clock: state.Clock, Began: state.Clock.Now(), Interval: p.Parameters.Interval, Scheduler: scheduler,
		Reconnect: slurm.Reopen, Record: record, Tell: slurm.Annotate, Stand: stand, Log: log,
	})
}
