package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

func bootCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "boot",
		Short: "Boot the cluster described in " + slurm.SpecVariable + " and watch over it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			var spec conf.Spec
			if err := json.Unmarshal([]byte(os.Getenv(slurm.SpecVariable)), &spec); err != nil {
				return fmt.Errorf("read %s: %w", slurm.SpecVariable, err)
			}
			cluster, err := boot.Boot(ctx, spec, func(stage string) { fmt.Println(slurm.StageLine + stage) })
			if err != nil {
				return err
			}
			fmt.Println(slurm.ReadyLine)
			watchErr := cluster.State.Watch(ctx)
			if ctx.Err() != nil {
				cluster.Stop()
				return nil
			}
			// The container stays up, so that its logs can be read; whoever
			// drives the cluster watches the same daemons and ends it.
			fmt.Fprintln(os.Stderr, "slurmlabd:", watchErr)
			if log, file, err := openLog(boot.LogDir, cluster.State.Clock); err == nil {
				log.Error("cluster broke", "error", watchErr)
				_ = file.Close()
			}
			<-ctx.Done()
			cluster.Stop()
			return nil
		},
	}
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
