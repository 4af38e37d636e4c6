package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/containers/slurm/joblog"
)

func runnerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   external.RunnerCommand,
		Short: "Run the jobs of external nodes until told to end",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			log, logFile, err := openLog(boot.LogDir, state.Clock)
			if err != nil {
				return err
			}
			defer func() { _ = logFile.Close() }()
			ctx := cmd.Context()
			jobs, err := external.OpenJobs(ctx, state.Env)
			if err != nil {
				return err
			}
			r := &external.Runner{Slurm: jobs, Clock: state.Clock, Scripts: conf.ScriptDir, Spool: conf.SpoolDir, Log: log}
			err = runJobs(ctx, state, r)
			if ctx.Err() != nil {
				err = nil
			}
			return errors.Join(err, jobs.Close())
		},
	}
}

func runJobs(ctx context.Context, state boot.State, r *external.Runner) error {
	starts := joblog.Starts(filepath.Join(boot.LogDir, "slurmctld.log"))
	// Earlier starts are those of jobs that run already, or have ended.
	from, err := starts.Size()
	if err != nil {
		return err
	}
	news := external.NewNews()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return starts.Follow(ctx, from, news.Started) })
	group.Go(func() error { return joblog.Ends(conf.CompletionLog).Follow(ctx, news.Ended) })
	group.Go(func() error { return r.Run(ctx, news) })
	group.Go(func() error {
		return state.Watch(ctx, func(died boot.Restart) {
			if died.Daemon == boot.Controller {
				news.Restarted()
			}
		})
	})
	return group.Wait()
}
