package lab

import (
	"io"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// finish writes run.json as complete, then what Metrics writes, from the files of
// the run alone.
func finish(dir trace.Dir, record trace.Run) error {
	if err := dir.WriteRun(record); err != nil {
		return err
	}
	_, err := Metrics(dir)
	return err
}

// Load reads the raw files of a complete run and computes its metrics. It writes
// nothing: the directory may be somebody else's.
func Load(dir trace.Dir) (metric.Result, error) {
	data, err := dir.Load()
	if err != nil {
		return metric.Result{}, err
	}
	m, err := metric.Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
	if err != nil {
		return metric.Result{}, err
	}
	return metric.Result{Path: dir.Path(), Data: data, Metrics: &m}, nil
}

// Metrics is Load, and writes jobs.csv, series.csv and metrics.json.
func Metrics(dir trace.Dir) (metric.Result, error) {
	r, err := Load(dir)
	if err != nil {
		return r, err
	}
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{dir.JobsFile(), func(w io.Writer) error {
			return trace.WriteJobsCSV(w, r.Run.Workload, metric.Records(r.Run.Machine, r.Jobs))
		}},
		{dir.SeriesFile(), func(w io.Writer) error { return metric.WriteSeries(w, metric.NewSeries(r.Run.Machine, r.Jobs)) }},
		{dir.MetricsFile(), func(w io.Writer) error { return metric.Write(w, *r.Metrics) }},
	} {
		if err := trace.WriteAtomic(file.path, file.write); err != nil {
			return r, err
		}
	}
	return r, nil
}
