package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

// execution is how runs are carried out in a directory, whatever they are: "run",
// "compare", "paper" and "campaign" do it alike.
type execution struct {
	// out is the directory of the runs, core the value of --core.
	out, core string
	runtime   runtimeName
	// goesOn says that out may be there already, elsewhere what to do where it has runs
	// with other settings.
	goesOn    bool
	elsewhere string
	// anyBuild uses runs that another slurmlab has made.
	anyBuild bool
	// stamped says that out is not the user's but named by the time.
	stamped bool
	quiet   bool
	// ui shows the runs on the whole terminal, those of a comparison that have the same
	// jobs at the same virtual time.
	ui, paired bool
	// unattended has a run that fails leave the others alone.
	unattended bool
	// repeats is how often a run is made again that others disturbed.
	repeats int
	// archive is what is kept of complete runs, in archives: archiveWhole, archiveRaw, or "" for directories.
	archive string
	// there counts the runs that are complete already.
	there int
	// shared has other commands make other runs in the same directory meanwhile: what somebody else has is left
	// alone.
	shared bool
	// hosts are the addresses of the Docker engines that the runs are spread over, and engines those of them that make
	// runs; none for the runtime.
	hosts   []string
	engines []run.Engine
	// log gets the lines of a log beside what is shown; nil for none.
	log io.Writer
}

// runMissing makes the runs that are missing. Broken runs are moved aside.
func (e *execution) runMissing(ctx context.Context, s *State, parallel int, configs []run.Config) error {
	found, err := e.find(configs)
	if err != nil {
		return err
	}
	// What cannot be read is found before hours are spent on the others.
	unreadable, err := unreadableOf(s, found, configs)
	if err != nil || len(unreadable) == 0 && !slices.ContainsFunc(found, left) {
		return err
	}
	if err = e.findImages(ctx, s, configs); err != nil {
		return err
	}
	if found, err = e.find(configs); err != nil {
		return err
	}
	if err = run.Learn(configs, found); err != nil {
		return err
	}
	e.there = 0
	var todo, broken []run.Config
	for i, c := range configs {
		switch {
		case found[i].State == run.StateComplete && !unreadable[c.Dir]:
			e.there++
		case found[i].State == run.StateRunning:
			if e.shared {
				continue
			}
			return fmt.Errorf("run %s: another slurmlab carries it out", c.Dir)
		case found[i].State == run.StateBroken, unreadable[c.Dir]:
			// In a shared directory it is looked at again before its turn.
			if !e.shared {
				broken = append(broken, c)
			}
			todo = append(todo, c)
		default:
			todo = append(todo, c)
		}
	}
	for _, c := range broken {
		to, stays := run.SetAside(c.Dir)
		if stays != nil {
			return stays
		}
		e.tell(s, "%s is broken and set aside: %s\n", c.Dir, to)
	}
	if text := usedBuilds(found, configs); text != "" {
		s.warnf("%s", text)
	}
	if e.there+len(broken) > 0 {
		e.tell(s, "%d of %d runs are there, %d left\n", e.there, len(configs), len(todo))
	}
	err = e.runAll(ctx, s, parallel, todo)
	if _, missing := os.Stat(e.out); err != nil && missing == nil {
		return fmt.Errorf("%w\n  complete runs stay in %s; the same command%s goes on with the others", err, e.out, e.again())
	}
	return err
}

// unreadableOf has the directories of the complete runs whose files a disk has lost or cut off, and warns of each. One that
// is archived cannot be set aside, and one that this user may not read is not broken.
func unreadableOf(s *State, found []run.ExistingRun, configs []run.Config) (map[string]bool, error) {
	dirs := map[string]bool{}
	var faults []error
	for i, c := range configs {
		if found[i].State != run.StateComplete {
			continue
		}
		switch err := c.Unreadable(); {
		case err == nil:
		case trace.IsArchived(c.Dir), errors.Is(err, fs.ErrPermission):
			faults = append(faults, err)
		default:
			dirs[c.Dir] = true
			s.warnf("%s is complete but cannot be read, and counts as broken: %s", c.Dir, err)
		}
	}
	return dirs, errors.Join(faults...)
}

