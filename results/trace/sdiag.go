package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Sdiag is what is read from sdiag.txt: the cost of Slurm's backfill cycles.
// slurmctld measures it with its own clock, so the microseconds are virtual
// ones: under a scaled clock more than the real ones by the time scale, under a
// jump clock less by the think scale. slurmctld resets these numbers at each (its
// own) midnight (src/slurmctld/controller.c, reset_stats), so that they cover
// the time since then. Sleeping between the parts of a cycle does not count.
type Sdiag struct {
	Cycles     int
	MeanMicros int
	MaxMicros  int
}

// ReadSdiag reads the backfill section of sdiag's output (src/sdiag/sdiag.c,
// _print_stats), which starts with "Backfilling stats" and ends with an empty
// line. "Mean cycle" is absent when no cycle has run. A section or line that is
// missing, there twice or without a whole number is an error naming file and
// line.
func ReadSdiag(r io.Reader, name string) (Sdiag, error) {
	lines := bufio.NewReader(r)
	found := map[string]int{}
	inside, seen := false, false
	for line := 1; ; line++ {
		text, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Sdiag{}, fmt.Errorf("read %s: %w", name, err)
		}
		if strings.HasPrefix(text, "Backfilling stats") {
			if seen {
				return Sdiag{}, fmt.Errorf("%s:%d: a second section Backfilling stats", name, line)
			}
			inside, seen = true, true
			continue
		}
		inside = inside && text != ""
		key, value, ok := strings.Cut(text, ":")
		key = strings.TrimSpace(key)
		if !inside || !ok || key != "Total cycles" && key != "Mean cycle" && key != "Max cycle" {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if _, twice := found[key]; err != nil || twice {
			return Sdiag{}, fmt.Errorf("%s:%d: field %s: %q: want one whole number", name, line, key, text)
		}
		found[key] = int(n)
	}
	s := Sdiag{Cycles: found["Total cycles"], MeanMicros: found["Mean cycle"], MaxMicros: found["Max cycle"]}
	var bad faults
	for _, key := range []string{"Total cycles", "Max cycle", "Mean cycle"} {
		if _, ok := found[key]; !ok && (key != "Mean cycle" || s.Cycles > 0) {
			bad.addf("%s: field %s is missing in section Backfilling stats", name, key)
		}
	}
	if err := bad.err(); err != nil {
		return Sdiag{}, err
	}
	return s, nil
}
