package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/emulator/boot"
	"github.com/slurmlab/slurmlab/plugin-bridge/highs"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// commandLimit is the real time that one scontrol command may take.
const commandLimit = 30 * time.Second

func runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Drive one run: a request on standard input, events on standard output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			input := bufio.NewReader(os.Stdin)
			line, err := input.ReadBytes('\n')
			if err != nil {
				return fmt.Errorf("read request: %w", err)
			}
			var request emulator.Request
			if err := json.Unmarshal(line, &request); err != nil {
				return fmt.Errorf("read request: %w", err)
			}
			ctx, stop := context.WithCancelCause(cmd.Context())
			defer stop(nil)
			go func() {
				// The end of the input is the order to stop.
				_, _ = io.Copy(io.Discard, input)
				stop(emulator.ErrStopped)
			}()
			return run(ctx, state, request)
		},
	}
}

func run(ctx context.Context, state boot.State, request emulator.Request) error {
	shell := &slurmctl.Exec{Env: append(os.Environ(), state.Env...)}
	client := &slurmctl.Client{Runner: shell}
	out := json.NewEncoder(os.Stdout)
	driver := &emulator.Driver{
		Client: client, Clock: state.Clock, Request: request, Out: emulator.OutDir,
		Watch:     state.Watch,
		Ends:      emulator.CompletionLog(conf.CompletionLog).Follow,
		Running:   emulator.Spool(conf.SpoolDir).Running,
		Processes: func() map[string][]int { return processes(state) },
		// The goroutines of a run emit one event at a time.
		Emit: emulator.Serialise(out.Encode),
	}
	if request.Policy.HasAgent() {
		session, err := slurmctl.OpenSession(ctx, shell, commandLimit)
		if err != nil {
			return err
		}
		defer func() { _ = session.Close() }()
		cluster := newCluster(client, session, request.Priority, request.Parameters)
		scheduler, end, err := newAgent(state, cluster, request.Priority, request.Parameters, emulator.OutDir)
		if err != nil {
			return err
		}
		defer end()
		driver.Scheduler = scheduler
	}
	end := driver.Drive(ctx)
	var err error
	if end.SlurmVersion, err = slurmVersion(ctx, state); err != nil {
		return err
	}
	end.HiGHSVersion = highs.Version()
	return driver.Emit(emulator.Event{End: &end})
}

// processes lists the parts of the cluster whose processor time is told apart.
func processes(state boot.State) map[string][]int {
	parts := map[string][]int{"slurmlabd": {state.PID, os.Getpid()}}
	for _, d := range state.Daemons {
		parts[d.Name] = append(parts[d.Name], d.PID)
	}
	if pid := state.Clock.Controller(); pid > 0 {
		parts["vclockd"] = []int{pid}
	}
	return parts
}

// slurmVersion asks the installed Slurm, which also answers after ctx has ended
// and without a daemon.
func slurmVersion(ctx context.Context, state boot.State) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	var stderr bytes.Buffer
	cmd := state.Command(ctx, "sinfo", "--version")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", errors.Join(fmt.Errorf("ask for Slurm's version: %w", err), errors.New(stderr.String()))
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "slurm "), nil
}
