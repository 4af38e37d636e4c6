package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/results/trace"
)

// State is what lies where a run is to go.
type State string

// The states. A run that is broken was stopped or has failed.
const (
	StateMissing  State = "missing"
	StateRunning  State = "running"
	StateBroken   State = "broken"
	StateComplete State = "complete"
)

// ErrOther is the error of a complete run with other settings.
var ErrOther = errors.New("a run with other settings is in its place")

// Find looks at the place of the run. A complete run must have been made with
// the settings of c, but for an image that c does not know yet; the error names
// run.json and each field that differs.
func (c Config) Find() (State, error) {
	if _, err := os.Lstat(c.Dir); errors.Is(err, fs.ErrNotExist) {
		return StateMissing, nil
	}
	dir, err := trace.Open(c.Dir)
	if err != nil {
		return "", err
	}
	found, err := dir.ReadRun()
	if err != nil {
		return "", err
	}
	if found.Status != trace.StatusComplete {
		lock, lockErr := lockRun(dir)
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
	if c.ImageID == "" {
		want.ImageID = found.ImageID
	}
	differences, err := otherSettings(want, found)
	if err == nil && len(differences) > 0 {
		err = fmt.Errorf("%s: %w: %s", dir.RunFile(), ErrOther, strings.Join(differences, ", "))
	}
	return StateComplete, err
}

// outcomes are the fields of run.json that are no settings: what a run finds out,
// what follows from a setting (jobs), and the revision, since tool_version names
// the sources themselves.
func outcomes() []string {
	return []string{
		"id", "git_revision", "slurm_version", "highs_version", "core", "status", "reason", "started", "finished", "real_s",
		"arrival_lag_max_s", "jobs", "submitted", "fidelity",
	}
}

// otherSettings lists the settings in which found differs from want.
func otherSettings(want, found trace.Run) ([]string, error) {
	fields := func(r trace.Run) (map[string]any, error) {
		text, err := json.Marshal(r)
		var m map[string]any
		if err == nil {
			in := json.NewDecoder(bytes.NewReader(text))
			// A seed may have more digits than a float64 holds.
			in.UseNumber()
			err = in.Decode(&m)
		}
		for _, name := range outcomes() {
			delete(m, name)
		}
		return m, err
	}
	a, errA := fields(want)
	b, errB := fields(found)
	return otherFields("", a, b), errors.Join(errA, errB)
}

// otherFields compares two JSON objects; prefix is the path to them.
func otherFields(prefix string, want, found map[string]any) []string {
	all := maps.Clone(want)
	maps.Copy(all, found)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a, b := want[name], found[name]
		innerA, isA := a.(map[string]any)
		innerB, isB := b.(map[string]any)
		switch {
		case isA && isB:
			list = append(list, otherFields(prefix+name+".", innerA, innerB)...)
		case !reflect.DeepEqual(a, b):
			list = append(list, fmt.Sprintf("field %s is %s, want %s", prefix+name, word(b), word(a)))
		}
	}
	return list
}

// word is a value of JSON, cut where it is long, or "absent".
func word(value any) string {
	if value == nil {
		return "absent"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const longest = 80 // a line; an image's ID has 73
	if short := []rune(string(text)); len(short) > longest {
		return string(short[:longest]) + "..."
	}
	return string(text)
}

// SetAside moves the broken run in dir into a directory beside it and returns the
// new path: what it has may still tell why it broke. It refuses a run that
// somebody carries out.
func SetAside(path string) (string, error) {
	dir, err := trace.Open(path)
	if err != nil {
		return "", err
	}
	lock, err := lockRun(dir)
	if err != nil {
		return "", err
	}
	if lock == nil {
		return "", fmt.Errorf("set %s aside: another slurmlab carries it out", path)
	}
	defer func() { _ = lock.Close() }()
	aside := filepath.Join(filepath.Dir(path), "broken")
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

// lockRun takes the lock of a run, which whoever carries it out has for as long
// as his process lives. It returns nil when somebody else has it. The lock is on
// workload.csv, which is never written again.
func lockRun(dir trace.Dir) (*os.File, error) {
	file, err := os.OpenFile(dir.WorkloadFile(), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("lock run: %w", err)
	}
	locked, err := tryLock(file)
	if err != nil || !locked {
		return nil, err
	}
	// The directory may have been set aside meanwhile, and another be there.
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
