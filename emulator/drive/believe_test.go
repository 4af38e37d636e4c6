package drive_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// forged is a Slurm in whose database somebody has changed a field of a job. sacct prints it, and slurmctld's completions
// are as they were.
type forged struct {
	slurmctl.Runner
	job, field string
	change     func(string) string
}

func (f forged) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	out, err := f.Runner.Run(ctx, stdin, argv...)
	if argv[0] != "sacct" || err != nil || f.job == "" {
		return out, err
	}
	lines := strings.Split(string(out), "\n")
	names := strings.Split(lines[0], "|")
	for i, line := range lines {
		if cells := strings.Split(line, "|"); len(cells) == len(names) && cells[slices.Index(names, "JobName")] == f.job {
			at := slices.Index(names, f.field)
			cells[at] = f.change(cells[at])
			lines[i] = strings.Join(cells, "|")
		}
	}
	return []byte(strings.Join(lines, "\n")), nil
}

// later moves one of sacct's times.
func later(by time.Duration) func(string) string {
	return func(text string) string {
		at, err := time.Parse(values.TimeLayout, text)
		if err != nil {
			return err.Error()
		}
		return at.Add(by).Format(values.TimeLayout)
	}
}

// completions are what the cluster's true accounting has, and further ones.
func (b *bench) completions(more ...drive.Heard) ([]drive.Heard, error) {
	out, err := b.slurm.Run(context.Background(), nil, accounting.SacctArgv(time.Time{}, nil)...)
	if err != nil {
		return nil, err
	}
	rows, err := accounting.ReadSacct(bytes.NewReader(out), "sacct")
	for _, row := range rows {
		more = append(more, drive.Heard{ID: row.JobID, State: row.State, Started: row.Start, Ended: row.End})
	}
	return more, err
}

// Nothing of the database can be changed unseen that a run measures: when jobs were submitted, started and ended, and
// which jobs there were. docs/plugins.md promises it.
func TestForgedAccounting(t *testing.T) {
	for _, tt := range []struct {
		name, job, field string
		change           func(string) string
		foreign          bool
		want             string
	}{
		{"as it was", "", "", nil, false, ""},
		{"a start a minute earlier", "3", "Start", later(-time.Minute), false, "it ran from "},
		{"a start a second later", "1", "Start", later(time.Second), false, "it ran from "},
		{"an end", "2", "End", later(time.Minute), false, "it ran from "},
		{"a submission before the arrival", "3", "Submit", later(-10 * time.Second), false, "Submit is "},
		{"a submission after the arrival", "1", "Submit", later(5 * time.Second), false, "Submit is "},
		{"another job's record", "1", "JobID", func(string) string { return "7" }, false, "job 1 (Slurm job 7): slurmlab submitted it as Slurm job 1"},
		{"a job of others", "", "", nil, true, "slurmctld completed 1 jobs that slurmlab did not submit: Slurm jobs 99"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, false, 0, jobs()...)
				b.driver.Client = &slurmctl.Client{Runner: forged{b.driver.Client.Runner, tt.job, tt.field, tt.change}}
				b.driver.Completed = func() ([]drive.Heard, error) {
					if tt.foreign {
						return b.completions(drive.Heard{ID: 99, Ended: time.Now()})
					}
					return b.completions()
				}
				end := b.driver.Drive(t.Context())
				if tt.want == "" {
					if end.Status != trace.StatusComplete {
						t.Errorf("end %+v", end)
					}
					return
				}
				const begins = "the accounting is not what happened in the run: "
				if end.Status != trace.StatusFailed || !strings.HasPrefix(end.Reason, begins) || !strings.Contains(end.Reason, tt.want) {
					t.Errorf("%s: %s, want a failure with %q", end.Status, end.Reason, tt.want)
				}
			})
		})
	}
}
