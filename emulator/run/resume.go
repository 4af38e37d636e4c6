package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/results/trace"
)

// State is what lies where a run is to go.
type State string

// The states. A run that is broken was stopped or has failed, or is complete with
// failed jobs, which Config.AllowFailed does not allow.
const (
	StateMissing  State = "missing"
	StateRunning  State = "running"
	StateBroken   State = "broken"
	StateComplete State = "complete"
)

// ExistingRun is what lies where a run is to go. It has what a list of runs shows and no more of
// the record, as there may be very many.
type ExistingRun struct {
	State State
	// Reason is what the record says of a run that is broken, empty if it was killed before it had one.
	Reason string
	// Of a complete run: version of slurmlab and its image, real time, the most memory, and the part of the real time that
	// others took (NaN where it is not known), and whether that is little enough.
	Version   string
	ImageID   string
	Took      time.Duration
	Memory    int64
	Disturbed float64
	// Late is trace.Run.Latest.
	Late  float64
	Quiet bool
}

// ErrOther is the error of a complete run with other settings. ErrBuild is the error of a run with the same settings
// that another slurmlab made.
var (
	ErrOther = errors.New("a run with other settings is in its place")
	ErrBuild = errors.New("a run of another build of slurmlab is in its place")
)

// ShapeOf is the key of all runs that differ from one with these settings in the seed or window alone, as
// far as they are expected to take equally long.
func ShapeOf(s trace.Settings) (string, error) {
	s.Seed, s.Window = 0, 0
	return s.Key()
}

// Find says what lies in the directory of the run. A complete run there must have been made with the settings of c.
// An image that c does not know yet may be any. With AnyBuild the version of slurmlab may be any as well, while what
// Slurm was made from must be the same. The error names run.json and each field that differs.
func (c Config) Find() (ExistingRun, error) {
	// Below a file is nothing; that no directory can be made there is said where one is.
	_, there := os.Lstat(c.Dir)
	missing := errors.Is(there, fs.ErrNotExist) || errors.Is(there, unix.ENOTDIR)
	if missing && !trace.IsArchived(c.Dir) {
		return ExistingRun{State: StateMissing}, nil
	}
	if !missing && halfMade(c.Dir) {
		return ExistingRun{State: StateBroken}, nil
	}
	dir, run, err := trace.OpenRun(c.Dir)
	var cut *json.SyntaxError
	if errors.As(err, &cut) && !trace.IsArchived(c.Dir) {
		// A disk that has lost a part of the file leaves no record, whose run cannot be used.
		return ExistingRun{State: StateBroken, Reason: err.Error()}, nil
	}
	if err != nil {
		return ExistingRun{}, err
	}
	found := ExistingRun{Reason: run.Reason, Version: run.ToolVersion, ImageID: run.ImageID, Took: run.Finished.Sub(run.Started), Memory: run.MemoryBytes, Disturbed: run.Disturbed(), Late: run.Latest(), Quiet: run.Quiet()}
	found.State, err = c.stateOf(dir, run)
	return found, err
}

// stateOf is the state of the run in dir, whose record is run.
func (c Config) stateOf(dir trace.Dir, run trace.Run) (State, error) {
	if run.Status != trace.StatusComplete || run.FailedJobs != nil && !c.AllowFailed {
		if dir.Archived() {
			return "", fmt.Errorf("%w; then the run, which is %s, can be set aside", dir.Unpack(), state(run))
		}
		lock, lockErr := lockRun(dir)
		if errors.Is(lockErr, fs.ErrNotExist) {
			// A disk has lost what a process that carries the run out would have locked.
			return StateBroken, nil
		}
		if lockErr != nil {
			return "", lockErr
		}
		if lock == nil {
			return StateRunning, nil
		}
		return StateBroken, lock.Close()
	}
	want, err := c.record()
	if err != nil {
		return "", err
	}
	// tool_version names the sources themselves; the commit that they are from does
	// not matter.
	want.GitRevision = ""
	differences := append(want.Differences(run.Settings, trace.Free{Tool: c.AnyBuild}), want.SourceDifferences(run)...)
	if len(differences) == 0 {
		return StateComplete, nil
	}
	var faults []string
	for _, d := range differences {
		faults = append(faults, fmt.Sprintf("field %s is %s, want %s", d.Name, d.B, d.A))
	}
	fault := ErrOther
	if len(want.Differences(run.Settings, trace.Free{Tool: true})) == 0 && len(want.SourceDifferences(run)) == 0 {
		fault = ErrBuild
	}
	return StateComplete, fmt.Errorf("%s: %w: %s", dir.RunFile(), fault, strings.Join(faults, ", "))
}

// state says in words what is wrong with a run that counts as broken.
func state(run trace.Run) string {
	if run.FailedJobs != nil {
		return fmt.Sprintf("%s with %d failed jobs", run.Status, run.FailedJobs.Count)
	}
	return string(run.Status)
}

