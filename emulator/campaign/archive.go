package campaign

import (
	"errors"
	"io/fs"
	"os"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// What --archive keeps of a run.
const (
	ArchiveWhole = "whole"
	ArchiveRaw   = "raw"
)

// pack archives the complete run c, if runs are to be.
func (e *Execution) pack(c run.Config) error {
	if e.Archive == "" {
		return nil
	}
	dir, err := trace.Open(c.Dir)
	if err != nil || dir.Archived() {
		return err
	}
	_, err = dir.Pack(e.Archive == ArchiveRaw)
	return err
}

// PackAll archives what commands that were killed, or had no --archive, have left as directories of the runs, which
// are all complete.
func (e *Execution) PackAll(configs []run.Config) error {
	if e.Archive == "" {
		return nil
	}
	for _, c := range configs {
		if _, err := os.Lstat(c.Dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := e.pack(c); err != nil {
			return err
		}
	}
	return trace.Sweep(e.Out)
}
