package accounting

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Sdiag is the cost of Slurm's backfill cycles and why each ended.
//
// slurmctld measures a cycle with its own clock, so the microseconds are virtual
// ones: under a scaled clock more than the real ones by the time scale, under a
// jump clock less by the think scale. The time that a cycle sleeps between its parts
// does not count. slurmctld resets all these numbers when its own clock shows midnight
// (src/slurmctld/controller.c, reset_stats), so that they cover the time since then.
type Sdiag struct {
	Cycles int
	// MeanMicros and MaxMicros are the mean and the longest cycle in microseconds.
	MeanMicros int
	MaxMicros  int
	// Exits says how often cycles ended for which reason, in Slurm's order; nil
	// when Slurm does not tell.
	Exits []SdiagExit
}

// SdiagExit is a reason why backfill cycles ended, in Slurm's words.
type SdiagExit struct {
	Reason string
	Count  int
}

// endOfQueue is the reason of a cycle that has looked at every waiting job.
const endOfQueue = "End of job queue"

// Early lists the reasons for which cycles ended before the end of the queue, with
// their counts. Such a cycle did not look at all waiting jobs.
func (s Sdiag) Early() []SdiagExit {
	return slices.DeleteFunc(slices.Clone(s.Exits), func(e SdiagExit) bool { return e.Reason == endOfQueue || e.Count == 0 })
}

// ReadSdiag reads two sections of sdiag's output (src/sdiag/sdiag.c,
// _print_stats), "Backfilling stats" and "Backfill exit"; each ends with an
// empty line. "Mean cycle" is absent when no cycle has run, the second section
// in versions of Slurm that do not count exits. A section or line that is
// missing, there twice or without a whole number is an error naming file and
// line.
func ReadSdiag(r io.Reader, name string) (Sdiag, error) {
	const stats, exits = "Backfilling stats", "Backfill exit"
	all, err := io.ReadAll(r)
	if err != nil {
		return Sdiag{}, fmt.Errorf("read %s: %w", name, err)
	}
	found := map[string]int{}
	seen := map[string]bool{}
	var s Sdiag
	section := ""
	line := 0
	for text := range strings.Lines(string(all)) {
		line++
		text = strings.TrimSuffix(text, "\n")
		if start := sectionOf(text, stats, exits); start != "" {
			if seen[start] {
				return Sdiag{}, fmt.Errorf("%s:%d: a second section %s", name, line, start)
			}
			section, seen[start] = start, true
			continue
		}
		if text == "" {
			section = ""
		}
		key, value, ok := strings.Cut(text, ":")
		key = strings.TrimSpace(key)
		isStat := key == "Total cycles" || key == "Mean cycle" || key == "Max cycle"
		if section == "" || section == stats && (!ok || !isStat) {
			continue
		}
		n, ok := values.Count(strings.TrimSpace(value))
		if _, twice := found[section+key]; !ok || twice {
			return Sdiag{}, fmt.Errorf("%s:%d: field %s: %q: want one whole number", name, line, key, text)
		}
		found[section+key] = n
		if section == exits {
			s.Exits = append(s.Exits, SdiagExit{Reason: key, Count: n})
		}
	}
	s.Cycles, s.MeanMicros, s.MaxMicros = found[stats+"Total cycles"], found[stats+"Mean cycle"], found[stats+"Max cycle"]
	bad := faults.List{Name: name}
	for _, key := range []string{"Total cycles", "Max cycle", "Mean cycle"} {
		if _, ok := found[stats+key]; !ok && (key != "Mean cycle" || s.Cycles > 0) {
			bad.Addf(0, "field %s is missing in section %s", key, stats)
		}
	}
	if err := bad.Err(); err != nil {
		return Sdiag{}, err
	}
	return s, nil
}

// sectionOf returns the section that the line begins, or nothing.
func sectionOf(line string, sections ...string) string {
	for _, section := range sections {
		if strings.HasPrefix(line, section) {
			return section
		}
	}
	return ""
}
