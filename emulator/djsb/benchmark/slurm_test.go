package benchmark_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
)

// printed is what Slurm's commands print, by their names.
type printed map[string]string

func (p printed) Run(_ context.Context, _ []byte, argv ...string) ([]byte, error) {
	text, known := p[argv[0]]
	if !known {
		return nil, fmt.Errorf("%s was not expected", argv[0])
	}
	return []byte(text), nil
}

// asked notes commands, and prints the id of a job.
type asked struct{ argv []string }

func (a *asked) Run(_ context.Context, _ []byte, argv ...string) ([]byte, error) {
	a.argv = argv
	return []byte("7;site\n"), nil
}

// sbatch gets what a job asks for. What it prints goes to one file, errors too; a program may have lines that look like options.
func TestSlurmSubmits(t *testing.T) {
	request := benchmark.JobRequest{
		Name: "sim", Tasks: 4, TasksPerNode: 2, CPUsPerTask: 3, Partition: "urgent", Nodes: []string{"n1", "n2"}, TimeLimit: 2 * time.Minute,
		Script: "#!/bin/sh\ncat <<END\n#SBATCH\nEND\n",
	}
	for want, s := range map[string]*benchmark.Slurm{
		"sbatch --parsable -J sim -n 4 -N 2 --ntasks-per-node=2 -c 3 --partition=urgent --nodelist=n[1-2] --reservation=djsb -t 2 -o /x%%y/%j.out": {Reservation: "djsb", Dir: "/x%y"},
		"sbatch --parsable -J sim -n 12 -N 2 --ntasks-per-node=6 --partition=urgent --nodelist=n[1-2] -t 2 -o /dev/null -e /dev/null":              {TaskPerCore: true},
	} {
		var a asked
		s.Runner = &a
		id, err := s.Submit(t.Context(), request)
		words := strings.Fields(want)
		if got := a.argv; err != nil || id != "7" || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(words))) {
			t.Errorf("job %q, %v: got %q, want %q", id, err, got, words)
		}
	}
}

// shown is a line of "scontrol -o show job" (slurm_sprint_job_info in src/api/job_info.c).
func shown(state string, restarts int, submit, start, end, suspend string, before int) string {
	const day = "2026-01-01T"
	return fmt.Sprintf("JobId=7 JobName=x Priority=1 JobState=%s Reason=None Requeue=1 Restarts=%d ExitCode=0:0 SubmitTime=%s StartTime=%s EndTime=%s SuspendTime=%s SecsPreSuspend=%d Partition=main\n",
		state, restarts, day+submit, day+start, day+end, suspend, before)
}

// What Slurm says of suspensions and of earlier starts, by hand.
func TestSlurmStatus(t *testing.T) {
	at := func(clock string) time.Time {
		when, err := time.Parse(time.TimeOnly, clock)
		if err != nil {
			t.Fatal(err)
		}
		return when.AddDate(2026, 0, 0)
	}
	const accounted = "Submit|Start|End\n" +
		"2026-01-01T00:00:10|2026-01-01T00:00:11|2026-01-01T00:00:27\n" +
		"2026-01-01T00:00:27|2026-01-01T00:02:40|2026-01-01T00:03:00\n" +
		"2026-01-01T00:03:00|2026-01-01T00:06:00|2026-01-01T00:07:40\n"
	for name, tc := range map[string]struct {
		slurm printed
		want  benchmark.Status
	}{
		// At work from 11 to 91 and from 111 to 131.
		"was suspended once": {
			printed{"scontrol": shown("COMPLETED", 0, "00:00:10", "00:00:11", "00:02:11", "2026-01-01T00:01:51", 80)},
			benchmark.Status{State: benchmark.Completed, Submit: at("00:00:10"), Start: at("00:00:11"), End: at("00:02:11"), Suspended: 20 * time.Second},
		},
		// Again since 131: 80 s and 20 s of work.
		"is suspended again": {
			printed{"scontrol": shown("SUSPENDED", 0, "00:00:10", "00:00:11", "00:30:00", "2026-01-01T00:02:11", 100)},
			benchmark.Status{State: benchmark.Suspended, Submit: at("00:00:10"), Start: at("00:00:11"), Suspended: 20 * time.Second, SuspendedAt: at("00:02:11")},
		},
		// It ran for 16 s and for 20 s before.
		"was requeued twice": {
			printed{"scontrol": shown("COMPLETED", 2, "00:03:00", "00:06:00", "00:07:40", "None", 0), "sacct": accounted},
			benchmark.Status{State: benchmark.Completed, Submit: at("00:00:10"), Start: at("00:06:00"), End: at("00:07:40"), Lost: 36 * time.Second},
		},
		"waits again": {
			printed{"scontrol": shown("PENDING", 1, "00:00:27", "00:02:40", "00:30:00", "None", 0)},
			benchmark.Status{State: benchmark.Pending, Submit: at("00:00:27")},
		},
	} {
		s := benchmark.Slurm{Runner: tc.slurm}
		if got, err := s.Poll(t.Context(), "7"); err != nil || got != tc.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, tc.want)
		}
	}
	for want, slurm := range map[string]printed{
		"sacct knows 2 of its 3 earlier starts": {"scontrol": shown("COMPLETED", 3, "00:03:00", "00:06:00", "00:07:40", "None", 0), "sacct": accounted},
		`Restarts: got "many"`:                  {"scontrol": strings.Replace(shown("RUNNING", 0, "00:00:10", "00:00:11", "00:02:11", "None", 0), "Restarts=0", "Restarts=many", 1)},
	} {
		s := benchmark.Slurm{Runner: slurm}
		if got, err := s.Poll(t.Context(), "7"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %+v, %v, want %s", got, err, want)
		}
	}
}
