package external

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// answers is a Channel that answers every question with the same rows.
type answers struct {
	rows  string
	count int
	err   error
	asked []string
}

func (s *answers) Ask(_ context.Context, question ...string) (channel.Answer, error) {
	s.asked = append(s.asked, strings.Join(question, " "))
	a := channel.Answer{Count: s.count}
	for line := range strings.Lines(s.rows) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		a.Rows = append(a.Rows, channel.Row{Word: cells[0], Cells: cells[1:]})
	}
	return a, s.err
}

func TestReadJobs(t *testing.T) {
	for rows, want := range map[string]Job{
		"run\t7\t1861920010\t\tslurmlab script=1-2":                    {ID: 7, Start: time.Unix(1861920010, 0).UTC(), Comment: "slurmlab script=1-2"},
		"run\t7\t1861920010\tgres/gpu:2\tslurmlab gpus=1-2 script=1-2": {ID: 7, Start: time.Unix(1861920010, 0).UTC(), GPUs: 2, Comment: "slurmlab gpus=1-2 script=1-2"},
		"run\t7\t1861920010\tgres/gpu:a100:2\t":                        {ID: 7, Start: time.Unix(1861920010, 0).UTC(), GPUs: 2},
		"run\t7\t1861920010\tgres/gpu:a100\t":                          {ID: 7, Start: time.Unix(1861920010, 0).UTC(), GPUs: 1},
		"run\t7\t1861920010\tgres/gpu\t":                               {ID: 7, Start: time.Unix(1861920010, 0).UTC(), GPUs: 1},
	} {
		s := &answers{rows: rows, count: 1}
		if got, err := (Jobs{Channel: s}).Job(t.Context(), 7); err != nil || got != want || !slices.Equal(s.asked, []string{"running 7"}) {
			t.Errorf("%q: %+v, %v, want %+v", rows, got, err, want)
		}
		if got, err := (Jobs{Channel: s}).Running(t.Context()); err != nil || !slices.Equal(got, []Job{want}) {
			t.Errorf("%q: %+v, %v, want %+v", rows, got, err, want)
		}
	}
	for _, rows := range []string{"", "run\t7", "run\tx\t1\t\t", "run\t7\tx\t\t", "end\t7\t1\t\t"} {
		if got, err := (Jobs{Channel: &answers{rows: rows, count: 1}}).Running(t.Context()); err == nil {
			t.Errorf("%q: %+v", rows, got)
		}
	}
}

// A job that has ended differs from a Slurm that says nothing, which is asked again.
func TestJobsThatAreGone(t *testing.T) {
	refused := &slurmctl.RefusedError{Command: "end", Message: "Job is in transition"}
	for _, c := range []struct {
		answers answers
		want    error
	}{
		{answers{}, ErrGone},
		{answers{err: fmt.Errorf("ask: %w", slurmctl.ErrUnavailable)}, ErrUnanswered},
		{answers{err: refused}, ErrUnanswered},
		{answers{err: context.Canceled}, context.Canceled},
	} {
		j := Jobs{Channel: &c.answers}
		_, jobErr := j.Job(t.Context(), 7)
		_, detailsErr := j.Details(t.Context(), 7)
		for i, err := range []error{jobErr, detailsErr, j.End(t.Context(), 7, failed)} {
			if !errors.Is(err, c.want) || errors.Is(err, ErrUnanswered) != errors.Is(c.want, ErrUnanswered) {
				t.Errorf("question %d: %v, want %v", i, err, c.want)
			}
		}
		if err := j.Cancel(t.Context(), 7); errors.Is(c.want, ErrGone) && err != nil || !errors.Is(c.want, ErrGone) && !errors.Is(err, c.want) {
			t.Errorf("cancel: %v, want %v, but for a job that is gone", err, c.want)
		}
		if want := []string{"running 7", "batch 7", "end 7 256", "cancel 7"}; !slices.Equal(c.answers.asked, want) {
			t.Errorf("asked %q, want %q", c.answers.asked, want)
		}
	}
}

func TestDetailsOfAJob(t *testing.T) {
	rows := "state\trunning\nname\ta b\n"
	for _, key := range []string{"uid", "gid", "num_nodes", "num_cpus", "num_tasks", "tasks_per_node", "cpus_per_task", "start", "end"} {
		rows += key + "\t3\n"
	}
	got, err := Jobs{Channel: &answers{rows: rows, count: 1}}.Details(t.Context(), 7)
	if err != nil || got.State != scripts.Running || got.Name != "a b" || got.CPUs != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}
