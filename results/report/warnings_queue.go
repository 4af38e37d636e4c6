package report

import (
	"fmt"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// queueWarnings tells when sdiag does not prove that each pass of Slurm's backfill
// looked at every waiting job: a baseline that leaves jobs out is weaker than it
// could be.
func queueWarnings(s *accounting.Sdiag) []string {
	switch {
	case s == nil:
		return []string{"There is no sdiag.txt: nothing shows that the backfill passes reached the end of the queue."}
	case s.Cycles == 0:
		return nil
	case s.Exits == nil:
		return []string{"sdiag.txt does not say why backfill passes ended: nothing shows that they reached the end of the queue."}
	}
	early := s.Early()
	if len(early) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d backfill passes ended before the end of the queue (%s): jobs behind were not looked at.",
		exitCount(early), s.Cycles, exitTexts(early))}
}

// BackfillPasses says how many there were and whether sdiag proves that they
// looked at every job.
func BackfillPasses(s accounting.Sdiag) string {
	switch {
	case s.Cycles == 0:
		return "0"
	case s.Exits == nil:
		return fmt.Sprintf("%d, unknown why they ended", s.Cycles)
	case len(s.Early()) == 0:
		return fmt.Sprintf("%d, all to the end of the queue", s.Cycles)
	default:
		return fmt.Sprintf("%d, %d not to the end of the queue (%s)", s.Cycles, exitCount(s.Early()), exitTexts(s.Early()))
	}
}

func exitCount(exits []accounting.SdiagExit) int {
	n := 0
	for _, e := range exits {
		n += e.Count
	}
	return n
}

func exitTexts(exits []accounting.SdiagExit) string {
	counts := make(map[string]int)
	for _, e := range exits {
		counts[e.Reason] += e.Count
	}
	return text.Counts(counts)
}
