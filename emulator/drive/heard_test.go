package drive_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Starts and ends are reported while the run goes on, by the workload's ids, in Slurm's seconds since its beginning.
// Without news there is a report only now and then.
func TestStartsAndEndsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		began := time.Now()
		asked := 0
		b.driver.Heard = func() ([]drive.Heard, error) {
			asked++
			switch asked {
			case 1:
				// sbatch has told no id yet, and one of them is of nobody here.
				start := began.Truncate(time.Second).Add(2 * time.Second)
				return []drive.Heard{{ID: 1, Started: start, Nodes: "n[1-4]", Cores: 32}, {ID: 99, Started: start, Nodes: "n1"}}, nil
			case 200:
				return []drive.Heard{{ID: 1, State: "COMPLETED", Started: time.Now().Truncate(time.Second), Ended: time.Now().Truncate(time.Second), Nodes: "n[1-4]", Cores: 32, GPUs: 2}}, nil
			}
			return nil, nil
		}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		var told []trace.Seen
		lines, last := 0, -1.0
		for i, e := range b.events {
			if e.Heard == nil {
				continue
			}
			lines++
			if e.Heard.Time < last {
				t.Errorf("known up to %g s after %g s", e.Heard.Time, last)
			}
			last = e.Heard.Time
			told = append(told, e.Heard.Jobs...)
			if len(told) == 1 && i == len(b.events)-1 {
				t.Error("the start is told with the last event")
			}
		}
		if len(told) != 2 || told[0].Job != 1 || told[0].Slurm != 1 || told[0].State != "" || told[0].Start != 1 || told[0].Nodes != "n[1-4]" ||
			told[1].State != "COMPLETED" || told[1].End != told[1].Start || told[1].Start <= told[0].Start || told[1].GPUs != 2 {
			t.Errorf("told %+v", told)
		}
		if lines < 10 || lines >= asked {
			t.Errorf("%d lines of %d looks: want some without news, and not one for each", lines, asked)
		}
	})
}

// Nothing of a run depends on what it reports to watchers.
func TestRunGoesOnWithoutNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		asked := 0
		b.driver.Heard = func() ([]drive.Heard, error) {
			asked++
			return nil, errors.New("no such file")
		}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete || asked != 1 {
			t.Fatalf("end %+v, asked %d times", end, asked)
		}
	})
}
