package cli

import (
	"fmt"
	"io"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
)

// warn writes what speaks against the numbers of runs to standard error, in the words
// of the report.
func (s *State) warn(runs ...metric.Result) {
	for _, warning := range report.WarningsOfRuns(runs) {
		s.warnf("%s", warning)
	}
	for _, r := range runs {
		for _, warning := range report.WarningsOfRun(r) {
			s.warnf("%s: %s", r.Run.ID, warning)
		}
	}
}

// told is warnf for one text.
func (s *State) told(warning string) { s.warnf("%s", warning) }

// warnf writes a warning to standard error: a line, which on a terminal is broken where
// it does not fit.
func (s *State) warnf(format string, args ...any) {
	line := fmt.Sprintf("warning: "+format, args...) + "\n"
	if s.Terminal {
		line = text.Wrap(line, "", s.width())
	}
	_, _ = io.WriteString(s.Stderr, line)
}
