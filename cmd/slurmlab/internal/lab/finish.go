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
	_, _, err := Metrics(dir)
	return err
}

// Load reads the raw files of a complete run and computes its metrics. It writes
// nothing: the directory may be somebody else's.
func Load(dir trace.Dir) (trace.Data, metric.Metrics, error) {
	data, err := dir.Load()
	if err != nil {
		return data, metric.Metrics{}, err
	}
	m, err := metric.Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
	return data, m, err
}

// Metrics is Load, and writes jobs.csv, series.csv and metrics.json.
func Metrics(dir trace.Dir) (trace.Data, metric.Metrics, error) {
	data, m, err := Load(dir)
	if err != nil {
		return data, m, err
	}
	err = trace.WriteAtomic(dir.JobsFile(), func(w io.Writer) error {
		return trace.WriteJobsCSV(w, data.Run.Workload, metric.Records(data.Run.Machine, data.Jobs))
	})
	if err != nil {
		return data, m, err
	}
	err = trace.WriteAtomic(dir.SeriesFile(), func(w io.Writer) error {
		return metric.WriteSeries(w, metric.NewSeries(data.Run.Machine, data.Jobs))
	})
	if err != nil {
		return data, m, err
	}
	err = trace.WriteAtomic(dir.MetricsFile(), func(w io.Writer) error { return metric.Write(w, m) })
	return data, m, err
}
