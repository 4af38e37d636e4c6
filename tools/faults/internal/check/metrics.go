package check

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// metrics is invariant 6.
func (j *judge) metrics(complete bool) {
	files := map[string]func(io.Writer) error{}
	if complete {
		data, err := j.dir.Load()
		var m metric.Metrics
		if err == nil {
			m, err = metric.Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
		}
		if err != nil {
			j.breaks(6, "the metrics cannot be rebuilt: %v", err)
			return
		}
		files[j.dir.MetricsFile()] = func(w io.Writer) error { return metric.Write(w, m) }
		files[j.dir.SeriesFile()] = func(w io.Writer) error {
			return metric.WriteSeries(w, metric.NewSeries(data.Run.Machine, data.Jobs))
		}
		files[j.dir.JobsFile()] = func(w io.Writer) error {
			return trace.WriteJobsCSV(w, data.Run.Workload, metric.Records(data.Run.Machine, data.Jobs))
		}
	}
	for _, path := range []string{j.dir.MetricsFile(), j.dir.SeriesFile(), j.dir.JobsFile()} {
		name, write := filepath.Base(path), files[path]
		if write == nil {
			if exists(path) {
				j.breaks(6, "the run is %s and has %s", j.run.Status, name)
			}
			continue
		}
		var rebuilt bytes.Buffer
		if err := write(&rebuilt); err != nil {
			j.breaks(6, "%s cannot be rebuilt: %v", name, err)
			continue
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, rebuilt.Bytes()) {
			j.breaks(6, "%s is not what is rebuilt from the raw files (%v)", name, err)
		}
	}
}
