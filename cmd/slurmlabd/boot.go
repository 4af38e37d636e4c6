package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

func bootCommand() *cobra.Command {
	var leased bool
	cmd := &cobra.Command{
		Use:   "boot",
		Short: "Boot the cluster described in " + slurm.SpecVariable + " and watch over it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if leased {
				var stop context.CancelFunc
				ctx, stop = whileLeased(ctx, os.Stdin, leaseLimit)
				defer stop()
			}
			spec, err := conf.ParseText(os.Getenv(slurm.SpecVariable))
			if err != nil {
				return fmt.Errorf("read %s: %w", slurm.SpecVariable, err)
			}
			chosen, err := backend.Of(spec)
			if err != nil {
				return fmt.Errorf("read %s: %w", slurm.SpecVariable, err)
			}
			cluster, err := boot.Boot(ctx, spec, chosen.Nodes(spec), func(stage string) { fmt.Println(slurm.StageLine + stage) })
			if err != nil {
				return err
			}
			for _, note := range cluster.State.Settings.Notes {
				fmt.Fprintln(os.Stderr, note)
			}
			fmt.Println(slurm.ReadyLine)
			err = cluster.Supervise(ctx, func(r boot.Restart) {
				tell(cluster.State.Clock, "daemon died and was started again", fmt.Errorf("%s: %s, did not serve for %v", r.Daemon, r.How, r.Outage))
			})
			if ctx.Err() == nil {
				// The container stays up, so that its logs can be read. The program that drives the cluster watches
				// its state and ends it.
				tell(cluster.State.Clock, "cluster broke", err)
				<-ctx.Done()
			}
			tell(cluster.State.Clock, "cluster ends", context.Cause(ctx))
			cluster.Stop()
			return nil
		},
	}
	cmd.Flags().BoolVar(&leased, "leased", false, "end the cluster when standard input ends, which slurmlab holds open for as long as it lives")
	return cmd
}

// tell writes to standard error and to the log.
func tell(c clock.Clock, what string, why error) {
	fmt.Fprintf(os.Stderr, "slurmlabd: %s: %v\n", what, why)
	if log, file, err := openLog(boot.LogDir, c); err == nil {
		log.Error(what, "error", why)
		_ = file.Close()
	}
}

// readRequest reads the line that asks for something, and returns the rest of the input.
func readRequest(input io.Reader, request any) (rest io.Reader, err error) {
	lines := bufio.NewReader(input)
	line, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, request)
	}
	if err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	return lines, nil
}

// leaseLimit is the real time in which slurmlab says that it has started the cluster.
const leaseLimit = time.Minute

// whileLeased returns a context that ends when the input does, or when nothing comes within the limit (lease of package
// slurm).
func whileLeased(ctx context.Context, input io.Reader, limit time.Duration) (context.Context, context.CancelFunc) {
	gone := errors.New("its slurmlab is gone")
	ctx, stop := context.WithCancelCause(ctx)
	late := time.AfterFunc(limit, func() { stop(gone) })
	go func() {
		if n, _ := input.Read(make([]byte, 1)); n > 0 {
			late.Stop()
			_, _ = io.Copy(io.Discard, input)
		}
		stop(gone)
	}()
	return ctx, func() { late.Stop(); stop(nil) }
}

// whileOpen returns a context that also ends when the input does, with the cause.
func whileOpen(ctx context.Context, input io.Reader, cause error) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, input)
		stop(cause)
	}()
	return ctx, func() { stop(nil) }
}

func execCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "exec -- COMMAND [ARGUMENT...]",
		Short: "Replace this process by a command on the cluster's clock",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			program, err := exec.LookPath(args[0])
			if err != nil {
				return fmt.Errorf("run %s: %w", args[0], err)
			}
			if err := syscall.Exec(program, args, append(os.Environ(), state.Env...)); err != nil {
				return fmt.Errorf("run %s: %w", args[0], err)
			}
			return nil
		},
	}
}