// AsideName is the name of the directory of runs that were set aside, beside the others.
const AsideName = "broken"

// InputsName is the name of the directory of the campaign file and the files that it names, in
// the folder of its campaign.
const InputsName = "inputs"

// Aside lists the names that the runs had which were set aside in the directory out.
func Aside(out string) []string {
	var names []string
	// A directory that cannot be read has none.
	entries, _ := os.ReadDir(filepath.Join(out, AsideName))
	for _, entry := range entries {
		name := entry.Name()
		if dash := strings.LastIndexByte(name, '-'); dash > 0 {
			names = append(names, name[:dash])
		}
	}
	return names
}

// Attempts counts the runs that were set aside from path because they were disturbed.
func Attempts(path string) int {
	count := 0
	// A directory that cannot be read has none.
	entries, _ := os.ReadDir(filepath.Join(filepath.Dir(path), AsideName))
	for _, entry := range entries {
		name := entry.Name()
		number, ours := strings.CutPrefix(name, filepath.Base(path)+"-")
		if _, err := strconv.Atoi(number); !ours || err != nil {
			continue
		}
		_, run, err := trace.OpenRun(filepath.Join(filepath.Dir(path), AsideName, name))
		if err == nil && run.Status == trace.StatusComplete && !run.Quiet() {
			count++
		}
	}
	return count
}

// halfMade says that path is a run directory without a run.json. Either its slurmlab was killed before it had written
// the file, and only earlier files exist. Or a disk has lost it, so that workload.csv is there with only a
// run's files.
func halfMade(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) == 0 {
		return false
	}
	early, late := []string{"logs", "workload.csv", "events.csv", trace.ProgramName}, []string{"sacct.txt", "sdiag.txt", "cycles.jsonl", "snapshots.jsonl.gz", "models", "jobs.csv", "series.csv", "metrics.json"}
	jobs, begun := false, true
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case slices.Contains(early, name), strings.HasPrefix(name, ".workload.csv."), strings.HasPrefix(name, ".events.csv."), strings.HasPrefix(name, ".run.json."):
			jobs = jobs || name == "workload.csv"
		case slices.Contains(late, name):
			begun = false
		default:
			return false
		}
	}
	return begun || jobs
}

// IsRun says that path is a run directory, in whatever state.
func IsRun(path string) bool {
	_, err := trace.Open(path)
	return err == nil || halfMade(path)
}

// SetAside moves the broken run at path into the directory "broken" beside it, as
// its logs may still tell why it broke, and returns the new path. It refuses a run
// that another process carries out.
func SetAside(path string) (string, error) {
	if !halfMade(path) {
		dir, err := trace.Open(path)
		if err != nil {
			return "", err
		}
		lock, err := lockRun(dir)
		lost := errors.Is(err, fs.ErrNotExist)
		if err != nil && !lost {
			return "", err
		}
		if lock == nil && !lost {
			return "", fmt.Errorf("set %s aside: another slurmlab carries it out", path)
		}
		if lock != nil {
			defer func() { _ = lock.Close() }()
		}
	}
	aside := filepath.Join(filepath.Dir(path), AsideName)
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return "", fmt.Errorf("set %s aside: %w", path, err)
	}
	for n := 1; ; n++ {
		to := filepath.Join(aside, fmt.Sprintf("%s-%d", filepath.Base(path), n))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(path, to); err != nil {
			return "", fmt.Errorf("set run aside: %w", err)
		}
		return to, nil
	}
}

// lockRun takes the lock of a run, which the process that carries it out holds for
// as long as it lives. lockRun returns nil when another process has the lock. It is
// on workload.csv, because that file is not replaced during a run.
func lockRun(dir trace.Dir) (*os.File, error) {
	file, err := os.OpenFile(dir.WorkloadFile(), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("lock run: %w", err)
	}
	locked, err := tryLock(file)
	if err != nil || !locked {
		return nil, err
	}
	// Another process may have moved the directory aside meanwhile and made a new
	// one in its place.
	held, err := file.Stat()
	if err == nil {
		var now os.FileInfo
		if now, err = os.Stat(dir.WorkloadFile()); err == nil && !os.SameFile(held, now) {
			return nil, file.Close()
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock run: %w", err), file.Close())
	}
	return file, nil
}

// tryLock locks an open file until it is closed, and closes it when somebody else
// has it or the lock fails.
func tryLock(file *os.File) (bool, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return true, nil
	}
	_ = file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return false, fmt.Errorf("lock %s: %w", file.Name(), err)
}

// UnderWay says whether a process carries the run out. It holds the run's lock for an instant at most, and never
// while the run is under way.
func UnderWay(dir trace.Dir) bool {
	if dir.Archived() {
		return false
	}
	file, err := os.Open(dir.WorkloadFile())
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
