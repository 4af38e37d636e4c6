package cli

import (
	"fmt"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/warnings"
)

// warn writes what speaks against the numbers of runs to standard error, a line
// each, in the words of the report.
func (s *State) warn(runs ...metric.Result) {
	for _, text := range warnings.OfRuns(runs) {
		s.warnf("%s", text)
	}
	for _, r := range runs {
		for _, text := range warnings.OfRun(r) {
			s.warnf("%s: %s", r.Run.ID, text)
		}
	}
}

// told is warnf for one text.
func (s *State) told(text string) { s.warnf("%s", text) }

func (s *State) warnf(text string, args ...any) {
	_, _ = fmt.Fprintf(s.Stderr, "warning: "+text+"\n", args...)
}
