package metric

import (
	"bytes"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Everything that "slurmlab metrics" does with a run of 10,000 jobs on the
// largest machine: raw files in, jobs.csv, series.csv and metrics.json out.
func BenchmarkMetricsOf10000Jobs(b *testing.B) {
	dir := writeRun(b, workloads.Machine{Name: "tsubame", Nodes: 1408, Cores: 12, GPUs: 3}, 10_000, 1)
	for b.Loop() {
		data, err := dir.Load()
		if err != nil {
			b.Fatal(err)
		}
		m, err := Compute(data.Run, data.Jobs, data.Cycles, data.Sdiag)
		if err != nil {
			b.Fatal(err)
		}
		var out bytes.Buffer
		if err = trace.WriteJobsCSV(&out, m.Workload, Records(data.Run.Machine, data.Jobs)); err != nil {
			b.Fatal(err)
		}
		if err = Write(&out, m); err != nil {
			b.Fatal(err)
		}
		if err = WriteSeries(&out, NewSeries(data.Run.Machine, data.Jobs)); err != nil {
			b.Fatal(err)
		}
	}
}
