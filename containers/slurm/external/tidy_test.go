package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
)

// The runner removes scripts that job_submit.lua kept of jobs that Slurm then refused, or forgot, also if Slurm does
// not answer at first. It keeps scripts of jobs that wait, run, or may be about to be taken. It ignores files of
// other names.
func TestScriptsOfNoJobAreRemoved(t *testing.T) {
	dir, spool := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		name := func(after time.Duration) string { return fmt.Sprintf("%d-1", began.Add(after).Unix()) }
		keep := func(names ...string) {
			for _, n := range names {
				if err := os.WriteFile(filepath.Join(dir, n), []byte("# slurmlab seconds=3000\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		left := func(want ...string) {
			t.Helper()
			entries, err := os.ReadDir(dir)
			var got []string
			for _, e := range entries {
				got = append(got, e.Name())
			}
			if err != nil {
				t.Error(err)
			}
			expect(t, got, want...)
		}
		waits, runs, refused, late := name(1*time.Second), name(2*time.Second), name(500*time.Second), name(550*time.Second)
		slurm := &fake{running: map[int]Job{}, began: began}
		// A new runner looks once, for what the one before may have missed.
		answers := []error{nil, errors.New("Unable to contact slurm controller"), nil, nil}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Hour)
		defer stop()
		r := &Runner{
			Slurm: slurm, Clock: real{}, Scripts: dir, Spool: spool, Processes: scripts.Processes{Spool: spool}, Log: slog.New(slog.DiscardHandler), Ends: io.Discard,
			Comments: func(context.Context) ([]string, error) {
				err := answers[0]
				answers = answers[1:]
				return []string{"slurmlab script=" + waits}, err
			},
		}
		news, done := NewNews(), make(chan error)
		go func() { done <- r.Run(ctx, news) }()
		time.Sleep(2 * time.Second)
		keep(waits, runs, "README")
		slurm.running[1] = job(1, time.Now(), runs)
		news.Started(1)
		time.Sleep(498 * time.Second)
		keep(refused, refused+scripts.SubmissionSuffix)
		news.Refused()
		time.Sleep(50 * time.Second)
		keep(late)
		// A minute after the refusal Slurm does not answer, after two it does.
		time.Sleep(60 * time.Second)
		left(waits, runs, refused, refused+scripts.SubmissionSuffix, late, "README")
		time.Sleep(20 * time.Second)
		left(waits, runs, "README")
		if len(answers) != 1 {
			t.Errorf("%d answers are left, want one: Slurm is asked when something is strange", len(answers))
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the runner ended: %v", err)
		}
	})
}
