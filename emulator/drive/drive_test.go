package drive_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

func (b *bench) rows(t *testing.T) []accounting.Row {
	t.Helper()
	file, err := os.Open(filepath.Join(b.driver.Out, "sacct.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := accounting.ReadSacct(file, "sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func jobs() []workloads.Job {
	return []workloads.Job{
		{ID: 1, Runtime: 120, Limit: 300, Cores: 32, Class: "a"},
		{ID: 2, Runtime: 60, Limit: 300, Cores: 8, Nodes: 2, CoresPerNode: 4, GPUsMin: 2, GPUsMax: 2, Class: "b"},
		{ID: 3, Arrival: 90, Runtime: 60, Limit: 300, Cores: 4, Class: "a"},
	}
}

func TestCompleteRunUnderSlurm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		end := b.driver.Drive(t.Context())
		if end.Status != trace.StatusComplete || end.Reason != "" || end.Submitted != 3 {
			t.Fatalf("end %+v", end)
		}
		for _, row := range b.rows(t) {
			if row.State != "COMPLETED" || row.Elapsed < 60 {
				t.Errorf("row %+v", row)
			}
		}
		if end.ArrivalLagMax <= 0 {
			t.Errorf("arrival lag %g s: the third job cannot be submitted before its arrival, nor in no time", end.ArrivalLagMax)
		}
		last := b.events[len(b.events)-1]
		if last.Progress == nil || last.Progress.Done != 3 || last.Progress.Running != 0 {
			t.Errorf("last event %+v, want 3 jobs done", last)
		}
	})
}

func TestCompleteRunUnderTheAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, 0, jobs()...)
		b.auctions()
		end := b.driver.Drive(t.Context())
		if end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		if end.Cycles != len(b.cycles()) || end.Cycles == 0 {
			t.Errorf("the end tells of %d cycles, emitted were %d", end.Cycles, len(b.cycles()))
		}
		released, exact := 0, 0
		for _, cycle := range b.cycles() {
			released += len(cycle.Released)
			for _, p := range cycle.Checked {
				if p.Exact {
					exact++
				} else {
					t.Errorf("job %d: planned %s, got %s", p.Job, p.Planned, p.Actual)
				}
			}
		}
		if released != 3 || exact != 3 {
			t.Errorf("%d released, %d verified, want 3 and 3: a run is not over before its last placement is verified", released, exact)
		}
	})
}

// A dead daemon ends the run with its name, not with the complaint of the
// command that hung on it.
func TestDeadDaemonIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		b.driver.Watch = func(ctx context.Context, _ func(drive.Outage)) error {
			select {
			case <-time.After(50 * time.Second):
				return &boot.DaemonError{Name: "slurmctld", Log: []string{"fatal: out of luck"}}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		var log bytes.Buffer
		b.driver.Log = slog.New(slog.NewTextHandler(&log, nil))
		end := b.driver.Drive(t.Context())
		if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, "slurmctld died") || !strings.Contains(end.Reason, "out of luck") {
			t.Fatalf("end %+v", end)
		}
		if !strings.Contains(log.String(), `level=ERROR msg="run failed"`) || !strings.Contains(log.String(), "out of luck") {
			t.Errorf("log %s", log.String())
		}
	})
}

// A run that is stopped is incomplete and keeps what it measured.
func TestStoppedRunKeepsItsAccounting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(40*time.Second, func() { cancel(drive.ErrStopped) })
		end := b.driver.Drive(ctx)
		if end.Status != trace.StatusIncomplete || !strings.Contains(end.Reason, drive.ErrStopped.Error()) {
			t.Fatalf("end %+v", end)
		}
		if len(b.rows(t)) == 0 {
			t.Error("sacct.txt is empty")
		}
	})
}

func TestListenerThatIsGoneEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		gone := errors.New("broken pipe")
		b.driver.Emit = func(drive.Event) error { return gone }
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusFailed || !strings.Contains(end.Reason, "broken pipe") {
			t.Fatalf("end %+v", end)
		}
	})
}

// A job that Slurm refuses fails the run with the job's number; a job that can
// never start fails it after an hour of virtual time without a running job.
func TestImpossibleJobsDoNotHang(t *testing.T) {
	tests := []struct {
		name string
		hold bool
		job  workloads.Job
		want string
	}{
		{"larger than the machine", false, workloads.Job{ID: 9, Runtime: 60, Limit: 300, Cores: 1000, Class: "a"}, "submit job 9"},
		{"held for ever", true, workloads.Job{ID: 9, Runtime: 60, Limit: 300, Cores: 1, Class: "a"}, "no job ran for"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, tt.hold, 0, tt.job)
				end := b.driver.Drive(t.Context())
				if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, tt.want) {
					t.Fatalf("end %+v, want %q", end, tt.want)
				}
			})
		})
	}
}

// The users of a workload are accounts of the cluster, under any policy.
func TestUsersAreAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := jobs()
		list[0].User, list[1].User = "bob", "alice"
		b := newBench(t, false, 0, list...)
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		out, err := b.slurm.Run(t.Context(), nil, "scontrol", "-d", "-o", "show", "job")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"JobName=1 .*Account=bob ", "JobName=2 .*Account=alice ", "JobName=3 .*Account=root "} {
			if !regexp.MustCompile(want).Match(out) {
				t.Errorf("no job with %s:\n%s", want, out)
			}
		}
	})
}
