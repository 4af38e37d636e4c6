// Command faults is the fault campaign: it breaks runs of slurmlab on purpose and
// checks that each was either right or said that it was not. "make faults" builds what
// it needs and starts it; docs/trust.md lists the promises that it checks.
//
// The nemesis (play.go) plays one cell. It starts a run of slurmlab, waits until the run reaches the cell's point,
// and does what the cell says to the victim. It lets the run go on, and writes down what happened. It judges nothing;
// package check does.
//
//	slurmlab (tag faults) --socket--> nemesis: reached "end/first"
//	nemesis --docker exec, kill, proxy--> victim
//	nemesis --socket--> slurmlab: go on
//	end of slurmlab -> what is left over -> a fresh run -> what is left over now
//
// A cell has a directory: run and fresh are the run directories, run.err and fresh.err
// what slurmlab printed, tmp its temporary files, and facts.json the check.Facts.
//
// Invariants: of other people's containers and processes the nemesis touches none: it
// finds its own by the directory of the run and by an environment variable. A cell
// leaves nothing of the nemesis behind, also when the run does not end.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
	"github.com/slurmlab/slurmlab/tools/internal/command"
)

func main() { command.Main(root(), errBroken) }

// errBroken is the error of a campaign that found something.
var errBroken = errors.New("invariants are broken")

// campaign holds the flags.
type campaign struct {
	stage stage
	// images has the image of each series of Slurm.
	images map[string]*string
	out    string
	cells  string
	slurm  string
	seed   uint64
	most   time.Duration
	engine string
	// parallel is how many waiting cells are played at a time.
	parallel int
	// table plays nothing; doc is a document with the table in it.
	table bool
	doc   string
}

func root() *cobra.Command {
	c := campaign{images: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "faults",
		Short: "Break runs of slurmlab on purpose and check what they say",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&c.stage.Slurmlab, "slurmlab", "build/faults/slurmlab", "slurmlab, built with the tag faults")
	for _, b := range backend.All() {
		if c.images[b.Series] != nil {
			continue
		}
		// As "make images-faults" calls them.
		flag, image := "image", "slurmlab:faults"
		if b.Series != backend.Default().Series {
			flag, image = flag+"-"+strings.ReplaceAll(b.Series, ".", "-"), image+"-"+b.Series
		}
		c.images[b.Series] = new(string)
		f.StringVar(c.images[b.Series], flag, image, fmt.Sprintf("image for Slurm %s, of the same build", b.Series))
	}
	f.StringVar(&c.stage.Core, "core", "auto", "processor core of the clusters, as of slurmlab run")
	f.Uint64Var(&c.seed, "seed", 1, "choose other cells that cover all pairs, or other kills")
	f.DurationVar(&c.most, "for", 0, "begin no cell or kill after so much real time (0: play all)")
	f.StringVar(&c.out, "out", "build/faults/campaign", "directory of the campaign; cells that were played there are not played again")
	f = cmd.Flags()
	f.StringVar(&c.cells, "cells", "", `cells to play (again), separated by commas, "sample" or "long" (default: the plan's cells that were not played)`)
	f.StringVar(&c.slurm, "slurm", "", "play cells on this backend alone, by the last word of their names (default: all)")
	f.IntVar(&c.parallel, "parallel", 1, "play so many cells at a time of those whose victim stays stopped, which mostly wait")
	f.BoolVar(&c.table, "table", false, "play nothing, write the tables of the cells that were played")
	f.StringVar(&c.doc, "doc", "", "document whose table of cells is replaced; the verdicts are kept beside it")
	f.StringVar(&c.engine, "engine", "/var/run/docker.sock", "socket of the Docker engine")
	cmd.AddCommand(killsCommand(&c))
	return cmd
}

// sample are the cells that "make test" plays: each action once, on the backend that boots fastest.
func sample() []string {
	return []string{
		"KILL runner end/first backfill 26.05",
		"KILL slurmlabd run submission/first auction 26.05",
		"STOP-5s slurmchannel boot/idle backfill 26.05",
		"TERM CLI drain auction 26.05",
		"STOP mariadbd copy auction 26.05",
		"EXHAUST tmpfs submission/first auction 26.05",
		"GARBAGE plug-in release/updated exec 26.05",
	}
}

