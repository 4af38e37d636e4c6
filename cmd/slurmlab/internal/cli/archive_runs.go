package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// What --archive keeps of a run.
const (
	archiveWhole = "whole"
	archiveRaw   = "raw"
)

func (e *execution) archiveFlag(cmd *cobra.Command) {
	under(cmd, headResults, func(f *pflag.FlagSet) {
		f.StringVar(&e.archive, "archive", "", "put each complete run into one file: whole, or raw, which leaves out logs and what explain needs (default: directories)")
	})
	completeFlag(cmd, "archive", ofWords(archiveWhole, archiveRaw))
}

func (e *execution) checkArchive() error {
	switch e.archive {
	case "", archiveWhole, archiveRaw:
		return nil
	default:
		return fmt.Errorf("archive: %q is unknown, allowed are %s and %s", e.archive, archiveWhole, archiveRaw)
	}
}

// pack archives the complete run c, if runs are to be.
func (e *execution) pack(c run.Config) error {
	if e.archive == "" {
		return nil
	}
	dir, err := trace.Open(c.Dir)
	if err != nil || dir.Archived() {
		return err
	}
	_, err = dir.Pack(e.archive == archiveRaw)
	return err
}

// packAll archives what commands that were killed, or had no --archive, have left as directories of the runs, which
// are all complete.
func (e *execution) packAll(configs []run.Config) error {
	if e.archive == "" {
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
	return trace.Sweep(e.out)
}
