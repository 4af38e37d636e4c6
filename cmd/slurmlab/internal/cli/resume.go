package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/results/trace"
)

// execution is how runs are carried out in a directory, whatever they are: "run",
// "compare", "paper" and "campaign" do it alike.
type execution struct {
	// out is the directory of the runs, core the value of --core.
	out, core string
	// goesOn says that out may be there already, elsewhere what to do where it has runs
	// with other settings.
	goesOn    bool
	elsewhere string
	// stamped says that out is not the user's but named by the time.
	stamped bool
	quiet   bool
	// unattended has a run that fails leave the others alone.
	unattended bool
	// repeats is how often a run is made again that others disturbed.
	repeats int
	// log gets the lines of a log beside what is shown; nil for none.
	log io.Writer
}

// complete makes those of the runs that are not there. Broken runs are moved aside.
func (e *execution) complete(ctx context.Context, s *State, parallel int, configs []lab.Config) error {
	if states, err := e.find(configs); err != nil || !slices.ContainsFunc(states, left) {
		return err
	}
	if err := e.findImages(ctx, s, configs); err != nil {
		return err
	}
	states, err := e.find(configs)
	if err != nil {
		return err
	}
	var there, todo, broken []lab.Config
	for i, c := range configs {
		switch states[i] {
		case lab.StateComplete:
			there = append(there, c)
		case lab.StateRunning:
			return fmt.Errorf("run %s: another slurmlab carries it out", c.Dir)
		case lab.StateBroken:
			broken = append(broken, c)
			todo = append(todo, c)
		default:
			todo = append(todo, c)
		}
	}
	// A run that cannot be read is reported before hours are spent on the others.
	if _, err = load(lab.Load, dirs(there)...); err != nil {
		return err
	}
	for _, c := range broken {
		to, stays := lab.SetAside(c.Dir)
		if stays != nil {
			return stays
		}
		e.tell(s, "%s is broken and set aside: %s\n", c.Dir, to)
	}
	if len(there)+len(broken) > 0 {
		e.tell(s, "%d of %d runs are there, %d left\n", len(there), len(configs), len(todo))
	}
	err = e.runAll(ctx, s, parallel, todo)
	if _, missing := os.Stat(e.out); err != nil && missing == nil {
		return fmt.Errorf("%w\n  complete runs stay in %s; the same command%s goes on with the others", err, e.out, e.again())
	}
	return err
}

// findImages asks for Docker, the core and the images, and sets those of the runs. It
// removes what earlier runs have left, before their directories are set aside.
func (e *execution) findImages(ctx context.Context, s *State, configs []lab.Config) error {
	if _, err := lab.CheckEngine(ctx); err != nil {
		return err
	}
	killed, left, err := lab.RemoveOrphans(ctx)
	for _, name := range killed {
		s.warnf("the container of run %s, whose slurmlab was killed, is removed", name)
	}
	for _, name := range left {
		s.warnf("the container of run %s, which its slurmlab could not remove, is removed", name)
	}
	if err = errors.Join(err, coreThere(ctx, e.core)); err != nil {
		return err
	}
	images := map[kindFlags]lab.Image{}
	for i, c := range configs {
		kind := kindFlags{c.Slurm, c.Image}
		image, known := images[kind]
		if !known {
			if image, err = kind.find(ctx, s); err != nil {
				return err
			}
			images[kind] = image
		}
		configs[i].ImageID, configs[i].Sources = image.ID, image.Sources
	}
	return nil
}

// again is what a command must have besides what was typed to go on in the same
// directory.
func (e *execution) again() string {
	if e.stamped {
		return " with --out " + e.out
	}
	return ""
}

func (e *execution) tell(s *State, format string, args ...any) {
	if !e.quiet {
		_, _ = fmt.Fprintf(s.Stderr, format, args...)
	}
}

// left says whether a run is still to be made.
func left(state lab.State) bool { return state != lab.StateComplete }

// find says what lies in the directory of each run. When several runs there have
// other settings than asked for, the error names those of the first one only,
// because the others mostly differ in the same.
func (e *execution) find(configs []lab.Config) ([]lab.State, error) {
	states := make([]lab.State, len(configs))
	var faults, others []error
	for i, c := range configs {
		var err error
		states[i], err = c.Find()
		switch {
		case errors.Is(err, lab.ErrOther):
			others = append(others, err)
		case err != nil:
			faults = append(faults, err)
		}
	}
	if n := len(others); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf("; %d more runs have others too", n-1)
		}
		faults = append(faults, fmt.Errorf("%w%s\n  %s", others[0], more, e.elsewhere))
	}
	return states, usage(errors.Join(faults...))
}

// checkRuns refuses the value of --out where something is that is neither empty nor a
// directory with runs in it: nobody's files are mixed with those of a comparison.
func checkRuns(out string) error {
	if err := checkDash("out", out); err != nil {
		return err
	}
	entries, err := os.ReadDir(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && (len(entries) == 0 || len(runsIn(out)) > 0) {
		return nil
	}
	return checkNew(out, "directory")
}

// checkOurs refuses a directory whose runs are all others than those of the comparison:
// its tables would take the place of theirs.
func checkOurs(out string, configs []lab.Config) error {
	there := runsIn(out)
	if len(there) == 0 {
		return nil
	}
	for _, c := range configs {
		if slices.Contains(there, c.Dir) {
			return nil
		}
	}
	return fmt.Errorf("out: %s has other runs, such as %s, and none of these; choose a new directory", out, filepath.Base(there[0]))
}

// runsIn lists the runs below a directory, archived or not, and those of them that were set
// aside, each once under the name that its directory has or had.
func runsIn(out string) []string {
	var runs []string
	// A directory that cannot be read has none.
	entries, _ := os.ReadDir(out)
	for _, entry := range entries {
		path := filepath.Join(out, entry.Name())
		if entry.Name() != lab.AsideName && lab.IsRun(path) {
			runs = append(runs, trace.Unarchived(path))
		}
	}
	for _, aside := range lab.Aside(out) {
		runs = append(runs, filepath.Join(out, aside))
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}
