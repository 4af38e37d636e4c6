package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Making is how the runs of a campaign are made.
type Making struct {
	*Execution
	// Parallel is how many clusters go at a time, 0 for all free cores.
	Parallel int
	// Image names the clusters' image, empty for the usual one; Memory limits their memory in bytes, 0 for the limit that
	// follows from the workload.
	Image  string
	Memory int64
	// OnSlurm has job arrays of the user's Slurm make the runs, which Ask says what to ask for; Detach ends when they are
	// submitted.
	OnSlurm bool
	Ask     Site
	Detach  bool
}

// CarryOut makes the runs of a campaign that are missing, round by round where it adds seeds. Then st has all of them.
func (m *Making) CarryOut(ctx context.Context, st *Study) error {
	for {
		next, err := m.round(ctx, st)
		if err != nil || next == 0 {
			return err
		}
		if *st, err = st.Grow(next); err != nil {
			return err
		}
	}
}

// round makes the runs that are missing, and returns with how many seeds the campaign goes on, 0 at its
// end.
func (m *Making) round(ctx context.Context, st *Study) (int, error) {
	configs, err := st.Configs(m.Image, m.Memory)
	if err != nil {
		return 0, err
	}
	found, err := m.Find(configs)
	if err != nil {
		return 0, err
	}
	if err = st.keep(); err != nil {
		return 0, err
	}
	log, err := os.OpenFile(filepath.Join(st.Folder, logName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, fmt.Errorf("open log: %w", err)
	}
	defer func() { _ = log.Close() }()
	m.Log = log
	if m.OnSlurm {
		err = m.submit(ctx, st, configs, found)
	} else {
		err = m.RunMissing(ctx, m.Parallel, configs, found)
	}
	if errors.Is(err, ErrDetached) {
		return 0, err
	}
	if err == nil {
		err = m.PackAll(configs)
	}
	// What the round has left is looked at once, for the manifest and for the intervals.
	entries, manifestErr := st.look(configs, "")
	if manifestErr == nil {
		manifestErr = st.WriteManifest(entries)
	}
	if err = errors.Join(err, manifestErr); err != nil || st.Until == nil {
		return 0, err
	}
	runs, err := metric.LoadNamed(m.Load, entries.Complete()...)
	if err != nil {
		return 0, err
	}
	folder := st.folder(entries)
	folder.Take(runs)
	return st.nextSeeds(folder, m.Terminal.Tell)
}