// long are the cells that "make test-long" plays: on 24.11 the daemons whose death no run survives, what ends by a
// limit of a minute, and what else can be exhausted.
func long() []string {
	return []string{
		"KILL slurmctld end/first auction 24.11",
		"KILL slurmd submission/first backfill 24.11",
		"KILL slurmlabd run release/updated auction 24.11",
		"KILL boot end/first backfill 24.11",
		"STOP runner boot/idle auction 26.05",
		"STOP container submission/first backfill 26.05",
		"EXHAUST memory drain backfill 26.05",
		"EXHAUST process ids end/first backfill 26.05",
		"EXHAUST disk of the host copy auction 26.05",
	}
}

// chosen returns the cells of the plan and those to play now.
func (c *campaign) chosen() (all, now []check.Cell, err error) {
	names := strings.Split(c.cells, ",")
	switch c.cells {
	case "":
		all = slices.Concat(check.Cover(check.Cells(), c.seed), check.PluginCells())
		for _, cell := range all {
			if _, err := os.Stat(filepath.Join(c.dir(cell), verdictName)); err != nil {
				now = append(now, cell)
			}
		}
		// If the time is short, more cells fit in it.
		check.Quick(now)
		return all, now, nil
	case "sample":
		names = sample()
	case "long":
		names = long()
	}
	for _, name := range names {
		cell, err := check.Find(strings.TrimSpace(name))
		if err != nil {
			return nil, nil, err
		}
		all = append(all, cell)
	}
	return all, slices.Clone(all), nil
}

func (c *campaign) dir(cell check.Cell) string { return filepath.Join(c.out, "cells", cell.FileName()) }

func (c *campaign) run(ctx context.Context) error {
	all, now, err := c.chosen()
	if err != nil {
		return err
	}
	if err = os.MkdirAll(c.out, 0o755); err != nil {
		return err
	}
	if err = c.furnish(); err != nil {
		return err
	}
	if c.table {
		return c.report(all)
	}
	now = slices.DeleteFunc(now, func(cell check.Cell) bool { return c.slurm != "" && cell.Slurm != c.slurm })
	return errors.Join(c.playAll(ctx, now, c.play), c.report(all))
}

// play plays a cell from the start and prints the result.
func (c *campaign) play(ctx context.Context, cell check.Cell) error {
	dir := c.dir(cell)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := playCell(ctx, c.stage, cell, dir); err != nil {
		return err
	}
	v, err := check.Judge(dir)
	if err != nil {
		return err
	}
	if err = saveVerdict(dir, v); err != nil {
		return err
	}
	if v.Facts.Undone != "" && v.Facts.Fresh != 0 {
		return fmt.Errorf("neither the run nor one without a fault begins: see %s", filepath.Join(dir, check.OutputName))
	}
	text := fmt.Sprintf("%-60s %-10s %5.1f s\n", cell.Name(), v.Facts.Status, v.Facts.TookSeconds)
	for _, b := range v.Broken {
		text += fmt.Sprintf("    BROKEN %s\n", b)
	}
	_, err = fmt.Fprint(os.Stderr, text)
	return err
}

// report writes the table of all cells that were played.
func (c *campaign) report(cells []check.Cell) error {
	var verdicts []check.Verdict
	broken, planned := 0, cells
	if c.cells == "" {
		byName, err := c.byName(cells)
		if err != nil {
			return err
		}
		cells = slices.Concat(cells, byName)
	}
	for _, cell := range cells {
		v, err := loadVerdict(c.dir(cell))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		verdicts = append(verdicts, v)
		if len(v.Broken) > 0 {
			broken++
		}
	}
	if err := writeTables(c.out, verdicts, planned); err != nil {
		return err
	}
	if c.doc != "" {
		if err := intoDocument(c.doc, verdicts, planned); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%d cells played, %d planned, %d with broken invariants: %s\n", len(verdicts), len(planned), broken, filepath.Join(c.out, tableName))
	if broken > 0 {
		return errBroken
	}
	return nil
}

// byName are the cells that were played because somebody named them, beside the planned
// ones.
func (c *campaign) byName(planned []check.Cell) ([]check.Cell, error) {
	paths, err := filepath.Glob(filepath.Join(c.out, "cells", "*", verdictName))
	if err != nil {
		return nil, err
	}
	var others []check.Cell
	for _, path := range paths {
		v, err := loadVerdict(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(planned, v.Facts.Cell) {
			others = append(others, v.Facts.Cell)
		}
	}
	return others, nil
}
