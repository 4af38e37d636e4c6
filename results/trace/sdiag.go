package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Sdiag is what is read from sdiag.txt: the cost of Slurm's backfill cycles and
// why each ended.
// slurmctld measures it with its own clock, so the microseconds are virtual
// ones: under a scaled clock more than the real ones by the time scale, under a
// jump clock less by the think scale. slurmctld resets these numbers at each (its
// own) midnight (src/slurmctld/controller.c, reset_stats), so that they cover
// the time since then. Sleeping between the parts of a cycle does not count.
type Sdiag struct {
	Cycles     int
	MeanMicros int
	MaxMicros  int
	// Exits says how often cycles ended for which reason, in Slurm's order; nil
	// when Slurm does not tell.
	Exits []Exit
}

// Exit is a reason why backfill cycles ended, in Slurm's words.
type Exit struct {
	Reason string
	Count  int
}

// endOfQueue is the reason of a cycle that has looked at every waiting job.
const endOfQueue = "End of job queue"

// Early lists the reasons, with their counts, for which cycles ended before the
// end of the queue, so that jobs were not looked at.
func (s Sdiag) Early() []Exit {
	return slices.DeleteFunc(slices.Clone(s.Exits), func(e Exit) bool { return e.Reason == endOfQueue || e.Count == 0 })
}

// ReadSdiag reads two sections of sdiag's output (src/sdiag/sdiag.c,
// _print_stats), "Backfilling stats" and "Backfill exit"; each ends with an
// empty line. "Mean cycle" is absent when no cycle has run, the second section
// in versions of Slurm that do not count exits. A section or line that is
// missing, there twice or without a whole number is an error naming file and
// line.
func ReadSdiag(r io.Reader, name string) (Sdiag, error) {
	const stats, exits = "Backfilling stats", "Backfill exit"
	lines := bufio.NewReader(r)
	found := map[string]int{}
	seen := map[string]bool{}
	var s Sdiag
	section := ""
	for line := 1; ; line++ {
		text, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Sdiag{}, fmt.Errorf("read %s: %w", name, err)
		}
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
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if _, twice := found[section+key]; err != nil || twice {
			return Sdiag{}, fmt.Errorf("%s:%d: field %s: %q: want one whole number", name, line, key, text)
		}
		found[section+key] = int(n)
		if section == exits {
			s.Exits = append(s.Exits, Exit{Reason: key, Count: int(n)})
		}
	}
	s.Cycles, s.MeanMicros, s.MaxMicros = found[stats+"Total cycles"], found[stats+"Mean cycle"], found[stats+"Max cycle"]
	var bad faults
	for _, key := range []string{"Total cycles", "Max cycle", "Mean cycle"} {
		if _, ok := found[stats+key]; !ok && (key != "Mean cycle" || s.Cycles > 0) {
			bad.addf("%s: field %s is missing in section %s", name, key, stats)
		}
	}
	if err := bad.err(); err != nil {
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
