// Command strain makes many small runs of slurmlab on a busy machine, and compares the end of each job in sacct.txt
// with the workload by a computation of its own. A run must report a job that is off by more than a second. "make
// strain" builds what it needs and starts it.
//
//	seed -> jobs.csv, events.csv -> slurmlab run, four at a time beside the load -> a row of the record for each run -> the result
//
// Invariant: the record is only appended to. A run that has a row of the same version is not made again, so that many
// runs can be made on many occasions.
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
	slurmlab, version, core, out string
	record                       table
	// backend is the one form, empty for all.
	backend string
	// images has the image of each backend.
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
	f.StringVar(&s.version, "version", "", "version of slurmlab's sources, which the record names")
	f.StringVar((*string)(&s.record), "record", "docs/records/038-strain", "directory of the record; runs that it has of this version are not made again")
	f.StringVar(&s.out, "out", "build/strain", "directory for the runs")
	f.StringVar(&s.backend, "backend", "", "make runs on this backend alone (default: frontend and external)")
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
	if s.version == "" {
		return errors.New("--version is missing: make strain gives it")
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
	made, err := s.record.read()
	if err == nil {
		err = s.makeAll(ctx, made)
	}
	stop()
	return errors.Join(err, load.Wait(), s.report())
}

// setting is what the verdicts of one table hold for.
func (s *strain) setting() setting {
	load := "files and containers"
	if s.idle {
		load = "none"
	}
	return setting{s.version, s.core, load}
}

// makeAll makes the runs that have no row.
func (s *strain) makeAll(ctx context.Context, made []entry) error {
	has := map[string]bool{}
	for _, e := range made {
		if e.setting == s.setting() {
			has[e.run()] = true
		}
	}
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.parallel)
	for i := range s.runs {
		if ctx.Err() != nil || s.most > 0 && time.Since(began) > s.most {
			break
		}
		c := s.cell(i)
		if s.backend != "" && string(c.on.Form) != s.backend || has[c.name()] {
			continue
		}
		group.Go(func() error { return s.make(ctx, c) })
	}
	return group.Wait()
}

func (s *strain) machine() string { return filepath.Join(s.out, "machine.yaml") }

// report counts the runs of each version that the record has, and judges the runs of this version.
func (s *strain) report() error {
	all, err := s.record.read()
	if err != nil {
		return err
	}
	counts := count(all)
	var mine result
	for _, c := range counts {
		fmt.Printf("%s, core %s, load %s: %v\n", c.version, c.core, c.load, c.result)
		if c.setting == s.setting() {
			mine = c.result
		}
	}
	return errors.Join(s.record.writeCounts(counts), mine.verdict())
}
