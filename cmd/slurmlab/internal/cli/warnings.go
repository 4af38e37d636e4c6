package cli

import (
	"fmt"
	"io"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
)

// warn writes what speaks against the numbers of runs to standard error, in the words
// of the report.
func (s *State) warn(runs ...metric.Result) {
	for _, text := range report.WarningsOfRuns(runs) {
		s.warnf("%s", text)
	}
	for _, r := range runs {
		for _, text := range report.WarningsOfRun(r) {
			s.warnf("%s: %s", r.Run.ID, text)
		}
	}
}

// told is warnf for one text.
func (s *State) told(text string) { s.warnf("%s", text) }

// warnf writes a warning to standard error: a line, which on a terminal is broken where
// it does not fit.
func (s *State) warnf(text string, args ...any) {
	line := fmt.Sprintf("warning: "+text, args...) + "\n"
	if s.Terminal {
		line = wrap(line, "", s.width())
	}
	_, _ = io.WriteString(s.Stderr, line)
}
