// Command soak sends many jobs through one cluster in one run of slurmlab, and looks at every process of the run
// while it lasts. Nothing may grow with the jobs that have ended. "make soak" builds what it needs and starts it; it
// needs root.
//
//	jobs -> slurmlab run -> a look every --every: soak-POLICY.csv, soak-POLICY.svg, table.md
//	soak table: soak-POLICY.csv -> table and verdict
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/tools/internal/command"
	"github.com/slurmlab/slurmlab/workloads"
)

func main() { command.Main(root(), errGrows) }

// errGrows is the error of a run in which something grew.
var errGrows = errors.New("the run is not steady")

// soak holds the flags.
type soak struct {
	slurmlab, image, backend, machine, core, out string
	policies                                     []string
	jobs, part                                   int
	seed                                         uint64
	every                                        time.Duration
}

func root() *cobra.Command {
	s := soak{}
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Send many jobs through one cluster and look whether anything grows",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&s.slurmlab, "slurmlab", "build/slurmlab", "slurmlab")
	f.StringVar(&s.backend, "backend", string(backend.Default().Form), "what emulates the nodes")
	f.StringVar(&s.image, "image", "", "its image (default: the usual one)")
	f.StringVar(&s.machine, "machine", "S", "machine")
	f.StringSliceVar(&s.policies, "policy", []string{"backfill", "auction"}, "policies, one run each")
	f.StringVar(&s.core, "core", "auto", "processor core of the cluster")
	f.StringVar(&s.out, "out", "build/soak", "directory for the runs, tables and pictures")
	f.IntVar(&s.jobs, "jobs", 20000, "number of jobs")
	f.IntVar(&s.part, "part", 1000, "the processor time of the second so many jobs is compared with the last ones'")
	f.Uint64Var(&s.seed, "seed", 1, "seed of the jobs")
	f.DurationVar(&s.every, "every", 10*time.Second, "real time between two looks")
	cmd.AddCommand(tableCommand())
	return cmd
}

// tableCommand makes table and verdict from kept samples.
func tableCommand() *cobra.Command {
	part := 1000
	cmd := &cobra.Command{
		Use:   "table soak-POLICY.csv...",
		Short: "Print table and verdict of samples that were kept",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error {
			var rows []row
			for _, path := range paths {
				own, err := readTable(path, part)
				if err != nil {
					return err
				}
				rows = append(rows, own...)
			}
			return errors.Join(growthTable(part, rows).WriteMarkdown(os.Stdout), verdict(rows))
		},
	}
	cmd.Flags().IntVar(&part, "part", part, "as for the run")
	return cmd
}

func (s *soak) run(ctx context.Context) error {
	if s.jobs < 3*s.part || s.part < 1 {
		return fmt.Errorf("--jobs: %d is not allowed, want at least three times --part, %d", s.jobs, s.part)
	}
	machine, err := workloads.LoadMachine(s.machine)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	workload := filepath.Join(s.out, fmt.Sprintf("jobs-%d-seed%d.csv", s.jobs, s.seed))
	if err = writeJobs(workload, jobs(machine, s.jobs, s.seed)); err != nil {
		return err
	}
	var rows []row
	for _, policy := range s.policies {
		w, runErr := s.soak(ctx, policy, workload)
		// What was seen of a run that broke is kept as well, as one of the jobs that had ended.
		if w.ended >= 3*s.part {
			own, unseen := rowsOf(policy, w.ended, s.part, w.all)
			rows = append(rows, own...)
			runErr = errors.Join(runErr, unseen, keep(filepath.Join(s.out, "soak-"+policy), policy, w.ended, w.all),
				trace.WriteAtomic(filepath.Join(s.out, "table.md"), growthTable(s.part, rows).WriteMarkdown))
		}
		if runErr != nil {
			return fmt.Errorf("%s: %w", policy, runErr)
		}
	}
	return errors.Join(growthTable(s.part, rows).WriteMarkdown(os.Stdout), verdict(rows))
}

// soak makes one run and watches it. What was seen is returned also with an error.
func (s *soak) soak(ctx context.Context, policy, workload string) (*watcher, error) {
	w := &watcher{used: map[string]map[string]float64{}}
	dir, err := filepath.Abs(filepath.Join(s.out, fmt.Sprintf("%s-%s", policy, time.Now().UTC().Format("20060102-150405"))))
	if err != nil {
		return w, err
	}
	args := []string{
		"run", "--backend", s.backend, "--machine", s.machine, "--workload", workload, "--policy", policy, "--core", s.core, "--out", dir,
	}
	if s.image != "" {
		args = append(args, "--image", s.image)
	}
	cmd := exec.CommandContext(ctx, s.slurmlab, args...)
	// Its own end is that of Ctrl-C.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = os.Stderr
	if err = cmd.Start(); err != nil {
		return w, fmt.Errorf("start slurmlab: %w", err)
	}
	w.began, w.cli = time.Now(), int32(cmd.Process.Pid)
	watching, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- w.watch(watching, dir, s.every) }()
	err = cmd.Wait()
	stop()
	if err = errors.Join(err, <-watched); err != nil {
		return w, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d jobs in %.0f s: %s\n", policy, s.jobs, time.Since(w.began).Seconds(), dir)
	return w, nil
}
