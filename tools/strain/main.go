// Command strain makes many small runs of slurmlab on a busy machine, and compares the end of each job in sacct.txt with
// the workload by a computation of its own: a job that is off by more than a second must be told by its run. "make strain"
// builds what it needs and starts it.
//
//	seed -> workload.csv, events.csv -> slurmlab run, four at a time beside the load -> verdict.json of each run -> the result
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/tools/internal/command"
)

func main() { command.Main(root(), errLate) }

// errLate is the error of runs that did not say what was late, or of which too many were.
var errLate = errors.New("virtual time was not kept")

// strain holds the flags.
type strain struct {
	slurmlab, core, out string
	// slurm is the one kind of cluster, empty for all.
	slurm string
	// images has the image of each kind of cluster.
	images         map[string]*string
	runs, parallel int
	seed           uint64
	most           time.Duration
	idle           bool
}

// forms lists the forms of the runs' clusters, one after the other.
func forms() []backend.Form { return []backend.Form{backend.External, backend.FrontEnd} }

func root() *cobra.Command {
	s := strain{images: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "strain",
		Short: "Make many small runs on a busy machine and check that each says what was late",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&s.slurmlab, "slurmlab", "build/slurmlab", "slurmlab")
	for _, form := range forms() {
		of, flag := backend.All().Of(form), "image"
		if of.Series != backend.Default().Series {
			flag += "-" + strings.ReplaceAll(of.Series, ".", "-")
		}
		s.images[of.Name()] = new(string)
		f.StringVar(s.images[of.Name()], flag, of.Image(), "image for Slurm "+of.Series)
	}
	f.StringVar(&s.out, "out", "build/strain", "directory for the runs; those that have a verdict there are not made again")
	f.StringVar(&s.slurm, "slurm", "", "make runs on this kind of cluster alone (default: one with a front end and one with external nodes)")
	f.StringVar(&s.core, "core", "none", "processor core of the clusters, as of slurmlab run")
	f.IntVar(&s.runs, "runs", 1000, "number of runs")
	f.IntVar(&s.parallel, "parallel", 4, "runs at a time")
	f.Uint64Var(&s.seed, "seed", 1, "seed of the first run's jobs; each run has the next one")
	f.DurationVar(&s.most, "for", 0, "begin no run after so much real time (0: make all)")
	f.BoolVar(&s.idle, "idle", false, "without the load of files and containers beside the runs")
	return cmd
}

func (s *strain) run(ctx context.Context) error {
	if s.runs < 1 || s.parallel < 1 {
		return fmt.Errorf("--runs and --parallel: got %d and %d, want 1 or more", s.runs, s.parallel)
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(s.machine(), []byte(machine), 0o644); err != nil {
		return err
	}
	loading, stop := context.WithCancel(ctx)
	load, loading := errgroup.WithContext(loading)
	if !s.idle {
		load.Go(func() error { return writeFiles(loading, s.out) })
		load.Go(func() error { return startContainers(loading, *s.images[backend.All().Of(backend.FrontEnd).Name()]) })
	}
	err := s.makeAll(ctx)
	stop()
	if err = errors.Join(err, load.Wait()); err != nil {
		return err
	}
	return s.report()
}

// makeAll makes the runs that have no verdict.
func (s *strain) makeAll(ctx context.Context) error {
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.parallel)
	for i := range s.runs {
		if ctx.Err() != nil || s.most > 0 && time.Since(began) > s.most {
			break
		}
		c := s.cell(i)
		if s.slurm != "" && c.slurm.Name() != s.slurm {
			continue
		}
		if _, err := readVerdict(c.dir); err == nil {
			continue
		}
		group.Go(func() error { return s.make(ctx, c) })
	}
	return group.Wait()
}

func (s *strain) machine() string { return filepath.Join(s.out, "machine.yaml") }

// report prints the result of all runs that have a verdict.
func (s *strain) report() error {
	var r result
	for i := range s.runs {
		v, err := readVerdict(s.cell(i).dir)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		r.add(v)
	}
	fmt.Println(r)
	return r.verdict()
}
