package channel_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// What comes to the same if it is said twice is said again to another helper, when the first one died over it.
func TestChangesAreMadeAgain(t *testing.T) {
	for name, change := range map[string]func(*channel.Reader) error{
		"cancel":   func(r *channel.Reader) error { return r.Cancel(t.Context(), 7, 8) },
		"annotate": func(r *channel.Reader) error { return r.Annotate(t.Context(), 7, "a\tb") },
		"end": func(r *channel.Reader) error {
			ended, err := r.End(t.Context(), 7, 253)
			if err == nil && !ended {
				return errors.New("the job had ended before")
			}
			return err
		},
	} {
		r := open(t, plenty, life(rows(1, job(7, "a")), "die"), life(rows(1)))
		wantNames(t, r, "a")
		if err := change(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A refusal and a Slurm that does not answer are told apart, and end no helper.
func TestChangesThatFail(t *testing.T) {
	r := open(t, plenty, life("error\tInvalid job id specified", "error\tUnable to contact slurm controller", rows(0), "ok\tx"))
	var refused *slurmctl.RefusedError
	if err := r.Annotate(t.Context(), 7, "x"); !errors.As(err, &refused) || refused.Message != "Invalid job id specified" {
		t.Errorf("%v, want a refusal", err)
	}
	if err := r.Cancel(t.Context(), 7); !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("slurmctld is down: %v", err)
	}
	if err := r.Cancel(t.Context(), 7); err != nil {
		t.Errorf("a job that has ended: %v", err)
	}
	if err := r.Cancel(t.Context()); err != nil {
		t.Errorf("no job: %v", err)
	}
	if err := r.Cancel(t.Context(), 7); err == nil {
		t.Error("an answer that cannot be read is none")
	}
}

// Of jobs with one name the last one is meant, as by slurmctl.Client.Known.
func TestKnownJobs(t *testing.T) {
	r := open(t, plenty, life(rows(3, "known\t7\ta\\tb", "known\t9\t1", "known\t8\t1")))
	want := map[string]int{"a\tb": 7, "1": 9}
	if got, err := r.Known(t.Context()); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, answer := range []string{rows(1), rows(1, "known\tx\ta"), rows(1, "known\t0\ta"), rows(1, "known\t7"), rows(1, "job\t7\ta"), rows(0, "known\t7\ta")} {
		r := open(t, plenty, life(answer), life(rows(1, "known\t7\ta")))
		if got, err := r.Known(t.Context()); err == nil {
			t.Errorf("%q: got %v", answer, got)
		}
		// It was ended.
		if _, err := r.Known(t.Context()); err != nil {
			t.Errorf("after %q: %v", answer, err)
		}
	}
}
