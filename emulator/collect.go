package emulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
)

const (
	// flushLimit is the real time that slurmctld may take to hand the last
	// records to slurmdbd; it does so within a second.
	flushLimit = 60 * time.Second
	// rescueLimit bounds the collecting after a failure, when Slurm may not
	// answer any more.
	rescueLimit = 5 * time.Second
	// flushPoll is the pause between two looks.
	flushPoll = 100 * time.Millisecond
)

// collect writes sdiag.txt and, once enough is satisfied with it, sacct.txt.
func (r *run) collect(ctx context.Context, enough func([]trace.SacctRow) error) error {
	diag, diagErr := r.Client.Diag(ctx)
	if diagErr == nil {
		diagErr = os.WriteFile(r.path("sdiag.txt"), diag, 0o644)
	}
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	for {
		raw, err := r.Client.Accounting(ctx, r.began.Add(-time.Minute))
		if err != nil {
			return errors.Join(fmt.Errorf("collect accounting: %w", err), diagErr)
		}
		rows, err := trace.ReadSacct(bytes.NewReader(raw), "sacct")
		if err != nil {
			return errors.Join(fmt.Errorf("collect accounting: %w", err), diagErr)
		}
		lack := enough(rows)
		if lack != nil && ctx.Err() == nil {
			if sleepErr := sleep(ctx, flushPoll); sleepErr == nil {
				continue
			}
		}
		if writeErr := os.WriteFile(r.path("sacct.txt"), raw, 0o644); writeErr != nil {
			return errors.Join(fmt.Errorf("collect accounting: %w", writeErr), diagErr)
		}
		if lack != nil {
			return errors.Join(fmt.Errorf("collect accounting: %w", lack), diagErr)
		}
		return diagErr
	}
}

// anything is content with what is there.
func (r *run) anything([]trace.SacctRow) error { return nil }

// finished wants every job of the workload with its end.
func (r *run) finished(rows []trace.SacctRow) error {
	ended := 0
	for _, row := range rows {
		if !row.End.IsZero() && row.State != "RUNNING" && row.State != "COMPLETING" {
			ended++
		}
	}
	if want := len(r.Request.Jobs); ended != want {
		return fmt.Errorf("sacct knows the end of %d jobs of %d", ended, want)
	}
	return nil
}
