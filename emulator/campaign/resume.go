package campaign

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

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Execution is how runs are carried out in a directory, whatever they are: "run",
// "compare", "paper" and "campaign" do it alike.
type Execution struct {
	// Terminal shows what is done.
	Terminal Terminal
	// Out is the directory of the runs, Core the value of --core.
	Out, Core string
	Engine    run.EngineName
	// GoesOn says that Out may be there already, Elsewhere what to do where it has runs
	// with other settings.
	GoesOn    bool
	Elsewhere string
	// AnyBuild uses runs that another slurmlab has made.
	AnyBuild bool
	// Stamped says that Out is not the user's but named by the time.
	Stamped bool
	// Unattended has a run that fails leave the others alone.
	Unattended bool
	// Repeats is how often a run is made again that others disturbed.
	Repeats int
	// Archive is what is kept of complete runs, in archives: ArchiveWhole, ArchiveRaw, or "" for directories.
	Archive string
	// there counts the runs that are complete already.
	there int
	// read are the complete runs that were read, by their paths.
	read map[string]metric.Result
	// Shared has other commands make other runs in the same directory meanwhile: what somebody else has is left
	// alone.
	Shared bool
	// Hosts are the addresses of the Docker engines that the runs are spread over, none for the engine of the flag. engines are
	// the ones that make runs.
	Hosts   []string
	engines []run.DockerHost
	// Log gets the lines of a log beside what is shown; nil for none.
	Log io.Writer
}

