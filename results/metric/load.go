package metric

import (
	"errors"
	"path/filepath"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/trace"
)

// NewResult computes the metrics of a complete run.
func NewResult(path string, data trace.Data) (Result, error) {
	m, err := Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
	if err != nil {
		return Result{}, err
	}
	m.Name = filepath.Base(path)
	return Result{Path: path, Data: data, Metrics: &m}, nil
}

// Load reads the raw files of a complete run and computes its metrics. It writes
// nothing: the directory may be somebody else's.
func Load(dir trace.Dir) (Result, error) {
	data, err := dir.Load()
	if err != nil {
		return Result{}, err
	}
	return NewResult(dir.Path(), data)
}

// LoadLean is Load without the jobs and cycles, of which a thousand runs have too
// many to be held at once.
func LoadLean(dir trace.Dir) (Result, error) {
	r, err := Load(dir)
	r.Jobs, r.Cycles = nil, nil
	return r, err
}

// LoadAny reads a run in any state, for a report: it shows of a run that is not
// complete why it is not.
func LoadAny(dir trace.Dir) (Result, error) {
	data, err := dir.Partial()
	if err != nil {
		return Result{}, err
	}
	if data.Run.Status == trace.StatusComplete {
		return Load(dir)
	}
	return Result{Path: dir.Path(), Data: data}, nil
}

// LoadAll opens run directories and reads them with read, such as Load. The error lists the faults of all of them.
func LoadAll(read func(trace.Dir) (Result, error), dirs ...string) ([]Result, error) {
	runs := make([]Result, 0, len(dirs))
	var bad []error
	for _, path := range dirs {
		dir, err := trace.Open(path)
		if err != nil {
			bad = append(bad, faults.Usage(err))
			continue
		}
		run, err := read(dir)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		runs = append(runs, run)
	}
	return runs, errors.Join(bad...)
}

// LoadNamed is LoadAll for tables and pages that name runs by their policies.
func LoadNamed(read func(trace.Dir) (Result, error), dirs ...string) ([]Result, error) {
	results, err := LoadAll(read, dirs...)
	runs := make([]trace.Run, len(results))
	for i, r := range results {
		runs[i] = r.Run
	}
	return results, errors.Join(err, faults.Usage(trace.CheckPolicyNames(runs)))
}
