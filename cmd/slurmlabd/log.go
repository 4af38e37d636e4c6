package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

// logName is the log of this program, beside the daemons' logs.
const logName = "slurmlabd.log"

// openLog opens the log in the directory, whose lines have the virtual time, as lines of Slurm's daemons do. Every
// slurmlabd of a cluster appends to the same file.
func openLog(dir string, c clock.Clock) (*slog.Logger, io.Closer, error) {
	file, err := os.OpenFile(filepath.Join(dir, logName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("open log: %w", err)
	}
	return newLog(file, c), file, nil
}

func newLog(w io.Writer, c clock.Clock) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				a.Value = slog.TimeValue(c.Now())
			}
			return a
		},
	}))
}
