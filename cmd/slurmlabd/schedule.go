package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/emulator/boot"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// retryAfter is the real time between a failure of the agent, as while slurmctld is
// started anew by hand, and the next try.
const retryAfter = 5 * time.Second

func scheduleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   boot.AgentCommand + " POLICY",
		Short: "Schedule the jobs of people until told to end",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			d, err := emulator.FindPolicy(args[0])
			if err != nil {
				return err
			}
			cycles, err := os.OpenFile(filepath.Join(boot.LogDir, "cycles.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
			if err != nil {
				return fmt.Errorf("record cycles: %w", err)
			}
			record := func(c trace.Cycle) error { return json.NewEncoder(cycles).Encode(c) }
			began := state.Clock.Now()
			for ctx := cmd.Context(); ctx.Err() == nil; {
				if err = schedule(ctx, state, d, began, record); ctx.Err() != nil {
					break
				}
				fmt.Fprintf(os.Stderr, "%s %v\n", state.Clock.Now().Format(time.DateTime), err)
				select {
				case <-time.After(retryAfter):
				case <-ctx.Done():
				}
			}
			return cycles.Close()
		},
	}
}

// schedule runs an agent until ctx ends or Slurm cannot be talked to.
func schedule(ctx context.Context, state boot.State, d emulator.Description, began time.Time, record func(trace.Cycle) error) error {
	shell := &slurmctl.Exec{Env: append(os.Environ(), state.Env...)}
	client := &slurmctl.Client{Runner: shell}
	session, err := slurmctl.OpenSession(ctx, shell, commandLimit)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	order := state.Spec.Priority
	scheduler, end, err := newAgent(state, newCluster(client, session, order, d.Parameters).WithSlurmIDs(), order, d.Parameters, "")
	if err != nil {
		return err
	}
	defer end()
	return emulator.Keep(ctx, emulator.Kept{
		Clock: state.Clock, Began: began, Interval: d.Parameters.Interval, Scheduler: scheduler, Record: record, Tell: client.Annotate,
	})
}
