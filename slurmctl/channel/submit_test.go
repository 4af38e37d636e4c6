package channel_test

import (
	"errors"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

func batch() sbatch.Request {
	return sbatch.Request{Name: "7", Tasks: 4, TimeLimit: time.Minute, Script: "#!/bin/sh\n"}
}

// A refusal has Slurm's words and the command that would have been refused.
func TestRefusedSubmission(t *testing.T) {
	r := open(t, plenty, life("error\tslurmchannel: error: slurmlab: no\\nBatch job submission failed: Unspecified error", "error\tUnable to contact slurm controller", rows(1, "submitted\t13")))
	var refused *slurmctl.RefusedError
	_, err := r.Helper.Submit(t.Context(), batch())
	if !errors.As(err, &refused) || refused.Message != "slurmlab: no; Batch job submission failed: Unspecified error" || refused.Command != "sbatch --parsable -J 7 -n 4 -t 1 -o /dev/null -e /dev/null" {
		t.Errorf("%v, %+v", err, refused)
	}
	if _, err := r.Helper.Submit(t.Context(), batch()); !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("slurmctld is down: %v", err)
	}
	if id, err := r.Helper.Submit(t.Context(), batch()); err != nil || id != 13 {
		t.Errorf("job %d, %v, want 13", id, err)
	}
}

// A submission whose answer is missing may have taken effect: it is not made again.
func TestSubmissionIsMadeOnce(t *testing.T) {
	for name, answer := range map[string]string{"death": "die", "no answer": "\ndie", "half an answer": "submitted\t12\ndie"} {
		r := open(t, plenty, life(rows(1, job(7, "a")), answer), life(rows(1, job(9, "c"))))
		wantNames(t, r, "a")
		if id, err := r.Helper.Submit(t.Context(), batch()); !errors.Is(err, slurmctl.ErrUnavailable) {
			t.Errorf("%s: job %d, %v, want no answer", name, id, err)
		}
		wantNames(t, r, "c")
	}
}

// An answer without an id is none, and ends the helper.
func TestGarbledSubmissions(t *testing.T) {
	for _, answer := range []string{rows(0), rows(1, "submitted"), rows(1, "submitted\tx"), rows(1, "submitted\t0"), rows(1, "job\t12"), rows(2, "submitted\t1", "submitted\t2")} {
		r := open(t, plenty, life(rows(1, job(7, "a")), answer), life(rows(1, job(9, "c"))))
		wantNames(t, r, "a")
		if id, err := r.Helper.Submit(t.Context(), batch()); err == nil {
			t.Errorf("%q: job %d", answer, id)
		}
		wantNames(t, r, "c")
	}
}

// What sbatch would not take is not sent.
func TestInvalidSubmissions(t *testing.T) {
	r := open(t, plenty)
	for _, invalid := range []sbatch.Request{{}, {Name: "7", Tasks: 1, TimeLimit: time.Minute, Path: "/bin/true"}} {
		if id, err := r.Helper.Submit(t.Context(), invalid); err == nil || errors.Is(err, slurmctl.ErrUnavailable) {
			t.Errorf("%+v: job %d, %v, want a fault", invalid, id, err)
		}
	}
}
