package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

func runnerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   backend.RunnerCommand,
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
			ends, err := os.OpenFile(filepath.Join(boot.LogDir, external.EndsName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
			if err != nil {
				return fmt.Errorf("open log of ends: %w", err)
			}
			defer func() { _ = ends.Close() }()
			reader := newReader(state)
			go boot.HoldWhileStopped(ctx, state.Clock, func() []int { return []int{reader.PID()} })
			processes := scripts.Processes{Spool: conf.SpoolDir}
			if err = processes.Prepare(); err != nil {
				return err
			}
			r := &external.Runner{
				Slurm: external.Jobs{Channel: reader}, Clock: state.Clock, After: afterSecond, Scripts: conf.ScriptDir, Spool: conf.SpoolDir, Processes: processes,
				CPUs:        func(ctx context.Context, id int) ([]int, error) { return cpus(ctx, reader, id) },
				Comments:    func(ctx context.Context) ([]string, error) { return comments(ctx, reader) },
				Environment: state.Env, Log: log, Ends: ends,
			}
			err = runJobs(ctx, state, r, processes)
			if ctx.Err() != nil {
				err = nil
			}
			return errors.Join(err, reader.Close())
		},
	}
}

// afterSecond is when within its second a job ends: after slurmctld's main loop, which wakes at
// whole seconds, and before the emulator's half seconds. If two of them met, chance would
// decide which comes first. It is longer than time(2) may be behind other clocks, a
// hundredth of a second where Linux ticks slowest (CONFIG_HZ=100).
const afterSecond = time.Second / 4

// cpus reads how many CPUs a job has on each of its nodes.
func cpus(ctx context.Context, reader *channel.Reader, id int) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	jobs, err := reader.JobDetails(ctx, id)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, job := range jobs {
		for _, a := range job.Allocations {
			all = append(all, a.Cores)
		}
	}
	return all, nil
}

// comments reads the admin comments of all jobs in the queue.
func comments(ctx context.Context, reader *channel.Reader) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	jobs, err := reader.Queue(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]string, len(jobs))
	for i, job := range jobs {
		if job.Unread != nil {
			return nil, job.Unread
		}
		all[i] = job.AdminComment
	}
	return all, nil
}

func runJobs(ctx context.Context, state boot.State, r *external.Runner, processes scripts.Processes) error {
	starts := jobs.Starts(filepath.Join(boot.LogDir, "slurmctld.log"))
	// Earlier starts are those of jobs that run already, or have ended.
	from, err := starts.Size()
	if err != nil {
		return err
	}
	news := external.NewNews()
	heard := jobs.Heard{Started: news.Started, Changed: news.Changed, Unreachable: news.Unreachable, Refused: news.Refused}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return starts.Follow(ctx, from, heard) })
	group.Go(func() error { return processes.Follow(ctx, news.Exited) })
	group.Go(func() error { return jobs.Ends(conf.CompletionLog).Follow(ctx, news.Ended) })
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
