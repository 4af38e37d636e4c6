package drive_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads"
)

// stuck is a Slurm whose sacct knows one job less when it is asked first, as
// before slurmctld has handed over its last records, and hangs from then on.
type stuck struct {
	slurmctl.Runner
	// answers is how often sacct answers after it has hung once; calls counts.
	answers, calls int
}

func (s *stuck) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	if argv[0] != "sacct" {
		return s.Runner.Run(ctx, stdin, argv...)
	}
	s.calls++
	if s.calls == 2 || s.calls > 2+s.answers {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	out, err := s.Runner.Run(ctx, stdin, argv...)
	if s.calls == 1 {
		text := strings.TrimSuffix(string(out), "\n")
		out = []byte(text[:strings.LastIndex(text, "\n")+1])
	}
	return out, err
}

// When the time for the accounting ends inside sacct, what sacct said before is
// kept, and it is asked once more.
func TestAccountingThatHangsIsKept(t *testing.T) {
	for _, tt := range []struct {
		name          string
		answers, rows int
	}{
		{"sacct never answers again", 0, 2},
		{"sacct answers the rescue", 1, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, false, 0, jobs()...)
				s := &stuck{Runner: b.driver.Client.Runner, answers: tt.answers}
				b.driver.Client = &slurmctl.Client{Runner: s}
				end := b.driver.Drive(t.Context())
				if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, "sacct knows the end of 2 jobs of 3") ||
					!strings.Contains(end.Reason, context.DeadlineExceeded.Error()) {
					t.Errorf("end %+v", end)
				}
				if rows := b.rows(t); len(rows) != tt.rows {
					t.Errorf("%d rows are kept, want %d", len(rows), tt.rows)
				}
			})
		})
	}
}

// again is a Slurm whose sacct has an earlier try of job 1, which a node took with it.
type again struct{ slurmctl.Runner }

func (a again) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	out, err := a.Runner.Run(ctx, stdin, argv...)
	if argv[0] != "sacct" || err != nil {
		return out, err
	}
	rows := strings.SplitAfter(string(out), "\n")
	return []byte(rows[0] + strings.Replace(rows[1], "COMPLETED", "NODE_FAIL", 1) + strings.Join(rows[1:], "")), nil
}

// Whether a job may have been started again is for the reader of sacct.txt to say, at
// once: to wait for other rows would lead to nothing.
func TestAccountingOfAJobStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		b.driver.Client = &slurmctl.Client{Runner: again{b.driver.Client.Runner}}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Errorf("end %+v", end)
		}
		if rows := b.rows(t); len(rows) != 4 || rows[0].State != "NODE_FAIL" {
			t.Errorf("rows %+v", rows)
		}
	})
}

// slurmctld forgets at each midnight in UTC what it has counted (src/slurmctld/controller.c, _slurmctld_background).
func TestStatisticsOfEachDayAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The virtual run begins at a midnight.
		b := newBench(t, false, 0, workloads.Job{ID: 1, Runtime: 50 * 3600, Limit: 60 * 3600, Cores: 1, Class: "a"})
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		text, err := os.ReadFile(filepath.Join(b.driver.Out, "sdiag.txt"))
		if err != nil {
			t.Fatal(err)
		}
		days := regexp.MustCompile(`(?m)^Data since .*\((\d+)\)$`).FindAllStringSubmatch(string(text), -1)
		began := b.driver.Clock.Virtual.Unix()
		if len(days) != 3 || days[0][1] != strconv.FormatInt(began, 10) || days[2][1] != strconv.FormatInt(began+2*24*3600, 10) {
			t.Errorf("got outputs since %v, want three: since %d and since each midnight", days, began)
		}
	})
}