// RunMissing makes the runs that are missing of those that were found. Broken runs are moved aside.
func (e *Execution) RunMissing(ctx context.Context, parallel int, configs []run.Config, found []run.ExistingRun) error {
	// What cannot be read is found before hours are spent on the others.
	unreadable, err := e.unreadable(found, configs)
	if err != nil || len(unreadable) == 0 && !slices.ContainsFunc(found, Left) {
		return err
	}
	if err = e.FindImages(ctx, configs); err != nil {
		return err
	}
	if found, err = e.find(configs, found); err != nil {
		return err
	}
	if err = run.Learn(configs, found); err != nil {
		return err
	}
	e.there = 0
	var todo, broken []run.Config
	for i, c := range configs {
		if found[i].State == run.StateBroken && !e.Shared {
			if found[i].State, err = e.fetched(ctx, c); err != nil {
				return err
			}
		}
		switch {
		case found[i].State == run.StateComplete && !unreadable[c.Dir]:
			e.there++
		case found[i].State == run.StateRunning:
			if e.Shared {
				continue
			}
			return fmt.Errorf("run %s: another slurmlab carries it out", c.Dir)
		case found[i].State == run.StateBroken, unreadable[c.Dir]:
			// In a shared directory it is looked at again before its turn.
			if !e.Shared {
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
		e.sayf("%s is broken and set aside: %s", c.Dir, to)
	}
	if text := UsedBuilds(found, configs); text != "" {
		e.Terminal.Warn(text)
	}
	if e.there+len(broken) > 0 {
		e.sayf("%d of %d runs are complete, %d left", e.there, len(configs), len(todo))
	}
	if !e.Unattended {
		// The clusters need the memory.
		e.read = nil
	}
	err = e.RunAll(ctx, parallel, todo)
	if _, missing := os.Stat(e.Out); err != nil && missing == nil {
		return fmt.Errorf("%w\n  complete runs stay in %s; the same command%s goes on with the others", err, e.Out, e.again())
	}
	return err
}

// fetched is the state of a broken run after its files are fetched from a container that keeps them. A slurmlab that was
// killed when all jobs had ended leaves such a run, and a second one in its place would leave the container.
func (e *Execution) fetched(ctx context.Context, c run.Config) (run.State, error) {
	dir, record, err := trace.OpenRun(c.Dir)
	if err != nil || record.Container == "" {
		// What has no record, or no container, is made again.
		return run.StateBroken, nil
	}
	if err = run.Finish(ctx, dir, c.AllowFailed, e.Terminal.Warn); err != nil {
		if now, unread := c.Find(); unread == nil && now.State == run.StateRunning {
			// Another slurmlab fetches them just now.
			return now.State, nil
		}
		if record, unread := dir.ReadRun(); unread != nil || record.Container != "" || ctx.Err() != nil {
			// The container still keeps the files.
			return "", err
		}
		e.warnf("%s is made again: %s", c.Dir, err)
		return run.StateBroken, nil
	}
	e.sayf("%s is complete: its files were fetched from the container that kept them", c.Dir)
	now, err := c.Find()
	return now.State, err
}

// Load is metric.Load, or metric.LoadLean of an unattended command, which may have thousands of runs. What was computed when a
// run was looked at is kept for what is said of the runs at the end.
func (e *Execution) Load(dir trace.Dir) (metric.Result, error) {
	if r, known := e.read[dir.Path()]; known {
		return r, nil
	}
	load := metric.Load
	if e.Unattended {
		load = metric.LoadLean
	}
	r, err := load(dir)
	if err == nil {
		if e.read == nil {
			e.read = map[string]metric.Result{}
		}
		e.read[dir.Path()] = r
	}
	return r, err
}

// unreadable has the directories of the complete runs whose files a disk has lost or cut off, and warns of each. One that
// is archived cannot be set aside, and one that this user may not read is not broken.
func (e *Execution) unreadable(found []run.ExistingRun, configs []run.Config) (map[string]bool, error) {
	dirs := map[string]bool{}
	var bad []error
	for i, c := range configs {
		if found[i].State != run.StateComplete {
			continue
		}
		dir, err := trace.Open(c.Dir)
		if err == nil {
			_, err = e.Load(dir)
		}
		switch {
		case err == nil:
		case trace.IsArchived(c.Dir), errors.Is(err, fs.ErrPermission):
			bad = append(bad, err)
		default:
			dirs[c.Dir] = true
			e.warnf("%s is complete but cannot be read, and counts as broken: %s", c.Dir, err)
		}
	}
	return dirs, errors.Join(bad...)
}

// FindImages asks for the engine, the core and the images, and sets the image of each run. It
// removes what earlier runs have left, before their directories are set aside.
func (e *Execution) FindImages(ctx context.Context, configs []run.Config) error {
	var misfits []error
	told := map[backend.Backend]bool{}
	for _, c := range configs {
		if !told[c.Backend] {
			told[c.Backend], misfits = true, append(misfits, e.Engine.Fits(c.Backend))
		}
	}
	if err := errors.Join(misfits...); err != nil {
		return faults.Usage(err)
	}
	if len(e.Hosts) > 0 {
		return e.findEngines(ctx, configs)
	}
	on := e.Engine.On()
	if _, err := on.Check(ctx); err != nil {
		return err
	}
	if err := errors.Join(e.removeOrphans(ctx, on), CoreThere(ctx, on, e.Core)); err != nil {
		return err
	}
	return setImages(ctx, on, configs)
}

// removeOrphans removes what earlier runs have left on an engine, and tells of it.
func (e *Execution) removeOrphans(ctx context.Context, on run.Engine) error {
	killed, left, err := run.RemoveOrphans(ctx, on)
	for _, name := range killed {
		e.warnf("the container of run %s, whose slurmlab was killed, is removed", name)
	}
	for _, name := range left {
		e.warnf("the container of run %s, which its slurmlab could not remove, is removed", name)
	}
	return err
}

// setImages asks for the images and sets the images of the runs.
func setImages(ctx context.Context, on run.Engine, configs []run.Config) error {
	images := map[wantedImage]run.Image{}
	for _, wanted := range imagesOf(configs) {
		var err error
		if images[wanted], err = wanted.find(ctx, on); err != nil {
			return err
		}
	}
	takeImages(configs, images)
	return nil
}

// takeImages sets the images of the runs.
func takeImages(configs []run.Config, images map[wantedImage]run.Image) {
	for i, c := range configs {
		image := images[imageOf(c)]
		configs[i].ImageID, configs[i].Sources = image.ID, image.Sources
	}
}

// again is what a command must have besides what was typed to go on in the same
// directory.
func (e *Execution) again() string {
	if e.Stamped {
		return " with --out " + e.Out
	}
	return ""
}

// UsedBuilds says which other builds of slurmlab made the runs found, nothing where none.
func UsedBuilds(found []run.ExistingRun, configs []run.Config) string {
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

// namesOf lists names, each once.
func namesOf(all []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), ", ")
}

// Left says whether a run is still to be made.
func Left(f run.ExistingRun) bool { return f.State != run.StateComplete }

// Find says what lies in the directory of each run. When several runs there have other settings than asked for, the
// error names only the settings of the first, because the others mostly differ in the same.
func (e *Execution) Find(configs []run.Config) ([]run.ExistingRun, error) {
	return e.find(configs, make([]run.ExistingRun, len(configs)))
}

// find is Find after an earlier look, once the images are known. Meanwhile others may have completed runs. It reads no run
// again that was complete and has the image that is wanted.
func (e *Execution) find(configs []run.Config, before []run.ExistingRun) ([]run.ExistingRun, error) {
	found := slices.Clone(before)
	var bad, others []error
	elsewhere := e.Elsewhere
	for i, c := range configs {
		if before[i].State == run.StateComplete && before[i].ImageID == c.ImageID {
			continue
		}
		var err error
		c.AnyBuild = c.AnyBuild || e.AnyBuild
		found[i], err = c.Find()
		switch {
		case errors.Is(err, run.ErrOther):
			others = append(others, err)
		case errors.Is(err, run.ErrBuild):
			others = append(others, err)
			elsewhere = "use it all the same with --any-build, or " + e.Elsewhere
		case err != nil:
			bad = append(bad, err)
		}
	}
	if n := len(others); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf("; %d more runs have others too", n-1)
		}
		bad = append(bad, fmt.Errorf("%w%s\n  %s", others[0], more, elsewhere))
	}
	return found, faults.Usage(errors.Join(bad...))
}

// CheckOurs refuses a directory in which no run belongs to the comparison:
// its tables would take the place of theirs.
func CheckOurs(out string, configs []run.Config) error {
	there := RunsIn(out)
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

// RunsIn lists the runs below a directory, archived or not. It lists runs that were set aside, each once under the
// name that its directory has or had.
func RunsIn(out string) []string {
	return otherRuns(out, nil)
}

// otherRuns is RunsIn without the runs that are known, which it does not open.
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

// wantedImage is what an image is asked for by: the series of Slurm, the image's name and the version of slurmlab.
type wantedImage struct{ series, image, version string }

func imageOf(c run.Config) wantedImage { return wantedImage{c.Backend.Series, c.Image, c.Version} }

// imagesOf are the images of the runs, each once.
func imagesOf(configs []run.Config) []wantedImage {
	var all []wantedImage
	for _, c := range configs {
		if wanted := imageOf(c); !slices.Contains(all, wanted) {
			all = append(all, wanted)
		}
	}
	return all
}

// find asks the engine for the image.
func (w wantedImage) find(ctx context.Context, on run.Engine) (run.Image, error) {
	return run.CheckImage(ctx, on, w.image, w.version, w.series)
}
