package drive

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// A run reads every row that an import writes, and the check before each submission accepts it (issue 14, line 11):
// 20,000 imported jobs died at the first one whose time limit was not whole minutes.
func TestImportedJobsCanBeSubmitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workloads.Machine{Name: "m", Nodes: 100, Cores: 16, GPUs: 4}
		o := interchange.ImportOptions{Machine: m, SkipBad: true, Resource: interchange.Core}
		o.Rescale.Fit = rapid.Bool().Draw(t, "fit")
		o.Rescale.SizeFactor = rapid.Float64Range(0.01, 3).Draw(t, "size")
		format := rapid.SampledFrom([]string{"swf", "sacct"}).Draw(t, "format")
		var text strings.Builder
		if format == "sacct" {
			text.WriteString("JobID|State|Submit|Start|End|NNodes|NCPUS|AllocTRES|Timelimit|User\n")
		}
		for id := range rapid.IntRange(1, 20).Draw(t, "jobs") {
			end := rapid.IntRange(2000, 99_999).Draw(t, "end")
			cores := rapid.IntRange(-1, 400).Draw(t, "cores")
			limit := rapid.IntRange(-1, 99_999).Draw(t, "limit")
			if format == "swf" {
				fmt.Fprintf(&text, "%d %d 0 %d %d -1 -1 -1 %d -1 1 1 1 1 1 1 -1 -1\n", id, id, end-2000, cores, limit)
				continue
			}
			fmt.Fprintf(&text, "%d|COMPLETED|1000|2000|%d|%d|%d|gres/gpu=%d|%02d:%02d:%02d|Eve\n", id, end, rapid.IntRange(0, 90).Draw(t, "nodes"),
				cores, rapid.IntRange(0, 40).Draw(t, "gpus"), max(limit, 0)/3600, max(limit, 0)/60%60, max(limit, 0)%60)
		}
		src := records.Source{Name: "t", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text.String())), nil }}
		var rows bytes.Buffer
		summary, err := interchange.Import(src, format, &rows, o)
		if err != nil {
			if !strings.Contains(err.Error(), "jobs: got none") {
				t.Fatal(err)
			}
			return
		}
		jobs, err := workloads.ReadCSV(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"+rows.String()), "rows")
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			if j.Limit%60 != 0 {
				t.Fatalf("job %+v: a limit of %d s is not whole minutes", j, j.Limit)
			}
			if err := submission(workloads.Machine{}, j).Validate(); err != nil {
				t.Fatalf("job %+v: %v", j, err)
			}
		}
	})
}

// A limit in a file made by hand is rounded up, as sbatch -t does.
func TestLimitsAreWholeMinutes(t *testing.T) {
	for seconds, want := range map[int]time.Duration{1: time.Minute, 60: time.Minute, 61: 2 * time.Minute, 365 * 24 * 3600: 365 * 24 * time.Hour} {
		r := submission(workloads.Machine{}, workloads.Job{ID: 1, Runtime: 1, Limit: seconds, Cores: 1, Class: "a"})
		if err := r.Validate(); err != nil || r.TimeLimit != want {
			t.Errorf("%d s: got %s, %v, want %s", seconds, r.TimeLimit, err, want)
		}
	}
}