// findImages asks for the runtime, the core and the images, and sets those of the runs. It
// removes what earlier runs have left, before their directories are set aside.
func (e *execution) findImages(ctx context.Context, s *State, configs []run.Config) error {
	var misfits []error
	told := map[string]bool{}
	for _, c := range configs {
		if !told[c.Slurm] {
			told[c.Slurm], misfits = true, append(misfits, e.runtime.fits(c.Slurm))
		}
	}
	if err := errors.Join(misfits...); err != nil {
		return usage(err)
	}
	if len(e.hosts) > 0 {
		return e.findEngines(ctx, s, configs)
	}
	on := e.runtime.on()
	if _, err := on.Check(ctx); err != nil {
		return err
	}
	if err := errors.Join(removeOrphans(ctx, s, on), coreThere(ctx, on, e.core)); err != nil {
		return err
	}
	return setImages(ctx, s, on, configs)
}

// removeOrphans removes what earlier runs have left on a runtime, and tells of it.
func removeOrphans(ctx context.Context, s *State, on run.Runtime) error {
	killed, left, err := run.RemoveOrphans(ctx, on)
	for _, name := range killed {
		s.warnf("the container of run %s, whose slurmlab was killed, is removed", name)
	}
	for _, name := range left {
		s.warnf("the container of run %s, which its slurmlab could not remove, is removed", name)
	}
	return err
}

// setImages asks for the images and sets those of the runs.
func setImages(ctx context.Context, s *State, on run.Runtime, configs []run.Config) error {
	images := map[kindFlags]run.Image{}
	for i, c := range configs {
		kind := kindFlags{c.Slurm, c.Image}
		image, known := images[kind]
		if !known {
			var err error
			if image, err = kind.find(ctx, s, on); err != nil {
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

// anyBuildFlag adds --any-build to a command that goes on.
func (e *execution) anyBuildFlag(cmd *cobra.Command) {
	under(cmd, headRepeat, func(f *pflag.FlagSet) {
		f.BoolVar(&e.anyBuild, "any-build", false, "use complete runs of another build of slurmlab whose settings and Slurm are the same; the table says so")
	})
}

// usedBuilds says which other builds of slurmlab made runs that are there, nothing where none.
func usedBuilds(found []run.ExistingRun, configs []run.Config) string {
	var builds []string
	for i, f := range found {
		if f.State == run.StateComplete && f.Version != configs[i].Version {
			builds = append(builds, f.Version)
		}
	}
	if len(builds) == 0 {
		return ""
	}
	return fmt.Sprintf("another slurmlab (%s) made %s, used beside those of this one (%s)",
		namesOf(builds), text.Plural(len(builds), "complete run"), configs[0].Version)
}

func (e *execution) tell(s *State, format string, args ...any) {
	if !e.quiet {
		_, _ = fmt.Fprintf(s.Stderr, format, args...)
	}
}

// left says whether a run is still to be made.
func left(f run.ExistingRun) bool { return f.State != run.StateComplete }

// find says what lies in the directory of each run. When several runs there have
// other settings than asked for, the error names those of the first one only,
// because the others mostly differ in the same.
func (e *execution) find(configs []run.Config) ([]run.ExistingRun, error) {
	found := make([]run.ExistingRun, len(configs))
	var faults, others []error
	elsewhere := e.elsewhere
	for i, c := range configs {
		var err error
		c.AnyBuild = c.AnyBuild || e.anyBuild
		found[i], err = c.Find()
		switch {
		case errors.Is(err, run.ErrOther):
			others = append(others, err)
		case errors.Is(err, run.ErrBuild):
			others = append(others, err)
			elsewhere = "use it all the same with --any-build, or " + e.elsewhere
		case err != nil:
			faults = append(faults, err)
		}
	}
	if n := len(others); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf("; %d more runs have others too", n-1)
		}
		faults = append(faults, fmt.Errorf("%w%s\n  %s", others[0], more, elsewhere))
	}
	return found, usage(errors.Join(faults...))
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
func checkOurs(out string, configs []run.Config) error {
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
	return otherRuns(out, nil)
}

// otherRuns is runsIn without the runs that are known, which it does not open.
func otherRuns(out string, known map[string]bool) []string {
	var runs []string
	// A directory that cannot be read has none.
	entries, _ := os.ReadDir(out)
	for _, entry := range entries {
		path := filepath.Join(out, entry.Name())
		hidden := strings.HasPrefix(entry.Name(), ".")
		if dir := trace.Unarchived(path); !known[dir] && !hidden && entry.Name() != run.AsideName && run.IsRun(path) {
			runs = append(runs, dir)
		}
	}
	for _, aside := range run.Aside(out) {
		if dir := filepath.Join(out, aside); !known[dir] {
			runs = append(runs, dir)
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}
