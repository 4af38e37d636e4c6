package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

func archiveCommand(s *State) *cobra.Command {
	var raw, keep bool
	cmd := &cobra.Command{
		Use:   "archive DIR...",
		Short: "Put complete runs into one file each",
		Long: `Puts each run directory DIR into the file DIR.zip and removes the directory,
once the archive has been read back and every file in it is the same. All
commands that read runs take the archive in its place, by either name; "paper"
and "compare" find a run again that was archived since. "unzip -d DIR DIR.zip"
makes a directory of it.

With --raw the archive has the files that every number and picture is computed
from: run.json, workload.csv, events.csv, sacct.txt, sdiag.txt and cycles.jsonl.
Logs, dumped programs and the snapshots that "slurmlab explain" needs are lost
with the directory; --keep keeps it.`,
		Example: `  slurmlab archive --keep runs/demo-*/S-V.2-auction-seed1
  slurmlab archive --raw runs/*-seed*`,
		ValidArgsFunction: completions(ofRuns).cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			// A fault in one of the runs leaves all of them as they are.
			dirs, err := archivable(args)
			if err != nil {
				return usage(err)
			}
			for _, dir := range dirs {
				put := dir.Pack
				if keep {
					put = dir.Archive
				}
				path, err := put(raw)
				if err == nil {
					_, err = fmt.Fprintln(s.Stdout, path)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	declare(cmd, headFlags, flag("raw", &raw, false, "only what numbers and pictures are computed from"))
	declare(cmd, headFlags, flag("keep", &keep, false, "keep the directory"))
	return cmd
}

// archivable opens runs that can be archived: complete ones, which can be loaded.
func archivable(paths []string) ([]trace.Dir, error) {
	dirs := make([]trace.Dir, len(paths))
	var faults []error
	for i, path := range paths {
		dir, err := trace.Open(path)
		if err == nil && dir.Archived() {
			err = fmt.Errorf("%s is archived already", dir.Path())
		}
		if to := trace.ArchiveOf(path); err == nil && trace.IsArchived(to) {
			err = fmt.Errorf("%s: %s is there already", path, to)
		}
		if err == nil {
			_, err = metric.Load(dir)
		}
		faults = append(faults, err)
		dirs[i] = dir
	}
	return dirs, errors.Join(faults...)
}
