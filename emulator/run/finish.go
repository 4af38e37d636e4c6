package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Finish completes a run whose jobs have all ended, but whose files could not be copied or whose metrics could not be
// written. It also completes a run with jobs that did not end as planned, which needs allowFailed. The container that
// kept the files is removed.
func Finish(ctx context.Context, dir trace.Dir, allowFailed bool, warn func(string)) error {
	if dir.Archived() {
		return fmt.Errorf("finish: %w", dir.Unpack())
	}
	lock, err := lockRun(dir)
	if err != nil {
		return err
	}
	if lock == nil {
		return fmt.Errorf("finish %s: another slurmlab carries it out", dir.Path())
	}
	defer func() { _ = lock.Close() }()
	record, err := dir.ReadRun()
	switch {
	case err != nil:
		return err
	case record.Status == trace.StatusComplete:
		return fmt.Errorf("finish %s: it is complete", dir.Path())
	case !record.Ended:
		return fmt.Errorf("finish %s: it is %s before its jobs had ended: %s", dir.Path(), record.Status, record.Reason)
	}
	record.Status = trace.StatusFailed
	if record.Container != "" {
		if err = fetchKept(ctx, dir, &record, warn); err != nil {
			if ctx.Err() != nil {
				err = stopReason(ctx)
			}
			return broken(dir, &record, err)
		}
	}
	_, err = finish(dir, record, allowFailed)
	return err
}

// fetchKept copies the files from the container that keeps them, and removes it.
func fetchKept(ctx context.Context, dir trace.Dir, record *trace.Run, warn func(string)) error {
	var parameters policy.Parameters
	if err := parameters.UnmarshalJSON(record.Parameters); err != nil {
		return fmt.Errorf("read %s: field policy_parameters: %w", dir.RunFile(), err)
	}
	on := engineOf(record.Container)
	if record.Engine != nil {
		on = Docker{Host: record.Engine.Host}
	}
	cluster, err := on.Open(record.Container)
	if err != nil {
		return err
	}
	defer cluster.Close()
	if _, err = cluster.State(ctx); errors.Is(err, ErrGone) {
		warn(fmt.Sprintf("container %.12s is gone: files of the run that were not copied from it are lost", record.Container))
		record.Container = ""
		return nil
	}
	if err != nil {
		return err
	}
	return bringHome(ctx, on, cluster, dir, record, what{models: record.HasAgent() && parameters.DumpModels}, warn)
}

// finish looks at the ends of the jobs and writes the metrics, and then, last of all,
// run.json as complete.
func finish(dir trace.Dir, record trace.Run, allowFailed bool) (trace.Run, error) {
	done := record
	done.Status, done.Reason = trace.StatusComplete, ""
	data, err := dir.LoadAs(done)
	if err != nil {
		return record, broken(dir, &record, err)
	}
	record.FailedJobs = trace.NewFailedJobs(data.Jobs)
	if record.FailedJobs != nil && !allowFailed {
		return record, broken(dir, &record, errors.New(record.FailedJobs.Of(record.Jobs)))
	}
	done.FailedJobs, data.Run.FailedJobs = record.FailedJobs, record.FailedJobs
	done.Victims = trace.NewVictims(data.Jobs)
	done.Cycles, done.Lateness = len(data.Cycles), data.Run.Lateness
	r, err := metric.NewResult(dir.Path(), data)
	if err == nil {
		err = writeMetrics(dir, r)
	}
	if err == nil {
		// The accounting has it all.
		err = os.Remove(dir.ProgressFile())
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	faultpoint.At(faultpoint.Finish)
	if err == nil {
		err = dir.WriteRun(done)
	}
	if err != nil {
		return record, broken(dir, &record, err)
	}
	return done, nil
}

// Metrics is metric.Load, and writes jobs.csv, series.csv and metrics.json, unless the run is in
// an archive.
func Metrics(dir trace.Dir) (metric.Result, error) {
	r, err := metric.Load(dir)
	if err != nil || dir.Archived() {
		return r, err
	}
	return r, writeMetrics(dir, r)
}

func writeMetrics(dir trace.Dir, r metric.Result) error {
	return errors.Join(
		trace.WriteAtomic(dir.JobsFile(), func(w io.Writer) error {
			return trace.WriteJobsCSV(w, r.Run.Workload, metric.Records(r.Run.Machine, r.Jobs))
		}),
		trace.WriteAtomic(dir.SeriesFile(), func(w io.Writer) error {
			return metric.WriteSeries(w, metric.NewSeries(r.Run.Machine, r.Jobs))
		}),
		trace.WriteAtomic(dir.MetricsFile(), func(w io.Writer) error { return metric.Write(w, *r.Metrics) }),
	)
}
